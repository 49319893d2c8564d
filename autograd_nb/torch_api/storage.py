"""The memory behind tensors: what views share, and tensors that are given another part of it, or another piece.

A tensor's storage is the array that owns its memory, here NumPy's.  While somebody holds a storage object it is the
same one for every tensor on that memory.  ``resize_`` and ``set_`` change which memory a tensor shows; they count as
changes in place.
"""

from math import prod
from weakref import WeakValueDictionary

import numpy as np

from ..engine.dispatch import operation, record
from ..engine.dtypes import CPP_NAMES
from ..engine.formulas import tensor_names
from ..engine.geometry import address, strided
from ..engine.modes import state
from ..engine.refusals import INFERENCE_TENSOR, refuse_recorded
from ..engine.table import functions, operations, publish_call, tensor_argument
from ..engine.tensor import Tensor, current_node, ndarray, wrap
from ..engine.warning import warn_once
from ..operations.strides import offset_of, root_of
from .arguments import size_argument
from .devices import CPU

_storages = WeakValueDictionary()  # by the address of their memory, which they keep alive


class UntypedStorage:
    """The bytes behind a tensor and all its views, ``tensor.untyped_storage()``.

    >>> import autograd_nb as torch
    >>> x = torch.tensor([1., 2., 3.])
    >>> x.untyped_storage().nbytes(), x.untyped_storage() == x[1:].untyped_storage()
    (12, True)
    """

    device, is_cuda = CPU, False

    def __init__(self, root):
        self._bytes = root.view(np.uint8) if root.size else np.zeros(0, np.uint8)

    def data_ptr(self):
        """The address in memory of the first byte."""
        return address(self._bytes) if self._bytes.size else 0

    def __eq__(self, other):
        return self is other or isinstance(other, UntypedStorage) and self.data_ptr() == other.data_ptr() != 0

    __hash__ = data_ptr

    def nbytes(self):
        """How many bytes there are; so do ``size()`` and ``len()`` say."""
        return self._bytes.size

    size = __len__ = nbytes

    def element_size(self):
        return 1

    def tolist(self):
        """The bytes as ints."""
        return self._bytes.tolist()

    def __getitem__(self, index):
        return self._bytes[index].item()

    def fill_(self, value):
        """Write *value* into every byte."""
        self._bytes[...] = value
        return self

    def __repr__(self):
        lines = "".join(f" {byte}\n" for byte in self.tolist())
        return f"{lines}[torch.storage.UntypedStorage(device=cpu) of size {len(self)}]"

    def _elements(self, dtype, count):
        """The bytes as a flat array of *dtype*, in more memory if they are too few for *count* elements."""
        missing = count * dtype.itemsize - self._bytes.size
        if missing > 0:
            self._bytes = np.concatenate([self._bytes, np.zeros(missing, np.uint8)])
        whole = self._bytes.size // dtype.itemsize
        return self._bytes[: whole * dtype.itemsize].view(dtype.numpy)


class TypedStorage:
    """The elements behind a tensor, ``tensor.storage()``; old, as it says when it is first asked for."""

    def __init__(self, untyped, dtype):
        self._untyped, self.dtype = untyped, dtype

    def untyped(self):
        """The same memory in bytes."""
        return self._untyped

    def data_ptr(self):
        """The address in memory of the first element."""
        return self._untyped.data_ptr()

    def nbytes(self):
        """How many bytes there are."""
        return self._untyped.nbytes()

    def size(self):
        """How many elements there are; so does ``len()`` say."""
        return self._untyped.nbytes() // self.dtype.itemsize

    __len__ = size

    def tolist(self):
        """The elements as numbers."""
        return self._untyped._elements(self.dtype, 0).tolist()

    def __getitem__(self, index):
        return self.tolist()[index]

    def __setitem__(self, index, value):
        self._untyped._elements(self.dtype, 0)[index] = value

    def __repr__(self):
        lines = "".join(f" {each}\n" for each in self.tolist())
        return f"{lines}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {len(self)}]"


UntypedStorage.__module__ = TypedStorage.__module__ = "torch.storage"


def storage_of(array):
    root = root_of(array)
    storage = _storages.get(address(root)) if root.size else None
    if storage is None:
        storage = UntypedStorage(root)
        if root.size:
            _storages[address(root)] = storage
    return storage


def method(call):
    return publish_call(call.__name__, call, function=False)


@method
def untyped_storage(self):
    """The memory behind this tensor: one object for all tensors that share it.

    >>> import autograd_nb as torch
    >>> x = torch.ones(2, 3)
    >>> x.untyped_storage() == x.t().untyped_storage(), x.untyped_storage() == x.clone().untyped_storage()
    (True, False)
    """
    self._share()
    return storage_of(self._array)


@method
def storage(self):
    """The elements behind this tensor; PyTorch calls :meth:`untyped_storage` the one to use."""
    warn_once(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
        "class. This should only matter to you if you are using storages directly.  To access UntypedStorage directly, "
        "use tensor.untyped_storage() instead of tensor.storage()"
    )
    return TypedStorage(untyped_storage(self), self._dtype)


@method
def is_set_to(self, tensor):
    """Whether the other tensor shows the very same elements of the same storage.

    >>> import autograd_nb as torch
    >>> x = torch.ones(4)
    >>> x.is_set_to(x.detach()), x.is_set_to(x[1:])
    (True, False)
    """
    tensor_argument(tensor, "is_set_to", "tensor", 1)
    a, b = self._array, tensor._array
    if a.__class__ is not ndarray or b.__class__ is not ndarray:
        return self is tensor
    same = a.shape == b.shape and a.strides == b.strides and address(a) == address(b)
    return same and (a.size > 0 or self is tensor)


# -- other memory for a tensor ---------------------------------------------------------------------------------------


def row_major(size):
    """The strides of elements that lie one after the other."""
    return tuple(prod(max(length, 1) for length in size[place:]) for place in range(1, len(size) + 1))


def part_of(storage, dtype, offset, size, stride):
    """The elements of *storage*, which grows if it has too few, from *offset* on with these sizes and strides."""
    count = 0 if 0 in size else offset + 1 + sum(step * (n - 1) for n, step in zip(size, stride, strict=True))
    return strided(storage._elements(dtype, count), size, stride, offset)


def changed(self, array, node=None):
    """Let the tensor show *array*; a change in place."""
    counter = self._share()
    if self._inference and not state.inference:
        raise RuntimeError(INFERENCE_TENSOR)
    if node is not None:
        self._node = node
    counter.version += 1
    if self._view is not None:
        self._view.version = counter.version
    self._set_array(array)
    return self


@method
def resize_(self, *size, memory_format=None, **kwargs):
    """Give this tensor another shape and, if that has more elements, more memory; it shows its first elements in order.

    What is new is not initialised.  RuntimeError for a tensor that requires grad.

    >>> import autograd_nb as torch
    >>> torch.arange(6).resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    try:
        size = size_argument("resize_", size, kwargs)
    except RuntimeError:
        raise RuntimeError("numel: integer multiplication overflow") from None
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    self._share()
    array = self._array
    if array.shape == size:
        return self
    return changed(self, part_of(storage_of(array), self._dtype, offset_of(array), size, row_major(size)))


@method
def resize_as_(self, the_template, *, memory_format=None):
    """:meth:`resize_` to the shape of another tensor."""
    return resize_(self, tensor_argument(the_template, "resize_as_", "the_template")._array.shape)


def no_derivative_of_set():
    raise RuntimeError("derivative for set_ is not implemented")


tensor_names["no_derivative_of_set"] = no_derivative_of_set


@operation("set_source", tensors=("self", "source"), method=False, function=False, node_name="NotImplemented",
           no_forward="aten::set_", self=lambda grad: no_derivative_of_set(),
           source=lambda grad: no_derivative_of_set())  # fmt: skip
def set_source(self, source):
    """The elements of *source*, in place of the tensor's own."""
    return source


@method
def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Let this tensor show the memory of *source*, a tensor or storage, or none at all.

    With a *size* it shows that many elements from *storage_offset* on, in order unless a *stride* is given.  From then
    on both share what they show, but each counts its own versions.  It has no derivative.  RuntimeError for a tensor of
    another dtype and for a leaf that requires grad.

    >>> import autograd_nb as torch
    >>> x, y = torch.zeros(3), torch.ones(2)
    >>> x.set_(y)
    tensor([1., 1.])
    """
    if isinstance(source, TypedStorage):
        source = source.untyped()
    if not isinstance(source, (Tensor, UntypedStorage, type(None))):
        raise TypeError(f"set_(): argument 'source' (position 1) must be Tensor, not {type(source).__name__}")
    of_tensor = isinstance(source, Tensor)
    if of_tensor and source._dtype is not self._dtype:
        raise RuntimeError(f"Could not set tensor of type {CPP_NAMES[source._dtype.name]} to a tensor of type "
                           f"{CPP_NAMES[self._dtype.name]}")
    edges = [current_node(each) if isinstance(each, Tensor) else None for each in (self, source)]
    recording = state.grad_enabled and any(edge is not None for edge in edges)
    if recording:
        refuse_recorded(self, self._view)
    storage = UntypedStorage(np.zeros(0)) if source is None else untyped_storage(source) if of_tensor else source
    if of_tensor and size is None:
        array = source._array
    else:
        count = storage.nbytes() // self._dtype.itemsize
        size = (count,) if size is None else tuple(size)
        stride = row_major(size) if stride is None else tuple(stride)
        check_part(storage_offset, size, stride)
        array = part_of(storage, self._dtype, storage_offset, size, stride)
    node = None
    if recording:
        output = wrap(array, self._dtype)
        node = record(operations["set_source"], (self, source if of_tensor else None), edges, (output,))
    return changed(self, array, node)


def check_part(offset, size, stride):
    """RuntimeError for sizes and strides that are none."""
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if len(size) != len(stride):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(stride)})")
    if any(step < 0 for step in stride):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")


functions.update(UntypedStorage=UntypedStorage, TypedStorage=TypedStorage)
