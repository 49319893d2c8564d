"""Making tensors: from data, and filled.

A function here makes an array; what all of them share, the decorator :func:`creates` adds.
"""

import numpy as np

from ..engine import dtypes
from ..engine.modes import state
from ..engine.table import tensor_argument
from ..engine.tensor import Tensor, ndarray, wrap
from ..engine.warning import warn, warn_once
from .arguments import creates, held, int_argument, made, number_argument
from .nested import array_of, cast, numpy_dtype

# -- from data -------------------------------------------------------------------------------------------------------

COPY_WARNING = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor)."
)


def copied(data, dtype, name):
    """A new array of the elements of *data*."""
    if isinstance(data, Tensor):
        warn(COPY_WARNING.format(name))
        return cast(data._array, dtype or data._dtype, copy=True)
    return array_of(data, dtype)[0]


@creates
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A new tensor with a copy of *data*: a number, nested sequences, an array.

    Python floats become the default dtype, ints int64, bools bool; arrays keep their dtype.  ValueError for sequences
    of unequal lengths, TypeError or RuntimeError for what is no number.

    >>> import autograd_nb as torch
    >>> torch.tensor([[1., 2.], [3., 4.]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    return copied(data, dtype, "torch.tensor")


@creates
def as_tensor(data, dtype=None, device=None):
    """*data* as a tensor: itself if it is one of that dtype; an array of that dtype shares its memory.

    >>> import autograd_nb as torch
    >>> torch.as_tensor([1, 2])
    tensor([1, 2])
    """
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, ndarray) and (dtype is None or dtype is numpy_dtype(data)):
        return from_numpy(data)
    return array_of(data, dtype)[0]


@creates
def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=None):
    """*obj* as a tensor that shares its memory where it can, unless ``copy=True``.

    ValueError when ``copy=False`` and sharing is impossible.

    >>> import autograd_nb as torch
    >>> torch.asarray([1., 2.], requires_grad=True)
    tensor([1., 2.], requires_grad=True)
    """
    shares = isinstance(obj, Tensor | ndarray)
    found = (obj._dtype if isinstance(obj, Tensor) else numpy_dtype(obj)) if shares else None
    if copy is False and not shares:
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    if copy is False and dtype not in (None, found):
        raise ValueError(f"can't alias tensor with dtype '{found.legacy_name}' into dtype '{dtype.legacy_name}'.")
    if isinstance(obj, Tensor) and requires_grad is None and obj.requires_grad:
        warn_once("torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
                  "requires_grad=False explicitly to get the old behavior and silence this warning.")
        return obj.to(dtype or found, copy=bool(copy))
    if not shares or copy or dtype not in (None, found):
        source = obj._array if isinstance(obj, Tensor) else obj
        return made(array_of(source, dtype)[0], bool(requires_grad))
    result = obj.detach() if isinstance(obj, Tensor) else from_numpy(obj)
    return result.requires_grad_(bool(requires_grad))


@creates
def from_numpy(ndarray):
    """A tensor on the memory of a NumPy array: what is written into one shows in the other.

    NumPy's writes are not counted as changes in place.  TypeError for anything but an array of a dtype that tensors
    have, ValueError for one with its elements in reverse.

    >>> import numpy as np, autograd_nb as torch
    >>> array = np.array([1, 2])
    >>> x = torch.from_numpy(array)
    >>> array[0] = 7
    >>> x
    tensor([7, 2])
    """
    if not isinstance(ndarray, np.ndarray):
        kind = type(ndarray)
        full = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
        raise TypeError(f"expected np.ndarray (got {full})")
    dtype = numpy_dtype(ndarray)
    if any(stride < 0 for stride in ndarray.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
    if not ndarray.flags.writeable:
        warn_once(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
            "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
            "data or make it writable before converting it to a tensor. This type of warning will be suppressed for "
            "the rest of this program."
        )
    shared = wrap(np.asarray(ndarray), dtype)
    if state.inference:
        shared._mark_inference()
    return shared


@creates
def scalar_tensor(s, *, dtype=None, device=None, requires_grad=False):
    """A 0-d tensor of the number *s*, in the default dtype unless given.

    >>> import autograd_nb as torch
    >>> torch.scalar_tensor(3)
    tensor(3.)
    """
    return held(number_argument("scalar_tensor", "s", 1, s), dtype or dtypes.get_default_dtype())


# -- filled ----------------------------------------------------------------------------------------------------------


@creates
def zeros(*size, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor of zeros, of the shape *size*: numbers, or one tuple of them.

    >>> import autograd_nb as torch
    >>> torch.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    return np.zeros(size, (dtype or dtypes.get_default_dtype()).numpy)


@creates
def ones(*size, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor of ones, of the shape *size*: numbers, or one tuple of them.

    >>> import autograd_nb as torch
    >>> torch.ones(3, dtype=torch.int64)
    tensor([1, 1, 1])
    """
    return np.ones(size, (dtype or dtypes.get_default_dtype()).numpy)


@creates
def empty(*size, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, memory_format=None):
    """A tensor of the shape *size* with whatever elements the memory holds.

    >>> import autograd_nb as torch
    >>> torch.empty(2, 0).shape
    torch.Size([2, 0])
    """
    return np.empty(size, (dtype or dtypes.get_default_dtype()).numpy)


@creates
def full(size, fill_value, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor of the shape *size* (a tuple) whose elements are all *fill_value*, a number, which decides the dtype.

    >>> import autograd_nb as torch
    >>> torch.full((2,), 3.)
    tensor([3., 3.])
    """
    value = number_argument("full", "fill_value", 2, fill_value)
    dtype = dtype or dtypes.of_number(value)
    return np.full(size, held(value, dtype))


@creates
def eye(n, m=None, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The identity matrix of *n* rows and *m* (or *n*) columns.

    >>> import autograd_nb as torch
    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    n = int_argument("eye", "n", 1, n)
    m = n if m is None else int_argument("eye", "m", 2, m)
    for name, length in (("n", n), ("m", m)):
        if length < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {length}")
    return np.eye(n, m, dtype=(dtype or dtypes.get_default_dtype()).numpy)


@creates
def zeros_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    """Zeros of the shape, and unless given the dtype, of *input*.

    >>> import autograd_nb as torch
    >>> torch.zeros_like(torch.tensor([1, 2]))
    tensor([0, 0])
    """
    return np.zeros_like(tensor_argument(input, "zeros_like")._array, dtype and dtype.numpy)


@creates
def ones_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    """Ones of the shape, and unless given the dtype, of *input*.

    >>> import autograd_nb as torch
    >>> torch.ones_like(torch.tensor([5., 6.]))
    tensor([1., 1.])
    """
    return np.ones_like(tensor_argument(input, "ones_like")._array, dtype and dtype.numpy)


@creates
def empty_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    """A tensor of the shape, and unless given the dtype, of *input*, with whatever elements the memory holds.

    >>> import autograd_nb as torch
    >>> torch.empty_like(torch.ones(2, 3)).shape
    torch.Size([2, 3])
    """
    return np.empty_like(tensor_argument(input, "empty_like")._array, dtype and dtype.numpy)


@creates
def full_like(input, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    """*fill_value* in the shape, and unless given the dtype, of *input*.

    >>> import autograd_nb as torch
    >>> torch.full_like(torch.ones(2), 3)
    tensor([3., 3.])
    """
    value = number_argument("full_like", "fill_value", 2, fill_value)
    dtype = dtype or tensor_argument(input, "full_like")._dtype
    return np.full_like(input._array, held(value, dtype), dtype.numpy)


@creates
def new_zeros(self, *size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """Zeros of the shape *size* and this tensor's dtype.

    >>> import autograd_nb as torch
    >>> torch.tensor([1, 2]).new_zeros(3)
    tensor([0, 0, 0])
    """
    return np.zeros(size, (dtype or self._dtype).numpy)


@creates
def new_ones(self, *size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """Ones of the shape *size* and this tensor's dtype."""
    return np.ones(size, (dtype or self._dtype).numpy)


@creates
def new_empty(self, *size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A tensor of the shape *size* and this tensor's dtype, with whatever elements the memory holds."""
    return np.empty(size, (dtype or self._dtype).numpy)


@creates
def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """*fill_value* in the shape *size* and this tensor's dtype."""
    return np.full(size, held(number_argument("new_full", "fill_value", 2, fill_value), dtype or self._dtype))


@creates
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A copy of *data* in this tensor's dtype."""
    return copied(data, dtype or self._dtype, "tensor.new_tensor")
