"""Making tensors: from data, and filled.

A function here makes an array; what all of them share, the decorator :func:`creates` adds.
"""

import numpy as np

from ..engine import dtypes
from ..engine.dtypes import as_scalar
from ..engine.modes import state, warn
from ..engine.tensor import Tensor, ndarray, wrap
from ..operations.publishing import tensor_argument
from .arguments import creates, int_argument, number_argument
from .nested import array_of, cast, numpy_dtype


def copied(data, dtype, name):
    if isinstance(data, Tensor):
        warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
             f"sourceTensor.detach().clone().requires_grad_(True), rather than {name}(sourceTensor).")
        return cast(data._array, dtype or data._dtype, copy=True)
    return array_of(data, dtype)


@creates
def tensor(data, *, dtype=None, device=None, requires_grad=False):
    """A new tensor with a copy of *data*: a number, nested sequences, an array.

    Python floats become the default dtype, ints int64, bools bool; arrays keep their dtype.

    >>> import autograd_nb as torch
    >>> torch.tensor([[1., 2.], [3., 4.]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    return copied(data, dtype, "torch.tensor")


@creates
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
    """A copy of *data* in this tensor's dtype."""
    return copied(data, dtype or self._dtype, "tensor.new_tensor")


@creates
def as_tensor(data, dtype=None, device=None):
    """*data* as a tensor: itself if it is one of that dtype; an array of that dtype shares its memory."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, ndarray) and (dtype is None or dtype is numpy_dtype(data)):
        return from_numpy(data)
    return array_of(data, dtype)


@creates
def from_numpy(ndarray):
    """A tensor on the memory of a NumPy array: what is written into one shows in the other.

    >>> import numpy as np, autograd_nb as torch
    >>> array = np.array([1, 2])
    >>> x = torch.from_numpy(array)
    >>> array[0] = 7
    >>> x
    tensor([7, 2])
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    dtype = numpy_dtype(ndarray)
    if any(stride < 0 for stride in ndarray.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
    shared = wrap(np.asarray(ndarray), dtype)
    if state.inference:
        shared._mark_inference()
    return shared


# -- filled ----------------------------------------------------------------------------------------------------------


def family(name, make, make_like, elements):
    """Publish ``zeros``, ``zeros_like`` and ``new_zeros``, or their kin: a tensor of one kind of *elements*."""

    def plain(*size, dtype=None, device=None, requires_grad=False):
        return make(size, (dtype or dtypes.get_default_dtype()).numpy)

    def like(input, *, dtype=None, device=None, requires_grad=False):
        return make_like(tensor_argument(input, name + "_like")._array, dtype and dtype.numpy)

    def new(self, *size, dtype=None, device=None, requires_grad=False):
        return make(size, (dtype or self._dtype).numpy)

    for function, own_name, text in (
        (plain, name, "of the shape *size*: numbers, or one tuple of them"),
        (like, name + "_like", "of the shape, and unless given the dtype, of *input*"),
        (new, "new_" + name, "of the shape *size* and this tensor's dtype"),
    ):
        function.__name__, function.__doc__ = own_name, f"A tensor of {elements}, {text}."
        creates(function)


family("zeros", np.zeros, np.zeros_like, "zeros")
family("ones", np.ones, np.ones_like, "ones")
family("empty", np.empty, np.empty_like, "whatever elements the memory holds")


def filled(name, shape, fill_value, dtype=None):
    value = number_argument(name, "fill_value", 2, fill_value)
    return np.full(shape, state.run(as_scalar, value, dtype or dtypes.of_number(value)))


@creates
def full(size, fill_value, *, dtype=None, device=None, requires_grad=False):
    """A tensor of the shape *size* (a tuple) whose elements are all *fill_value*, a number, which decides the dtype.

    >>> import autograd_nb as torch
    >>> torch.full((2,), 3.)
    tensor([3., 3.])
    """
    return filled("full", size, fill_value, dtype)


@creates
def full_like(input, fill_value, *, dtype=None, device=None, requires_grad=False):
    """*fill_value* in the shape, and unless given the dtype, of *input*."""
    return filled("full_like", input._array.shape, fill_value, dtype or input._dtype)


@creates
def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False):
    """*fill_value* in the shape *size* and this tensor's dtype."""
    return filled("new_full", size, fill_value, dtype or self._dtype)


@creates
def eye(n, m=None, *, dtype=None, device=None, requires_grad=False):
    """The identity matrix of *n* rows and *m* (or *n*) columns.

    >>> import autograd_nb as torch
    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    n = int_argument("eye", "n", 1, n)
    m = n if m is None else int_argument("eye", "m", 2, m)
    return np.eye(n, m, dtype=(dtype or dtypes.get_default_dtype()).numpy)
