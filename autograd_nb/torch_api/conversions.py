"""Tensors as text, numbers, NumPy arrays and other dtypes; Python's copy and pickle."""

from copy import deepcopy

import numpy as np

from ..engine import dtypes
from ..engine.modes import is_grad_enabled
from ..engine.table import ops
from ..engine.tensor import Tensor, ndarray, new
from .arguments import dtype_argument
from .devices import require_cpu
from .from_data import from_numpy
from .inquiries import method, short
from .nested import number, only_element, read
from .printing import tensor_text


@method
def __repr__(self, *, tensor_contents=None):
    cls = self.__class__
    try:
        node = self.grad_fn
        name = node and node.__class__.__name__
    except RuntimeError:  # a view whose history was lost by a change to its base can still be printed
        name = "Invalid"
    prefix = "tensor(" if cls is Tensor or cls.__name__ == "Parameter" else f"{cls.__name__}("
    return tensor_text(self._array, self._dtype, requires_grad=self.requires_grad, grad_fn=name, prefix=prefix)


@method
def __format__(self, format_spec):
    if self.__class__ is Tensor and not self._array.ndim:
        return self._array.item().__format__(format_spec)  # with all digits of item()
    return object.__format__(self, format_spec)


@method
def item(self):
    """The only element as a Python number; RuntimeError if there are more or none."""
    if self._array.size != 1:
        raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
    return read(self, "item").item()


@method
def __float__(self):
    return float(number(self, "float"))


@method
def __index__(self):
    if self._array.size != 1 or self._dtype.is_floating_point:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._array.item())


@method
def __bool__(self):
    size = self._array.size
    if size != 1:
        count = "more than one value" if size else "no values"
        raise RuntimeError(f"Boolean value of Tensor with {count} is ambiguous")
    return bool(self._array.item())


@method
def numpy(self, *, force=False):
    """A NumPy array that shares the tensor's memory; writing to it does not count as an in-place change.

    >>> import autograd_nb as torch
    >>> torch.tensor([1., 2.]).numpy()
    array([1., 2.], dtype=float32)
    """
    if self.requires_grad and not force and is_grad_enabled():
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if self._array.__class__ is not ndarray:
        self._share()
    return read(self, "numpy").view()  # the caller may change its shape and flags


@method
def __array__(self, dtype=None, copy=None):
    array = self.numpy()
    return array if dtype is None and copy is not True else np.array(array, dtype, copy=copy)


@method
def __array_wrap__(self, array, context=None, return_scalar=False):
    return from_numpy(np.asarray(array))


def converted(self, dtype, copy=False):
    return ops._to_copy(self, dtype, self._dtype) if copy or dtype is not self._dtype else self


@method
def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None):
    """This tensor in another dtype: ``to(dtype)``, ``to(device, dtype)``, ``to(other)``; itself if nothing changes.

    >>> import autograd_nb as torch
    >>> torch.tensor([1, 2]).to(torch.float64)
    tensor([1., 2.], dtype=torch.float64)
    """
    for each in args:
        is_dtype = isinstance(each, Tensor | dtypes.dtype) or each in (bool, int, float)
        if is_dtype and dtype is not None:
            raise TypeError("to() received an invalid combination of arguments - got dtype twice")
        if is_dtype:
            dtype = each._dtype if isinstance(each, Tensor) else each
        else:
            device = each
    require_cpu(device)
    return converted(self, self._dtype if dtype is None else dtype_argument("to", dtype), copy)


@method
def type(self, dtype=None, non_blocking=False):
    """The name of this tensor's type, such as ``torch.FloatTensor``; given a dtype, such a name or
    such a class, the tensor converted to it."""
    if dtype is None:
        return f"torch.{self._dtype.legacy_name}Tensor"
    if isinstance(dtype, str):
        named = [each for each in dtypes.ALL if dtype == f"torch.{each.legacy_name}Tensor"]
        if not named:
            raise ValueError(f"invalid type: '{dtype}'")
        (dtype,) = named
    return converted(self, dtype_argument("type", getattr(dtype, "dtype", dtype)))


def converter(dtype):
    return lambda self, memory_format=None: converted(self, dtype)


short(
    ("type_as", lambda self, other: converted(self, other._dtype),
     "This tensor in the dtype of *other*."),
    *[(name, converter(dtype),
       f"This tensor in dtype {dtype!r}; itself if it is of that dtype already.") for name, dtype in (
        ("bool", dtypes.bool), ("half", dtypes.half), ("float", dtypes.float), ("double", dtypes.double),
        ("short", dtypes.short), ("int", dtypes.int), ("long", dtypes.long), ("char", dtypes.int8),
        ("byte", dtypes.uint8))],
    ("cuda", lambda self, device=None, non_blocking=False, memory_format=None: require_cpu("cuda"),
     "AssertionError: there is no CUDA device."),
    ("__int__", lambda self: int(only_element(self, "int")), ""),
)  # fmt: skip

# -- copies: deep ones of leaves only; a pickle keeps no graph --------------------------------------------------------

# the engine's own entries in a tensor's __dict__
STATE = ("_view", "_kept_grad", "_inactive", "_inference", "_detached")


def attributes(tensor):
    return {name: value for name, value in tensor.__dict__.items() if name not in STATE}


def rebuild(cls, array, dtype, requires_grad, given):
    """A leaf of class *cls* with these elements; unpickling calls this."""
    tensor = new(cls)
    tensor._array, tensor._dtype, tensor._node, tensor._counter = array, getattr(dtypes, dtype), None, None
    for name, value in given.items():
        setattr(tensor, name, value)
    if requires_grad:
        tensor.requires_grad = True
    return tensor


@method
def __reduce_ex__(self, protocol):
    return rebuild, (self.__class__, self._array, self._dtype.name, self.requires_grad, attributes(self))


@method
def __deepcopy__(self, memo):
    if not self.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
                           "at the moment.  If you were attempting to deepcopy a module, this may be because of a "
                           "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001")
    if id(self) in memo:
        return memo[id(self)]
    twin = rebuild(self.__class__, self._array.copy(), self._dtype.name, self.requires_grad, {})
    twin._share().version = 1  # PyTorch sets the copied storage on an empty tensor, which counts as a change
    memo[id(self)] = twin
    twin.__dict__.update(deepcopy(attributes(self), memo))
    twin.grad = deepcopy(self.grad, memo)
    return twin
