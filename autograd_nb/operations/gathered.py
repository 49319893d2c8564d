"""Elements that come to one place and are combined there: scatter_reduce and, for whole slices, index_reduce.

Both have one formula: index_reduce is scatter_reduce with its vector of indices repeated over the other dimensions.
"""

import numpy as np

from ..engine.dispatch import operation
from ..engine.formulas import tensor_names
from ..engine.inplace import publish_in_place
from ..engine.tensor import wrap
from ..engine.warning import warn_once
from .carriers import as_type_of, both, masked_fill, ones_like, where, zeros_like
from .gathering import check_index, gather, of_all, places, scatter_add, scatter_value, source_for
from .slices import slice_index

WAYS = {"sum": np.add, "prod": np.multiply, "mean": np.add, "amax": np.maximum, "amin": np.minimum}


def combined(self, dim, index, src, reduce, include_self):
    """A copy of *self* in which the elements of *src* were combined at the places *index* along *dim*."""
    changed, at = self.copy(), places(index, dim)
    if not include_self:
        limits = np.finfo(self.dtype) if self.dtype.kind == "f" else np.iinfo(self.dtype)
        lowest, highest = (-np.inf, np.inf) if self.dtype.kind == "f" else (limits.min, limits.max)
        changed[at] = {"sum": 0, "prod": 1, "mean": 0, "amax": lowest, "amin": highest}[reduce]
    WAYS[reduce].at(changed, at, src)
    if reduce == "mean":
        counts = np.full(self.shape, int(include_self), np.int64)
        np.add.at(counts, at, 1)
        counts = np.maximum(counts, 1)
        changed = (changed / counts if self.dtype.kind == "f" else changed // counts).astype(self.dtype)
    return changed


@both
def combined_self_backward(grad, self, dim, index, src, reduce, include_self, result):
    """The gradient of the elements that others came to."""
    if reduce == "prod":
        grad = grad * result / masked_fill(self, self == 0, 1)
    elif reduce == "mean":
        grad = grad / counts_of(grad, dim, index, src, include_self)
    elif reduce != "sum":
        grad = where(self == result, shares_of(grad, self, dim, index, src, result), 0)
    return grad if include_self else scatter_value(grad, dim, index, 0)


@both
def combined_source_backward(grad, self, dim, index, src, reduce, include_self, result):
    """The gradient of the elements that came to others."""
    if reduce == "sum":
        return gather(grad, dim, index)
    if reduce == "mean":
        return gather(grad, dim, index) / gather(counts_of(grad, dim, index, src, include_self), dim, index)
    if reduce != "prod":
        found = src == gather(result, dim, index)
        return where(found, gather(shares_of(grad, self, dim, index, src, result), dim, index), 0)
    zero = src == 0
    zeros = gather(scatter_add(zeros_like(self), dim, index, as_type_of(zero, src)), dim, index)
    alone = zero & (zeros == 1)
    rest = scatter_reduce(self, dim, index, masked_fill(src, alone, 1), "prod", include_self)
    others = gather(grad * result, dim, index) / masked_fill(src, zero, 1)
    return where(alone, gather(grad * rest, dim, index), others)


@both
def counts_of(grad, dim, index, src, include_self):
    """How many elements each mean is of."""
    first = ones_like(grad) if include_self else zeros_like(grad)
    counts = scatter_add(first, dim, index, ones_like(src))
    return masked_fill(counts, counts == 0, 1)


@both
def shares_of(grad, self, dim, index, src, result):
    """The gradient divided among those that are equal to the extreme."""
    mine = as_type_of(self == result, grad)
    theirs = as_type_of(src == gather(result, dim, index), grad)
    return grad / scatter_add(mine, dim, index, theirs)


@operation("scatter_reduce", tensors=("self", "index"), node_name="ScatterReduceBackward0",
           self=lambda grad, self, dim, index, src, reduce, include_self, result:
           combined_self_backward(grad, self, dim, index, src, reduce, include_self, result),
           src=lambda grad, self, dim, index, src, reduce, include_self, result:
           of_all(combined_source_backward(grad, self, dim, index, src, reduce, include_self, result),
                  src.shape, "ScatterReduceBackward0"))  # fmt: skip
def scatter_reduce(self, dim, index, src, reduce, include_self=True):
    """A copy with the elements of *src* combined along *dim* at *index*: "sum", "prod", "mean", "amax" or "amin".

    With *include_self* false the elements that are there already do not count.

    >>> import autograd_nb as torch
    >>> torch.zeros(2).scatter_reduce(0, torch.tensor([0, 0, 1]), torch.tensor([1., 2., 3.]), "sum")
    tensor([3., 3.])
    """
    if reduce not in WAYS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    array, dim, at = check_index("scatter_reduce", self, dim, index)
    if src.dtype != self.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    found = combined(array, dim, at, source_for(at, src, array, dim), reduce, include_self)
    return np.reshape(found, np.shape(self))


def repeated(index, dim, source):
    """The vector of indices of slices along *dim*, for each element of these slices."""
    shape = [1] * source.ndim
    shape[dim] = -1
    return np.broadcast_to(index.reshape(shape), source.shape)


tensor_names["repeated"] = lambda index, dim, source: wrap(
    repeated(index._array, dim, source._array), index._dtype
)


@operation("index_reduce", tensors=("self", "index"), no_forward="index_reduce",
           self=lambda grad, self, dim, index, source, reduce, include_self, result:
           combined_self_backward(grad, self, dim, repeated(index, dim, source), source, reduce, include_self, result),
           source=lambda grad, self, dim, index, source, reduce, include_self, result:
           combined_source_backward(grad, self, dim, repeated(index, dim, source), source, reduce, include_self,
                                    result))  # fmt: skip
def index_reduce(self, dim, index, source, reduce, *, include_self=True):
    """A copy with the slices of *source* combined along *dim* at *index*: by "prod", "mean", "amax" or "amin".

    >>> import autograd_nb as torch
    >>> torch.ones(2).index_reduce(0, torch.tensor([0, 0]), torch.tensor([2., 3.]), "prod")
    tensor([6., 1.])
    """
    if reduce not in WAYS or reduce == "sum":
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    warn_once("index_reduce() is in beta and the API may change at any time.")
    dim, at = slice_index("index_reduce", self, dim, index)
    source = np.atleast_1d(source)
    if at.size != source.shape[dim]:
        raise RuntimeError(f"index_reduce_(): Number of indices ({at.size}) should be equal to source.size(dim): "
                           f"({source.shape[dim]}), for dim: {dim}")
    array = np.atleast_1d(self)
    if np.any((at < 0) | (at >= array.shape[dim])):
        raise IndexError("index out of range in self")
    return np.reshape(combined(array, dim, repeated(at, dim, source), source, reduce, include_self), np.shape(self))


for name in ("scatter_reduce", "index_reduce"):
    publish_in_place(name)
