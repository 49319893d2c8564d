"""How often elements come, and where they belong in an order: bincount, histc, searchsorted, isin."""

import numpy as np

from ..engine import dtypes
from ..engine.table import composite
from ..engine.tensor import Tensor, wrap
from .public import public


@public("bincount")
def _bincount(self, weights=None, minlength=0):
    """How often each number comes in a vector of numbers from 0 on, or the sums of their *weights*.

    >>> import autograd_nb as torch
    >>> torch.bincount(torch.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    """
    if self._dtype.category != dtypes.INTEGER:
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{self._dtype.legacy_name}'")
    if self._array.ndim != 1 or np.any(self._array < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    counts = np.bincount(self._array, None if weights is None else weights._array, minlength)
    if weights is not None and weights._dtype is dtypes.float32:
        counts = counts.astype(np.float32)
    return wrap(counts, dtypes.of_array(counts))


@public("histc")
def _histc(self, bins=100, min=0, max=0):
    """How many elements lie in each of *bins* equal parts between *min* and *max* (of the elements, if both are 0).

    >>> import autograd_nb as torch
    >>> torch.histc(torch.tensor([1., 2., 2.]), 2)
    tensor([1., 2.])
    """
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    values = self._array.reshape(-1)
    if min == max and values.size:
        min, max = (min, max) if min else (float(values.min()), float(values.max()))
    if min == max:
        min, max = min - 1, max + 1
    if not min < max:
        raise RuntimeError("torch.histc: max must be larger than min")
    counts, _ = np.histogram(values, bins, (min, max))
    return wrap(counts.astype(self._dtype.numpy), self._dtype)


@composite("searchsorted", method=False)
def _searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    """Where the elements of *input* belong in a sorted sequence (of each row, for several), before equal ones.

    With *right* (or ``side="right"``) after equal ones.

    >>> import autograd_nb as torch
    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 4]))
    tensor([1, 2])
    """
    rows = sorted_sequence._array
    if sorter is not None:
        rows = np.take_along_axis(rows, sorter._array, -1)
    values = input._array if isinstance(input, Tensor) else np.asarray(input)
    side = "right" if right or side == "right" else "left"
    kind = np.int32 if out_int32 else np.int64
    if rows.ndim == 1:
        found = np.searchsorted(rows, values, side)
    else:
        if rows.shape[:-1] != values.shape[:-1]:
            raise RuntimeError(
                "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
                f"boundaries tensor and input value tensor must match, but we got boundaries tensor {list(rows.shape)} "
                f"and input value tensor {list(values.shape)}"
            )
        found = np.empty(values.shape, np.int64)
        for row in np.ndindex(rows.shape[:-1]):
            found[row] = np.searchsorted(rows[row], values[row], side)
    found = np.asarray(found, kind)
    return wrap(found if found.shape else found[()], dtypes.of_array(found))


@composite("bucketize", method=False)
def _bucketize(input, boundaries, *, out_int32=False, right=False):
    """The number of the part between *boundaries* in which each element lies.

    >>> import autograd_nb as torch
    >>> torch.bucketize(torch.tensor([0., 1., 2.5]), torch.tensor([1., 2.]))
    tensor([0, 0, 2])
    """
    if boundaries._array.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._array.ndim})")
    return _searchsorted(boundaries, input, out_int32=out_int32, right=right)


@composite("isin", method=False)
def _isin(elements, test_elements, *, assume_unique=False, invert=False):
    """Whether each of *elements* is one of *test_elements*.

    >>> import autograd_nb as torch
    >>> torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 5]))
    tensor([False,  True, False])
    """
    a, b = (each._array if isinstance(each, Tensor) else np.asarray(each) for each in (elements, test_elements))
    found = np.asarray(np.isin(a, b, invert=invert))
    return wrap(found if found.shape else found[()], dtypes.bool)
