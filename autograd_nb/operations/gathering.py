"""Elements picked and placed by tensors of indices: gather and scatter, take and put, masks.

A picking operation and an adding one are each other's derivatives: gather and scatter_add, take and put with
accumulation.
"""

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import apply, operation
from ..engine.formulas import tensor_names
from ..engine.inplace import in_place, publish_in_place
from ..engine.table import operations, ops
from ..engine.tensor import Tensor
from .carriers import both, masked_fill, reshape, zeros_like
from .checks import broadcast_shape, wrap_dim
from .public import public
from .repeats import sum_to_size

# -- gather and scatter ----------------------------------------------------------------------------------------------


def places(index, dim):
    """For ``array[places]``: the index along *dim*, each element's own place along the other dimensions."""
    grid = list(np.indices(index.shape, sparse=True))
    grid[dim] = index
    return tuple(grid)


def check_index(name, self, dim, index, kind="self"):
    """*dim* wrapped, 0-d arrays as vectors; errors for an index of a wrong type, rank or bound."""
    if index.dtype.kind != "i" or index.dtype.itemsize < 4:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    dim = wrap_dim(dim, np.ndim(self))
    if max(np.ndim(self), 1) != max(np.ndim(index), 1):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {kind} tensor")
    self, index = np.atleast_1d(self), np.atleast_1d(index)
    for each, (length, own) in enumerate(zip(index.shape, self.shape, strict=True)):
        if each != dim and length > own:
            start = f"Size does not match at dimension {each} e" if name == "gather" else "E"
            raise RuntimeError(
                f"{start}xpected index {list(index.shape)} to be no larger than self {list(self.shape)} apart from "
                f"dimension {dim}"
            )
    check_bounds(index, dim, self.shape[dim])
    return self, dim, index


def check_bounds(index, dim, size, error=RuntimeError, prefix=""):
    outside = index[(index < 0) | (index >= size)] if np.size(index) else index
    if np.size(outside):
        raise error(f"{prefix}index {outside.reshape(-1)[0]} is out of bounds for dimension {dim} with size {size}")


@operation("gather", tensors=("self", "index"),
           self=lambda grad, self, dim, index: scatter_add(zeros_like(self), dim, index, grad))  # fmt: skip
def gather(self, dim, index, *, sparse_grad=False):
    """The elements along *dim* at *index*; the result has the shape of *index*.

    >>> import autograd_nb as torch
    >>> torch.tensor([[1, 2], [3, 4]]).gather(1, torch.tensor([[0], [1]]))
    tensor([[1],
            [4]])
    """
    array, dim, at = check_index("gather", self, dim, index, "input")
    return np.reshape(np.asarray(array[places(at, dim)], order="C"), np.shape(index))


@operation("scatter_add", tensors=("self", "index"), self=lambda grad: grad,
           src=lambda grad, dim, index, src_sym_sizes:
           of_all(gather(grad, dim, index), src_sym_sizes, "ScatterAddBackward0"))  # fmt: skip
def scatter_add(self, dim, index, src):
    """A copy with the elements of *src* added along *dim* at *index*."""
    if src.dtype != self.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    array, dim, at = check_index("scatter_add", self, dim, index)
    changed = array.copy()
    np.add.at(changed, places(at, dim), source_for(at, src, array, dim))
    return np.reshape(changed, np.shape(self))


@operation("scatter_src", tensors=("self", "index"), method=False, function=False, node_name="ScatterBackward0",
           self=lambda grad, dim, index: scatter_value(grad, dim, index, 0),
           src=lambda grad, dim, index, src_sym_sizes:
           of_all(gather(grad, dim, index), src_sym_sizes, "ScatterBackward0"))  # fmt: skip
def scatter_src(self, dim, index, src):
    """A copy with the elements along *dim* at *index* replaced by those of *src*."""
    array, dim, at = check_index("scatter", self, dim, index)
    if src.dtype != self.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    changed = array.copy()
    changed[places(at, dim)] = source_for(at, src, array, dim)
    return np.reshape(changed, np.shape(self))


@operation("scatter_value", tensors=("index",), method=False, function=False, node_name="ScatterBackward1",
           self=lambda grad, dim, index: scatter_value(grad, dim, index, 0))  # fmt: skip
def scatter_value(self, dim, index, value):
    """A copy with the elements along *dim* at *index* replaced by a number."""
    array, dim, at = check_index("scatter", self, dim, index)
    changed = array.copy()
    changed[places(at, dim)] = value
    return np.reshape(changed, np.shape(self))


def source_for(index, src, array, dim):
    """The part of *src* that *index* reaches."""
    given, src = np.shape(src), np.atleast_1d(src)
    fits = index.size == 0 or all(a <= b for a, b in zip(index.shape, src.shape, strict=False))
    if index.size and given and src.ndim < index.ndim and fits:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-src.ndim}, {src.ndim - 1}], but got "
                         f"{src.ndim})")
    if not index.size:
        return np.zeros(index.shape, src.dtype)
    if index.ndim != src.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if any(a > b for a, b in zip(index.shape, src.shape, strict=True)):
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(array.shape)} apart from dimension "
            f"{dim} and to be no larger size than src {list(given)}"
        )
    return src[tuple(slice(length) for length in index.shape)]


@both
def of_all(grad, shape, node_name):
    """The gradient of a source that was used as a whole; like PyTorch, RuntimeError when only a part of it was."""
    if not shape:
        return grad.sum()
    if tuple(grad.shape) != tuple(shape):
        raise RuntimeError(
            f"Function {node_name} returned an invalid gradient at index 1 - got {[*grad.shape]} but expected shape "
            f"compatible with {[*shape]}"
        )
    return grad


@operation("padded", method=False, function=False, self=lambda grad, self_sym_sizes: leading(grad, self_sym_sizes))
def padded(self, shape):
    """Zeros of *shape* that begin with these elements."""
    whole = np.zeros(shape, self.dtype)
    whole[tuple(slice(length) for length in self.shape)] = self
    return whole


@operation("leading", method=False, function=False, self=lambda grad, self_sym_sizes: padded(grad, self_sym_sizes))
def leading(self, shape):
    """The leading part of *shape*."""
    return self[tuple(slice(length) for length in shape)].copy()


def scatter_values(self, dim, index, src):
    row = operations["scatter_src" if isinstance(src, Tensor) else "scatter_value"]
    return row, (self, dim, index, src)


@public("scatter")
def _scatter(self, dim, index, src=None, *, value=None):
    """A copy with the elements along *dim* at *index* replaced by those of *src*, or by the number *value*.

    >>> import autograd_nb as torch
    >>> torch.zeros(3).scatter(0, torch.tensor([1]), 5.)
    tensor([0., 5., 0.])
    """
    return apply(*scatter_values(self, dim, index, value if src is None else src))


@public("scatter_", function=False)
def _scatter_(self, dim, index, src=None, *, value=None):
    """In-place form of :func:`scatter`."""
    return in_place(*scatter_values(self, dim, index, value if src is None else src))


@public("take_along_dim")
def _take_along_dim(self, indices, dim=None):
    """The elements along *dim* at *indices*, broadcast in the other dimensions; without *dim*, counted flat."""
    if dim is None:
        return ops.gather(ops.view(self, (-1,)), 0, ops.view(indices, (-1,)))
    ndim = self._array.ndim
    if ndim != indices._array.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{ndim} dimensions for input, and {indices._array.ndim} dimensions for indices"
        )
    dim = wrap_dim(dim, ndim)
    if not ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    own, other = list(self._array.shape), list(indices._array.shape)
    length, count = own[dim], other[dim]
    own[dim] = other[dim] = 1
    shape = list(broadcast_shape(own, other))
    shape[dim] = length
    source = ops.expand(self, shape)
    shape[dim] = count
    return ops.gather(source, dim, ops.expand(indices, shape))


# -- places counted flat -----------------------------------------------------------------------------------------------


def flat_index(name, self, index):
    if index.dtype != np.int64:
        kind = dtypes.of_array(index).legacy_name
        raise RuntimeError(f"{name}(): Expected a long tensor for index, but got {kind}")
    size = np.size(self)
    if not size and np.size(index):
        what = "take from" if name == "take" else "put elements into"
        raise IndexError(f"{name}(): {'t' if name == 'take' else 'T'}ried to {what} an empty tensor")
    outside = index[(index < -size) | (index >= size)] if np.size(index) else index
    if np.size(outside):
        place = np.ravel(outside)[0]
        raise IndexError(f"out of range: tried to access index {place} on a tensor of {size} elements.")
    return index


@operation("take", tensors=("self", "index"), self=lambda grad, self, index: put(zeros_like(self), index, grad, True))
def take(self, index):
    """The elements at the places *index*, counted flat.

    >>> import autograd_nb as torch
    >>> torch.tensor([[1, 2], [3, 4]]).take(torch.tensor([0, 3]))
    tensor([1, 4])
    """
    return np.reshape(self, -1)[flat_index("take", self, index)]


@operation("put", tensors=("self", "index"),
           self=lambda grad, index, accumulate:
           grad if accumulate else put(grad, index, zeros_like(take(grad, index)), False),
           source=lambda grad, index, source: reshape(take(grad, index), source.shape))  # fmt: skip
def put(self, index, source, accumulate=False):
    """A copy with the elements at the places *index*, counted flat, replaced by *source*, or it added to them."""
    if self.dtype != source.dtype:
        own, other = (dtypes.of_array(each).legacy_name for each in (self, source))
        raise RuntimeError("put_(): self and source expected to have the same dtype, but got "
                           f"self.dtype = {own} and source.dtype = {other}")
    if np.size(source) != np.size(index):
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{np.size(source)}, index.numel() = {np.size(index)}"
        )
    flat = np.array(np.reshape(self, -1))
    at = np.reshape(flat_index("put_", self, index), -1)
    if accumulate:
        np.add.at(flat, at, np.reshape(source, -1))
    else:
        flat[at] = np.reshape(source, -1)
    return np.reshape(flat, np.shape(self))


# -- by masks ----------------------------------------------------------------------------------------------------------


@operation("masked_select", tensors=("self", "mask"),
           self=lambda grad, self, mask: masked_put(zeros_like(self), mask, grad))  # fmt: skip
def masked_select(self, mask):
    """The elements where *mask* (broadcast) is true, in one dimension.

    >>> import autograd_nb as torch
    >>> x = torch.tensor([1, 2, 3])
    >>> x.masked_select(x > 1)
    tensor([2, 3])
    """
    if mask.dtype != bool:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = broadcast_shape(np.shape(mask), np.shape(self))
    return np.broadcast_to(self, shape)[np.broadcast_to(mask, shape)]


@operation("masked_put", tensors=("self", "mask"), method=False, function=False,
           source=lambda grad, mask, source_sym_sizes: reshape(masked_select(grad, mask),
               source_sym_sizes))  # fmt: skip
def masked_put(self, mask, source):
    """Zeros like *self* to which *source* is added where *mask* is true; sums where *self* was broadcast."""
    shape = broadcast_shape(np.shape(mask), np.shape(self))
    whole = np.zeros(shape, source.dtype)
    whole[np.broadcast_to(mask, shape)] = source
    return sum_to_size(whole, np.shape(self))


def masked_put_tensor(self, mask, source):
    """The same as PyTorch's graph shows it, where nothing was broadcast."""
    if mask._array.shape != self._array.shape:
        return ops.masked_put(self, mask, source)
    return ops.masked_scatter(ops.zeros_like(self), mask, source)


tensor_names["masked_put"] = masked_put_tensor


@operation("masked_scatter", tensors=("self", "mask"), self=lambda grad, mask: masked_fill(grad, mask, 0),
           source=lambda grad, mask, source_sym_sizes: scattered_source(grad, mask, source_sym_sizes))  # fmt: skip
def masked_scatter(self, mask, source):
    """A copy with the elements where *mask* is true replaced by those of *source* in order."""
    if self.dtype != source.dtype:
        own, other = (dtypes.of_array(each).legacy_name for each in (self, source))
        raise RuntimeError(f"masked_scatter: expected self and source to have same dtypes but got{own} and {other}")
    shape = broadcast_shape(np.shape(mask), np.shape(self))
    changed, mask = np.array(np.broadcast_to(self, shape), order="C"), np.broadcast_to(mask, shape)
    count = np.count_nonzero(mask)
    if np.size(source) < count:
        error = RuntimeError("Number of elements of source < number of ones in mask")
        error.written = changed  # in place those that there are are written
        changed.flat[np.flatnonzero(mask)[: np.size(source)]] = np.ravel(source)
        raise error
    changed[mask] = np.reshape(source, -1)[:count]
    return changed


@both
def elements(shape):
    count = 1
    for length in shape:
        count *= length
    return count


@both
def scattered_source(grad, mask, shape):
    """The gradient of the source of a masked scatter: zeros for what was not used."""
    return reshape(padded(masked_select(grad, mask), (elements(shape),)), shape)


for name in ("scatter_add", "put", "masked_scatter"):
    publish_in_place(name)
