"""Elements and slices read and written at index tensors: gather and scatter, take, index_select, masks.

Reading and adding are each other's backward: gather and scatter_add, index_select and index_add.
"""

import operator

import numpy as np

from ..engine.table import operations
from ..engine.tensor import Tensor
from .carriers import both, expand, reshape, zeros_like
from .checks import broadcast_shape, dtype_name, wrap_dim
from .products import times
from .public import chosen, row
from .repeats import sum_to_size
from .rows import operation, publish_in_place
from .storage import zeros_of


def places(index, dim):
    """For ``array[places]``: the index along *dim*, each element's own position along the others."""
    grid = list(np.indices(index.shape, sparse=True))
    grid[dim] = index
    return tuple(grid)


def check_index(name, self, dim, index, kind="self"):
    """*dim* wrapped, 0-d arrays as vectors; errors for an index of a wrong dtype or shape or out of bounds."""
    check_whole(index, f"{name}(): Expected dtype int32/int64 for index")
    dim = wrap_dim(dim, np.ndim(self))
    if max(np.ndim(self), 1) != max(np.ndim(index), 1):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {kind} tensor")
    self, index = np.atleast_1d(self), np.atleast_1d(index)
    for axis, (length, limit) in enumerate(zip(index.shape, self.shape, strict=True)):
        if axis != dim and length > limit:
            start = f"Size does not match at dimension {axis} e" if name == "gather" else "E"
            raise RuntimeError(f"{start}xpected index {list(index.shape)} to be no larger than self "
                               f"{list(self.shape)} apart from dimension {dim}")
    check_bounds(index, dim, self.shape[dim])
    return self, dim, index


def check_whole(index, message):
    if index.dtype.kind != "i" or index.dtype.itemsize < 4:
        raise RuntimeError(message)


def check_bounds(index, dim, size):
    outside = index[(index < 0) | (index >= size)]
    if outside.size:
        raise RuntimeError(f"index {outside[0]} is out of bounds for dimension {dim} with size {size}")


@operation("gather", tensors=("self", "index"),
           self=lambda grad, self, dim, index: scatter_add(zeros_like(self), dim, index, grad))  # fmt: skip
def gather(self, dim, index, *, sparse_grad=False):
    """The elements along *dim* at *index*; the result has the shape of *index*.

    >>> import autograd_nb as torch
    >>> torch.tensor([5, 6, 7]).gather(0, torch.tensor([2, 0]))
    tensor([7, 5])
    """
    array, dim, at = check_index("gather", self, dim, index, "input")
    return np.reshape(np.asarray(array[places(at, dim)], order="C"), np.shape(index))


def put_along(name, self, dim, index, src, put):
    """A copy with *src*, an array or a number, written at *index* by ``put(copy, places, elements)``."""
    array, dim, at = check_index(name, self, dim, index)
    changed = array.copy()
    put(changed, places(at, dim), source_for(at, src, array, dim) if isinstance(src, np.ndarray | np.generic) else src)
    return np.reshape(changed, np.shape(self))


@operation("scatter_add", tensors=("self", "index"), self=lambda grad: grad,
           src=lambda grad, dim, index, src_sym_sizes:
           of_all(gather(grad, dim, index), src_sym_sizes, "ScatterAddBackward0"))  # fmt: skip
def scatter_add(self, dim, index, src):
    """A copy with the elements of *src* added along *dim* at *index*."""
    return put_along("scatter_add", self, dim, index, src, np.add.at)


@row("scatter_value", tensors=("index",), node_name="ScatterBackward1",
     self=lambda grad, dim, index: scatter_value(grad, dim, index, 0))  # fmt: skip
def scatter_value(self, dim, index, value):
    """A copy with the elements along *dim* at *index* replaced by a number."""
    return put_along("scatter", self, dim, index, value, operator.setitem)


@row("scatter_src", tensors=("self", "index"), node_name="ScatterBackward0",
     self=lambda grad, dim, index: scatter_value(grad, dim, index, 0),
     src=lambda grad, dim, index, src_sym_sizes:
     of_all(gather(grad, dim, index), src_sym_sizes, "ScatterBackward0"))  # fmt: skip
def scatter_src(self, dim, index, src):
    """A copy with the elements along *dim* at *index* replaced by those of *src*."""
    return put_along("scatter", self, dim, index, src, operator.setitem)


def source_for(index, src, array, dim):
    """The part of *src* that *index* reaches; RuntimeError unless it has the dtype of *array* and is large enough."""
    if src.dtype != array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    given, src = np.shape(src), np.atleast_1d(src)
    if index.size and given and src.ndim < index.ndim and all(a <= b for a, b in zip(index.shape, given, strict=False)):
        raise IndexError(f"Dimension out of range (expected to be in range of [{-src.ndim}, {src.ndim - 1}], but got "
                         f"{src.ndim})")
    if index.ndim != src.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if index.size and any(a > b for a, b in zip(index.shape, src.shape, strict=True)):
        raise RuntimeError(f"Expected index {list(index.shape)} to be no larger than self {list(array.shape)} apart "
                           f"from dimension {dim} and to be no larger size than src {list(given)}")
    return src[tuple(map(slice, index.shape))]


@both
def of_all(grad, shape, node_name):
    """The gradient of a source that was used as a whole; like PyTorch, RuntimeError if only a part was used."""
    if not shape:
        return grad.sum()
    if tuple(grad.shape) != tuple(shape):
        raise RuntimeError(f"Function {node_name} returned an invalid gradient at index 1 - got {[*grad.shape]} but "
                           f"expected shape compatible with {[*shape]}")
    return grad


@chosen("scatter")
def _scatter(self, dim, index, src=None, *, value=None):
    """A copy with the elements along *dim* at *index* replaced by those of *src*, or by the number *value*."""
    src = value if src is None else src
    return operations["scatter_src" if isinstance(src, Tensor) else "scatter_value"], (self, dim, index, src)


@operation("take", tensors=("self", "index"), self=lambda grad, self, index: put(zeros_like(self), index, grad))
def take(self, index):
    """The elements of the flattened tensor at *index*."""
    if index.dtype != np.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {dtype_name(index)}")
    size = np.size(self)
    if not size and np.size(index):
        raise IndexError("take(): tried to take from an empty tensor")
    outside = np.ravel(index)[np.ravel((index < -size) | (index >= size))]
    if outside.size:
        raise IndexError(f"out of range: tried to access index {outside[0]} on a tensor of {size} elements.")
    return np.reshape(self, -1)[index]


@row("put", tensors=("self", "index"), self=lambda grad: grad,
     source=lambda grad, index, source: reshape(take(grad, index), source.shape))  # fmt: skip
def put(self, index, source):
    """A copy with *source* added at *index* of the flattened tensor."""
    flat = np.array(np.reshape(self, -1))
    np.add.at(flat, index, source)
    return np.reshape(flat, np.shape(self))


def slice_index(name, self, dim, index):
    """*dim* wrapped and the index as a vector."""
    check_whole(index, f"{name}(): Expected dtype int32 or int64 for index")
    if np.ndim(index) > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector")
    return wrap_dim(dim, np.ndim(self)), np.atleast_1d(index)


@operation("index_select", tensors=("self", "index"),
           self=lambda grad, self_sym_sizes, dim, index:
           index_add(zeros_of(grad, self_sym_sizes), dim, index, grad))  # fmt: skip
def index_select(self, dim, index):
    """The slices along *dim* named by the vector *index*."""
    dim, at = slice_index("index_select", self, dim, index)
    size = np.atleast_1d(self).shape[dim]
    if not np.ndim(self) and at.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {at.size} value(s)")
    if np.any((at < 0) | (at >= size)):
        raise IndexError("index out of range in self")
    return np.take(self, at, dim) if np.ndim(self) else self


@operation("index_add", tensors=("self", "index"), self=lambda grad: grad,
           source=lambda grad, dim, index, source, alpha:
           times(expand(index_select(grad, dim, index), source.shape), alpha))  # fmt: skip
def index_add(self, dim, index, source, *, alpha=1):
    """A copy with the slices of *source*, times *alpha*, added along *dim* at *index*."""
    dim, at = slice_index("index_add_", self, dim, index)
    changed = np.atleast_1d(np.array(self, order="C"))
    if source.dtype != changed.dtype:
        raise RuntimeError(f"index_add_(): self ({dtype_name(changed)}) and source ({dtype_name(source)}) must have "
                           "the same scalar type")
    given, source = np.shape(source), np.atleast_1d(source)
    if dim >= source.ndim:
        raise RuntimeError(f"index_add_(): Indexing dim {dim} is out of bounds of the source tensor with dim "
                           f"{len(given)}")
    if source.shape[dim] != at.size:
        raise RuntimeError(f"index_add_(): Number of indices ({at.size}) should be equal to source.size(dim): "
                           f"({source.shape[dim]}), for dim: {dim}")
    sizes, other = list(changed.shape), list(source.shape)
    if sizes[:dim] + sizes[dim + 1 :] != other[:dim] + other[dim + 1 :] or bool(np.shape(self)) != bool(given):
        raise RuntimeError("source tensor shape must match self tensor shape, excluding the specified dimension. Got "
                           f"self.shape = {list(np.shape(self))} source.shape = {list(given)}")
    check_bounds(at, dim, changed.shape[dim])
    np.add.at(changed, (slice(None),) * dim + (at,), source if alpha == 1 else source * source.dtype.type(alpha))
    return np.reshape(changed, np.shape(self))


for name in ("scatter_add", "index_add"):
    publish_in_place(name)

@operation("masked_select", tensors=("self", "mask"),
           self=lambda grad, self, mask: masked_put(zeros_like(self), mask, grad))  # fmt: skip
def masked_select(self, mask):
    """The elements where *mask* (broadcast) is true, in one dimension."""
    if mask.dtype != bool:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = broadcast_shape(np.shape(mask), np.shape(self))
    return np.broadcast_to(self, shape)[np.broadcast_to(mask, shape)]


@row("masked_put", tensors=("self", "mask"), node_name="MaskedScatterBackward0",
     self=lambda grad: zeros_like(grad), source=lambda grad, mask, source_sym_sizes:
     reshape(masked_select(grad, mask), source_sym_sizes))  # fmt: skip
def masked_put(self, mask, source):
    """Zeros like *self* with *source* where *mask* is true, summed where *self* was broadcast."""
    shape = broadcast_shape(np.shape(mask), np.shape(self))
    whole = np.zeros(shape, source.dtype)
    whole[np.broadcast_to(mask, shape)] = source
    return sum_to_size(whole, np.shape(self))
