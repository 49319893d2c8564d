"""Choosing between elements: where, maximum and minimum of two tensors, clamp."""

import numpy as np

from ..engine import dtypes
from ..engine.modes import warn
from ..engine.table import methods, ops
from ..engine.tensor import Tensor
from .array_functions import (
    clamp_backward,
    to_the_larger,
    to_the_smaller,
    where_false,
    where_true,
)
from .checks import bounds_in_range, require_number
from .publishing import tensor_argument
from .rows import binary, choice, function, row, run_row

# -- where ---------------------------------------------------------------------------------------------------------


@row("where", tensors=("condition",), promoted=("self", "other"), broadcasts=True,
     self=lambda grad, condition: where_true(grad, condition),
     other=lambda grad, condition: where_false(grad, condition))  # fmt: skip
def chosen_by(condition, self, other):
    if condition.dtype.kind != "b":
        raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with dtype "
                           f"{dtypes.of_array(condition).legacy_name}")
    return np.where(condition, self, other)[()]


@function(method=False)
def where(condition, input=None, other=None):
    """Elements of *input* where *condition*, a bool tensor, is true, of *other* elsewhere; either may be a number.

    With a condition alone, of any dtype: the indices of its nonzero elements, a tensor for each dimension.

    >>> import autograd_nb as torch
    >>> x = torch.tensor([-1., 2.])
    >>> torch.where(x > 0, x, 0.)
    tensor([0., 2.])
    """
    if input is None and other is None:
        return ops.nonzero(condition, as_tuple=True)
    if condition._dtype is dtypes.uint8:
        warn("where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
             "version of PyTorch. Use a boolean condition instead.")
        condition = ops.to(condition, dtypes.bool)
    name, values = bounds_in_range("where", (condition, input, other))
    return run_row(name, *values)


def where_method(self, condition, other):
    """Elements of this tensor where *condition* is true, of *other* elsewhere."""
    return where(condition, self, other)


where_method.__name__ = where_method.__qualname__ = "where"
methods["where"] = where_method  # the condition is its second argument

# -- the larger or smaller of two ----------------------------------------------------------------------------------


for name, forward, grads, word, shows in (
    ("maximum", np.maximum, (to_the_larger, to_the_smaller), "larger", "tensor([4., 5.])"),
    ("minimum", np.minimum, (to_the_smaller, to_the_larger), "smaller", "tensor([1., 2.])"),
):
    binary(name, forward, *grads, numbers=0,
           text=f"The {word} of two elements, nan when either is; equal ones share the gradient.",
           example=(f"torch.{name}(torch.tensor([1., 5.]), torch.tensor([4., 2.]))", shows))  # fmt: skip
# -- clamp ---------------------------------------------------------------------------------------------------------


def bounded(self, min, max):
    if min is not None and max is not None:
        require_number(self, "clamp_cpu")
    if min is not None:
        self = np.maximum(self, min)
    return self if max is None else np.minimum(self, max)


row("clamp", promoted=("self", "min", "max"), node_name="ClampBackward1", self=clamp_backward)(bounded)
row("clamp_min", promoted=("self", "min"), self=lambda grad, self, min: where_true(grad, self >= min))(
    lambda self, min: np.maximum(self, min))
row("clamp_max", promoted=("self", "max"), self=lambda grad, self, max: where_true(grad, self <= max))(
    lambda self, max: np.minimum(self, max))


def limited(name, self, *bounds):
    """*name* and the values of its row; NotImplementedError for a bound that is a tensor."""
    if any(isinstance(bound, Tensor) for bound in bounds):
        raise NotImplementedError(f"{name}() of autograd_nb takes numbers; maximum() and minimum() take tensors")
    return bounds_in_range(name, (tensor_argument(self, name), *bounds))


@choice
def clamp(self, min=None, max=None):
    """The elements limited to the range of the numbers from *min* to *max*.

    >>> import autograd_nb as torch
    >>> torch.clamp(torch.tensor([-1., 0.5, 2.]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    return limited("clamp", self, min, max)


@choice
def clamp_min(self, min):
    """The elements, at least the number *min*."""
    return limited("clamp_min", self, min)


@choice
def clamp_max(self, max):
    """The elements, at most the number *max*."""
    return limited("clamp_max", self, max)
