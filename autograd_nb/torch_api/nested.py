"""Python data (numbers and nested sequences, with tensors and arrays among them) as one array.

The first elements determine the shape, all elements the dtype, and then every element is stored; errors are raised in
that order, with PyTorch's messages.
"""

import numpy as np

from ..engine import dtypes
from ..engine.modes import is_grad_enabled, warn_once
from ..engine.tensor import Tensor, ndarray

NUMBERS = (bool, int, float)
SCALAR_WARNING = ("Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                  "Consider using tensor.detach() first.")  # fmt: skip
NATIVE = {float: dtypes.get_default_dtype, int: lambda: dtypes.int64, bool: lambda: dtypes.bool}


def array_of(data, dtype=None):
    if isinstance(data, ndarray):
        return cast(data, dtype or numpy_dtype(data), copy=True)
    if isinstance(data, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    shape = shape_of(data)
    dtype = dtype or dtype_of(data)
    if 0 in shape:
        return np.empty(shape, dtype.numpy)
    leaves = [data]
    for dim, length in enumerate(shape):
        leaves = [element for sequence in leaves for element in elements(sequence, length, dim)]
    return stored([number(leaf) for leaf in leaves], dtype).reshape(shape)


def numpy_dtype(array):
    """Our dtype of a NumPy array; TypeError for one that has none."""
    if array.dtype.name in ("uint16", "uint32", "uint64", "complex64", "complex128"):
        raise TypeError(f"autograd_nb has no tensors of dtype {array.dtype.name}, the dtype of this numpy.ndarray")
    return dtypes.of_array(array)


def cast(array, dtype, copy=False):
    """*array* (or NumPy scalar) in *dtype*; from double to half by way of float, as in PyTorch."""
    if array.dtype == dtype.numpy:
        return array.copy() if copy else array
    with np.errstate(all="ignore"):
        if dtype is dtypes.float16 and array.dtype == np.float64:
            array = array.astype(np.float32)
        return array.astype(dtype.numpy)


def is_sequence(data):
    """Whether PyTorch looks for elements in *data*: not in a tensor, a set or a dict."""
    return hasattr(type(data), "__getitem__") and not isinstance(data, Tensor | dict | np.generic)


def shape_of(data):
    if isinstance(data, list) and data and isinstance(data[0], ndarray):
        warn_once("Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the "
                  "list to a single numpy.ndarray with numpy.array() before converting to a tensor.")
    shape = []
    while is_sequence(data):
        shape.append(len(data))
        if len(shape) > 128:  # a string, whose first character is a string
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if not shape[-1]:
            break
        data = data[0]
    return tuple(shape)


def dtype_of(data):
    native = NATIVE.get(type(data))
    if native:
        return native()
    if isinstance(data, Tensor):
        return data._dtype
    if isinstance(data, np.generic | ndarray):
        return numpy_dtype(data)
    if isinstance(data, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if not is_sequence(data):
        if isinstance(data, complex):
            raise RuntimeError("autograd_nb has no complex tensors, and this is a complex number")
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    common = None
    kinds = set(map(type, data))
    for dtype in (NATIVE[kind]() for kind in kinds) if kinds <= NATIVE.keys() else map(dtype_of, data):
        common = dtype if common is None else dtypes.promote_types(common, dtype)
    return common or dtypes.get_default_dtype()


def elements(sequence, length, dim):
    """The elements of *sequence*, which must have this *length* at dimension *dim*."""
    if not hasattr(sequence, "__len__"):
        raise TypeError("not a sequence")
    if len(sequence) != length:
        raise ValueError(f"expected sequence of length {length} at dim {dim} (got {len(sequence)})")
    return sequence.tolist() if isinstance(sequence, Tensor) else sequence


def number(leaf):
    """A tensor or NumPy scalar among the elements as a Python number; anything else as it is."""
    if isinstance(leaf, Tensor):
        if leaf.requires_grad and is_grad_enabled():
            warn_once(SCALAR_WARNING)
        if leaf._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return leaf._array.item()
    return leaf.item() if isinstance(leaf, np.generic) else leaf


def stored(values, dtype):
    """Python numbers as a flat array of *dtype*, truncated or rounded; RuntimeError for one that does not fit."""
    for kind in set(map(type, values)):
        if not issubclass(kind, NUMBERS):
            raise TypeError(f"must be real number, not {kind.__name__}" if dtype.is_floating_point
                            else f"'{kind.__name__}' object cannot be interpreted as an integer")  # fmt: skip
    if dtype.is_floating_point:
        return cast(np.array(values, np.float64), dtype)
    return np.array(values) != 0 if dtype is dtypes.bool else whole(values, dtype)


def whole(values, dtype):
    """Python numbers as a flat array of an integer *dtype*; negative numbers wrap around if it is unsigned."""
    largest = int(np.iinfo(dtype.numpy).max)
    smallest = int(np.iinfo(dtype.numpy).min) or -largest
    for value in values:
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError("Overflow when unpacking long long")
        if not smallest <= value <= largest:  # false for a NaN, too
            raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    return np.array([int(value) for value in values], np.int64).astype(dtype.numpy)
