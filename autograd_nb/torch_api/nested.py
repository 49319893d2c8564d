"""Python data (numbers and nested sequences, with tensors and arrays among them) as one array.

The first elements determine the shape, all elements together the dtype.
"""

from functools import reduce

import numpy as np

from ..engine import dtypes, events
from ..engine.modes import is_grad_enabled, notify, state, warn_once
from ..engine.tensor import Tensor, ndarray, refuse_foreign
from ..operations.array_functions import cast, rounded
from ..operations.checks import limits

NATIVE = {float: dtypes.get_default_dtype, int: lambda: dtypes.int64, bool: lambda: dtypes.bool}


def array_of(data, dtype=None):
    if isinstance(data, range) and dtype is None and data and abs(data[0]) < 2**63 > abs(data[-1]):
        return np.arange(data.start, data.stop, data.step, np.int64)
    if isinstance(data, ndarray):
        return cast(data, dtype or numpy_dtype(data), copy=True)
    if isinstance(data, list) and data and isinstance(data[0], ndarray):
        warn_once("Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the "
                  "list to a single numpy.ndarray with numpy.array() before converting to a tensor.")
    shape, leaves = [], [data]
    while leaves and is_sequence(leaves[0]):
        shape.append(len(leaves[0]))
        for each in leaves:
            found = len(each) if isinstance(each, Tensor) or is_sequence(each) else type(each).__name__
            if found != shape[-1]:
                raise ValueError(f"expected sequence of length {shape[-1]} at dim {len(shape) - 1} (got {found})")
        leaves = [element for sequence in leaves for element in sequence]
    if shape and leaves and isinstance(leaves[0], str):
        raise ValueError("too many dimensions 'str'")
    kinds = set(map(type, leaves))
    common = dtype_of(leaves, kinds)
    values = leaves if kinds <= NATIVE.keys() else [number(leaf, "tensor") for leaf in leaves]
    return stored(values, dtype or common).reshape(shape)


def numpy_dtype(array):
    """Our dtype of a NumPy array; TypeError for one that has none."""
    found = dtypes.BY_NUMPY.get(array.dtype)
    if found is not None:
        return found
    if array.dtype.name in ("uint16", "uint32", "uint64", "complex64", "complex128"):
        raise TypeError(f"autograd_nb has no tensors of dtype {array.dtype.name}, the dtype of this numpy.ndarray")
    return dtypes.of_array(array)


def is_sequence(data):
    """Whether PyTorch looks for elements in *data*: not in a text, a tensor, a set or a dict."""
    kind = type(data)
    if kind in NATIVE or kind is list or kind is tuple:  # nearly always
        return kind not in NATIVE
    refuse_foreign(data)
    return hasattr(kind, "__getitem__") and not isinstance(data, NO_SEQUENCES)


NO_SEQUENCES = str, bytes, Tensor, dict, np.generic


def dtype_of(leaves, kinds):
    """The common dtype of elements of these classes; the default dtype if there are none."""
    found = [NATIVE[kind]() for kind in kinds] if kinds <= NATIVE.keys() else map(dtype_of_one, leaves)
    return reduce(dtypes.promote_types, found) if kinds else dtypes.get_default_dtype()


def dtype_of_one(leaf):
    if isinstance(leaf, Tensor):
        return leaf._dtype
    if isinstance(leaf, np.generic):
        return numpy_dtype(leaf)
    if isinstance(leaf, str):
        raise TypeError("new(): invalid data type 'str'")
    if type(leaf) not in NATIVE:
        if isinstance(leaf, complex):
            raise NotImplementedError("autograd_nb has no complex numbers")
        raise RuntimeError(f"Could not infer dtype of {type(leaf).__name__}")
    return NATIVE[type(leaf)]()


def number(leaf, name):
    """An element that is a tensor or NumPy scalar as a Python number; any other unchanged.  *name*: who reads it."""
    if isinstance(leaf, Tensor):
        if leaf.requires_grad and is_grad_enabled():
            warn_once("Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                      "Consider using tensor.detach() first.")  # fmt: skip
        return only_element(leaf, name)
    return leaf.item() if isinstance(leaf, np.generic) else leaf


def only_element(tensor, name):
    if tensor._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return read(tensor, name).item()


def read(tensor, name):
    """The array of a tensor whose numbers code takes by *name*."""
    if state.listeners:
        notify(events.Read, name, (tensor,))
    return tensor._array


def stored(values, dtype):
    """Python numbers as a flat array of *dtype*, truncated or rounded; RuntimeError for one that does not fit."""
    if dtype.is_floating_point:
        return state.run(rounded, np.array(values, np.float64), dtype)
    if dtype is dtypes.bool:
        return np.array(values, np.bool_)
    smallest, largest = limits(dtype.numpy)
    for value in values:
        if not smallest <= value <= largest:  # false for a NaN, too
            raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    return np.array([*map(int, values)], np.int64).astype(dtype.numpy, copy=False)
