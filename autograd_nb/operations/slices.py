"""Whole slices picked and placed by a vector of indices: index_select, index_add, index_copy, index_fill.

Picking slices and adding them are each other's derivatives.
"""

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import apply, operation
from ..engine.inplace import in_place, publish_in_place
from ..engine.table import operations
from ..engine.tensor import Tensor
from .carriers import both, expand
from .checks import wrap_dim
from .gathering import check_bounds
from .public import public
from .repeats import sum_to_size
from .strides import zeros_of


def slice_index(name, self, dim, index):
    """*dim* wrapped and the index as a vector."""
    if index.dtype.kind != "i" or index.dtype.itemsize < 4:
        raise RuntimeError(f"{name}(): Expected dtype int32 or int64 for index")
    if np.ndim(index) > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector")
    return wrap_dim(dim, np.ndim(self)), np.atleast_1d(index)


@operation("index_select", tensors=("self", "index"),
           self=lambda grad, self_sym_sizes, dim, index:
           index_add(zeros_of(grad, self_sym_sizes), dim, index, grad))  # fmt: skip
def index_select(self, dim, index):
    """The slices along *dim* named by the vector *index*.

    >>> import autograd_nb as torch
    >>> torch.tensor([[1, 2], [3, 4]]).index_select(0, torch.tensor([1]))
    tensor([[3, 4]])
    """
    dim, at = slice_index("index_select", self, dim, index)
    size = np.atleast_1d(self).shape[dim]
    if not np.ndim(self) and at.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {at.size} value(s)")
    if at.size and not size and np.ndim(self) > 1:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if np.any((at < 0) | (at >= size)):
        raise IndexError("index out of range in self")
    return np.take(self, at, dim) if np.ndim(self) else self


@both
def spread_as(grad, source):
    """The gradient in the source's shape: a source of no dimensions stands for a slice of one element."""
    return expand(grad, source.shape) if source.shape else sum_to_size(grad, ())


@operation("index_add", tensors=("self", "index"), self=lambda grad: grad,
           source=lambda grad, dim, index, source, alpha:
           times(spread_as(index_select(grad, dim, index), source), alpha))  # fmt: skip
def index_add(self, dim, index, source, *, alpha=1):
    """A copy with the slices of *source*, times *alpha*, added along *dim* at *index*."""
    dim, at = slice_index("index_add_", self, dim, index)
    changed = np.atleast_1d(np.array(self, order="C"))
    if source.dtype != changed.dtype:
        own, other = (dtypes.of_array(each).legacy_name for each in (changed, source))
        raise RuntimeError(f"index_add_(): self ({own}) and source ({other}) must have the same scalar type")
    if dim >= np.ndim(source) > 0 or dim and not np.ndim(source):
        raise RuntimeError(f"index_add_(): Indexing dim {dim} is out of bounds of the source tensor with dim "
                           f"{np.ndim(source)}")
    if not np.ndim(source) and at.size != 1:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    given, source = np.shape(source), np.atleast_1d(source)
    if source.shape[dim] != at.size:
        raise RuntimeError(
            f"index_add_(): Number of indices ({at.size}) should be equal to source.size(dim): "
            f"({source.shape[dim]}), for dim: {dim}"
        )
    own, other = list(changed.shape), list(source.shape)
    if own[:dim] + own[dim + 1 :] != other[:dim] + other[dim + 1 :] or bool(np.shape(self)) != bool(given):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(np.shape(self))} source.shape = {list(given)}"
        )
    check_bounds(at, dim, changed.shape[dim])
    np.add.at(changed, (slice(None),) * dim + (at,), source if alpha == 1 else source * source.dtype.type(alpha))
    return np.reshape(changed, np.shape(self))


@both
def times(grad, alpha):
    return grad if alpha == 1 else grad * alpha


@operation("index_copy", tensors=("self", "index"),
           self=lambda grad, dim, index: index_fill_number(grad, dim, index, 0),
           source=lambda grad, dim, index, source: spread_as(index_select(grad, dim, index), source))  # fmt: skip
def index_copy(self, dim, index, source):
    """A copy with the slices along *dim* at *index* replaced by those of *source*."""
    dim, at = slice_index("index_copy_", self, dim, index)
    changed, ranks = np.atleast_1d(np.array(self, order="C")), (np.ndim(source), np.ndim(self))
    if not ranks[0] and at.size != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {at.size})")
    if 0 not in ranks and ranks[0] != ranks[1]:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({ranks[0]}), destination dimensionality ({ranks[1]})"
        )
    if self.dtype != source.dtype:
        own, other = (dtypes.of_array(each).legacy_name for each in (self, source))
        raise RuntimeError("index_copy_(): self and source expected to have the same dtype, but got (self) "
                           f"{own} and (source) {other}")
    own, other = list(np.shape(self)), list(np.shape(source))
    del own[dim : dim + 1], other[dim : dim + 1]
    if own != other:
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{' '.join(map(str, own))} at dimension {dim} and source slice shape: {' '.join(map(str, other))} at "
            "dimension 0."
        )
    if ranks[0] and at.size != source.shape[dim]:
        raise IndexError(f"index_copy_(): Number of indices ({at.size}) should be equal to source.size(dim) "
                         f"({source.shape[dim]})")
    check_bounds(at, dim, changed.shape[dim], IndexError, "index_copy_(): ")
    changed[(slice(None),) * dim + (at,)] = source
    return np.reshape(changed, np.shape(self))


def index_filled(self, dim, index, value):
    dim, at = slice_index("index_fill_", self, dim, index)
    changed = np.atleast_1d(np.array(self))
    check_bounds(at, dim, changed.shape[dim], IndexError)
    changed[(slice(None),) * dim + (at,)] = value
    return np.reshape(changed, np.shape(self))


@operation("index_fill_number", tensors=("self", "index"), method=False, function=False, node_name="IndexFillBackward0",
           self=lambda grad, dim, index: index_fill_number(grad, dim, index, 0))  # fmt: skip
def index_fill_number(self, dim, index, value):
    """A copy with a number in the slices along *dim* at *index*."""
    return index_filled(self, dim, index, value)


@operation("index_fill_tensor", tensors=("self", "index"), method=False, function=False, node_name="IndexFillBackward1",
           self=lambda grad, dim, index: index_fill_number(grad, dim, index, 0),
           value=lambda grad, dim, index: sum_to_size(index_select(grad, dim, distinct(index)), ()))  # fmt: skip
def index_fill_tensor(self, dim, index, value):
    """A copy with a 0-d tensor's element in the slices along *dim* at *index*."""
    if np.ndim(value):
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {np.ndim(value)} "
            "dimension(s)."
        )
    return index_filled(self, dim, index, value)


@operation("distinct", method=False, function=False)
def distinct(self):
    """The different elements, sorted."""
    return np.unique(self)


def index_fill_row(value):
    return operations["index_fill_tensor" if isinstance(value, Tensor) else "index_fill_number"]


@public("index_fill")
def _index_fill(self, dim, index, value):
    """A copy with *value*, a number or 0-d tensor, in the slices along *dim* at *index*."""
    return apply(index_fill_row(value), (self, dim, index, value))


@public("index_fill_", function=False)
def _index_fill_(self, dim, index, value):
    """In-place form of :func:`index_fill`."""
    return in_place(index_fill_row(value), (self, dim, index, value))


for name in ("index_add", "index_copy"):
    publish_in_place(name)
