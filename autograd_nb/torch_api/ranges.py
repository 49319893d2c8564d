"""Tensors of numbers that are counted off: arange, linspace, logspace, and the places of a matrix' triangles."""

import math

import numpy as np

from ..engine import dtypes
from ..engine.tensor import Tensor
from ..engine.warning import warn
from .arguments import creates, int_argument, number_argument
from .box_muller import multiply_add
from .nested import cast

NO_LOOP = "\"{}\" not implemented for 'Bool'"


@creates
def arange(start=None, end=None, step=1, *, dtype=None, layout=None, device=None, pin_memory=False,
           requires_grad=False):  # fmt: skip
    """The numbers from *start* (0 if only one is given) up to but not including *end*, *step* apart.

    int64 if all three are integers, else the default dtype.  RuntimeError for a step of zero or in the wrong direction.

    >>> import autograd_nb as torch
    >>> torch.arange(4), torch.arange(1, 2, 0.5)
    (tensor([0, 1, 2, 3]), tensor([1.0000, 1.5000]))
    """
    if start is None and end is None:
        raise TypeError('arange() missing 1 required positional arguments: "end"')
    if end is None:
        start, end = 0, number_argument("arange", "end", 1, start)
    else:
        start = 0 if start is None else number_argument("arange", "start", 1, start)
        end = number_argument("arange", "end", 2, end)
    step = number_argument("arange", "step", 3, step)
    check_range(start, end, step)
    whole = not any(isinstance(value, float) for value in (start, end, step))
    dtype = dtype or (dtypes.int64 if whole else dtypes.get_default_dtype())
    if dtype is dtypes.bool:
        raise NotImplementedError(NO_LOOP.format("arange_cpu"))
    count = math.ceil((end - start) / step)
    if not dtype.is_floating_point:
        if dtype is dtypes.int64:  # which is counted exactly; for the others only the numbers are cut off
            start, end, step = int(start), int(end), int(step)
            check_range(start, end, step)
            count = -((start - end) // step)
        return (np.arange(count) * int(step) + int(start)).astype(dtype.numpy)
    return cast(counted(np.arange(count, dtype=np.float64), step, start), dtype)


def check_range(start, end, step):
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if max(abs(start), abs(end)) >= 2**64 and isinstance(end, int):
        raise OverflowError("int too big to convert")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


@creates
def range(start, end, step=1, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The numbers from *start* to *end* with both ends; PyTorch advises :func:`arange` instead, with a warning.

    >>> import warnings, autograd_nb as torch
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.range(1, 3)
    tensor([1., 2., 3.])
    """
    warn("torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
         "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).")
    start, end, step = (
        number_argument("range", name, position, value)
        for position, (name, value) in enumerate((("start", start), ("end", end), ("step", step)), 1)
    )
    check_range(start, end, step)
    places = np.arange(math.floor((end - start) / step) + 1, dtype=np.float64)
    return cast(counted(places, step, start), dtype or dtypes.get_default_dtype())


def counted(places, step, start):
    """start + step * place for each place, rounded once as PyTorch's kernels do."""
    return multiply_add(places, places.dtype.type(step), places.dtype.type(start))


def evenly(name, start, end, steps, dtype):
    """*steps* numbers from start to end in *dtype*, counted from the nearer end so that both are met exactly."""
    start, end = (
        value.item() if isinstance(value, Tensor) and not value._array.shape
        else number_argument(name, which, position, value)
        for which, position, value in (("start", 1, start), ("end", 2, end))
    )  # fmt: skip
    steps = int_argument(name, "steps", 3, steps)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    working = np.dtype(np.float32 if dtype in (dtypes.float32, dtypes.float16) else np.float64).type
    if not dtype.is_floating_point:
        start, end = int(start), int(end)  # cut off before counting
    start, end = working(start), working(end)
    gap = (end - start) / working(max(steps - 1, 1))
    places = np.arange(steps, dtype=working)
    first_half = places < max(steps // 2, steps == 1)
    return np.where(first_half, counted(places, gap, start), counted(places[::-1], -gap, end))


@creates
def linspace(start, end, steps, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """*steps* numbers at equal distances from *start* to *end*, both included.

    >>> import autograd_nb as torch
    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    dtype = dtype or dtypes.get_default_dtype()
    if dtype is dtypes.bool:
        raise NotImplementedError(NO_LOOP.format("linspace_cpu"))
    return cast(evenly("linspace", start, end, steps, dtype), dtype)


@creates
def logspace(start, end, steps, base=10.0, *, dtype=None, layout=None, device=None, pin_memory=False,
             requires_grad=False):  # fmt: skip
    """*base* raised to *steps* exponents at equal distances from *start* to *end*.

    >>> import autograd_nb as torch
    >>> torch.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    dtype = dtype or dtypes.get_default_dtype()
    if dtype is dtypes.bool:
        raise NotImplementedError(NO_LOOP.format("logspace_cpu"))
    exponents = evenly("logspace", start, end, steps, dtypes.float64 if steps == 1 else dtype)
    with np.errstate(all="ignore"):
        return cast(np.power(float(base), exponents.astype(np.float64)), dtype)


def triangle(row, col, offset, dtype, lower):
    """The places of a matrix' lower or upper triangle, as two rows."""
    for name, length in (("row", row), ("col", col)):
        if length < 0:
            raise RuntimeError(f"{name} must be non-negative, got{length}")
    rows, columns = np.ogrid[:row, :col]
    return np.array(np.nonzero(columns - rows <= offset if lower else columns - rows >= offset)).astype(dtype.numpy)


@creates
def tril_indices(row, col, offset=0, *, dtype=dtypes.int64, device=None, layout=None):
    """Row and column numbers of the lower triangle of a *row* x *col* matrix, as a tensor of two rows.

    >>> import autograd_nb as torch
    >>> torch.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return triangle(row, col, offset, dtype, lower=True)


@creates
def triu_indices(row, col, offset=0, *, dtype=dtypes.int64, device=None, layout=None):
    """Row and column numbers of the upper triangle of a *row* x *col* matrix, as a tensor of two rows.

    >>> import autograd_nb as torch
    >>> torch.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    return triangle(row, col, offset, dtype, lower=False)
