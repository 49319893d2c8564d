"""The arguments that functions which make tensors have in common, and the errors for wrong ones.

:func:`creates` serves them all: ``size`` given as numbers or as one tuple, ``dtype``, ``device``, ``requires_grad``.
"""

import math

import numpy as np

from ..engine import dtypes
from ..engine.dtypes import CPP_NAMES, as_scalar
from ..engine.modes import state
from ..engine.table import binder, parameter_names, publish_call
from ..engine.tensor import Tensor, ndarray, wrap
from .devices import require_cpu


def made(array, requires_grad=False):
    """A new leaf on these elements."""
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
    """Decorate a function that gives an array (or, for some, a tensor) to make a tensor of it, with PyTorch's options.

    Those in its signature are served here: the function gets ``size`` as ints and a ``dtype`` that is one of ours or
    None.  A first parameter ``self`` makes it a method.  Published under its own name.
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
        requires_grad = values.get("requires_grad", False)
        if requires_grad.__class__ is not bool:
            raise TypeError(f"{name}(): argument 'requires_grad' must be bool, not {type(requires_grad).__name__}")
        array = function(*[values.pop(each) for each in parameters[:fixed]], *size, **values)
        return array if isinstance(array, Tensor) else made(array, requires_grad)

    call.__wrapped__ = function
    call.__module__ = function.__module__
    return publish_call(name, call, function.__doc__, method=is_method, function=not is_method)


def size_argument(name, args, kwargs):
    """The shape given as numbers, as one sequence, or as ``size=``: a tuple of ints."""
    if not args and "size" in kwargs:
        return size_tuple(name, kwargs.pop("size"), None)
    if not args:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    if not isinstance(args[0], list | tuple) and length_of(args[0]) is not None:
        for position, value in enumerate(args, 1):
            if length_of(value) is None:
                raise TypeError(f"{name}(): argument 'size' failed to unpack the object at pos {position} with error "
                                f'"type must be tuple of ints,but got {type(value).__name__}"')
        return size_tuple(name, args, None)
    if len(args) > 1:
        raise TypeError(f"{name}() takes 1 positional argument but {len(args)} were given")
    return size_tuple(name, args[0], 1)


def size_tuple(name, size, position):
    """A sequence of lengths as a tuple of ints."""
    where = f" (position {position})" if position else ""
    if not isinstance(size, list | tuple):
        raise TypeError(f"{name}(): argument 'size'{where} must be tuple of ints, not {type(size).__name__}")
    lengths = [length_of(value) for value in size]
    if None in lengths:
        at = lengths.index(None)
        raise TypeError(f"{name}(): argument 'size'{where} must be tuple of ints, but found element of type "
                        f"{type(size[at]).__name__} at pos {at}")
    for length in lengths:
        if length < 0:
            raise RuntimeError("zeros: Dimension size must be non-negative." if name == "zeros" else
                               f"Trying to create tensor with negative dimension {length}: {lengths}")
    return tuple(lengths)


def length_of(value):
    """A length as an int (a tensor of one integer is one), or None."""
    if isinstance(value, Tensor):
        one = value._array.size == 1 and value._dtype.category == dtypes.INTEGER
        return value._array.item() if one else None
    return int(value) if isinstance(value, int | np.integer) and not isinstance(value, bool) else None


def dtype_argument(name, dtype, argument="dtype", position=None):
    """*dtype* as one of ours; Python's own types stand for float64, int64 and bool."""
    if isinstance(dtype, dtypes.dtype):
        return dtype
    if dtype is float:
        return dtypes.float64
    if dtype is int or dtype is bool:
        return dtypes.BY_PYTHON[dtype]
    where = f" (position {position})" if position else ""
    raise TypeError(f"{name}(): argument '{argument}'{where} must be torch.dtype, not {type(dtype).__name__}")


def number_argument(name, argument, position, value):
    """A Python number, also from a 0-d tensor that does not require grad; TypeError for anything else."""
    if isinstance(value, Tensor) and not value._array.shape and not value.requires_grad:
        return value._array.item()
    if isinstance(value, np.generic):
        return value.item()
    if not isinstance(value, dtypes.PYTHON_NUMBERS):
        kind = type(value).__name__
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Number, not {kind}")
    return value


def int_argument(name, argument, position, value):
    length = length_of(value)
    if length is None:
        kind = type(value).__name__
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be int, not {kind}")
    return length


def held(value, dtype):
    """A Python number as a NumPy scalar of *dtype*; RuntimeError when it does not fit."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise OverflowError("int too big to convert")
    scalar = state.run(as_scalar, value if dtype.is_floating_point else wrapped(value, dtype), dtype)
    if dtype.is_floating_point and not math.isfinite(scalar) and math.isfinite(value):
        raise RuntimeError(f"value cannot be converted to type {CPP_NAMES[dtype.name]} without overflow")
    return scalar


def wrapped(value, dtype):
    """A number cut to an integer that *dtype* may hold; without a sign, small negative ones count from the top."""
    if dtype is dtypes.bool:
        return bool(value)
    if not math.isfinite(value):
        value = 2**64  # fits nowhere
    value = int(value)  # cut off
    return value % 256 if dtype is dtypes.uint8 and -256 < value < 0 else value
