"""Creating tensors from data: numbers, nested sequences, arrays, other tensors."""

from functools import wraps

import numpy as np

from ..engine import dtypes, speed  # noqa: F401 needed next by programs that create tensors
from ..engine.modes import state, warn
from ..engine.table import calls, functions
from ..engine.tensor import Tensor, ndarray, wrap
from ..operations import arithmetic, powers  # noqa: F401
from ..operations.array_functions import cast
from .arguments import creates
from .keywords import completed
from .nested import array_of, numpy_dtype, read


def copied(data, dtype, name):
    if isinstance(data, Tensor):
        warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
             f"sourceTensor.detach().clone().requires_grad_(True), rather than {name}(sourceTensor).")
        return cast(read(data, "tensor"), dtype or data._dtype, copy=True)
    return array_of(data, dtype)


@creates
def tensor(data, *, dtype=None):
    """A new tensor with a copy of *data*: a number, nested sequences, an array.

    Python floats become the default dtype, ints int64, bools bool; arrays keep their dtype.

    >>> import autograd_nb as torch
    >>> torch.tensor([[1., 2.], [3., 4.]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    return copied(data, dtype, "torch.tensor")


general = tensor


@wraps(general)
def of_one_number(*args, **kwargs):
    """``tensor()`` of a number, by far its most frequent use: there is nothing to look up."""
    if len(args) == 1 and args[0].__class__ is float and not (kwargs.keys() - {"requires_grad"} or state.inference):
        dtype = dtypes.get_default_dtype()
        if abs(args[0]) < dtype.numbers.limit:
            made = wrap(dtype.scalar(args[0]), dtype)
            if kwargs.get("requires_grad", False) is False:
                return made
            if kwargs["requires_grad"] is True:
                made.requires_grad = True
                return made
    return completed("torch.tensor", general)(*args, **kwargs)


functions["tensor"] = calls["tensor"] = of_one_number


@creates
def new_tensor(self, data, *, dtype):
    """A copy of *data* in this tensor's dtype."""
    return copied(data, dtype, "tensor.new_tensor")


@creates
def as_tensor(data, dtype=None, device=None):
    """*data* as a tensor: itself if it is one of this dtype; an array of this dtype shares its memory."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, ndarray) and (dtype is None or dtype is numpy_dtype(data)):
        return from_numpy(data)
    return array_of(data, dtype)


@creates
def from_numpy(ndarray):
    """A tensor that shares memory with a NumPy array: a change to one shows in the other.

    >>> import numpy as np, autograd_nb as torch
    >>> array = np.array([1, 2])
    >>> x = torch.from_numpy(array)
    >>> array[0] = 7
    >>> x
    tensor([7, 2])
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    dtype = numpy_dtype(ndarray)
    if any(stride < 0 for stride in ndarray.strides):
        raise ValueError("At least one stride in the given numpy array is negative, and tensors with negative strides "
                         "are not currently supported. (You can probably work around this by making a copy of your "
                         "array  with array.copy().) ")
    shared = wrap(ndarray.view(np.ndarray), dtype)
    if state.inference:
        shared._mark_inference()
    return shared
