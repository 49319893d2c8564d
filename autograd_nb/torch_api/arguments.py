"""The arguments that all functions which create tensors share.

:func:`creates` handles them all: ``size`` as numbers or as one tuple, ``dtype``, ``device``, ``requires_grad``.
"""

from operator import index

import numpy as np

from ..engine import dtypes
from ..engine.modes import state
from ..engine.table import parameter_names
from ..engine.tensor import Tensor, kind_of, ndarray, wrap
from ..operations.publishing import door, publish_call, require_ints
from ..operations.rows import by_position
from .devices import require_cpu


def new_tensor(array, requires_grad=False):
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
    A first parameter ``self`` or ``input`` is a tensor, whose dtype is taken if none is given; ``self`` makes it a
    method.  It is published under its own name.
    """
    name, parameters, positional = function.__name__, parameter_names(function), function.__code__.co_argcount
    first, by_order = parameters[0], by_position(function)
    function.__qualname__ = name
    size_at, dtype_at, device_at, requires_grad_at = [
        parameters.index(each) if each in parameters else None for each in ("size", "dtype", "device", "requires_grad")
    ]

    def create(*values):
        values = list(values)
        if size_at is not None and values[size_at] is not None:
            values[size_at] = size_tuple(name, values[size_at])
        if dtype_at is not None:
            values[dtype_at] = usual_dtype(name, values[dtype_at], values[0] if first in ("self", "input") else None)
        device = None if device_at is None else values[device_at]
        return finished(by_order(*values), device, requires_grad_at is not None and values[requires_grad_at])

    call = door(name, function, create)
    call.__wrapped__ = function
    call.__module__ = function.__module__
    collects = size_at if size_at == positional - 1 and not function.__defaults__ else None  # else more would follow
    return publish_call(name, call, function.__doc__, first == "self", first != "self", collects=collects)


def finished(array, device=None, requires_grad=False):
    """The array from a function as a tensor with the caller's options."""
    if device is not None:
        require_cpu(device)
    return array if isinstance(array, Tensor) else new_tensor(array, requires_grad)


def usual_dtype(name, dtype, source):
    """The dtype as one of ours; for None, the dtype of the tensor *source*, if there is one."""
    if dtype is not None:
        return dtype if dtype.__class__ is dtypes.dtype else dtype_argument(name, dtype)
    return None if source is None else source._dtype


def size_tuple(name, size):
    """Lengths as a tuple of ints; TypeError for anything else, RuntimeError for a negative one."""
    if not isinstance(size, list | tuple):
        raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, not {kind_of(size)}")
    try:
        lengths = [int(index(length)) for length in size]
    except TypeError:
        require_ints(size, name, "size")
        raise
    if min(lengths, default=0) < 0:
        if name == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(lengths)}: {lengths}")
    return tuple(lengths)


def dtype_argument(name, dtype):
    """*dtype* as one of ours; Python's bool, int and float stand for bool, int64 and float64."""
    if isinstance(dtype, dtypes.dtype):
        return dtype
    if dtype in (bool, int, float):
        return {bool: dtypes.bool, int: dtypes.int64, float: dtypes.float64}[dtype]
    raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type(dtype).__name__}")


def as_number(value):
    """A Python number, also from a 0-d tensor that does not require grad; TypeError for anything else."""
    if isinstance(value, np.generic) or isinstance(value, Tensor) and not (value._array.shape or value.requires_grad):
        return value.item()
    if not isinstance(value, dtypes.PYTHON_NUMBERS):
        raise TypeError(f"the argument must be a number, not {kind_of(value)}")
    return value
