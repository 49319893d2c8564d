"""Data and code from which exercises of several chapters start."""

import autograd_nb as torch

from ...microscope.readings import is_tensor


def numbers(random, count, **options):
    """A tensor of this many numbers between 0.5 and 3."""
    return torch.tensor(random.uniform(0.5, 3, count).tolist(), **options)


def type_of(value):
    """The value's type; a tensor of real PyTorch counts as one of ours."""
    return torch.Tensor if is_tensor(value) else type(value)
