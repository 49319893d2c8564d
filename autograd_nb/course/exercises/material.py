"""Data and code from which exercises of several chapters start."""

import autograd_nb as torch

from ...microscope.readings import is_tensor


def numbers(random, low, high, *shape, **options):
    """A tensor of this shape with random numbers between *low* and *high*."""
    return torch.tensor(random.uniform(low, high, shape).tolist(), **options)


def leaf(random, *of):
    """The same, and it requires grad."""
    return numbers(random, *of, requires_grad=True)


def normal(random, *shape, scale=1.0, **options):
    """The same, normally distributed around 0."""
    return torch.tensor(random.normal(scale=scale, size=shape).tolist(), **options)


def with_gradient(random, low, high):
    """A leaf of three numbers whose .grad is 2 times its values."""
    x = leaf(random, low, high, 3)
    (x**2).sum().backward()
    return x


def type_of(value):
    """The value's type; a tensor of real PyTorch counts as one of ours."""
    return torch.Tensor if is_tensor(value) else type(value)
