"""The arguments that all functions which create tensors share.

:func:`creates` handles them all: ``size`` as numbers or as one tuple, ``dtype``, ``device``, ``requires_grad``.
"""

from operator import index
from types import FunctionType

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

    Options in its signature are handled here: the function receives ``size`` as ints and a ``dtype`` of ours.  If a
    keyword ``dtype`` is its last parameter, a ``device`` and ``requires_grad`` follow.  For a dtype that is not given
    it receives the default of its signature; without one, the default dtype.  A first parameter ``self`` or ``input``
    is a tensor, whose dtype is taken if none is given; ``self`` makes it a method.  It is published under its own name.
    """
    name, own, code, defaults = function.__name__, parameter_names(function), function.__code__, function.__kwdefaults__
    first, by_order = own[0], by_position(function)
    function.__qualname__ = name
    shown = with_options(function) if own[-1] == "dtype" else function
    parameters = parameter_names(shown)
    size_at, dtype_at, device_at, requires_grad_at = [
        parameters.index(each) if each in parameters else None for each in ("size", "dtype", "device", "requires_grad")
    ]

    def create(*values):
        values = list(values)
        if size_at is not None and values[size_at] is not None:
            values[size_at] = size_tuple(name, values[size_at])
        if dtype_at is not None:
            if values[dtype_at] is not None:
                values[dtype_at] = dtype_argument(name, values[dtype_at])
            elif first in ("self", "input"):
                values[dtype_at] = values[0]._dtype
            elif shown is not function:
                values[dtype_at] = defaults["dtype"] if "dtype" in (defaults or ()) else dtypes.get_default_dtype()
        array = by_order(*values[: len(own)])
        if device_at is not None:
            require_cpu(values[device_at])
        if isinstance(array, Tensor):
            return array
        return new_tensor(array, requires_grad_at is not None and values[requires_grad_at])

    call = door(name, shown, create)
    call.__wrapped__ = shown
    call.__module__ = function.__module__
    collects = size_at if size_at == code.co_argcount - 1 and not function.__defaults__ else None  # others would follow
    return publish_call(name, call, function.__doc__, first == "self", first != "self", collects=collects)


def with_options(function):
    """A function, which nobody runs, with the parameters of another, and those after them that all share."""
    names, count = (*parameter_names(function), "device", "requires_grad"), function.__code__.co_argcount
    code = (lambda: None).__code__.replace(
        co_argcount=count, co_kwonlyargcount=len(names) - count, co_varnames=names, co_nlocals=len(names)
    )
    shown = FunctionType(code, {}, function.__name__, function.__defaults__)
    shown.__kwdefaults__ = {"dtype": None, **(function.__kwdefaults__ or {}), "device": None, "requires_grad": False}
    return shown


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
