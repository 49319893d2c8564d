"""Tensors of random numbers: new ones, and tensors filled in place, drawn by the functions of ``random``."""

import numpy as np

from . import dtypes, random
from .creation import creates, int_argument, like, made, number_argument, size_argument
from .dispatch import apply, binder, publish_call
from .inplace import in_place
from .plans import Row, parameter_names
from .tensors import Tensor

# -- new tensors -----------------------------------------------------------------------------------------------------


def floating(dtype):
    return (dtype or dtypes.get_default_dtype()).numpy


@creates
def rand(*size, generator=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """Random numbers spread evenly over [0, 1), of the shape *size*; the same after the same seed as in PyTorch.

    >>> import autograd_nb as torch
    >>> torch.rand(2, generator=torch.Generator().manual_seed(0))
    tensor([0.4963, 0.7682])
    """
    return random.uniform(size, floating(dtype), generator=generator)


@creates
def randn(*size, generator=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """Normally distributed random numbers (mean 0, variance 1), of the shape *size*.

    >>> import autograd_nb as torch
    >>> torch.randn(2, generator=torch.Generator().manual_seed(0))
    tensor([ 1.5410, -0.2934])
    """
    return random.normal(size, floating(dtype), generator=generator)


@creates
def randint(low, high=None, size=None, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False,
            requires_grad=False):  # fmt: skip
    """Random integers from *low* (0 if left out, as in ``randint(10, (2,))``) up to but not including *high*.

    >>> import autograd_nb as torch
    >>> torch.randint(10, (4,), generator=torch.Generator().manual_seed(0))
    tensor([4, 9, 3, 0])
    """
    low, high = int_argument("randint", "low", 1, low), int_argument("randint", "high", 2, high)
    return random.integers(size, low, high, (dtype or dtypes.int64).numpy, generator)


_randint = randint


def randint(*args, **kwargs):
    if len(args) == 2 and "size" not in kwargs:  # high and size
        args = (0, *args)
    elif len(args) == 1 and "size" in kwargs and "high" not in kwargs or not args and "low" not in kwargs:
        args = (0, *args)
    return _randint(*args, **kwargs)


randint.__wrapped__ = _randint.__wrapped__
publish_call("randint", randint, _randint.__doc__, method=False)


@creates
def randperm(n, *, generator=None, dtype=dtypes.int64, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The integers 0 to *n* - 1 in random order.

    >>> import autograd_nb as torch
    >>> torch.randperm(5, generator=torch.Generator().manual_seed(0))
    tensor([4, 0, 1, 3, 2])
    """
    return random.permutation(int_argument("randperm", "n", 1, n), dtype.numpy, generator)
