"""``x[...]`` and ``x[...] = y``, which walk along an index to the rows of indexing.py.

Numbers, slices, ``...`` and ``None`` each give a view of the one before (SelectBackward0, SliceBackward0,
UnsqueezeBackward0); tensors, lists and masks that remain are one gathering step at the end (IndexBackward0).
Assignment walks the same views and writes into the last of them.
"""

from builtins import slice as Slice
from operator import index as as_index

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import record_view
from ..engine.inplace import in_place
from ..engine.modes import state
from ..engine.table import composite, operations, ops
from ..engine.tensor import Tensor, ndarray, wrap
from . import filling  # noqa: F401 its rows are those of assignment
from .indexing import FULL, Indices

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
    index = (FULL,) * dim + (place, ...)
    return record_view(SELECT, self, array[index], (dim, place), index)


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
    if not (start.__class__ is end.__class__ is step.__class__ is int):
        array[part]  # says what is no bound at all
        start, end, step = map(as_index, (start, end, step))  # of tensors, what they are now
        part = Slice(start, end, step)
    index = (FULL,) * dim + (part,) if dim else part
    return record_view(SLICE, self, array[index], (dim, start, end, step), index)


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
    return part.step in (None, 1) and not part.start and (part.stop is None or part.stop >= length)


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
