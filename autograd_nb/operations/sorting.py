"""Elements in order: sort, topk, kthvalue, unique; and where elements are not zero.

A sorted element's gradient goes back to the place it came from.
"""

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import apply, operation
from ..engine.table import composite, operations, ops
from ..engine.tensor import wrap
from .checks import wrap_dim
from .extremes import value_selecting_reduction_backward
from .public import public
from .return_types import return_type


def sorted_places(array, dim, descending):
    """Where along *dim* the elements come from when sorted; equal ones keep their order, NaN counts greatest."""
    if not np.ndim(array):
        return np.int64(0)
    if not descending:
        return np.argsort(array, dim, kind="stable")
    order = np.argsort(np.flip(array, dim), dim, kind="stable")
    return array.shape[dim] - 1 - np.flip(order, dim)


def sort_forward(array, dim, descending):
    dim = wrap_dim(dim, np.ndim(array))
    order = sorted_places(array, dim, descending)
    if not np.ndim(array):
        return array, order
    values, indices = np.empty_like(array), np.empty_like(array, np.int64)  # laid out as the input is
    values[...], indices[...] = np.take_along_axis(array, order, dim), order
    return values, indices


@operation("sort_row", returns=("values", "indices"), method=False, function=False, node_name="SortBackward0",
           self=lambda grad, dim, indices, self_sym_sizes:
           value_selecting_reduction_backward(grad[0], dim, indices, self_sym_sizes, True))  # fmt: skip
def sort_row(self, dim, descending):
    """The elements sorted along *dim*, and where they were."""
    return sort_forward(self, dim, descending)


@operation("stable_sort_row", returns=("values", "indices"), method=False, function=False, node_name="SortBackward1",
           self=lambda grad, dim, indices, self_sym_sizes:
           value_selecting_reduction_backward(grad[0], dim, indices, self_sym_sizes, True))  # fmt: skip
def stable_sort_row(self, dim, descending):
    """The elements sorted along *dim*, equal ones in their order, and where they were."""
    return sort_forward(self, dim, descending)


@operation("topk_row", returns=("values", "indices"), method=False, function=False, node_name="TopkBackward0",
           self=lambda grad, dim, indices, self_sym_sizes:
           value_selecting_reduction_backward(grad[0], dim, indices, self_sym_sizes, True))  # fmt: skip
def topk_row(self, k, dim, largest):
    """The *k* first elements in order along *dim*, and where they were."""
    values, order = sort_forward(self, dim, largest)
    if not np.ndim(self):
        return values, order
    first = (slice(None),) * wrap_dim(dim, np.ndim(self)) + (slice(k),)
    return values[first].copy(), order[first].copy()


@operation("kthvalue_row", returns=("values", "indices"), method=False, function=False, node_name="KthvalueBackward0",
           self=lambda grad, dim, indices, self_sym_sizes, keepdim:
           value_selecting_reduction_backward(grad[0], dim, indices, self_sym_sizes, keepdim))  # fmt: skip
def kthvalue_row(self, k, dim, keepdim):
    """The element that is *k* th in order along *dim*, and where it was."""
    values, order = sort_forward(self, dim, False)
    if not np.ndim(self):
        return values, order
    dim = wrap_dim(dim, np.ndim(self))
    at = (slice(None),) * dim + (slice(k - 1, k) if keepdim else k - 1, ...)
    return values[at].copy(), order[at].copy()


def named(name, results):
    return return_type(name, "values", "indices")(results)


@public("sort")
def _sort(self, dim=-1, descending=False, *, stable=None):
    """``(values, indices)``: the elements sorted along *dim*, and where they were.

    >>> import autograd_nb as torch
    >>> torch.tensor([3, 1, 2]).sort().values
    tensor([1, 2, 3])
    """
    wrap_dim(dim, self._array.ndim)
    row = operations["sort_row" if stable is None else "stable_sort_row"]
    return named("sort", apply(row, (self, dim, descending)))


@public("argsort")
def _argsort(self, dim=-1, descending=False, *, stable=False):
    """Where the elements come from when they are sorted along *dim*."""
    return ops.sort(self, dim, descending)[1]


@public("msort")
def _msort(self):
    """The elements sorted along the first dimension."""
    return ops.sort(self, 0)[0]


@public("topk")
def _topk(self, k, dim=-1, largest=True, sorted=True):
    """``(values, indices)`` of the *k* largest (or smallest) elements along *dim*, in order.

    >>> import autograd_nb as torch
    >>> torch.tensor([3, 1, 2]).topk(2).values
    tensor([3, 2])
    """
    wrap_dim(dim, self._array.ndim)
    if not 0 <= k <= (self._array.shape[dim] if self._array.ndim else 1):
        raise RuntimeError("selected index k out of range")
    return named("topk", apply(operations["topk_row"], (self, k, dim, largest)))


@public("kthvalue")
def _kthvalue(self, k, dim=-1, keepdim=False):
    """``(values, indices)`` of the elements that are *k* th smallest along *dim*."""
    place = wrap_dim(dim, self._array.ndim)
    if not 1 <= k <= (self._array.shape[dim] if self._array.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {place}")
    return named("kthvalue", apply(operations["kthvalue_row"], (self, k, dim, keepdim)))


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements, sorted; with *dim* the different slices.  Gradients do not flow through it.

    >>> import autograd_nb as torch
    >>> torch.unique(torch.tensor([3, 1, 3]))
    tensor([1, 3])
    """
    found = np.unique(input._array, return_inverse=True, return_counts=True, axis=dim)
    values, inverse, counts = (np.asarray(each) for each in found)
    results = [wrap(values, input._dtype)]
    if return_inverse:
        results.append(wrap(inverse.reshape(np.shape(input._array) if dim is None else -1), dtypes.int64))
    if return_counts:
        results.append(wrap(counts, dtypes.int64))
    return results[0] if len(results) == 1 else tuple(results)


composite("unique")(unique)


# -- where elements are not zero ---------------------------------------------------------------------------------------


@operation("nonzero_row", method=False, function=False)
def nonzero_row(self):
    """The places of the elements that are not zero, one in each row."""
    return np.argwhere(self).astype(np.int64)


@public("nonzero")
def _nonzero(self, *, as_tuple=False):
    """The places of the elements that are not zero: a row for each, or with *as_tuple* a vector for each dimension."""
    rows = ops.nonzero_row(self)
    if not as_tuple:
        return rows
    return ops.unbind(rows if self._array.ndim else ops.nonzero_row(ops.unsqueeze(self, 0)), 1)


@public("argwhere")
def _argwhere(self):
    """The places of the elements that are not zero, one in each row."""
    return ops.nonzero_row(self)
