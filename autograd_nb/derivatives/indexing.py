"""Indexing: ``x[...]`` and ``x[...] = y``.

Numbers, slices, ``...`` and ``None`` each give a view of the one before (SelectBackward0, SliceBackward0,
UnsqueezeBackward0); tensors, lists and masks that remain are one gathering step at the end (IndexBackward0).
Assignment walks the same views and writes into the last of them.
"""

from builtins import slice as Slice
from operator import index as as_index

import numpy as np

from .. import dtypes
from ..dispatch import apply, operation, record_view
from ..grad_mode import state
from ..inplace import in_place
from ..saved import Kept, keep
from ..table import composite, operations, ops
from ..tensors import Tensor, ndarray, wrap
from ..warning import warn
from . import filling  # noqa: F401 its rows are those of assignment
from .checks import as_int, wrap_dim
from .public import public
from .repeats import sum_to_size
from .strides import zeros_of

FULL = Slice(None)

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
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension {dim}"
        )
    return self[(FULL,) * dim + (index, ...)]


@operation("select_backward", method=False, function=False, self=lambda grad, dim, index: select(grad, dim, index))
def select_backward(self, shape, dim, index):
    """Zeros of *shape* with this at *index* of dimension *dim*."""
    total = np.zeros(shape, self.dtype)
    total[(FULL,) * wrap_dim(dim, len(shape)) + (index,)] = self
    return total


@operation("slice", view=True, method=False, function=False,
           self=lambda grad, self_sym_sizes, dim, start, end, step:
           slice_backward(grad, self_sym_sizes, dim, start, end, step))  # fmt: skip
def slice(self, dim=0, start=None, end=None, step=1):  # noqa: A001 PyTorch's name of the operation
    """Elements *start* to *end* along *dim*, *step* apart; a view."""
    return self[(FULL,) * wrap_dim(dim, self.ndim) + (Slice(start, end, step),)]


@operation("slice_backward", method=False, function=False,
           self=lambda grad, dim, start, end, step: slice(grad, dim, start, end, step))  # fmt: skip
def slice_backward(self, shape, dim, start, end, step):
    """Zeros of *shape* with this in place of a slice."""
    total = np.zeros(shape, self.dtype)
    total[(FULL,) * wrap_dim(dim, len(shape)) + (Slice(start, end, step),)] = self
    return total


@operation("alias", view=True, method=False, function=False, self=lambda grad: grad)
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
        tensors = [bool_mask(each) if each is not None and each._dtype is dtypes.uint8 else each for each in tensors]
        keeps = state.hot[1]
        self.entries = tuple(tensor if tensor is None or not keeps else keep(tensor) for tensor in tensors)
        self.arrays = tuple(FULL if tensor is None else tensor._array for tensor in tensors)

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
        place, indexed, lengths = 0, 0, []  # PyTorch counts the indexed dimensions only when it says which one was left
        for array in self.arrays:
            width = array.ndim if array is not FULL and array.dtype == bool else 1
            if place + width > len(shape):
                raise IndexError(f"too many indices for tensor of dimension {len(shape)} (got {len(self.arrays)})")
            if array is not FULL and array.dtype == bool:
                for offset, length in enumerate(array.shape):
                    if length != shape[place + offset]:
                        raise IndexError(
                            f"The shape of the mask {list(array.shape)} at index {offset} does not match the shape "
                            f"of the indexed tensor {list(shape)} at index {place + offset}"
                        )
                lengths.append((int(np.count_nonzero(array)),))
            elif array is not FULL:
                size = shape[place]
                outside = array[(array < -size) | (array >= size)] if array.size else array
                if outside.size:
                    where = f" {np.ravel(outside)[0]}", f" {indexed}"
                    what, dim = where if size else ("", "")
                    raise IndexError(f"index{what} is out of bounds for dimension{dim} with size {size}")
                lengths.append(array.shape)
            indexed += 0 if array is FULL else width
            place += width
        try:
            np.broadcast_shapes(*lengths)
        except ValueError:
            shapes = ", ".join(str(list(length)) for length in lengths)
            raise IndexError(
                f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
            ) from None
        return self.arrays


def bool_mask(tensor):
    warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
    return wrap(tensor._array.astype(bool), dtypes.bool)


@operation("index", tensors=("indices",), method=False, function=False,
           self=lambda grad, self_sym_sizes, indices: index_backward(grad, self_sym_sizes, indices))  # fmt: skip
def index(self, indices):
    """The elements at *indices*, one tensor (or None) for each dimension."""
    return np.asarray(np.asarray(self)[indices.checked(np.shape(self))], order="C")


@operation("index_backward", tensors=("indices",), method=False, function=False,
           self=lambda grad, indices: index(grad, indices))  # fmt: skip
def index_backward(self, shape, indices):
    """Zeros of *shape* with these elements added at *indices*."""
    total = np.zeros(shape, self.dtype)
    if any(array.dtype.kind != "b" for array in indices.arrays if array is not FULL):
        np.add.at(total, indices.arrays, self)
    else:
        total[indices.arrays] = self
    return total


@operation("index_put_row", tensors=("indices",), method=False, function=False, node_name="IndexPutBackward0",
           self=lambda grad, indices, values_sym_sizes, accumulate:
           grad if accumulate else index_put_row(grad, indices, zeros_of(grad, values_sym_sizes), False),
           values=lambda grad, indices, values_sym_sizes: sum_to_size(index(grad, indices),
               values_sym_sizes))  # fmt: skip
def index_put_row(self, indices, values, accumulate=False):
    """A copy with the elements at *indices* replaced, or with *values* added to them."""
    places = indices.checked(np.shape(self))
    changed = np.array(self)
    wanted = changed[places].shape
    try:
        np.broadcast_to(values, wanted)
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(np.shape(values))} cannot be broadcast to indexing result of "
            f"shape {list(wanted)}"
        ) from None
    if self.dtype != values.dtype:
        own, other = (dtypes.of_array(each).legacy_name for each in (self, values))
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {own} for the destination and {other} "
            "for the source."
        )
    if accumulate:
        np.add.at(changed, places, values)
    else:
        changed[places] = values
    return changed


# -- reading -------------------------------------------------------------------------------------------------------

LAST = 2**63 - 1  # where a slice ends that has no end
SELECT, SLICE, ALIAS = (operations[name] for name in ("select", "slice", "alias"))
COPY, FILL = operations["copy"], operations["fill_with_tensor"]
BASIC = frozenset((int, Slice))


def selected(self, dim, place, part=0):
    """``self[place]`` along *dim*; *part* is which part of the index says so."""
    array = self._array
    shape = array.shape
    if not shape and not place:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert "
            "a 0-dim tensor to a number"
        )
    size = shape[dim] if shape else 0
    if not -size <= place < size:
        raise IndexError(f"index {place} is out of bounds for dimension {part} with size {size}")
    array = array[place, ...] if not dim else array[(FULL,) * dim + (place, ...)]
    return record_view(SELECT, self, array, (dim, place))


def sliced(self, dim, part):
    """``self[part]`` along *dim*."""
    array = self._array
    if not array.shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    start, end, step = part.start, part.stop, part.step
    start, end = 0 if start is None else start, LAST if end is None else end
    if step is None:
        step = 1
    elif as_index(step) <= 0:
        raise ValueError("slice step cannot be zero" if not as_index(step) else "step must be greater than zero")
    return record_view(SLICE, self, array[part] if not dim else array[(FULL,) * dim + (part,)], (dim, start, end, step))


def getitem(self, index):
    """``self[index]``: a view for numbers, slices, ``...`` and None, else a copy.  IndexError when out of bounds.

    >>> import autograd_nb as torch
    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> x[0], x[:, 1], x[x > 2]
    (tensor([1, 2]), tensor([2, 4]), tensor([3, 4]))
    """
    if self._counter is None:
        self._share()
    kind = index.__class__
    if kind is int:
        return selected(self, 0, index)
    if kind is Slice:
        return sliced(self, 0, index)
    if kind is tuple and BASIC.issuperset(map(type, index)) and len(index) <= len(self._array.shape):
        view, tensors = basic(self, index), None
    else:
        view, tensors = walked(self, as_tuple(index))
    if tensors:
        return ops.index(view, Indices(tensors))
    return record_view(ALIAS, self, view._array[...], ()) if view is self else view


composite("getitem", method=False, function=False)(getitem)


def basic(self, parts):
    """The view that an index of numbers and slices alone leads to."""
    view, dim = self, 0
    for number, part in enumerate(parts):
        if part.__class__ is int:
            view = selected(view, dim, part, number)
        else:
            if part != FULL and not whole(part, view._array.shape[dim]):
                view = sliced(view, dim, part)
            dim += 1
    return view


def whole(part, length):
    """Whether a slice has all of a dimension, so that no view of it need be taken."""
    return part.step in (None, 1) and not part.start and (part.stop is None or part.stop == length)


def as_tuple(index):
    """The index as the tuple of its parts; a list that holds sequences, slices or tensors counts as a tuple."""
    if isinstance(index, tuple):
        return index
    if isinstance(index, list) and len(index) < 32:
        if any(part is None or part is ... or isinstance(part, Tensor | list | tuple | Slice) for part in index):
            return tuple(index)
    return (index,)


def walked(self, parts):
    """The view that the basic parts of an index lead to, and the index tensors left for its dimensions."""
    ndim = self._array.ndim
    parts = [part if isinstance(part, int | Slice | Tensor) or part is None or part is ... else converted(part)
             for part in parts]  # fmt: skip
    named = sum(dimensions(part) for part in parts)
    if named > ndim:
        if not ndim and len(parts) == 1 and isinstance(parts[0], int | Slice):
            selected(self, 0, parts[0]) if isinstance(parts[0], int) else sliced(self, 0, parts[0])
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    view, dim, tensors = self, 0, {}
    for number, part in enumerate(parts):
        if part.__class__ is bool:
            view = ops.unsqueeze(view, dim)
            tensors[dim] = wrap(np.array([part] if part else [], np.int64) * 0, dtypes.int64)
            dim += 1
        elif isinstance(part, int):
            view = selected(view, dim, part, number)
        elif isinstance(part, Slice):
            if not whole(part, view._array.shape[dim]):
                view = sliced(view, dim, part)
            dim += 1
        elif part is ...:
            dim += ndim - named
        elif part is None:
            view = ops.unsqueeze(view, dim)
            dim += 1
        elif part._dtype.is_floating_point:
            raise IndexError(NOT_AN_INDEX)
        elif not part._array.shape and part._dtype.category == dtypes.INTEGER and part._dtype is not dtypes.uint8:
            view = selected(view, dim, int(part._array), number)
        elif not part._array.shape:
            view = ops.unsqueeze(view, dim)
            tensors[dim] = wrap(np.zeros(int(bool(part._array)), np.int64), dtypes.int64)
            dim += 1
        else:
            tensors[dim] = part
            dim += dimensions(part)
    if not tensors:
        return view, None
    placed, dim = [], 0
    for place, tensor in tensors.items():
        placed += [None] * (place - dim) + [tensor]
        dim = place + dimensions(tensor)
    return view, placed


NOT_AN_INDEX = "tensors used as indices must be long, int, byte or bool tensors"


def dimensions(part):
    """How many dimensions of the tensor a part of an index speaks of."""
    if part is None or part is ... or part.__class__ is bool:
        return 0
    if isinstance(part, Tensor) and part._dtype in (dtypes.bool, dtypes.uint8):
        return part._array.ndim
    return 1


def converted(part):
    """A number, sequence or array in an index as a number or tensor; IndexError for what cannot index."""
    if isinstance(part, np.bool_):
        return bool(part)
    if hasattr(part, "__index__") and not isinstance(part, ndarray):
        return as_index(part)
    if isinstance(part, ndarray | list | tuple | range):
        if isinstance(part, ndarray):
            tensor = wrap(part, dtypes.of_array(part))
        else:
            tensor = ops.tensor(part if len(part) else np.zeros(0, np.int64))
        if not tensor._dtype.is_floating_point:
            return tensor
        raise IndexError(NOT_AN_INDEX)
    if isinstance(part, str):
        raise TypeError("new(): invalid data type 'str'")
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
        f"{type(part).__name__})"
    )


def iterate(self):
    """The rows of the tensor, one after the other: views, as :func:`unbind` gives them."""
    if not self._array.shape:
        raise TypeError("iteration over a 0-d tensor")
    return iter(ops.unbind(self, 0))


composite("__iter__", function=False)(iterate)

# -- writing -------------------------------------------------------------------------------------------------------


def setitem(self, index, value):
    """``self[index] = value``, in place; *value* (a tensor or number) is broadcast to what the index names."""
    if not isinstance(value, Tensor):
        if not isinstance(value, (*dtypes.PYTHON_NUMBERS, np.generic)):
            raise TypeError(f"can't assign a {type(value).__name__} to a torch.{self._dtype.legacy_name}Tensor")
        value = wrap(state.run(self._dtype.scalar, value), self._dtype)
    if self._counter is None:
        self._share()
    if index.__class__ is int:
        part, tensors = selected(self, 0, index), None
    elif index.__class__ is Slice and self._array.shape and index != FULL:
        part, tensors = sliced(self, 0, index), None
    else:
        part, tensors = walked(self, as_tuple(index))
    shape, wanted = value._array.shape, part._array.shape
    if tensors:
        if shape and shape[0] == 1:
            value = without_leading_ones(value)
        in_place(operations["index_put_row"], (part, Indices(tensors), value, False))
    elif shape == wanted:
        in_place(COPY, (part, value))
    elif not shape:
        in_place(FILL, (part, value))
    else:
        value = without_leading_ones(value)
        in_place(COPY, (part, value if value._array.shape == wanted else ops.expand(value, wanted)))


composite("setitem", method=False, function=False)(setitem)


def without_leading_ones(value):
    """The value viewed without leading dimensions of length one, which assignment leaves out of account."""
    shape = value._array.shape
    lead = 0
    while lead < len(shape) and shape[lead] == 1:
        lead += 1
    return ops.view(value, shape[lead:])


@public("index_put", method=True)
def _index_put(self, indices, values, accumulate=False):
    """A copy with the elements at *indices* (a tuple of tensors) replaced by *values*, or these added to them."""
    return apply(operations["index_put_row"], (self, Indices(indices), values, accumulate))


@public("index_put_", function=False)
def _index_put_(self, indices, values, accumulate=False):
    """In-place form of :func:`index_put`."""
    return in_place(operations["index_put_row"], (self, Indices(indices), values, accumulate))
