"""Views by strides, and copies: where a view's elements lie in storage, as_strided, unfold, clone, contiguous.

What an in-place change needs of a view, taking and putting its part of a gradient, stands here too.
"""

import numpy as np

from ..engine import dispatch, dtypes
from ..engine.dispatch import operation
from ..engine.formulas import tensor_names
from ..engine.geometry import Geometry, address, strided
from ..engine.table import ops
from ..engine.tensor import Tensor, ndarray, wrap
from .checks import as_int, wrap_dim
from .public import public


@operation("view_of", method=False, function=False, node_name="AsStridedBackward0_copy",
           self=lambda grad, geometry: spread(grad, geometry))  # fmt: skip
def view_of(self, geometry):
    """A copy of the elements that a view shows."""
    return geometry.lay(self)[1].copy()


@operation("spread", method=False, function=False, node_name="AsStridedBackwardBackward0",
           self=lambda grad, geometry: view_of(grad, geometry))  # fmt: skip
def spread(self, geometry):
    """Zeros of the base's shape with these elements added where the view shows them."""
    whole, part = geometry.lay(dtype=self.dtype)
    if geometry.overlaps():
        places = strided(np.arange(whole.base.size), *geometry.known[1])
        np.add.at(whole.base, places, self)
    else:
        part[...] = self
    shares = geometry.shares()
    if shares is not None:  # each copy of an element gets its share
        whole.base[...] = whole.base / shares
    return whole


def spread_tensor(grad, geometry):
    """The same step by step, as PyTorch's graph shows it: into a storage, of which the result is a view."""
    if geometry.shares() is not None:
        return ops.spread(grad, geometry)
    whole, part = geometry.lay(dtype=grad._array.dtype)
    for dim in reversed(range(part.ndim)):
        if part.shape[dim] == 1:
            grad = ops.squeeze(grad, dim)
    part = part.squeeze()
    storage = wrap(whole.base, grad._dtype)
    if geometry.overlaps():
        places = strided(np.arange(storage._array.size), *geometry.known[1]).reshape(-1)
        storage = ops.index_add(storage, 0, wrap(places, dtypes.int64), ops.reshape(grad, (-1,)))
        storage._share()
        whole = strided(storage._array, *geometry.known[0])
    else:
        ops.copy_(ops.strided_view(storage, Geometry(storage._array, part), part), grad)
    return ops.strided_view(storage, Geometry(storage._array, whole), whole)


tensor_names["spread"] = spread_tensor


@operation("with_part", tensors=("self", "part"), method=False, function=False, node_name="CopySlices",
           self=lambda grad, part_sym_sizes, geometry: with_part(grad, zeros_of(grad, part_sym_sizes), geometry),
           part=lambda grad, geometry: view_of(grad, geometry))  # fmt: skip
def with_part(self, part, geometry):
    """A copy with the elements that a view shows replaced by *part*."""
    whole, place = geometry.lay(self)
    place[...] = part
    return whole


@operation("zeros_of", method=False, function=False)
def zeros_of(self, shape):
    """Zeros of *shape* in the dtype of this tensor."""
    return np.zeros(shape, self.dtype)[()]


@operation("strided_view", view=True, method=False, function=False, node_name="AsStridedBackward0",
           self=lambda grad, geometry: spread(grad, geometry))  # fmt: skip
def strided_view(self, geometry, view):
    """The NumPy array *view* on this tensor's storage."""
    return view


@public("as_strided")
def _as_strided(self, size, stride, storage_offset=None):
    """A view of the storage with these sizes and strides, counted in elements; where elements overlap, so do writes.

    RuntimeError when it would leave the storage.
    """
    return ops.strided_view(self, *strided_part(self, size, stride, storage_offset))


def strided_part(self, size, stride, storage_offset):
    """Where the elements of storage with these sizes and strides lie, and they themselves."""
    self._share()
    size, stride = tuple(size), tuple(stride)
    array, root = self._array, root_of(self._array)
    offset = offset_of(array) if storage_offset is None else storage_offset
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(step < 0 for step in stride):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}"
        )
    needed = 0 if 0 in size else offset + 1 + sum(step * (n - 1) for step, n in zip(stride, size, strict=True))
    if needed > root.size:
        itemsize = array.itemsize
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize {itemsize} "
            f"requiring a storage size of {needed * itemsize} are out of bounds for storage of size "
            f"{root.size * itemsize}"
        )
    view = strided(root.reshape(-1), size, stride, offset)
    return Geometry(array, view), view


def root_of(array):
    """The array whose memory the array shows, in one dimension."""
    root = array if array.base is None or not isinstance(array.base, ndarray) else array.base
    return root.transpose(sorted(range(root.ndim), key=root.strides.__getitem__, reverse=True)).reshape(-1)


def offset_of(array):
    root = array if array.base is None or not isinstance(array.base, ndarray) else array.base
    return (address(array) - address(root)) // array.itemsize


@operation("unfold", view=True, function=False, self=lambda grad, self_sym_sizes, dimension, size, step:
           unfold_backward(grad, self_sym_sizes, dimension, size, step))  # fmt: skip
def unfold(self, dimension, size, step):
    """All slices of *size* along *dimension*, *step* apart, as a further last dimension; a view.

    >>> import autograd_nb as torch
    >>> torch.tensor([1, 2, 3, 4]).unfold(0, 2, 1)
    tensor([[1, 2],
            [2, 3],
            [3, 4]])
    """
    ndim = np.ndim(self)
    dim = wrap_dim(dimension, ndim)
    shape, strides = list(self.shape) or [1], list(self.strides) or [self.itemsize]
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > shape[dim]:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {shape[dim]} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    windows = np.lib.stride_tricks.as_strided(
        self, [*shape[:dim], (shape[dim] - size) // step + 1, *shape[dim + 1 :], size],
        [*strides[:dim], strides[dim] * step, *strides[dim + 1 :], strides[dim]],
    )  # fmt: skip
    return windows if ndim else windows[0]


@operation("unfold_backward", method=False, function=False,
           self=lambda grad, dim, size, step: unfold(grad, dim, size, step))  # fmt: skip
def unfold_backward(self, input_sizes, dim, size, step):
    """The gradient of :func:`unfold`: what each element got in all slices, summed."""
    total = np.zeros(input_sizes, self.dtype)
    places = unfold(np.arange(total.size).reshape(input_sizes), dim, size, step)
    np.add.at(total.reshape(-1), places, self)
    return total


# -- copies, and what storage looks like -----------------------------------------------------------------------------


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
    return tuple(strides) if dim is None else strides[wrap_dim(as_int(dim, "stride", "dim", 1), len(shape))]


@public("storage_offset", function=False)
def _storage_offset(self):
    """How many elements of storage come before the first of this tensor."""
    return offset_of(self._array) if self._array.__class__ is ndarray else 0


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
    detached = Tensor.__new__(Tensor)
    detached._array, detached._dtype, detached._node = self._array, self._dtype, None
    detached._counter = counter
    if self._inference:
        detached._inference = True
    if dispatch.tell is not None:
        dispatch.tell(ops.detach, None, [self], [detached])
    return detached
