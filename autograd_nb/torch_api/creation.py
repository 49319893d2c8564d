"""Creating tensors: filled, evenly spaced, and by ``Tensor(...)`` and the other old constructors.

A function here returns an array; the decorator :func:`creates` adds what all of them share.
"""

import math

import numpy as np

from ..engine import dtypes, speed  # noqa: F401 needed next by programs that create tensors
from ..engine.dtypes import Size
from ..engine.table import functions, methods, ops
from ..engine.tensor import Tensor
from ..operations import arithmetic, powers  # noqa: F401
from ..operations.array_functions import cast
from ..operations.checks import as_int, in_range
from .arguments import as_number, creates, new_tensor, size_tuple
from .fused import multiply_add
from .nested import array_of, is_sequence

# -- filled ----------------------------------------------------------------------------------------------------------


def family(name, make, make_like, elements):
    """Publish ``zeros``, ``zeros_like`` and ``new_zeros``, or the same three for other *elements*."""

    def plain(size, *, dtype):
        return make(size, dtype.numpy)

    def like(input, *, dtype):
        return make_like(input._array, dtype.numpy)

    def new(self, size, *, dtype):
        return make(size, dtype.numpy)

    for function, published, text in (
        (plain, name, "of the shape *size*: numbers, or one tuple of them"),
        (like, name + "_like", "of the shape, and unless given the dtype, of *input*"),
        (new, "new_" + name, "of the shape *size* and this tensor's dtype"),
    ):
        function.__name__, function.__doc__ = published, f"A tensor of {elements}, {text}."
        creates(function)


family("zeros", np.zeros, np.zeros_like, "zeros")
family("ones", np.ones, np.ones_like, "ones")
family("empty", np.empty, np.empty_like, "uninitialised elements")


def filled(shape, fill_value, dtype=None):
    value = as_number(fill_value)
    return np.full(shape, in_range(value, (dtype or dtypes.of_number(value)).numpy))


@creates
def full(size, fill_value, *, dtype=None):
    """A tensor of the shape *size* (a tuple) whose elements are all *fill_value*, which decides the dtype.

    >>> import autograd_nb as torch
    >>> torch.full((2,), 3.)
    tensor([3., 3.])
    """
    return filled(size, fill_value, dtype)


@creates
def full_like(input, fill_value, *, dtype):
    """*fill_value* in the shape, and unless given the dtype, of *input*."""
    return filled(input._array.shape, fill_value, dtype)


@creates
def new_full(self, size, fill_value, *, dtype):
    """*fill_value* in the shape *size* and this tensor's dtype."""
    return filled(size, fill_value, dtype)


@creates
def eye(n, m=None, *, dtype):
    """The identity matrix of *n* rows and *m* (or *n*) columns.

    >>> import autograd_nb as torch
    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    for name, length in ("n", n), ("m", m):
        if length is not None and as_int(length) < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {length}")
    return np.eye(n, m, dtype=dtype.numpy)


# -- evenly spaced numbers ---------------------------------------------------------------------------------------------


@creates
def arange(start=None, end=None, step=1, *, dtype=None):
    """The numbers from *start* (0 if only one is given) up to but not including *end*, *step* apart.

    The dtype is int64 if all three are integers, else the default dtype.

    >>> import autograd_nb as torch
    >>> torch.arange(4), torch.arange(1, 2, 0.5)
    (tensor([0, 1, 2, 3]), tensor([1.0000, 1.5000]))
    """
    if end is None:
        start, end = 0, start
    start, end, step = map(as_number, (0 if start is None else start, end, step))
    whole = not any(isinstance(value, float) for value in (start, end, step))
    dtype = dtype or (dtypes.int64 if whole else dtypes.get_default_dtype())
    if not math.isfinite(end - start):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if dtype is dtypes.int64:  # computed in integers; for other dtypes only the results are truncated
        start, end, step = int(start), int(end), int(step)
    if not step:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is dtypes.int64:
        return np.arange(start, end, step, np.int64)
    count = math.ceil((end - start) / step)
    if count >= 2**63:
        raise RuntimeError("invalid size, possible overflow?")
    if not dtype.is_floating_point:
        return (np.arange(count, dtype=np.int64) * int(step) + int(start)).astype(dtype.numpy)
    return cast(multiply_add(np.arange(count, dtype=np.float64), float(step), float(start)), dtype)


@creates
def linspace(start, end, steps, *, dtype):
    """*steps* evenly spaced numbers from *start* to *end*, both included.

    >>> import autograd_nb as torch
    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    start, end, steps = as_number(start), as_number(end), as_int(steps)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    working = (dtypes.float32 if dtype in (dtypes.float32, dtypes.float16) else dtypes.float64).numpy
    if not dtype.is_floating_point:
        start, end = int(start), int(end)  # truncated first
    start, end = [in_range(each, working) for each in (start, end)]
    gap = (end - start) / working.type(max(steps - 1, 1))
    half = max(steps // 2, steps == 1)  # each half is computed from its own end, so both ends are exact
    places, ends = np.arange(steps), np.full(steps, start)
    places[half:] -= steps - 1
    ends[half:] = end
    return cast(multiply_add(places.astype(working), gap, ends), dtype)


@creates
def logspace(start, end, steps, base=10.0, *, dtype):
    """*base* to the power of *steps* evenly spaced numbers from *start* to *end*."""
    working = dtype if dtype.is_floating_point else dtypes.float64
    return cast(working.numpy.type(base) ** np.asarray(linspace(start, end, steps, dtype=working)._array), dtype)


@creates
def triu_indices(row, col, offset=0, *, dtype=dtypes.int64):
    """The row and the column of each element on or above a diagonal, which :func:`triu` keeps: 2 rows of indices.

    >>> import autograd_nb as torch
    >>> torch.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    return np.array(np.triu_indices(row, offset, col), dtype.numpy)


# -- PyTorch's oldest names --------------------------------------------------------------------------------------------


def elements(dtype, args):
    """The array of an old constructor, in *dtype*: uninitialised if a shape is given, else a copy of the data."""
    data = args[0] if args else ()
    if isinstance(data, int | np.integer | Size):
        return np.empty(size_tuple("new", data if isinstance(data, Size) else args), dtype.numpy)
    if not is_sequence(data):
        raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
    return array_of(data, dtype)


def fill(self, *args, **keywords):
    """Initialise a new tensor with the elements and the node that ``Tensor(...)`` gives it."""
    if keywords:
        raise TypeError(f"Tensor() takes no {', '.join(keywords)}; torch.tensor() does")
    if len(args) == 1 and isinstance(args[0], Tensor):
        source = ops.alias(args[0])
        self._view = source._view
    else:
        source = new_tensor(elements(dtypes.get_default_dtype(), args))
    self._array, self._dtype, self._node = source._array, source._dtype, source._node
    self._counter, self._inference = source._counter, source._inference


methods["_fill"] = fill


class tensortype(dtypes.PrintedAsPyTorch):
    """The class of ``FloatTensor``, ``LongTensor``, …, whose instances are the tensors of one dtype."""

    def __call__(cls, *args):
        if len(args) == 1 and isinstance(args[0], Tensor):
            if args[0]._dtype is not cls.dtype:
                raise TypeError(f"expected a tensor of {cls.dtype} (got {args[0]._dtype})")
            return ops.alias(args[0])
        return new_tensor(elements(cls.dtype, args))

    def __instancecheck__(cls, value):
        return isinstance(value, Tensor) and value._dtype is cls.dtype


for dtype in dtypes.ALL:
    functions[f"{dtype.legacy_name}Tensor"] = tensortype(f"{dtype.legacy_name}Tensor", (), {"dtype": dtype})
