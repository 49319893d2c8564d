"""The arguments that functions which create tensors have in common, and the errors for wrong ones.

:func:`creates` handles them all: ``size`` as numbers or as one tuple, ``dtype``, ``device``, ``requires_grad``.
"""

from operator import index

import numpy as np

from ..engine import dtypes
from ..engine.modes import state
from ..engine.table import parameter_names
from ..engine.tensor import Tensor, ndarray, wrap
from ..operations.publishing import binder, publish_call
from .devices import require_cpu


def made(array, requires_grad=False):
    if array.__class__ is ndarray and not array.shape:
        array = array[()]
    tensor = wrap(array, dtypes.BY_NUMPY[array.dtype])
    if state.inference:
        tensor._mark_inference()
    if requires_grad:
        if not tensor._dtype.is_floating_point:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        tensor.requires_grad = True
    return tensor


def creates(function):
    """Decorate a function that returns an array (or a tensor) to return a tensor, with PyTorch's options.

    Options in its signature are handled here: the function receives ``size`` as ints and a ``dtype`` of ours or None.
    A first parameter ``self`` makes it a method.  It is published under its own name.
    """
    name, code = function.__name__, function.__code__
    parameters = parameter_names(function)
    bind = binder(name, function, parameters)
    fixed, sized = code.co_argcount, bool(code.co_flags & 0x04)  # 0x04: it has *size
    is_method = parameters[0] == "self"

    def call(*args, **kwargs):
        size = ()
        if sized:
            size = size_argument(name, args[fixed:], kwargs)
            args = args[:fixed]
        values = dict(zip(parameters, bind(args, kwargs), strict=True))
        if values.get("size") is not None:
            values["size"] = size_tuple(name, values["size"], parameters.index("size") + 1)
        if values.get("dtype") is not None:
            values["dtype"] = dtype_argument(name, values["dtype"])
        require_cpu(values.get("device"))
        array = function(*[values.pop(each) for each in parameters[:fixed]], *size, **values)
        return array if isinstance(array, Tensor) else made(array, values.get("requires_grad", False))

    call.__wrapped__ = function
    call.__module__ = function.__module__
    return publish_call(name, call, function.__doc__, method=is_method, function=not is_method)


def size_argument(name, args, kwargs):
    if not args and "size" not in kwargs:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    if not args:
        return size_tuple(name, kwargs.pop("size"), None)
    return size_tuple(name, args[0] if length_of(args[0]) is None and len(args) == 1 else args, 1)


def size_tuple(name, size, position):
    where = f"{name}(): argument 'size'" + (f" (position {position})" if position else "")
    if not isinstance(size, list | tuple):
        raise TypeError(f"{where} must be tuple of ints, not {type(size).__name__}")
    lengths = [length_of(value) for value in size]
    if None in lengths:
        at = lengths.index(None)
        raise TypeError(f"{where} must be tuple of ints, but found element of type {type(size[at]).__name__} at pos "
                        f"{at}")
    if negative := [length for length in lengths if length < 0]:
        raise RuntimeError("zeros: Dimension size must be non-negative." if name == "zeros" else
                           f"Trying to create tensor with negative dimension {negative[0]}: {lengths}")
    return tuple(lengths)


def length_of(value):
    """A length as an int (a tensor of one integer is one), or None."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None


def dtype_argument(name, dtype):
    """*dtype* as one of ours; Python's bool, int and float stand for bool, int64 and float64."""
    if isinstance(dtype, dtypes.dtype):
        return dtype
    if dtype in (bool, int, float):
        return dtypes.float64 if dtype is float else dtypes.BY_PYTHON[dtype]
    raise wrong_type(name, "dtype", None, "torch.dtype", dtype)


def number_argument(name, argument, position, value):
    """A Python number, also from a 0-d tensor that does not require grad; TypeError for anything else."""
    if isinstance(value, np.generic) or isinstance(value, Tensor) and not (value._array.shape or value.requires_grad):
        return value.item()
    if not isinstance(value, dtypes.PYTHON_NUMBERS):
        raise wrong_type(name, argument, position, "Number", value)
    return value


def int_argument(name, argument, position, value):
    length = length_of(value)
    if length is None:
        raise wrong_type(name, argument, position, "int", value)
    return length


def wrong_type(name, argument, position, expected, value):
    where = f" (position {position})" if position else ""
    return TypeError(f"{name}(): argument '{argument}'{where} must be {expected}, not {type(value).__name__}")
