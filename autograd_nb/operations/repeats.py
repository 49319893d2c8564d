"""One tensor's elements repeated, in another order, or only those of a diagonal or triangle.

As in shapes.py every operation here is linear, and its backward undoes the rearrangement; copies are summed.
"""

from operator import index as as_index

import numpy as np

from ..engine import vjp
from ..engine.dtypes import Size
from ..engine.table import ops
from . import array_functions
from .array_functions import opposite, summed
from .checks import as_int, dtype_name, require_number, wrap_dim, wrap_dims
from .publishing import require_ints
from .rows import function, operation, row, run_row


@function(function=False, collects=1)
def sum_to_size(self, size):
    """The tensor summed to *size*, a shape that broadcasts to its own."""
    size, shape = tuple(map(as_index, size)), self._array.shape
    lead = len(shape) - len(size)
    if lead < 0 or any(a != b and a != 1 for a, b in zip(size, shape[lead:], strict=True)):
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(shape)}}}.")
    return vjp.sum_to_size(self, size)


def expanded_shape(self, size):
    """*size* with each -1 replaced; RuntimeError unless the array expands to it."""
    shape = self.shape
    if size == shape:
        return size
    if not shape and min(size, default=0) >= 0:
        return size
    lead = len(size) - len(shape)
    if lead < 0:
        raise RuntimeError(f"expand(torch.{dtype_name(self)}Tensor{{{list(shape)}}}, size={list(size)}): the number of "
                           f"sizes provided ({len(size)}) must be greater or equal to the number of dimensions in the "
                           f"tensor ({len(shape)})")
    found = (1,) * lead + shape
    target = [wanted if wanted != -1 or dim < lead else found[dim] for dim, wanted in enumerate(map(as_index, size))]
    for dim in reversed(range(len(size))):
        if found[dim] not in (1, target[dim]) or target[dim] < 0:
            raise RuntimeError(f"The expanded size of the tensor ({target[dim]}) must match the existing size "
                               f"({found[dim]}) at non-singleton dimension {dim}.  Target sizes: {list(size)}.  Tensor "
                               f"sizes: {list(shape)}")
    return target


@operation(view=True, collects=1, function=False,
           self=lambda grad, self_sym_sizes: summed(grad, self_sym_sizes))  # fmt: skip
def expand(self, size):
    """The tensor with dimensions of length one stretched to *size* without copying; -1 keeps a length.

    >>> import autograd_nb as torch
    >>> torch.tensor([[1], [2]]).expand(2, 3).tolist()
    [[1, 1, 1], [2, 2, 2]]
    """
    return array_functions.expand(self[...], tuple(expanded_shape(self, size)))


@function(function=False)
def expand_as(self, other):
    """This tensor expanded to the shape of *other*."""
    return ops.expand(self, other._array.shape)


@function(collects=1)
def broadcast_to(self, size):
    """This tensor broadcast to the shape *size*: another name for :meth:`expand`."""
    return ops.expand(self, tuple(size))


@function(method=False)
def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to."""
    shapes = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    found = [1] * max(map(len, shapes), default=0)
    for number, shape in enumerate(shapes):
        for dim in range(-1, -1 - len(shape), -1):
            if shape[dim] not in (1, found[dim]) and found[dim] != 1:
                raise RuntimeError(f"Attempting to broadcast a dimension of length {shape[dim]} at {dim}! Mismatching "
                                   f"argument at index {number} had {shape}; but expected shape should be "
                                   f"broadcastable to {found}")  # fmt: skip
            found[dim] = found[dim] if shape[dim] == 1 else shape[dim]
    return Size(found)


@operation(collects=1, function=False,
           self=lambda grad, repeats, self_sym_sizes: repeat_backward(grad, repeats, self_sym_sizes))  # fmt: skip
def repeat(self, repeats):
    """A copy of the tensor repeated *repeats* times along each dimension.

    >>> import autograd_nb as torch
    >>> torch.tensor([1, 2]).repeat(2)
    tensor([1, 2, 1, 2])
    """
    if len(repeats) < np.ndim(self):
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return np.tile(self, repeats)


@row(self=lambda grad, repeats: repeat(grad, repeats))
def repeat_backward(self, repeats, shape):
    """The gradient of :func:`repeat`: all copies summed."""
    lead = len(repeats) - len(shape)
    pairs = zip(repeats, (1,) * lead + tuple(shape), strict=True)
    apart = [length for pair in pairs for length in pair]
    total = np.add.reduce(np.reshape(self, apart), axis=tuple(range(0, len(apart), 2)))
    return np.reshape(total, shape)[()]


@operation(collects=1, self=lambda grad, dims: flip(grad, dims))
def flip(self, dims):
    """A copy with the order of elements reversed along *dims*."""
    dims = wrap_dims(dims, np.ndim(self))
    return np.array(np.flip(self, dims)) if np.ndim(self) else self


@row("roll", formula="rolled", self=lambda grad, shifts, dims: rolled(grad, opposite(shifts), dims))
def rolled(self, shifts, dims):
    """The elements shifted by the tuple *shifts* along the tuple *dims*."""
    if not self.size:
        return self
    dims = tuple(wrap_dim(dim, np.ndim(self)) for dim in dims)
    return np.asarray(np.roll(self, shifts if dims else shifts[0], dims or None), order="C")


@function
def roll(self, shifts, dims=()):
    """A copy with elements shifted by *shifts* along *dims*, wrapping around; without *dims* as if flattened."""
    shifts, dims = ((each,) if isinstance(each, int) else tuple(each) for each in (shifts, dims))
    for argument, values in ("shifts", shifts), ("dims", dims):
        require_ints(values, "roll", argument, False)
    if dims and not self._array.shape:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    if len(shifts) != len(dims) and (dims or len(shifts) != 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    return run_row("roll", self, shifts, dims)


@operation(view=True, self=lambda grad, self_sym_sizes, offset, dim1, dim2:
           diagonal_backward(grad, self_sym_sizes, offset, dim1, dim2))  # fmt: skip
def diagonal(self, offset=0, dim1=0, dim2=1):
    """The diagonal of the plane of *dim1* and *dim2*, as the last dimension; a view."""
    offset = as_int(offset)
    part = np.diagonal(self, offset, wrap_dim(dim1, np.ndim(self)), wrap_dim(dim2, np.ndim(self)))
    if self.flags.writeable:
        part.flags.writeable = True
    return part


@row(self=lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2))
def diagonal_backward(self, shape, offset, dim1, dim2):
    """Zeros of *shape* with this diagonal."""
    total = np.zeros(shape, self.dtype)
    diagonal(total, offset, dim1, dim2)[...] = self
    return total


@row(self=lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2))
def diag_embed(self, offset=0, dim1=-2, dim2=-1):
    """Matrices with the last dimension as their diagonal, zeros elsewhere."""
    length = self.shape[-1] + abs(offset)
    return diagonal_backward(self, (*self.shape[:-1], length, length), offset, dim1, dim2)


@row(node_name="DiagonalBackward0_copy", self=lambda grad, self_sym_sizes, offset, dim1, dim2:
     diagonal_backward(grad, self_sym_sizes, offset, dim1, dim2))  # fmt: skip
def diagonal_copy(self, offset=0, dim1=0, dim2=1):
    """A copy of the diagonal."""
    return diagonal(self, offset, dim1, dim2).copy()


@function
def diag(self, diagonal=0):
    """The diagonal of a matrix, or the matrix with this diagonal.

    >>> import autograd_nb as torch
    >>> torch.tensor([1, 2]).diag().tolist()
    [[1, 0], [0, 2]]
    """
    ndim, diagonal = self._array.ndim, as_int(diagonal)
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    return ops.diag_embed(self, diagonal) if ndim == 1 else ops.diagonal_copy(self, diagonal)


def triangle(self, diagonal, name):
    if np.ndim(self) < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    return getattr(np, name)(self, as_int(diagonal))


@operation(in_place=True, may_overlap=True, self=lambda grad, diagonal: tril(grad, diagonal))
def tril(self, diagonal=0):
    """A copy with zeros above the given diagonal of the last two dimensions."""
    return triangle(self, diagonal, "tril")


@operation(in_place=True, may_overlap=True, self=lambda grad, diagonal: triu(grad, diagonal))
def triu(self, diagonal=0):
    """A copy with zeros below the given diagonal of the last two dimensions."""
    return triangle(self, diagonal, "triu")


@operation(self=lambda grad, self_sym_sizes: trace_backward(grad, self_sym_sizes))
def trace(self):
    """The sum of a matrix's diagonal."""
    if np.ndim(self) != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {np.ndim(self)}")
    require_number(self, "trace")
    return np.add.reduce(np.diagonal(self), dtype=self.dtype if self.dtype.kind == "f" else np.int64)


@row(self=lambda grad: trace(grad))
def trace_backward(self, shape):
    """The gradient of :func:`trace`: the given number on the diagonal."""
    return np.where(np.eye(*shape, dtype=bool), self, self.dtype.type(0))
