"""Writing over a tensor: copy_, fill_, zero_, masked_fill; and detach_, which cuts the tensor off its history."""

from copy import copy as copied

import numpy as np

from ..engine import dtypes
from ..engine.call import apply
from ..engine.dtypes import CPP_NAMES, as_scalar
from ..engine.graph import extras_of, next_sequence_number
from ..engine.inplace import in_place
from ..engine.modes import state
from ..engine.table import composite, operations, ops
from ..engine.tensor import AccumulateGrad, Tensor
from .carriers import masked_fill, where, zeros_like
from .checks import broadcast_shape
from .public import chosen, public, row


@row("copy", tensors=("self", "src"), node_name="CopyBackwards", broadcasts=True,
     self=lambda grad: zeros_like(grad), src=lambda grad: grad)  # fmt: skip
def copy(self, src):
    """*src* in the shape and dtype of *self*; both stay as they are."""
    if self is None:
        return np.array(src)
    shape = broadcast_shape(np.shape(self), np.shape(src))
    return (src if np.shape(src) == shape else np.broadcast_to(src, shape)).astype(self.dtype)


composite("copied", method=False, function=False)(  # its node is that of copying into a new tensor
    lambda tensor: apply(operations["copy"], (None, tensor))
)


@public("copy_", function=False)
def _copy_(self, src, non_blocking=False):
    """Write the elements of *src*, broadcast and cast, into this tensor.

    >>> import autograd_nb as torch
    >>> torch.zeros(2, 2).copy_(torch.tensor([1., 2.]))
    tensor([[1., 2.],
            [1., 2.]])
    """
    src = src if isinstance(src, Tensor) else ops.tensor(src)
    return in_place(operations["copy"], (self, src))


@row("fill_with_number", node_name="FillBackward2", self=lambda grad: zeros_like(grad))
def fill_with_number(self, value):
    """A Python number everywhere."""
    return np.full(np.shape(self), value, self.dtype)


@row("fill_with_tensor", tensors=("self", "value"), node_name="FillBackward3", broadcasts=True,
     self=lambda grad: zeros_like(grad), value=lambda grad: grad)  # fmt: skip
def fill_with_tensor(self, value):
    """A 0-d tensor's element everywhere."""
    if np.ndim(value):
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {np.ndim(value)} "
                           "dimensions.")
    return np.full(np.shape(self), value).astype(self.dtype)


@public("fill_", function=False)
def _fill_(self, value):
    """Write *value*, a number or 0-d tensor, everywhere.

    >>> import autograd_nb as torch
    >>> torch.zeros(2).fill_(3)
    tensor([3., 3.])
    """
    if isinstance(value, Tensor):
        return in_place(operations["fill_with_tensor"], (self, value))
    if isinstance(value, float) and self._dtype.category < dtypes.FLOATING:
        value = int(value)
    as_scalar(value, self._dtype)
    return in_place(operations["fill_with_number"], (self, value))


@row("zero", self=lambda grad: zeros_like(grad))
def zero(self):
    """Zeros everywhere."""
    return np.zeros(np.shape(self), self.dtype)


public("zero_", function=False, run=in_place, text="Write zeros everywhere.")(
    lambda self: (operations["zero"], (self,))
)


def masked(self, mask, value):
    """A copy with *value* where *mask* is true; RuntimeError for a mask that is not bool or a value that is not 0-d."""
    if mask.dtype != bool:
        name = CPP_NAMES[mask.dtype.name]
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {name}")
    if np.ndim(value):
        raise RuntimeError("masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                           f"{np.ndim(value)} dimension(s).")
    broadcast_shape(np.shape(mask), np.shape(self))
    return np.asarray(np.where(mask, np.asarray(value).astype(self.dtype), self), order="C")


row("masked_fill_with_number", tensors=("mask",), node_name="MaskedFillBackward0", broadcasts=True,
    self=lambda grad, mask: masked_fill(grad, mask, 0))(masked)  # fmt: skip
row("masked_fill_with_tensor", tensors=("mask",), node_name="MaskedFillBackward1", broadcasts=True,
    self=lambda grad, mask: masked_fill(grad, mask, 0),
    value=lambda grad, mask: where(mask, grad, zeros_like(grad)))(masked)  # fmt: skip


@chosen("masked_fill")
def _masked_fill(self, mask, value):
    """A copy with *value* where *mask* (broadcast) is true.

    >>> import autograd_nb as torch
    >>> x = torch.tensor([1, 2, 3])
    >>> x.masked_fill(x > 1, 0)
    tensor([1, 0, 0])
    """
    row = operations["masked_fill_with_tensor" if isinstance(value, Tensor) else "masked_fill_with_number"]
    return row, (self, mask, value)


@public("detach_")
def _detach_(self):
    """Take this tensor itself out of the graph: it becomes a leaf that requires no grad.  RuntimeError for a view."""
    if state.inference:
        return self  # PyTorch leaves it as it is
    if self._view is not None:
        raise RuntimeError("Can't detach views in-place. Use detach() instead. If you are using "
                           "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, "
                           "gradients are views of DDP buckets, and hence detach_() cannot be called on these "
                           "gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
                           "torch/optim/optimizer.py as the solution.")
    node = self._node
    if node.__class__ is AccumulateGrad:
        self.requires_grad = False
    elif node is not None:
        if self._inactive is not None:
            extras_of(self._inactive).inactive = True  # a leaf again
        self._share()  # so that what saved it before takes a look
        self._detached = next_sequence_number()
        if node.extras is not None:  # hooks stay with the tensor, should it require grad again
            self._inactive = AccumulateGrad(self)
            self._inactive.extras = copied(node.extras)
            self._inactive.extras.inactive = True
    self._node = None
    return self
