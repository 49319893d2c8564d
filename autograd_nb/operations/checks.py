"""What operations check of their arguments, with PyTorch's words: dimensions, sizes, broadcasting, dtypes."""

import operator

from ..engine import dtypes
from ..engine.call import broadcast_shape  # noqa: F401, one of these checks


def wrap_dim(dim, ndim):
    """*dim* counted from the front; IndexError if there is none such.  A 0-d tensor counts as having one dimension.

    >>> wrap_dim(-1, 3)
    2
    """
    count = ndim or 1
    if not -count <= dim < count:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {dim})")
    return dim + count if dim < 0 else dim


def wrap_dims(dims, ndim):
    """The dimensions (one, several or None) counted from the front, as a tuple; RuntimeError when one comes twice.

    >>> wrap_dims((0, -1), 3)
    (0, 2)
    """
    if dims.__class__ is int:
        return (wrap_dim(dims, ndim),)
    if dims is None:
        return ()
    wrapped = tuple(wrap_dim(dim, ndim) for dim in ((dims,) if isinstance(dims, int) else dims))
    for i, dim in enumerate(wrapped):
        if dim in wrapped[:i]:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return wrapped


def as_int(value, name, argument, position):
    """*value* as a Python int; TypeError, in the words for *argument* of the operation *name*, when it is none."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name}(): argument '{argument}' (position {position}) must be int, not {type(value).__name__}"
        ) from None


def dtype_name(array):
    """What messages call an array's dtype: Float, Long, …"""
    return dtypes.of_array(array).legacy_name


def refuse_dtype(array, kernel):
    raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtype_name(array)}'")


def require_floating(array, kernel):
    """NotImplementedError, in PyTorch's words, for integers."""
    if array.dtype.kind != "f":
        refuse_dtype(array, kernel)


def check_dim(dim, name):
    """TypeError unless *dim* is an int or a sequence of ints."""
    dims = dim if isinstance(dim, (tuple, list)) else (dim,)
    if not all(isinstance(each, int) and not isinstance(each, bool) for each in dims):
        raise TypeError(f"{name}(): argument 'dim' (position 2) must be tuple of ints, not {type(dim).__name__}")


def conversion(self, dtype):
    """What rows with a dtype= are given: the dtype to compute in and the one gradients go back to; None if the same."""
    if dtype is None or dtype is self._dtype:
        return None, None
    if not dtype.is_floating_point and self.requires_grad:
        raise RuntimeError(f"Autograd not support dtype: {dtype.legacy_name}")
    return dtype, self._dtype
