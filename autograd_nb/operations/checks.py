"""Checks of arguments, with PyTorch's error messages: dimensions, sizes, broadcasting, dtypes."""

import math
from functools import cache
from operator import index

import numpy as np

from ..engine import dtypes
from ..engine.call import broadcast_shape, common_dtype  # noqa: F401, the first is one of these checks
from ..engine.table import operations
from ..engine.tensor import Tensor, kind_of, refuse_foreign


def wrap_dim(dim, ndim):
    """*dim* counted from the front; IndexError if it is out of range.  A 0-d tensor counts as having one dimension.

    >>> wrap_dim(-1, 3)
    2
    """
    if dim.__class__ is not int:
        dim = as_int(dim)
    count = ndim or 1
    if not -count <= dim < count:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {dim})")
    return dim + count if dim < 0 else dim


def wrap_dims(dims, ndim):
    """The dimensions (one, several or None) counted from the front, as a tuple; RuntimeError if one is repeated.

    >>> wrap_dims((0, -1), 3)
    (0, 2)
    """
    if dims is None:
        return ()
    if dims.__class__ is tuple and len(dims) == 1:
        (dims,) = dims
    if dims.__class__ is int:
        return (wrap_dim(dims, ndim),)
    wrapped = []
    for dim in dims if isinstance(dims, (tuple, list, range)) else (dims,):
        dim = wrap_dim(dim, ndim)
        if dim in wrapped:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
        wrapped.append(dim)
    return tuple(wrapped)


def require_elements(shape, dims, name):
    """IndexError if a dimension along which an operation looks for an extreme has no elements."""
    for dim in dims:
        if shape and not shape[wrap_dim(dim, len(shape))]:
            raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


def require_number(array, kernel):
    """NotImplementedError, with PyTorch's message, for bools."""
    if array.dtype == bool:
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def as_int(value):
    """*value* as a Python int; TypeError if it is not one, to which keywords.explain adds the argument's name."""
    if hasattr(value, "__index__") and value.__class__ is not bool:
        return index(value)
    error = TypeError(f"'{kind_of(value)}' object cannot be interpreted as an integer")
    error.obj = value
    raise error


def whole(name, keepdim):
    """TypeError if a reduction of the whole tensor is asked to keep the dimensions."""
    if keepdim:
        raise TypeError(f"{name}() received an invalid combination of arguments - got keepdim without dim")


def in_range(number, dtype):
    """A number as a scalar of a NumPy dtype; RuntimeError if it is beyond the range, unless it is an infinite float."""
    if number.__class__ not in dtypes.PYTHON_NUMBERS:
        refuse_foreign(number)
    kind = dtype.kind
    if kind != "b":
        low, high = limits(dtype)
        if not low <= number <= high and (kind != "f" or math.isfinite(number)):
            name = dtype.name
            cpp = dtypes.BY_NUMPY[dtype].cpp_name if kind == "f" or name == "int32" else f"{name}_t"
            raise RuntimeError(f"value cannot be converted to type {cpp} without overflow")
    return dtype.type(number) if kind == "f" else np.array(number).astype(dtype)[()]


@cache
def limits(dtype):
    """The least and the greatest number that a NumPy dtype holds; in an unsigned one -1 wraps around."""
    found = (np.finfo if dtype.kind == "f" else np.iinfo)(dtype)
    return int(found.min) or -int(found.max), int(found.max)


def bounds_in_range(name, values):
    """RuntimeError for a number among promoted operands that is beyond the range of their common dtype.

    It is for operations that PyTorch computes with the number itself, instead of a tensor that holds it.
    """
    row = operations[name]
    numbers = [values[each] for each in row.promoted if isinstance(values[each], dtypes.PYTHON_NUMBERS)]
    if any([not -127 <= each <= 127 for each in numbers]):  # these are in the range of every dtype
        dtype = common_dtype(row, values).numpy
        for number in numbers:
            in_range(number, dtype)
    return name, values


def tensor_list(name, tensors):
    """The tensors as a list; TypeError unless all are tensors."""
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
                        f"{type(tensors).__name__}")
    for position, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected Tensor as element {position} in argument 0, but got {kind_of(tensor)}")
    return list(tensors)


def dtype_name(array):
    """An array's dtype as error messages name it: Float, Long, …"""
    return dtypes.of_array(array).legacy_name


def require_floating(array, kernel):
    """NotImplementedError, with PyTorch's message, unless the dtype is floating point."""
    if array.dtype.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtype_name(array)}'")


def conversion(self, dtype):
    """The dtype to compute in, for rows with a dtype=, by default int64 for integers; None if there is no cast."""
    if dtype is None and not self._dtype.is_floating_point:
        dtype = dtypes.int64
    if dtype is None or dtype is self._dtype:
        return None
    if not dtype.is_floating_point and self.requires_grad:
        raise RuntimeError(f"Autograd not support dtype: {dtype.legacy_name}")
    return dtype
