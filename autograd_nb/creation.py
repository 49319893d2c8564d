"""Making tensors: from data, filled, counted, random."""

import numpy as np

from . import dtypes
from .dispatch import ops, publish_call
from .tensors import Tensor, ndarray, wrap


def tensor(data, *, dtype=None, device=None, requires_grad=False):
    """A new tensor with a copy of *data* (numbers, nested sequences, arrays).

    Python floats become the default dtype, ints int64, bools bool.

    >>> import autograd_nb as torch
    >>> torch.tensor([[1., 2.], [3., 4.]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    if isinstance(data, Tensor):
        array, found = data._array, data._dtype
    elif isinstance(data, (ndarray, np.generic)):
        array, found = data, dtypes.of_array(data)
    else:
        array = np.array(data)
        found = dtypes.get_default_dtype() if array.dtype.kind == "f" else dtypes.of_array(array)
    dtype = dtype or found
    made = as_elements(array, dtype)
    result = wrap(made, dtype)
    if requires_grad:
        if not dtype.is_floating_point:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        result.requires_grad_()
    return result


def as_elements(array, dtype):
    """A copy of the array in *dtype*, as tensors store it."""
    array = np.array(array, dtype=dtype.numpy)
    return array if array.shape else array[()]


def zeros_like(self):
    return wrap(np.zeros_like(self._array)[()] if not self._array.shape else np.zeros_like(self._array), self._dtype)


publish_call("zeros_like", zeros_like, method=False)
ops.tensor = tensor
