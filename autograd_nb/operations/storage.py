"""Operations that read or write storage: clone, contiguous, copy_, fill_, masked_fill; detach, which shares it."""

from copy import copy as duplicate

import numpy as np

from ..engine import dtypes, events
from ..engine.graph import extras_of, next_sequence_number, node_of_edge
from ..engine.modes import notify, state
from ..engine.table import ops
from ..engine.tensor import AccumulateGrad, Tensor, ndarray, wrap
from ..engine.views import CLONE, STRIDED_VIEW, address
from .array_functions import where, where_unmasked, zeros_like, zeros_of
from .checks import broadcast_shape, in_range, wrap_dim
from .rows import change_by_row, choice, function, internal, operation, row, run_row

row("strided_view", made=STRIDED_VIEW)(STRIDED_VIEW.forward)
row("zeros_of")(zeros_of)


@operation(made=CLONE)
def clone(self, *, memory_format=None):
    """A copy that gradients flow through.

    >>> import autograd_nb as torch
    >>> x = torch.tensor([1., 2.])
    >>> x.clone().mul_(2), x
    (tensor([2., 4.]), tensor([1., 2.]))
    """


@function(function=False)
def contiguous(self, memory_format=None):
    """The tensor itself if it is contiguous, else a contiguous copy."""
    return self if is_contiguous(self) else ops.clone(self, memory_format="contiguous")


@function(function=False)
def is_contiguous(self, memory_format=None):
    """Whether the elements lie in storage without gaps, in row-major order."""
    return self._array.__class__ is not ndarray or self._array.flags.c_contiguous


@function(function=False)
def stride(self, dim=None):
    """The step in storage, in elements, from one element to the next along each dimension, or along *dim*."""
    array = self._array
    shape = array.shape
    strides, following = [], 1
    for n, step in zip(reversed(shape), reversed(array.strides), strict=True):
        # NumPy's stride is arbitrary for a dimension of length one and in an empty array
        step = following if not array.size or n == 1 and not step else step // array.itemsize
        strides.insert(0, step)
        following = step * max(n, 1)
    return tuple(strides) if dim is None else strides[wrap_dim(dim, len(shape))]


@function(function=False)
def storage_offset(self):
    """How many elements of storage come before the first of this tensor."""
    array = self._array
    return (address(array) - address(array.base)) // array.itemsize if isinstance(array.base, ndarray) else 0


@function(function=False)
def data_ptr(self):
    """The address in memory of the first element, 0 if there is none."""
    self._share()
    return address(self._array) if self._array.size else 0


@row(node_name="CopyBackwards", broadcasts=True, may_overlap="itself",
     self=lambda grad: zeros_like(grad), src=lambda grad: grad)  # fmt: skip
def copy(self, src):
    """*src* in the shape and dtype of *self*; both stay as they are."""
    if self is None:
        return np.array(src)
    shape = broadcast_shape(np.shape(self), np.shape(src))
    return (src if np.shape(src) == shape else np.broadcast_to(src, shape)).astype(self.dtype)


@internal
def copied(tensor):
    """A copy whose node is that of copying into a new tensor."""
    return run_row("copy", None, tensor)


@function
def copy_(self, other, non_blocking=False):
    """Write the elements of *other*, broadcast and cast, into this tensor."""
    other = other if isinstance(other, Tensor) else ops.tensor(other)
    return change_by_row("copy", self, other)


@row("fill.Scalar", node_name="FillBackward2", may_overlap=True, writes=True, self=lambda grad: zeros_like(grad))
def fill_with_number(self, value):
    """All elements set to a Python number."""
    self[...] = in_range(value, self.dtype)


@row("fill.Tensor", formula="fill_with_tensor", node_name="FillBackward3",
     broadcasts=True, reads_overwritten=True, writes=True,
     self=lambda grad: zeros_like(grad), value=lambda grad: grad)  # fmt: skip
def fill_with_tensor(self, value):
    """All elements set to the element of a 0-d tensor."""
    if value.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    self[...] = value


@function
def fill_(self, value):
    """Set all elements to *value*, a number or 0-d tensor.

    >>> import autograd_nb as torch
    >>> torch.zeros(2).fill_(3)
    tensor([3., 3.])
    """
    if isinstance(value, Tensor):
        return change_by_row("fill.Tensor", self, value)
    in_range(value, self._array.dtype)
    return change_by_row("fill.Scalar", self, value)


@function(function=False)
def fill_diagonal_(self, fill_value):
    """Set the elements whose indices are all alike to a number."""
    if self.dim() < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.dim() > 2 and len({*self.shape}) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    part = self
    while part.dim() > 1:
        part = part.diagonal()
    part.fill_(fill_value)
    return self


@row(may_overlap=True, writes=True, self=lambda grad: zeros_like(grad))
def zero(self):
    """All elements set to zero."""
    self[...] = 0


@function
def zero_(self):
    """Set all elements to zero."""
    return change_by_row("zero", self)


def masked(self, mask, value):
    """A copy with *value* where *mask* is true; RuntimeError for a mask that is not bool or a value that is not 0-d."""
    if mask.dtype != bool:
        name = dtypes.BY_NUMPY[mask.dtype].cpp_name
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {name}")
    if np.ndim(value):
        raise RuntimeError("masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                           f"{np.ndim(value)} dimension(s).")
    broadcast_shape(np.shape(mask), np.shape(self))
    return np.asarray(np.where(mask, np.asarray(value).astype(self.dtype), self), order="C")


row("masked_fill.Scalar", tensors=("mask",), broadcasts=True, may_overlap=True,
    self=lambda grad, mask: where_unmasked(grad, mask))(masked)  # fmt: skip
row("masked_fill.Tensor", tensors=("mask",), node_name="MaskedFillBackward1", broadcasts=True, may_overlap=True,
    reads_overwritten=True,
    self=lambda grad, mask: where_unmasked(grad, mask),
    value=lambda grad, mask: where(mask, grad, zeros_like(grad)))(masked)  # fmt: skip


@choice
def masked_fill(self, mask, value):
    """A copy with *value* where *mask* (broadcast) is true.

    >>> import autograd_nb as torch
    >>> torch.tensor([1, 2]).masked_fill(torch.tensor([True, False]), 0)
    tensor([0, 2])
    """
    if isinstance(value, Tensor):
        return "masked_fill.Tensor", (self, mask, value)
    in_range(value, self._array.dtype)
    return "masked_fill.Scalar", (self, mask, value)


@function
def detach(self):
    """The same elements outside the graph: shares storage and version counter, does not require grad.

    >>> import autograd_nb as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> x.detach().requires_grad
    False
    """
    counter = self._share()
    detached = wrap(self._array, self._dtype)
    detached._counter = counter
    if self._inference:
        detached._inference = True
    if state.listeners:
        notify(events.Operation, ops.detach, None, [self], [detached], False)
    return detached


@function
def detach_(self):
    """Detach this tensor itself: it becomes a leaf that does not require grad.  RuntimeError for a view."""
    if state.inference:
        return self  # PyTorch leaves it as it is
    if self._view is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
            "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
            "detach_() cannot be called on these gradients. To fix this error, please refer to the "
            "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
        )
    node, _ = node_of_edge(self._node)
    if node.__class__ is AccumulateGrad:
        self.requires_grad = False
    elif node is not None:
        if self._inactive is not None:
            extras_of(self._inactive).inactive = True  # a leaf again
        self._share()  # nodes that saved it check tensors with a counter
        self._detached = next_sequence_number()
        if node.extras is not None:  # hooks stay with the tensor, in case it requires grad again
            self._inactive = AccumulateGrad(self)
            self._inactive.extras = duplicate(node.extras)
    self._node = None
    return self
