"""The steps of which indexing is made: select, slice and narrow, which are views; index and index_put, which gather.

How ``x[...]`` takes these steps stands in brackets.py.
"""

from builtins import slice as Slice
from operator import index as as_index

import numpy as np

from ..engine.call import operation
from ..engine.modes import state
from ..engine.saved import Kept, keep
from ..engine.table import operations, ops
from .checks import as_int, dtype_name, wrap_dim
from .public import chosen, public, row
from .repeats import sum_to_size
from .strides import zeros_of

FULL = Slice(None)  # a whole dimension

# -- the basic steps -----------------------------------------------------------------------------------------------


@operation("select", view=True, self=lambda grad, self_sym_sizes, dim, index:
           select_backward(grad, self_sym_sizes, dim, index))  # fmt: skip
def select(self, dim, index):
    """Element *index* along *dim*, a view with one dimension fewer; IndexError when out of range."""
    if not self.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(as_int(dim, "select", "dim", 1), self.ndim)
    index = as_int(index, "select", "index", 2)
    if not -self.shape[dim] <= index < self.shape[dim]:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension "
                         f"{dim}")
    return self[(FULL,) * dim + (index, ...)]


@row("select_backward", self=lambda grad, dim, index: select(grad, dim, index))
def select_backward(self, shape, dim, index):
    """Zeros of *shape* with this at *index* of dimension *dim*."""
    return put_into_zeros(self, shape, dim, index)


def put_into_zeros(part, shape, dim, index):
    total = np.zeros(shape, part.dtype)
    total[(FULL,) * wrap_dim(dim, len(shape)) + (index,)] = part
    return total


@row("slice", view=True, self=lambda grad, self_sym_sizes, dim, start, end, step:
     slice_backward(grad, self_sym_sizes, dim, start, end, step))  # fmt: skip
def slice(self, dim=0, start=None, end=None, step=1):  # noqa: A001 PyTorch's name of the operation
    """Elements *start* to *end* along *dim*, *step* apart; a view."""
    return self[(FULL,) * wrap_dim(dim, self.ndim) + (Slice(start, end, step),)]


@row("slice_backward", self=lambda grad, dim, start, end, step: slice(grad, dim, start, end, step))
def slice_backward(self, shape, dim, start, end, step):
    """Zeros of *shape* with this in place of a slice."""
    return put_into_zeros(self, shape, dim, Slice(start, end, step))


@row("alias", view=True, self=lambda grad: grad)
def alias(self):
    """The whole tensor, as a view of it."""
    return self[...]


@public("narrow")
def _narrow(self, dim, start, length):
    """*length* elements along *dim* from *start* on; a view.

    >>> import autograd_nb as torch
    >>> torch.tensor([1, 2, 3]).narrow(0, 1, 2)
    tensor([2, 3])
    """
    shape = self._array.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    start, length = as_index(start), as_index(length)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    size = shape[wrap_dim(dim, len(shape))]
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start += size if start < 0 else 0
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return ops.slice(self, dim, start, start + length, 1)


# -- the gathering step --------------------------------------------------------------------------------------------


class Indices(Kept):
    """The tensors (or None for a whole dimension) of one gathering step, as a node saves them."""

    __slots__ = ("entries", "arrays")

    def __init__(self, tensors):
        keeps = state.hot[1]
        self.entries = tuple(tensor if tensor is None or not keeps else keep(tensor) for tensor in tensors)
        self.arrays = tuple(FULL if tensor is None else tensor._array for tensor in tensors)

    def is_mask(self):
        """Whether one mask is all there is."""
        return [array.dtype.kind for array in self.arrays if array is not FULL] == ["b"]

    def value(self, node):
        for entry in self.entries:
            if isinstance(entry, Kept):
                entry.value(node)
            elif entry is not None and entry._counter is not None and entry._version:
                Kept(entry, None, entry._counter, 0).value(node)
        return self

    def as_tensor(self, node, number):
        return self.value(node)

    def shown(self):
        """The tensors, None for a whole dimension, as ``_saved_indices`` shows them."""
        return tuple([entry.tensor if isinstance(entry, Kept) else entry for entry in self.entries])

    def checked(self, shape):
        """The arrays, if they can index a tensor of this shape; else IndexError in PyTorch's words."""
        place, indexed, lengths = 0, 0, []  # PyTorch counts only indexed dimensions when it says which one was left
        for array in self.arrays:
            if array is FULL:
                place += 1
                continue
            width, size = 1, shape[place]
            if array.dtype == bool:
                width = array.ndim
                for offset, length in enumerate(array.shape):
                    if length != shape[place + offset]:
                        raise IndexError(f"The shape of the mask {list(array.shape)} at index {offset} does not match "
                                         f"the shape of the indexed tensor {list(shape)} at index {place + offset}")
            elif (outside := array[(array < -size) | (array >= size)]).size:
                raise IndexError(f"index {outside[0]} is out of bounds for dimension {indexed} with size {size}")
            lengths.append((np.count_nonzero(array),) if array.dtype == bool else array.shape)
            indexed += width
            place += width
        try:
            np.broadcast_shapes(*lengths)
        except ValueError:
            raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                             + ", ".join(str(list(length)) for length in lengths)) from None
        return self.arrays


@row("index", tensors=("indices",),
     self=lambda grad, self_sym_sizes, indices: index_backward(grad, self_sym_sizes, indices))  # fmt: skip
def index(self, indices):
    """The elements at *indices*, one tensor (or None) for each dimension."""
    return np.asarray(np.asarray(self)[indices.checked(np.shape(self))], order="C")


@row("index_backward", tensors=("indices",), self=lambda grad, indices: index(grad, indices))
def index_backward(self, shape, indices):
    """Zeros of *shape* with these elements added at *indices*."""
    total = np.zeros(shape, self.dtype)
    if any(array.dtype.kind != "b" for array in indices.arrays if array is not FULL):
        np.add.at(total, indices.arrays, self)
    else:
        total[indices.arrays] = self
    return total


@row("index_put_row", tensors=("indices",), node_name="IndexPutBackward0",
     self=lambda grad, indices, values_sym_sizes, accumulate:
     grad if accumulate else index_put_row(grad, indices, zeros_of(grad, values_sym_sizes), False),
     values=lambda grad, indices, values_sym_sizes: sum_to_size(index(grad, indices), values_sym_sizes))  # fmt: skip
def index_put_row(self, indices, values, accumulate=False):
    """A copy with the elements at *indices* replaced, or with *values* added to them."""
    places = indices.checked(np.shape(self))
    changed = np.array(self)
    wanted = changed[places].shape
    try:
        np.broadcast_to(values, wanted)
    except ValueError:
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(np.shape(values))} cannot be "
                           f"broadcast to indexing result of shape {list(wanted)}") from None
    if self.dtype != values.dtype:
        raise RuntimeError(f"Index put requires the source and destination dtypes match, got {dtype_name(self)} for "
                           f"the destination and {dtype_name(values)} for the source.")
    if accumulate:
        np.add.at(changed, places, values)
    else:
        changed[places] = values
    return changed


@chosen("index_put")
def _index_put(self, indices, values, accumulate=False):
    """A copy with the elements at *indices* (a tuple of tensors) replaced by *values*, or these added to them."""
    return operations["index_put_row"], (self, Indices(indices), values, accumulate)
