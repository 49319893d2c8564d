"""Elements and slices read and written at index tensors: gather and scatter, index_select, masks.

Reading and adding are each other's backward: gather and scatter_add, index_select and index_add.
"""

import operator
from functools import lru_cache

import numpy as np

from ..engine.tensor import Tensor
from .array_functions import both, expand, masked_fill, reshape, sum_to_size, times, zeros_like, zeros_of
from .checks import broadcast_shape, dtype_name, in_range, wrap_dim
from .publishing import tensor_argument
from .rows import choice, operation, row


def places(index, dim):
    """For ``array[places]``: the index along *dim*, each element's own position along the others."""
    grid = [*own_places(index.shape)]
    grid[dim] = index
    return tuple(grid)


@lru_cache(8)
def own_places(shape):
    """The position of each element of this shape, an array for each dimension that broadcasts with the others."""
    return np.indices(shape, sparse=True)


def check_index(name, self, dim, index):
    """*dim* wrapped, 0-d arrays as vectors; errors for an index of a wrong dtype or shape or out of bounds."""
    check_whole(name, index)
    dim = wrap_dim(dim, np.ndim(self))
    if not (self.ndim and index.ndim):
        self, index = np.atleast_1d(self), np.atleast_1d(index)
    if self.ndim != index.ndim:
        which = "input" if name == "gather" else "self"
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {which} tensor")
    largest = [*self.shape]
    largest[dim] = index.shape[dim]
    if index.size and any(map(operator.gt, index.shape, largest)):
        start = "Size does not match, expected" if name == "gather" else "Expected"
        raise RuntimeError(f"{start} index {list(index.shape)} to be no larger than self {list(self.shape)} apart from "
                           f"dimension {dim}")
    check_bounds(index, dim, self.shape[dim])
    return self, dim, index


def check_whole(name, index):
    if index.dtype.kind != "i":
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def check_bounds(index, dim, size):
    if index.size and (np.minimum.reduce(index, None) < 0 or np.maximum.reduce(index, None) >= size):
        outside = index[(index < 0) | (index >= size)]
        raise RuntimeError(f"index {outside[0]} is out of bounds for dimension {dim} with size {size}")


@operation(tensors=("index",),
           self=lambda grad, self, dim, index: scatter_add(zeros_like(self), dim, index, grad))  # fmt: skip
def gather(self, dim, index, *, sparse_grad=False):
    """The elements along *dim* at *index*; the result has the shape of *index*.

    >>> import autograd_nb as torch
    >>> torch.tensor([5, 6, 7]).gather(0, torch.tensor([2, 0]))
    tensor([7, 5])
    """
    array, dim, at = check_index("gather", self, dim, index)
    return np.asarray(array[places(at, dim)], order="C").reshape(index.shape)


def put_along(name, self, dim, index, src, put):
    """A copy with *src*, an array or a number, written at *index* by ``put(copy, places, elements)``."""
    array, dim, at = check_index(name, self, dim, index)
    changed = array.copy()
    if isinstance(src, np.ndarray | np.generic):
        if src.dtype != array.dtype:
            raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
        if np.ndim(src) and src.ndim != at.ndim:
            wrap_dim(at.ndim - 1, src.ndim)  # PyTorch first finds this dimension out of range
        if at.ndim != np.atleast_1d(src).ndim:
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        given, src = src.shape, np.atleast_1d(src)[tuple(map(slice, at.shape))]
        if src.shape != at.shape:
            raise RuntimeError(f"Expected index {list(at.shape)} to be no larger than self {list(array.shape)} apart "
                               f"from dimension {dim} and to be no larger size than src {list(given)}")
    else:
        src = in_range(src, array.dtype)
    put(changed, places(at, dim), src)
    return np.reshape(changed, np.shape(self))


@operation(tensors=("index",), in_place=True, reads_overwritten=None, self=lambda grad: grad,
           src=lambda grad, dim, index, src_sym_sizes:
           of_all(gather(grad, dim, index), src_sym_sizes, "ScatterAddBackward0"))  # fmt: skip
def scatter_add(self, dim, index, src):
    """A copy with the elements of *src* added along *dim* at *index*."""
    return put_along("scatter_add", self, dim, index, src, np.add.at)


@row("scatter.value", formula="scatter_value", tensors=("index",), node_name="ScatterBackward1",
     self=lambda grad, dim, index: scatter_value(grad, dim, index, 0))  # fmt: skip
def scatter_value(self, dim, index, value):
    """A copy with the elements along *dim* at *index* replaced by a number."""
    return put_along("scatter", self, dim, index, value, operator.setitem)


@row("scatter.src", tensors=("index",), reads_overwritten=None,
     self=lambda grad, dim, index: scatter_value(grad, dim, index, 0),
     src=lambda grad, dim, index, src_sym_sizes:
     of_all(gather(grad, dim, index), src_sym_sizes, "ScatterBackward0"))  # fmt: skip
def scatter_src(self, dim, index, src):
    """A copy with the elements along *dim* at *index* replaced by those of *src*."""
    return put_along("scatter", self, dim, index, src, operator.setitem)


@both
def of_all(grad, shape, node_name):
    """The gradient of a source that was used as a whole; like PyTorch, RuntimeError if only a part was used."""
    if not shape:
        return grad.sum()
    if tuple(grad.shape) != tuple(shape):
        raise RuntimeError(f"Function {node_name} returned an invalid gradient at index 1 - got {[*grad.shape]} but "
                           f"expected shape compatible with {[*shape]}")
    return grad


@choice
def scatter(self, dim, index, src=None, *, value=None):
    """A copy with the elements along *dim* at *index* replaced by those of *src*, or by the number *value*."""
    src = value if src is None else src
    name = "scatter.src" if isinstance(src, Tensor) else "scatter.value"
    return name, (tensor_argument(self, "scatter"), dim, index, src)


def slice_index(name, self, dim, index):
    """*dim* wrapped and the index as a vector."""
    check_whole(name, index)
    if np.ndim(index) > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector")
    return wrap_dim(dim, np.ndim(self)), np.atleast_1d(index)


@operation(tensors=("index",),
           self=lambda grad, self_sym_sizes, dim, index:
           index_add(zeros_of(grad, self_sym_sizes), dim, index, grad))  # fmt: skip
def index_select(self, dim, index):
    """The slices along *dim* named by the vector *index*."""
    dim, at = slice_index("index_select", self, dim, index)
    size = np.atleast_1d(self).shape[dim]
    if not size:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    outside = at[(at < 0) | (at >= size)]
    if not np.ndim(self) and at.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {at.size} value(s)")
    if outside.size and dim == 1:  # PyTorch reads along this dimension in another way
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={outside[0]} axis_dim={size}")
    if outside.size:
        raise IndexError("index out of range in self")
    return np.take(self, at, dim) if np.ndim(self) else np.reshape(np.take(self, at), ())


@operation(tensors=("index",), in_place=True, reads_overwritten=None, self=lambda grad: grad,
           source=lambda grad, dim, index, source, alpha:
           times(expand(index_select(grad, dim, index), source.shape), alpha))  # fmt: skip
def index_add(self, dim, index, source, *, alpha=1):
    """A copy with the slices of *source*, times *alpha*, added along *dim* at *index*."""
    dim, at = slice_index("index_add_", self, dim, index)
    changed = np.atleast_1d(np.array(self, order="C"))
    if source.dtype != changed.dtype:
        raise RuntimeError(f"index_add_(): self ({dtype_name(changed)}) and source ({dtype_name(source)}) must have "
                           "the same scalar type")
    check_bounds(at, dim, changed.shape[dim])
    wanted = (*changed.shape[:dim], at.size, *changed.shape[dim + 1 :])
    if np.atleast_1d(source).shape != wanted or np.ndim(source) != np.ndim(self):
        raise RuntimeError(f"source tensor shape must match self tensor shape, with one slice for each index: expected "
                           f"{list(wanted)}, got {list(np.shape(source))}")
    np.add.at(changed, (slice(None),) * dim + (at,), source if alpha == 1 else source * in_range(alpha, source.dtype))
    return np.reshape(changed, np.shape(self))


@operation(tensors=("mask",),
           self=lambda grad, self, mask: masked_select_backward(zeros_like(self), mask, grad))  # fmt: skip
def masked_select(self, mask):
    """The elements where *mask* (broadcast) is true, in one dimension."""
    if mask.dtype != bool:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = broadcast_shape(np.shape(mask), np.shape(self))
    return np.broadcast_to(self, shape)[np.broadcast_to(mask, shape)]


@row(tensors=("mask",), node_name="MaskedScatterBackward0",
     self=lambda grad: zeros_like(grad), source=lambda grad, mask, source_sym_sizes:
     reshape(masked_select(grad, mask), source_sym_sizes))  # fmt: skip
def masked_select_backward(self, mask, source):
    """Zeros like *self* with *source* where *mask* is true, summed where *self* was broadcast."""
    shape = broadcast_shape(np.shape(mask), np.shape(self))
    whole = np.zeros(shape, source.dtype)
    whole[np.broadcast_to(mask, shape)] = source
    return sum_to_size(whole, np.shape(self))


@row(tensors=("indices",),
     grad_output=lambda grad, indices, padding_idx: masked_rows(embedding(grad, indices), indices, padding_idx))
def embedding_dense_backward(grad_output, indices, num_weights, padding_idx):
    """For each row of the table the sum of the gradients of its uses; zeros for the row *padding_idx*."""
    total = np.zeros((num_weights, grad_output.shape[-1]), grad_output.dtype)
    np.add.at(total, indices, masked_rows(grad_output, indices, padding_idx))
    return total


@both
def masked_rows(self, indices, padding_idx):
    return self if padding_idx < 0 else masked_fill(self, (indices == padding_idx)[..., None], 0)


@row(checks=True, tensors=("indices",),
     weight=lambda grad, indices, weight_sym_sizes, padding_idx:
     embedding_dense_backward(grad, indices, weight_sym_sizes[0], padding_idx))  # fmt: skip
def embedding(weight, indices, padding_idx=-1):
    """The row of the table *weight* at each of *indices*; the row *padding_idx* gets no gradient."""
    if np.ndim(weight) != 2:
        raise RuntimeError("'weight' must be 2-D")
    if indices.dtype not in (np.int64, np.int32):
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
                           f"Int; but got torch.{dtype_name(indices)}Tensor instead (while checking arguments for "
                           "embedding)")
    if np.any((indices < 0) | (indices >= len(weight))):
        raise IndexError("index out of range in self")
    return weight[indices]
