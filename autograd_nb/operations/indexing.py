"""``x[...]`` and ``x[...] = y``, and the operations that they consist of.

Each number, slice and ``None`` takes a view of the view before it (SelectBackward0, SliceBackward0,
UnsqueezeBackward0); tensors, lists and masks are applied together at the end (IndexBackward0).
Assignment takes the same views and writes into the last one.
"""

import math
from builtins import slice as Slice
from operator import index as as_index

import numpy as np

from ..engine import dtypes
from ..engine.modes import state
from ..engine.saved import SavedVariable, save_input
from ..engine.table import ops
from ..engine.tensor import Tensor, kind_of, ndarray, refuse_foreign, wrap
from .array_functions import sum_to_size, zeros_of
from .checks import as_int, dtype_name, in_range, wrap_dim
from .publishing import OPERANDS, tensor_argument
from .rows import change_by_row, choice, function, internal, operation, row, run_row

FULL = Slice(None)  # a whole dimension


@operation(view=True, self=lambda grad, self_sym_sizes, dim, index:
           select_backward(grad, self_sym_sizes, dim, index))  # fmt: skip
def select(self, dim, index):
    """Element *index* along *dim*, a view with one dimension fewer; IndexError when out of range."""
    if not self.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, self.ndim)
    index = as_int(index)
    if not -self.shape[dim] <= index < self.shape[dim]:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension "
                         f"{dim}")
    return self[(FULL,) * dim + (index, ...)]


@row(self=lambda grad, dim, index: select(grad, dim, index))
def select_backward(self, shape, dim, index):
    """Zeros of *shape* with the gradient at *index* of dimension *dim*."""
    return put_into_zeros(self, shape, dim, index)


def put_into_zeros(part, shape, dim, index):
    total = np.zeros(shape, part.dtype)
    total[(FULL,) * wrap_dim(dim, len(shape)) + (index,)] = part
    return total


@row(view=True, self=lambda grad, self_sym_sizes, dim, start, end, step:
     slice_backward(grad, self_sym_sizes, dim, start, end, step))  # fmt: skip
def slice(self, dim=0, start=None, end=None, step=1):  # noqa: A001 PyTorch's name of the operation
    """Elements *start* to *end* along *dim*, *step* apart; a view."""
    return self[start:end:step] if dim == 0 else self[(FULL,) * wrap_dim(dim, self.ndim) + (Slice(start, end, step),)]


@row(self=lambda grad, dim, start, end, step: slice(grad, dim, start, end, step))
def slice_backward(self, shape, dim, start, end, step):
    """Zeros of *shape* with the gradient in place of a slice."""
    return put_into_zeros(self, shape, dim, Slice(start, end, step))


@row(view=True, self=lambda grad: grad)
def alias(self):
    """A view of the whole tensor."""
    return self[...]


@function
def narrow(self, dim, start, length):
    """The *length* elements along *dim* that begin at *start*; a view."""
    shape = self._array.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    start, length, size = as_int(start), as_int(length), shape[wrap_dim(dim, len(shape))]
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start += size if start < 0 else 0
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return ops.slice(self, dim, start, start + length, 1)


class Indices(SavedVariable):
    """The index tensors (None for a whole dimension) of one indexing operation, as a node saves them."""

    __slots__ = ("entries", "arrays", "has_masks")
    _node = _view = None  # indices do not require grad

    def __init__(self, tensors):
        self._counter = None  # each tensor has its own
        recorded, entries, arrays, self.has_masks = state.recording, [], [], False
        for tensor in tensors:
            entries.append(save_input(tensor) if recorded and tensor is not None else tensor)
            arrays.append(FULL if tensor is None else tensor._array)
            if tensor is not None and tensor._dtype is dtypes.bool:
                self.has_masks = True
        self.entries, self.arrays = tuple(entries), tuple(arrays)

    @property
    def _array(self):
        """The argument that a forward gets."""
        return self

    def unpack(self, node):
        for entry in self.entries:
            if isinstance(entry, SavedVariable):
                entry.unpack(node)
            elif entry is not None and entry._counter is not None and entry._version:
                SavedVariable(entry, None, entry._counter, 0).unpack(node)
        return self

    def as_tensor(self, node):
        return self.unpack(node)

    def shown(self):
        """The tensors, None for a whole dimension, as ``_saved_indices`` shows them."""
        return tuple([entry.tensor if isinstance(entry, SavedVariable) else entry for entry in self.entries])

    def applied(self, array, use):
        """The result of *use*, called with the arrays that index *array*; PyTorch's IndexError if they do not fit."""
        if self.has_masks:  # NumPy accepts a mask without elements, whatever its shape
            self.checked(array.shape)
        try:
            return use(self.arrays)
        except IndexError:
            self.checked(array.shape)
            raise

    def checked(self, shape):
        """IndexError with PyTorch's message unless the arrays can index a tensor of this shape."""
        place, indexed, lengths = 0, 0, []  # PyTorch's message counts only indexed dimensions
        for array in self.arrays:
            if array is FULL:
                place += 1
                continue
            width = array.ndim if array.dtype == bool else 1
            if place + width > len(shape):
                raise IndexError(f"too many indices for tensor of dimension {len(shape)} (got {len(self.arrays)})")
            size = shape[place]
            if array.dtype == bool:
                for offset, length in enumerate(array.shape):
                    if length != shape[place + offset]:
                        raise IndexError(f"The shape of the mask {list(array.shape)} at index {offset} does not match "
                                         f"the shape of the indexed tensor {list(shape)} at index {place + offset}")
            elif (outside := array[(array < -size) | (array >= size)]).size:
                number, dim = (f" {outside[0]}", f" {indexed}") if size else ("", "")
                raise IndexError(f"index{number} is out of bounds for dimension{dim} with size {size}")
            lengths.append((np.count_nonzero(array),) if array.dtype == bool else array.shape)
            place, indexed = place + width, indexed + width
        try:
            if len(lengths) > 1:
                np.broadcast_shapes(*lengths)
        except ValueError:
            raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                             + ", ".join(str(list(length)) for length in lengths)) from None


@row(tensors=("indices",),
     self=lambda grad, self_sym_sizes, indices: index_backward(grad, self_sym_sizes, indices))  # fmt: skip
def index(self, indices):
    """The elements at *indices*, one tensor (or None) for each dimension."""
    array = np.asarray(self)
    return np.asarray(indices.applied(array, array.__getitem__), order="C")


@row(tensors=("indices",), node_name="IndexPutImplBackward0", self=lambda grad, indices: index(grad, indices))
def index_backward(self, shape, indices):
    """Zeros of *shape* with these elements added at *indices*."""
    total, arrays = np.zeros(shape, self.dtype), indices.arrays
    kinds = {None if array is FULL else array.dtype.kind for array in arrays}
    if kinds == {"i"} and self.size:  # NumPy adds to places of a vector far faster
        np.add.at(total.reshape(-1), flat_places(shape, arrays), self.reshape(-1))
    elif kinds <= {"b", None}:
        total[arrays] = self
    else:
        np.add.at(total, arrays, self)
    return total


def flat_places(shape, arrays):
    """The positions in a flattened array of *shape* of the elements at these indices of its first dimensions."""
    places, rest = 0, math.prod(shape[len(arrays):])
    for length, array in zip(map(np.int64, shape), arrays, strict=False):
        places = places * length + array % length
    return (places if rest == 1 else places[..., None] * rest + np.arange(rest)).reshape(-1)


@row("index_put", formula="with_elements", tensors=("indices",), may_overlap=True, reads_overwritten=None, writes=True,
     self=lambda grad, indices, values_sym_sizes, accumulate:
     grad if accumulate else with_elements(grad, indices, zeros_of(grad, values_sym_sizes), False),
     values=lambda grad, indices, values_sym_sizes: sum_to_size(index(grad, indices), values_sym_sizes))  # fmt: skip
def with_elements(self, indices, values, accumulate=False):
    """The elements at *indices* replaced, or *values* added to them."""
    def put(places):
        if values.shape:
            check_fits(values, self[places].shape)
        if self.dtype != values.dtype:
            raise RuntimeError(f"Index put requires the source and destination dtypes match, got {dtype_name(self)} "
                               f"for the destination and {dtype_name(values)} for the source.")
        if accumulate:
            np.add.at(self, places, values)
        else:
            self[places] = values

    indices.applied(self, put)


def check_fits(values, wanted):
    """RuntimeError unless *values* can be broadcast to the shape *wanted*."""
    try:
        np.broadcast_to(values, wanted)
    except ValueError:
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(values.shape)} cannot be "
                           f"broadcast to indexing result of shape {list(wanted)}") from None


@choice
def index_put(self, indices, values, accumulate=False):
    """A copy with the elements at *indices* (a tuple of tensors) replaced by *values*, or with these added."""
    return "index_put", (tensor_argument(self, "index_put"), Indices(indices), values, accumulate)

# -- reading -------------------------------------------------------------------------------------------------------


@internal
def getitem(self, index):
    """``self[index]``: a view for numbers, slices, ``...`` and None, else a copy.

    >>> import autograd_nb as torch
    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> x[0], x[:, 1], x[x > 2]
    (tensor([1, 2]), tensor([2, 4]), tensor([3, 4]))
    """
    if index.__class__ is Slice:
        return sliced(self, 0, index)
    if index.__class__ is int:
        return selected(self, 0, index, 0)
    view, tensors = located(self, index)
    if tensors:
        return run_row("index", view, Indices(tensors))
    return ops.alias(self) if view is self else view


def located(self, index):
    """The view that the basic parts of an index give, and the index tensors for its dimensions."""
    parts = index if index.__class__ is tuple else (index,)
    return (self, parts) if are_places(parts, self._array.ndim) else walked(self, as_tuple(index))


def are_places(parts, ndim):
    """Whether an index consists only of int64 tensors, which need no further check."""
    for part in parts:
        if part.__class__ is not Tensor or part._dtype is not dtypes.int64 or not part._array.shape:
            return False
    return 0 < len(parts) <= ndim


def walked(self, parts):
    """The view that the basic parts of an index give, and the index tensors for its dimensions."""
    parts = [part if part is None or part is ... or part.__class__ in (int, Slice) else converted(part)
             for part in parts]  # fmt: skip
    ndim = self._array.ndim
    named = sum(map(dimensions, parts))
    if named > ndim and (ndim or len(parts) > 1 or isinstance(parts[0], Tensor)):
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    view, dim, tensors = self, 0, {}
    for number, part in enumerate(parts):
        if isinstance(part, int):
            view = selected(view, dim, part, number)
        elif isinstance(part, Slice):
            if not (view._array.shape and whole(part, view._array.shape[dim])):
                view = sliced(view, dim, part)
            dim += 1
        elif part is ...:
            dim += ndim - named
        elif part is None:
            view = ops.unsqueeze(view, dim)
            dim += 1
        elif part._array.shape:
            tensors[dim] = part
            dim += dimensions(part)
        elif part._dtype is dtypes.bool:  # all of the tensor or nothing, along a new dimension
            view = ops.unsqueeze(view, dim)
            tensors[dim] = wrap(np.zeros(int(bool(part._array)), np.int64), dtypes.int64)
            dim += 1
        else:
            view = selected(view, dim, int(part._array), number)
    placed, dim = [], 0
    for place, tensor in tensors.items():
        placed += [None] * (place - dim) + [tensor]
        dim = place + dimensions(tensor)
    return view, placed


def as_tuple(index):
    """The index as the tuple of its parts; a list that holds sequences, slices or tensors counts as a tuple."""
    if isinstance(index, list):
        if any(part is None or part is ... or isinstance(part, Tensor | list | tuple | Slice) for part in index):
            return tuple(index)
    return index if isinstance(index, tuple) else (index,)


def dimensions(part):
    """How many dimensions of the tensor a part of an index covers."""
    if part is None or part is ...:
        return 0
    return part._array.ndim if isinstance(part, Tensor) and part._dtype is dtypes.bool else 1


def converted(part):
    """A number, sequence or array in an index as a number or tensor; IndexError for anything that cannot index."""
    if isinstance(part, ndarray | list | tuple | range | str):
        part = ops.tensor(part) if len(part) else wrap(np.zeros(0, np.int64), dtypes.int64)
    if isinstance(part, Tensor):
        if part._dtype.is_floating_point:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return part.to(dtypes.bool) if part._dtype is dtypes.uint8 else part
    refuse_foreign(part)
    if isinstance(part, bool | np.bool_):
        return wrap(np.bool_(part), dtypes.bool)
    if hasattr(part, "__index__"):
        return as_index(part)
    raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                     f"indices (got {type(part).__name__})")


def selected(self, dim, place, part):
    """``self[place]`` along *dim*; *part* is the position in the index, for messages."""
    array = self._array
    if not array.shape and not place:
        raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
                         "to convert a 0-dim tensor to a number")
    size = array.shape[dim] if array.shape else 0
    if not -size <= place < size:
        raise IndexError(f"index {place} is out of bounds for dimension {part} with size {size}")
    return run_row("select", self, dim, place)


def whole(part, length):
    """Whether a slice covers a whole dimension, so that no view is needed."""
    return part.step in (None, 1) and not part.start and (part.stop is None or part.stop >= length)


def sliced(self, dim, part):
    """``self[part]`` along *dim*."""
    if not self._array.shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    start, end = 0 if part.start is None else part.start, 2**63 - 1 if part.stop is None else part.stop
    step = 1 if part.step is None else as_index(part.step)
    if step <= 0:
        raise ValueError("slice step cannot be zero" if not step else "step must be greater than zero")
    if start.__class__ is not int or end.__class__ is not int:
        start, end = as_index(start), as_index(end)
    return run_row("slice", self, dim, start, end, step)


@function(function=False)
def __iter__(self):
    """An iterator over the slices along the first dimension: views, as :func:`unbind` gives them."""
    if not self._array.shape:
        raise TypeError("iteration over a 0-d tensor")
    return iter(ops.unbind(self, 0))


# -- writing -------------------------------------------------------------------------------------------------------


@internal
def setitem(self, index, value):
    """``self[index] = value``, in place; *value* (a tensor or number) is broadcast to the selected elements."""
    if not isinstance(value, Tensor):
        if not isinstance(value, OPERANDS):
            raise TypeError(f"can't assign a {kind_of(value)} to a torch.{self._dtype.legacy_name}Tensor")
        value = wrap(in_range(value, self._array.dtype), self._dtype)
    self._share()
    if index.__class__ is int:
        part, tensors = selected(self, 0, index, 0), None
    elif index.__class__ is Slice and index != FULL:
        part, tensors = sliced(self, 0, index), None
    else:
        part, tensors = located(self, index)
    shape, wanted = value._array.shape, part._array.shape
    if not tensors and not shape and wanted:
        change_by_row("fill.Tensor", part, value)
        return
    if shape[:1] == (1,) if tensors else shape != wanted:  # leading dimensions of length one are dropped
        lead = next((place for place, length in enumerate(shape) if length != 1), len(shape))
        value = ops.view(value, shape[lead:])
    if tensors:
        change_by_row("index_put", part, Indices(tensors), value, False)
    else:
        ops.copy_(part, value if value._array.shape == wanted else ops.expand(value, wanted))
