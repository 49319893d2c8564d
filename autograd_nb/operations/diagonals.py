"""Diagonals and triangles of matrices: read, written, filled with zeros beside; the trace.

As in shapes.py every operation here is linear, and its derivative is the map run backwards.
"""

import numpy as np

from ..engine.call import operation
from ..engine.inplace import publish_in_place
from ..engine.table import ops
from .checks import wrap_dim
from .public import public, row


@operation("diagonal", view=True, self=lambda grad, self_sym_sizes, offset, dim1, dim2:
           diagonal_backward(grad, self_sym_sizes, offset, dim1, dim2))  # fmt: skip
def diagonal(self, offset=0, dim1=0, dim2=1):
    """The diagonal of the plane of *dim1* and *dim2*, as the last dimension; a view."""
    first, second = wrap_dim(dim1, np.ndim(self)), wrap_dim(dim2, np.ndim(self))
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    part = np.diagonal(self, offset, first, second)
    if self.flags.writeable:
        part.flags.writeable = True
    return part


@row("diagonal_backward", self=lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2))
def diagonal_backward(self, shape, offset, dim1, dim2):
    """Zeros of *shape* with this diagonal."""
    total = np.zeros(shape, self.dtype)
    diagonal(total, offset, dim1, dim2)[...] = self
    return total


@row("diag_embed", self=lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2))
def diag_embed(self, offset=0, dim1=-2, dim2=-1):
    """Matrices with the last dimension as their diagonal, zeros beside."""
    length = self.shape[-1] + abs(offset)
    return diagonal_backward(self, (*self.shape[:-1], length, length), offset, dim1, dim2)


@row("diagonal_copy", node_name="DiagonalBackward0_copy", self=lambda grad, self_sym_sizes, offset, dim1, dim2:
     diagonal_backward(grad, self_sym_sizes, offset, dim1, dim2))  # fmt: skip
def diagonal_copy(self, offset=0, dim1=0, dim2=1):
    """A copy of the diagonal."""
    return diagonal(self, offset, dim1, dim2).copy()


@public("diag")
def _diag(self, diagonal=0):
    """The diagonal of a matrix, or the matrix with this diagonal.

    >>> import autograd_nb as torch
    >>> torch.tensor([1, 2]).diag()
    tensor([[1, 0],
            [0, 2]])
    """
    ndim = self._array.ndim
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    return ops.diag_embed(self, diagonal) if ndim == 1 else ops.diagonal_copy(self, diagonal)


def triangle(self, diagonal, name):
    if np.ndim(self) < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    return getattr(np, name)(self, diagonal)


@operation("tril", self=lambda grad, diagonal: tril(grad, diagonal))
def tril(self, diagonal=0):
    """A copy with zeros above the given diagonal of the last two dimensions."""
    return triangle(self, diagonal, "tril")


@operation("triu", self=lambda grad, diagonal: triu(grad, diagonal))
def triu(self, diagonal=0):
    """A copy with zeros below the given diagonal of the last two dimensions."""
    return triangle(self, diagonal, "triu")


for name in ("tril", "triu"):
    publish_in_place(name)


@operation("trace", self=lambda grad, self_sym_sizes: trace_backward(grad, self_sym_sizes))
def trace(self):
    """The sum of a matrix's diagonal."""
    if np.ndim(self) != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {np.ndim(self)}")
    return np.add.reduce(np.diagonal(self), dtype=self.dtype if self.dtype.kind == "f" else np.int64)


@row("trace_backward", self=lambda grad: trace(grad))
def trace_backward(self, shape):
    """The gradient of :func:`trace`: the number on the diagonal."""
    return np.where(np.eye(*shape, dtype=bool), self, self.dtype.type(0))
