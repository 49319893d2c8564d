"""Where a tensor's elements lie in storage, and the copies and views that follow from it: clone, contiguous, detach.

Here too is how a view whose base was changed in place reads its gradient off the base (AsStridedBackward0).
"""

import numpy as np

from ..engine import dtypes
from ..engine.call import operation
from ..engine.modes import state, tell_operation
from ..engine.table import ops, tensor_names
from ..engine.tensor import ndarray, wrap
from ..engine.views import Geometry, address, strided
from .checks import wrap_dim
from .public import public, row


def spread(grad, geometry):
    """Zeros of the base's shape with the gradient added where the view shows its elements."""
    whole, part = geometry.lay(dtype=grad.dtype)
    if geometry.overlaps():
        np.add.at(whole.base, places(geometry, whole), grad)
    else:
        part[...] = grad
    return whole


def places(geometry, whole):
    """Where in storage the view shows its elements."""
    return strided(np.arange(whole.base.size), *geometry.known[1])


def spread_tensor(grad, geometry):
    """The same step by step, as PyTorch's graph shows it: into a storage, of which the result is a view."""
    whole, part = geometry.lay(dtype=grad._array.dtype)
    for dim in reversed(range(part.ndim)):
        if part.shape[dim] == 1:
            grad = ops.squeeze(grad, dim)
    part = part.squeeze()
    storage = wrap(whole.base, grad._dtype)
    if geometry.overlaps():
        index = wrap(places(geometry, whole).reshape(-1), dtypes.int64)
        storage = ops.index_add(storage, 0, index, ops.reshape(grad, (-1,)))
        storage._share()
        whole = strided(storage._array, *geometry.known[0])
    else:
        ops.copy_(ops.strided_view(storage, Geometry(storage._array, part), part), grad)
    return ops.strided_view(storage, Geometry(storage._array, whole), whole)


tensor_names["spread"] = spread_tensor


@row("strided_view", view=True, node_name="AsStridedBackward0", self=lambda grad, geometry: spread(grad, geometry))
def strided_view(self, geometry, view):
    """The NumPy array *view* on this tensor's storage."""
    return view


@row("zeros_of")
def zeros_of(self, shape):
    """Zeros of *shape* in the dtype of this tensor."""
    return np.zeros(shape, self.dtype)[()]


@operation("clone", self=lambda grad: grad)
def clone(self, *, memory_format=None):
    """A copy that gradients flow through.

    >>> import autograd_nb as torch
    >>> x = torch.tensor([1., 2.])
    >>> y = x.clone()
    >>> x.mul_(2), y
    (tensor([2., 4.]), tensor([1., 2.]))
    """
    return np.array(self, order="C" if memory_format == "contiguous" else "K")


@public("contiguous", function=False)
def _contiguous(self, memory_format=None):
    """The tensor itself if its elements lie in order, else a copy in which they do."""
    return self if _is_contiguous(self) else ops.clone(self, memory_format="contiguous")


@public("is_contiguous", function=False)
def _is_contiguous(self, memory_format=None):
    """Whether the elements lie in storage one after the other, the last dimension running fastest."""
    return self._array.__class__ is not ndarray or self._array.flags.c_contiguous


@public("stride", function=False)
def _stride(self, dim=None):
    """How many elements of storage lie between neighbours along each dimension, or along *dim*."""
    array = self._array
    shape = array.shape
    strides, following = [], 1
    for n, step in zip(reversed(shape), reversed(array.strides), strict=True):
        # NumPy leaves open what a dimension of length one, or of an empty array, steps over
        step = following if not array.size or n == 1 and not step else step // array.itemsize
        strides.insert(0, step)
        following = step * max(n, 1)
    return tuple(strides) if dim is None else strides[wrap_dim(dim, len(shape))]


@public("storage_offset", function=False)
def _storage_offset(self):
    """How many elements of storage come before the first of this tensor."""
    array = self._array
    return (address(array) - address(array.base)) // array.itemsize if isinstance(array.base, ndarray) else 0


@public("data_ptr", function=False)
def _data_ptr(self):
    """The address in memory of the first element, 0 if there is none."""
    self._share()
    return address(self._array) if self._array.size else 0


@public("detach")
def _detach(self):
    """The same elements out of the graph: shares storage and version counter, requires no grad.

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
        tell_operation(ops.detach, None, [self], [detached])
    return detached
