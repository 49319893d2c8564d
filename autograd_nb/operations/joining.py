"""Joining tensors and splitting them: cat and stack, split and unbind.

Joining and splitting undo each other, so each is the backward of the other.  A part that receives no gradient
counts as zeros.
"""

import numpy as np

from ..engine.table import ops
from .array_functions import equal_sizes, joined, narrow, stacked, unbound, zeros_of
from .checks import as_int, tensor_list, wrap_dim
from .rows import function, row, run_row


def cat_backward(grad, dim, tensors_sym_sizes):
    """The gradient, split where the tensors were joined."""
    grads, start = [], 0
    for shape in tensors_sym_sizes:
        if shape == (0,) and len(grad.shape) > 1:
            grads.append(zeros_of(grad, shape))
            continue
        place = wrap_dim(dim, len(shape))
        grads.append(narrow(grad, place, start, shape[place]))
        start += shape[place]
    return grads


@row("cat", variadic=True, promoted=("tensors",), tensors=cat_backward)
def concatenated(tensors, dim):
    """Tensors joined along *dim*."""
    try:
        return np.asarray(np.concatenate(tensors, dim), order="C")
    except ValueError:  # there may be tensors of shape (0,), which fit any other
        return np.asarray(np.concatenate(*fitting(tensors, dim)), order="C")


def fitting(tensors, dim):
    """The arrays that can be joined along *dim*, without those of shape (0,); RuntimeError if some do not fit."""
    kept = [tensor for tensor in tensors if np.shape(tensor) != (0,)] or tensors
    first = kept[0]
    for position, tensor in enumerate(tensors):
        if not np.ndim(tensor):
            raise RuntimeError(f"zero-dimensional tensor (at position {position}) cannot be concatenated")
    dim = wrap_dim(dim, np.ndim(first))
    for position, tensor in enumerate(tensors):
        if np.shape(tensor) == (0,):
            continue
        if tensor.ndim != first.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.ndim} and {tensor.ndim}")
        for i, (wanted, found) in enumerate(zip(first.shape, tensor.shape, strict=True)):
            if i != dim and wanted != found:
                raise RuntimeError(f"Sizes of tensors must match except in dimension {dim}. Expected size {wanted} "
                                   f"but got size {found} for tensor number {position} in the list.")
    return kept, dim


@function(method=False)
def cat(tensors, dim=0):
    """The tensors joined along *dim*; their other dimensions must match.

    >>> import autograd_nb as torch
    >>> torch.cat([torch.tensor([1, 2]), torch.tensor([3])])
    tensor([1, 2, 3])
    """
    tensors = tensor_list("cat", tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    dim = as_int(dim)
    if tensors[0]._array.shape == (0,) and all(one._array.shape == (0,) for one in tensors):
        dim = 0
    return run_row("cat", tensors, dim)


@row("stack", variadic=True, promoted=("tensors",),
     tensors=lambda grad, dim: unbound(grad, dim))  # fmt: skip
def stacked_up(tensors, dim):
    """Tensors of one shape side by side along a new dimension."""
    first = np.shape(tensors[0])
    dim = wrap_dim(dim, len(first) + 1)
    for position, tensor in enumerate(tensors):
        if np.shape(tensor) != first:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                               f"{list(np.shape(tensor))} at entry {position}")
    return np.asarray(np.stack(tensors, dim), order="C") if dim else np.array(tensors)  # which takes a fourth as long


@function(method=False)
def stack(tensors, dim=0):
    """The tensors, all of one shape, side by side along a new dimension *dim*.

    >>> import autograd_nb as torch
    >>> torch.stack([torch.tensor(1), torch.tensor(2)])
    tensor([1, 2])
    """
    tensors = tensor_list("stack", tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    return run_row("stack", tensors, as_int(dim))


def cat_prepared(name, tensors, dim, ndim):
    """The tensors joined along *dim* with at least *ndim* dimensions, one or two: a vector becomes a row."""
    prepared = []
    for each in tensor_list(name, tensors):
        if not each._array.ndim:
            each = ops.view(each, (1,) * ndim)
        prepared.append(ops.unsqueeze(each, 0) if each._array.ndim < ndim else each)
    if not prepared:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return cat(prepared, min(dim, prepared[0]._array.ndim - 1))


@function(method=False)
def hstack(tensors):
    """The tensors joined along the second dimension, vectors along their only one."""
    return cat_prepared("hstack", tensors, 1, 1)


@function(method=False)
def vstack(tensors):
    """The tensors, vectors as rows, joined along the first dimension."""
    return cat_prepared("vstack", tensors, 0, 2)


@row("split", returns=None, view=True,
     self=lambda grad, self_sym_sizes, split_size, dim:
     joined(grad, self_sym_sizes, dim, equal_sizes(self_sym_sizes[dim], split_size)))  # fmt: skip
def equal_parts(self, split_size, dim):
    """Parts of *split_size* along *dim*."""
    return parts_of_sizes(self, equal_sizes(self.shape[dim], split_size), dim)


@row("split_with_sizes", returns=None, view=True,
     self=lambda grad, self_sym_sizes, split_sizes, dim:
     joined(grad, self_sym_sizes, dim, split_sizes))  # fmt: skip
def parts_of_sizes(self, split_sizes, dim):
    """Parts of the given sizes along *dim*."""
    starts, dim = np.cumsum([0, *split_sizes]).tolist(), wrap_dim(dim, self.ndim)
    return [narrow(self, dim, start, size) for start, size in zip(starts, split_sizes, strict=False)]


@function
def split(self, split_size, dim=0):
    """The tensor as a tuple of views along *dim*, each of *split_size*, or of the sizes in a list of them.

    >>> import autograd_nb as torch
    >>> torch.tensor([1, 2, 3]).split(2)
    (tensor([1, 2]), tensor([3]))
    """
    shape = self._array.shape
    if not shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    place = wrap_dim(dim, len(shape))
    if isinstance(split_size, int):
        as_int(split_size)
        if split_size < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
        if shape[dim] and not split_size:
            raise RuntimeError("split_size can only be 0 if dimension size is 0, but got dimension size of "
                               f"{shape[dim]}")
        return tuple(run_row("split", self, split_size, dim))
    sizes = list(split_size)
    if sum(sizes) != shape[dim]:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {shape[dim]} (input tensor's size "
                           f"at dimension {place}), but got split_sizes={sizes}")
    return tuple(run_row("split_with_sizes", self, sizes, dim))


@function
def chunk(self, chunks, dim=0):
    """The tensor as at most *chunks* views of equal size along *dim*; the last may be smaller."""
    shape = self._array.shape
    if not shape:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if as_int(chunks) <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = -(-shape[wrap_dim(dim, len(shape))] // chunks)
    return ops.split(self, size or [0] * chunks, dim)


@row("unbind", returns=None, view=True,
     self=lambda grad, dim, self_sym_sizes: stacked(grad, self_sym_sizes, dim))  # fmt: skip
def slices_along(self, dim):
    """All slices along *dim*."""
    lead = (slice(None),) * wrap_dim(dim, self.ndim)
    return [self[(*lead, place, ...)] for place in range(self.shape[dim])]


@function
def unbind(self, dim=0):
    """The tensor as a tuple of views, its slices along *dim*."""
    shape = self._array.shape
    wrap_dim(dim, len(shape))
    if not shape:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return tuple(run_row("unbind", self, dim))
