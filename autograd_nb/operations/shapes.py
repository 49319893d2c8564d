"""One tensor's elements in another shape, or with dimensions in another order.

All of these are linear, and the backward of each is another one that undoes it: a transpose undoes a transpose.  Where
no other operation does, there is a row NAME_backward, whose own backward is the operation itself.  The forward of a
view returns a NumPy view: NumPy's strides are PyTorch's.
"""

import math
from operator import index as as_index

import numpy as np

from ..engine import events
from ..engine.call import record
from ..engine.inplace import INFERENCE_TENSOR, refuse_recorded
from ..engine.modes import notify, state, warn
from ..engine.table import methods, operations, ops
from ..engine.tensor import gradient_edge, ndarray, wrap
from .array_functions import inverse_order, unsqueezed
from .checks import as_int, wrap_dim, wrap_dims
from .rows import function, operation, row, run_row


def inferred(size, count):
    """*size* with its -1 replaced, for *count* elements; RuntimeError when they do not fit."""
    size = tuple(map(as_index, size))
    product = math.prod(size)
    if product == count and min(size, default=0) >= 0:
        return size
    if size.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    fits = product < 0 and -1 in size and count % product == 0
    if not fits or min(size) < -1:
        raise RuntimeError(f"shape '{list(size)}' is invalid for input of size {count}")
    place = size.index(-1)
    return (*size[:place], count // -product, *size[place + 1 :])


def viewed(self, size):
    """The array in another shape without copying, or None where its strides do not allow it."""
    if self.flags.c_contiguous:
        return self.reshape(size)
    view = np.reshape(self, size)
    return view if np.may_share_memory(view, self) or not self.size else None


@operation(view=True, collects=1, function=False,
           self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))  # fmt: skip
def view(self, size):
    """The same elements in another shape, one length of which may be -1; RuntimeError where strides do not allow it.

    >>> import autograd_nb as torch
    >>> torch.tensor([1, 2, 3, 4]).view(2, -1).tolist()
    [[1, 2], [3, 4]]
    """
    view = viewed(self, inferred(size, self.size))
    if view is None:
        raise RuntimeError("view size is not compatible with input tensor's size and stride (at least one dimension "
                           "spans across two contiguous subspaces). Use .reshape(...) instead.")
    return view


VIEW = operations["view"]
row("reshape_alias", view=True, self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))(viewed)


@row(self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def unsafe_view(self, size):
    """Another shape for a tensor that nothing else refers to, so that it need not be tracked as a view."""
    return np.reshape(self, size)


@function(collects=1)
def reshape(self, shape):
    """The same elements in another shape: a view where strides allow it, else a copy.

    >>> import autograd_nb as torch
    >>> torch.tensor([[1, 2], [3, 4]]).t().reshape(4)
    tensor([1, 3, 2, 4])
    """
    array = self._array
    if array.__class__ is not ndarray or array.flags.c_contiguous:
        return VIEW.call(self, shape)
    shape = inferred(shape, array.size)
    if viewed(array, shape) is not None:
        return ops.reshape_alias(self, shape)
    return ops.unsafe_view(ops.clone(self, memory_format="contiguous"), shape)


@function(function=False)
def view_as(self, other):
    """This tensor viewed in the shape of *other*."""
    return ops.view(self, other._array.shape)


@function
def flatten(self, start_dim=0, end_dim=-1):
    """The tensor with dimensions *start_dim* to *end_dim* merged into one."""
    shape = self._array.shape
    start, end = wrap_dim(start_dim, len(shape)), wrap_dim(end_dim, len(shape))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not shape:
        return ops.reshape(self, (1,))
    if start == end:
        return self
    return ops.reshape(self, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


@function
def ravel(self):
    """All elements in one dimension, contiguous: a view where possible."""
    return ops.view(ops.contiguous(self), (-1,))


# -- dimensions in another order -----------------------------------------------------------------------------------


@operation(view=True, self=lambda grad: t(grad))
def t(self):
    """The transpose of a matrix; a vector or scalar unchanged."""
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@operation(view=True, self=lambda grad, dim0, dim1: transpose(grad, dim0, dim1))
def transpose(self, dim0, dim1):
    """The tensor with dimensions *dim0* and *dim1* swapped.

    >>> import autograd_nb as torch
    >>> torch.tensor([[1, 2], [3, 4]]).transpose(0, 1).tolist()
    [[1, 3], [2, 4]]
    """
    ndim = np.ndim(self)
    dim0 = wrap_dim(dim0, ndim)
    dim1 = wrap_dim(dim1, ndim)
    return np.swapaxes(self, dim0, dim1) if ndim else self[...]


@operation(view=True, collects=1, self=lambda grad, dims: permute(grad, inverse_order(dims)))
def permute(self, dims):
    """The tensor with its dimensions in the order *dims*, which names each once."""
    if len(dims) != self.ndim:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length "
                           f"of the desired ordering of dimensions i.e. input.dim() = {self.ndim} is not equal to "
                           f"len(dims) = {len(dims)}")
    wrapped = [wrap_dim(dim, self.ndim) for dim in dims]
    if len(set(wrapped)) < self.ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return np.transpose(self, wrapped)


def T(self):
    """The tensor with its dimensions in reversed order."""
    ndim = self._array.ndim
    if ndim not in (0, 2):
        warn("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
             "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
             "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.")
    return ops.permute(self, tuple(reversed(range(ndim))))


def mT(self):
    """The tensor with its last two dimensions swapped."""
    return ops.transpose(self, -2, -1)


methods["T"] = property(T)
methods["mT"] = property(mT)


# -- dimensions of length one --------------------------------------------------------------------------------------


def squeezed(self, dim):
    """The tensor without those of the dimensions *dim*, one or several, that have length one."""
    ndim = np.ndim(self)
    dims = [axis for axis in wrap_dims(dim, ndim) if ndim and self.shape[axis] == 1]
    return self[tuple(0 if axis in dims else slice(None) for axis in range(ndim)) + (...,)]


@row("squeeze", view=True, self=lambda grad, self_sym_sizes: unsqueezed(grad, None, self_sym_sizes))
def squeezed_wholly(self):
    """The tensor without its dimensions of length one."""
    return squeezed(self, range(np.ndim(self)))


def squeeze_backward(grad, dim, self_sym_sizes):
    return unsqueezed(grad, dim, self_sym_sizes)


row("squeeze.dim", formula="squeezed", view=True, node_name="SqueezeBackward1", self=squeeze_backward)(squeezed)
row("squeeze.dims", view=True, node_name="SqueezeBackward2", self=squeeze_backward)(squeezed)


def which_squeeze(self, dim):
    """The name of the row for these dimensions, and its values."""
    if isinstance(dim, tuple | list):
        return "squeeze.dims", (self, tuple(dim))
    return ("squeeze", (self,)) if dim is None else ("squeeze.dim", (self, as_int(dim)))


@function
def squeeze(self, dim=None):
    """The tensor without its dimensions of length one, or only without those named in *dim*.

    >>> import autograd_nb as torch
    >>> torch.tensor([[[1], [2]]]).squeeze().shape
    torch.Size([2])
    """
    name, values = which_squeeze(self, dim)
    return run_row(name, *values)


@operation(view=True, self=lambda grad, dim: squeezed(grad, dim))
def unsqueeze(self, dim):
    """The tensor with a dimension of length one inserted at *dim*."""
    dim = wrap_dim(dim, np.ndim(self) + 1)
    return self[(slice(None),) * dim + (None, ...)]


# -- another shape for the same tensor -------------------------------------------------------------------------------
#
# ``x.unsqueeze_(0)`` moves no element: from now on the tensor is another view of its storage.  It still counts as an
# in-place change; the node is that of the shape operation, on top of the tensor's old one.

NODES = {
    "t_": "TBackward1", "transpose_": "TransposeBackward1", "unsqueeze_": "UnsqueezeBackward1",
    "squeeze_": "SqueezeBackward3", "squeeze_.dim": "SqueezeBackward4", "squeeze_.dims": "SqueezeBackward5",
}  # fmt: skip
for _name, _node in NODES.items():
    _plain = operations[_name.replace("_", "")]
    row(_name, node_name=_node, **_plain.formulas)(_plain.forward)


def change_shape(name, *values):
    """Change the first of the values in place into the view that the row *name* gives, and return it."""
    (self, *arguments), row, edge = values, operations[name], None
    if state.recording and self.requires_grad:
        refuse_recorded(self)
        edge = gradient_edge(self)
    counter = self._share()
    array = row.forward(self._array, *arguments)
    if self._inference and not state.inference:
        self._set_array(array)
        raise RuntimeError(INFERENCE_TENSOR)  # PyTorch, too, raises after the change
    counter.version += 1
    if edge is not None:
        self._retains = self.retains_grad  # whether it did so with the old shape
        changed = wrap(array, self._dtype)
        record(row, values, [edge], changed)
        self._node = changed._node
        if self._view is not None:
            self._view.version = counter.version
    self._set_array(array)
    if state.listeners:
        notify(events.Operation, row, edge and self._node, [self], [self], True)
    return self


@function
def t_(self):
    return change_shape("t_", self)


@function
def transpose_(self, dim0, dim1):
    return change_shape("transpose_", self, dim0, dim1)


@function
def squeeze_(self, dim=None):
    name, values = which_squeeze(self, dim)
    return change_shape(name.replace("squeeze", "squeeze_"), *values)


@function
def unsqueeze_(self, dim):
    return change_shape("unsqueeze_", self, dim)
