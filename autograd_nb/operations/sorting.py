"""Elements in order: sort, argsort, topk; and where elements are not zero.

A sorted element's gradient goes back to the place it came from.
"""

import numpy as np

from ..engine.dispatch import apply
from ..engine.table import operations, ops
from .checks import wrap_dim
from .extremes import value_selecting_reduction_backward
from .public import public, row
from .return_types import return_type


def sorted_places(array, dim, descending):
    """Where along *dim* the elements come from when sorted; equal ones keep their order, NaN counts greatest."""
    if not np.ndim(array):
        return np.int64(0)
    if not descending:
        return np.argsort(array, dim, kind="stable")
    order = np.argsort(np.flip(array, dim), dim, kind="stable")
    return array.shape[dim] - 1 - np.flip(order, dim)


def in_order(self, dim, descending):
    """The elements sorted along *dim*, and where they were."""
    dim = wrap_dim(dim, np.ndim(self))
    order = sorted_places(self, dim, descending)
    if not np.ndim(self):
        return self, order
    values, indices = np.empty_like(self), np.empty_like(self, np.int64)  # laid out as the input is
    values[...], indices[...] = np.take_along_axis(self, order, dim), order
    return values, indices


def first_in_order(self, k, dim, largest):
    """The *k* first elements in order along *dim*, and where they were."""
    values, order = in_order(self, dim, largest)
    if not np.ndim(self):
        return values, order
    first = (slice(None),) * wrap_dim(dim, np.ndim(self)) + (slice(k),)
    return values[first].copy(), order[first].copy()


for name, node_name, forward in (("sort", "SortBackward0", in_order), ("stable_sort", "SortBackward1", in_order),
                                 ("topk", "TopkBackward0", first_in_order)):  # fmt: skip
    row(name + "_row", returns=("values", "indices"), node_name=node_name,
        self=lambda grad, dim, indices, self_sym_sizes:
        value_selecting_reduction_backward(grad[0], dim, indices, self_sym_sizes, True))(forward)  # fmt: skip


@public("sort")
def _sort(self, dim=-1, descending=False, *, stable=None):
    """``(values, indices)``: the elements sorted along *dim*, and where they were.

    >>> import autograd_nb as torch
    >>> torch.tensor([3, 1, 2]).sort().values
    tensor([1, 2, 3])
    """
    wrap_dim(dim, self._array.ndim)
    found = apply(operations["sort_row" if stable is None else "stable_sort_row"], (self, dim, descending))
    return return_type("sort", "values", "indices")(found)


@public("argsort")
def _argsort(self, dim=-1, descending=False, *, stable=False):
    """Where the elements come from when they are sorted along *dim*."""
    return ops.sort(self, dim, descending)[1]


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
    return return_type("topk", "values", "indices")(apply(operations["topk_row"], (self, k, dim, largest)))


@row("nonzero_row")
def nonzero_row(self):
    return np.argwhere(self).astype(np.int64)


@public("nonzero")
def _nonzero(self, *, as_tuple=False):
    """The places of the elements that are not zero: a row for each, or with *as_tuple* a vector for each dimension."""
    rows = ops.nonzero_row(self)
    if not as_tuple:
        return rows
    return ops.unbind(rows if self._array.ndim else ops.nonzero_row(ops.unsqueeze(self, 0)), 1)
