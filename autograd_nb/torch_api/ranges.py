"""Tensors of numbers at equal distances: arange and linspace."""

import math

import numpy as np

from ..engine import dtypes
from .arguments import creates, int_argument, number_argument
from .distributions import multiply_add
from .nested import cast


@creates
def arange(start=None, end=None, step=1, *, dtype=None, device=None, requires_grad=False):
    """The numbers from *start* (0 if only one is given) up to but not including *end*, *step* apart.

    int64 if all three are integers, else the default dtype.

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
    whole = not any(isinstance(value, float) for value in (start, end, step))
    dtype = dtype or (dtypes.int64 if whole else dtypes.get_default_dtype())
    if dtype is dtypes.int64:  # which is counted exactly; for the others only the numbers are cut off
        start, end, step = int(start), int(end), int(step)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is dtypes.int64:
        return np.arange(start, end, step)
    count = math.ceil((end - start) / step)
    if not dtype.is_floating_point:
        return (np.arange(count) * int(step) + int(start)).astype(dtype.numpy)
    return cast(counted(np.arange(count, dtype=np.float64), step, start), dtype)


def counted(places, step, start):
    """start + step * place for each place, rounded once as PyTorch's kernels do."""
    return multiply_add(places, places.dtype.type(step), places.dtype.type(start))


@creates
def linspace(start, end, steps, *, dtype=None, device=None, requires_grad=False):
    """*steps* numbers at equal distances from *start* to *end*, both included.

    >>> import autograd_nb as torch
    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    dtype = dtype or dtypes.get_default_dtype()
    start, end = number_argument("linspace", "start", 1, start), number_argument("linspace", "end", 2, end)
    steps = int_argument("linspace", "steps", 3, steps)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    working = np.dtype(np.float32 if dtype in (dtypes.float32, dtypes.float16) else np.float64).type
    if not dtype.is_floating_point:
        start, end = int(start), int(end)  # cut off before counting
    start, end = working(start), working(end)
    gap = (end - start) / working(max(steps - 1, 1))
    places = np.arange(steps, dtype=working)
    first_half = places < max(steps // 2, steps == 1)  # each half is counted from its own end, so that both are met
    return cast(np.where(first_half, counted(places, gap, start), counted(places[::-1], -gap, end)), dtype)
