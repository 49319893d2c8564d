"""From tensors to text, numbers, NumPy arrays and other dtypes."""

import numpy as np

from . import dtypes, printing
from .derivatives.checks import wrap_dim
from .devices import CPU, device, require_cpu, strided
from .dispatch import functions, methods, publish_call
from .nested import SCALAR_WARNING, cast
from .tensors import Size, Tensor, ndarray, wrap
from .warning import warn_once


def method(function):
    """Decorate a function to be a method of Tensor under its own name."""
    methods[function.__name__] = function
    return function


def attribute(function):
    """Decorate a function to be a property of Tensor that can only be read."""
    methods[function.__name__] = property(function)
    return function


# -- text ------------------------------------------------------------------------------------------------------------


@method
def __repr__(self, *, tensor_contents=None):
    cls, node = type(self), self.grad_fn
    return printing.tensor_text(
        self._array, self._dtype, requires_grad=self.requires_grad, grad_fn=node and type(node).__name__,
        prefix="tensor(" if cls is Tensor or cls.__name__ == "Parameter" else f"{cls.__name__}(",
    )  # fmt: skip


@method
def __format__(self, format_spec):
    return printing.format_item(self._array, format_spec, self, plain=type(self) is Tensor)


# -- Python numbers --------------------------------------------------------------------------------------------------


@method
def item(self):
    """The only element as a Python number; RuntimeError when there are more or none.

    >>> import autograd_nb as torch
    >>> torch.tensor([2.5]).item()
    2.5
    """
    if self._array.size != 1:
        raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
    return self._array.item()


@method
def tolist(self):
    """The elements as nested lists of Python numbers; a number for a 0-d tensor.

    >>> import autograd_nb as torch
    >>> torch.arange(4).reshape(2, 2).tolist()
    [[0, 1], [2, 3]]
    """
    return self._array.tolist()


def only_element(self):
    if self._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return self._array.item()


@method
def __float__(self):
    if self.requires_grad:
        warn_once(SCALAR_WARNING)
    return float(only_element(self))


@method
def __complex__(self):
    if self.requires_grad:
        warn_once(SCALAR_WARNING)
    return complex(only_element(self))


@method
def __int__(self):
    return int(only_element(self))


@method
def __index__(self):
    if self._array.size != 1 or self._dtype.is_floating_point:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._array.item())


@method
def __bool__(self):
    size = self._array.size
    if size != 1:
        raise RuntimeError(f"Boolean value of Tensor with {'more than one value' if size else 'no values'} is ambiguous")
    return bool(self._array.item())


# -- NumPy -----------------------------------------------------------------------------------------------------------


@method
def numpy(self, *, force=False):
    """The elements as a NumPy array on the same memory; what is written there is not counted as a change in place.

    RuntimeError for a tensor that requires grad, unless *force*.

    >>> import autograd_nb as torch
    >>> torch.tensor([1., 2.]).numpy()
    array([1., 2.], dtype=float32)
    """
    if self.requires_grad and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if self._array.__class__ is not ndarray:
        self._share()
    return self._array


@method
def __array__(self, dtype=None, copy=None):
    array = self.numpy()
    return array if dtype is None and copy is not True else np.array(array, dtype, copy=copy)
