"""One tensor's elements several times, or in another order: expand and its inverse, repeat, flip, roll.

As in shapes.py every operation here is linear, and its derivative is the map run backwards.
"""

from operator import index as as_index

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import apply_view, operation
from ..engine.fitting import fit_array
from ..engine.formulas import tensor_names
from ..engine.sizes import Size
from ..engine.table import composite, functions, operations, ops, publish_call
from ..engine.tensor import Tensor, ndarray
from ..engine.warning import warn_once
from .checks import broadcast_shape, wrap_dim, wrap_dims
from .public import public
from .shapes import sizes_of

# -- expand, and the sum that undoes it ----------------------------------------------------------------------------


def sum_to_size(self, size):
    """An array summed over the dimensions that broadcasting to its shape from *size* added or stretched."""
    return fit_array(self, tuple(size), dtypes.BY_NUMPY[self.dtype])


@composite("sum_to_size", function=False)
def _sum_to_size(self, *size):
    """The tensor summed to *size*, a shape that broadcasts to its own.

    >>> import autograd_nb as torch
    >>> torch.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    size, shape = sizes_of(size, {}, "sum_to_size", "size"), self._array.shape
    lead = len(shape) - len(size)
    if lead < 0 or any(a != b and a != 1 for a, b in zip(size, shape[lead:], strict=True)):
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(shape)}}}.")
    if size == shape:
        return self
    if not size:
        return ops.sum(self)
    dims = (*range(lead), *(lead + i for i, length in enumerate(size) if length == 1 != shape[lead + i]))
    total = ops.sum(self, dims, True)
    return ops.view(total, size) if lead else total


@operation("expand", view=True, collects=True, function=False,
           self=lambda grad, self_sym_sizes: sum_to_size(grad, self_sym_sizes))  # fmt: skip
def expand(self, size):
    """The tensor with dimensions of length one stretched to *size* without copying; -1 keeps a length.

    >>> import autograd_nb as torch
    >>> torch.tensor([[1], [2]]).expand(2, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    shape = self.shape
    if not shape and self.__class__ is ndarray and all([each.__class__ is int and each >= 0 for each in size]):
        return ndarray(size, self.dtype, self, strides=(0,) * len(size))  # one element: ten times as fast
    lead = len(size) - len(shape)
    if lead < 0:
        raise RuntimeError(
            f"expand(torch.{dtypes.of_array(self).legacy_name}Tensor{{{list(shape)}}}, size={list(size)}): the "
            "number of "
            f"sizes provided ({len(size)}) must be greater or equal to the number of dimensions in the tensor "
            f"({len(shape)})"
        )
    target = []
    for dim in reversed(range(len(size))):
        wanted, found = as_index(size[dim]), shape[dim - lead] if dim >= lead else 1
        if wanted == -1:
            if dim < lead:
                raise RuntimeError(
                    f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {dim}"
                )
            wanted = found
        elif wanted != found and found != 1:
            raise RuntimeError(
                f"The expanded size of the tensor ({wanted}) must match the existing size ({found}) at non-singleton "
                f"dimension {dim}.  Target sizes: {list(size)}.  Tensor sizes: {list(shape)}"
            )
        target.insert(0, wanted)
    expanded = np.broadcast_to(self, target)
    if self.__class__ is ndarray and self.flags.writeable:
        expanded.flags.writeable = True
    return expanded


# formulas give it a tensor and a tuple: there is nothing to bind
tensor_names["expand"] = lambda self, size: apply_view(operations["expand"], (self, size))


@composite("expand_as", function=False)
def _expand_as(self, other):
    """This tensor expanded to the shape of *other*."""
    return ops.expand(self, other._array.shape)


@public("broadcast_to")
def _broadcast_to(self, size):
    """This tensor broadcast to the shape *size*: another name for :meth:`expand`."""
    return ops.expand(self, tuple(size))


@composite("broadcast_tensors", method=False)
def _broadcast_tensors(*tensors):
    """The tensors, all broadcast to one shape; RuntimeError when they do not fit."""
    tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else tensors
    shape = ()
    for tensor in tensors:
        shape = broadcast_shape(shape, tensor._array.shape)
    return tuple(tensor if tensor._array.shape == shape else ops.expand(tensor, shape) for tensor in tensors)


def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to."""
    shape = ()
    for other in shapes:
        shape = broadcast_shape(shape, (other,) if isinstance(other, int) else other)
    return Size(shape)


functions["broadcast_shapes"] = broadcast_shapes


@composite("meshgrid", method=False)
def _meshgrid(*tensors, indexing=None):
    """Grids of coordinates from vectors of coordinates; *indexing* is "ij" or "xy".

    >>> import autograd_nb as torch
    >>> a, b = torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4]), indexing="ij")
    >>> a
    tensor([[1, 1],
            [2, 2]])
    """
    tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else tensors
    if indexing is None:
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for tensor in tensors:
        if tensor._array.ndim > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {tensor._array.ndim}D"
            )
        if tensor._dtype is not tensors[0]._dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    order = list(range(len(tensors)))
    if indexing == "xy":
        order[:2] = order[1::-1]
    shape = tuple(tensors[place]._array.size for place in order)
    ones = [1] * len(tensors)
    return tuple(
        ops.expand(ops.view(tensor, (*ones[: order.index(place)], -1, *ones[order.index(place) + 1 :])), shape)
        for place, tensor in enumerate(tensors)
    )


# -- repetition ----------------------------------------------------------------------------------------------------


@operation("repeat", collects=True, function=False,
           self=lambda grad, repeats, self_sym_sizes: repeat_backward(grad, repeats, self_sym_sizes))  # fmt: skip
def repeat(self, repeats):
    """The tensor laid side by side *repeats* times along each dimension; copies.

    >>> import autograd_nb as torch
    >>> torch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    repeats = [as_index(count) for count in repeats]
    shape = (1,) * (len(repeats) - np.ndim(self)) + np.shape(self)
    if len(repeats) < len(shape):
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    result = [count * length for count, length in zip(repeats, shape, strict=True)]
    for length in result:
        if length < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {length}: {result}")
    return np.tile(self, repeats)


@operation("repeat_backward", method=False, function=False, self=lambda grad, repeats: repeat(grad, repeats))
def repeat_backward(self, repeats, shape):
    """The gradient of :func:`repeat`: all copies summed."""
    lead = len(repeats) - len(shape)
    pairs = zip(repeats, (1,) * lead + tuple(shape), strict=True)
    apart = [length for pair in pairs for length in pair]
    total = np.add.reduce(np.reshape(self, apart), axis=tuple(range(0, len(apart), 2)))
    return np.reshape(total, shape)[()]


@composite("tile")
def _tile(self, *dims):
    """The tensor laid side by side *dims* times; missing leading dimensions count as one."""
    dims = tuple(dims[0]) if len(dims) == 1 and isinstance(dims[0], tuple | list) else dims
    return ops.repeat(self, (1,) * (self._array.ndim - len(dims)) + dims)


@public("repeat_interleave")
def _repeat_interleave(self, repeats=None, dim=None, *, output_size=None):
    """Each element (along *dim*, or of all in one dimension) repeated *repeats* times; a tensor says how often each.

    >>> import autograd_nb as torch
    >>> torch.tensor([1, 2]).repeat_interleave(2)
    tensor([1, 1, 2, 2])
    """
    if repeats is None:
        return ops.tensor(np.repeat(np.arange(self._array.size), self._array))
    if dim is None:
        self, dim = ops.flatten(self), 0
    dim = wrap_dim(dim, self._array.ndim)
    if not self._array.ndim:
        wrap_dim(dim + 1, 0)  # where the repeated ones would stand
    length = self._array.shape[dim]
    if isinstance(repeats, Tensor):
        counts = repeats._array
        if repeats._dtype.is_floating_point:
            raise NotImplementedError(f'"repeat_interleave_cpu" not implemented for \'{repeats._dtype.legacy_name}\'')
        if counts.size not in (1, length):
            raise RuntimeError(
                f"repeats must have the same size as input along dim, but got repeats.size(0) = {counts.size} and "
                f"input.size({dim}) = {length}"
            )
        if np.any(counts < 0):
            raise RuntimeError("repeats can not be negative")
        return ops.index_select(self, dim, ops.tensor(np.repeat(np.arange(length), counts)))
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape = self._array.shape
    expanded = ops.expand(ops.unsqueeze(self, dim + 1), (*shape[: dim + 1], repeats, *shape[dim + 1 :]))
    copied = ops.clone(expanded, memory_format="contiguous")
    return ops.view(copied, (*shape[:dim], length * repeats, *shape[dim + 1 :]))


# -- order -----------------------------------------------------------------------------------------------------------


@operation("flip", collects=True, self=lambda grad, dims: flip(grad, dims))
def flip(self, dims):
    """A copy with the order of elements reversed along *dims*.

    >>> import autograd_nb as torch
    >>> torch.tensor([1, 2, 3]).flip(0)
    tensor([3, 2, 1])
    """
    dims = wrap_dims(dims, np.ndim(self))
    return np.array(np.flip(self, dims)) if np.ndim(self) else self


@composite("fliplr")
def _fliplr(self):
    """A copy with columns in reversed order."""
    return ops.flip(self, (1,))


@composite("flipud")
def _flipud(self):
    """A copy with rows in reversed order."""
    return ops.flip(self, (0,))


def opposite(shifts):
    """The shifts that undo *shifts*."""
    return tuple(-shift for shift in shifts)


publish_call("opposite", opposite, method=False, function=False)


@operation("roll_row", method=False, function=False, node_name="RollBackward0",
           self=lambda grad, shifts, dims: roll_row(grad, opposite(shifts), dims))  # fmt: skip
def roll_row(self, shifts, dims):
    """Elements moved by the tuple *shifts* along those of *dims*."""
    if not self.size:
        return self
    dims = tuple(wrap_dim(dim, np.ndim(self)) for dim in dims)
    return np.asarray(np.roll(self, shifts if dims else shifts[0], dims or None), order="C")


@public("roll")
def _roll(self, shifts, dims=()):
    """A copy with elements moved by *shifts* along *dims*, around the end; without *dims* counted flat.

    >>> import autograd_nb as torch
    >>> torch.tensor([1, 2, 3]).roll(1)
    tensor([3, 1, 2])
    """
    shifts, dims = ((each,) if isinstance(each, int) else tuple(each) for each in (shifts, dims))
    if not shifts:
        raise RuntimeError("`shifts` required")
    if len(shifts) != len(dims) and (dims or len(shifts) != 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if dims and not self._array.ndim:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    return ops.roll_row(self, shifts, dims)


@operation("rot90", self=lambda grad, k, dims: rot90(grad, -k, dims))
def rot90(self, k=1, dims=(0, 1)):
    """A copy rotated *k* times by 90 degrees in the plane of *dims*, from the first towards the second."""
    ndim = np.ndim(self)
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    plane = tuple(wrap_dim(dim, ndim) for dim in dims)
    if plane[0] == plane[1]:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    return np.array(np.rot90(self, k, plane), order="K" if k % 4 else "C")
