"""Division with a rest: floor_divide, which has no derivative, and the rests that remainder and fmod leave."""

import numpy as np

from ..engine.dispatch import apply, operation
from ..engine.formulas import tensor_names
from ..engine.inplace import in_place
from ..engine.table import operations
from ..engine.tensor import Tensor
from .arithmetic import div_rounded, operands, refuse_zero_division
from .public import operator_form, public


def no_derivative(name):
    """What a formula does for an operation that has no derivative in PyTorch either."""
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


tensor_names["no_derivative"] = no_derivative


def quotient(self, other):
    refuse_zero_division(self, other)
    return np.floor_divide(self, other)


NO_DERIVATIVE = dict(promoted=("self", "other"), node_name="NotImplemented", method=False, function=False)
operation("floor_divide_number", tensors=("self",), self=lambda grad: no_derivative("floor_divide"),
          no_forward="aten::floor_divide", **NO_DERIVATIVE)(quotient)  # fmt: skip
operation("floor_divide_number_in_place", tensors=("self",), self=lambda grad: no_derivative("floor_divide_"),
          no_forward="aten::floor_divide_", **NO_DERIVATIVE)(quotient)  # fmt: skip
operation("floor_divide_tensor", broadcasts=True, self=lambda grad: no_derivative("floor_divide"),
          other=lambda grad: no_derivative("floor_divide"), no_forward="aten::floor_divide",
          **NO_DERIVATIVE)(quotient)  # fmt: skip
operation("floor_divide_tensor_in_place", broadcasts=True, self=lambda grad: no_derivative("floor_divide_"),
          other=lambda grad: no_derivative("floor_divide_"), no_forward="aten::floor_divide_",
          **NO_DERIVATIVE)(quotient)  # fmt: skip


@public("floor_divide")
def floor_divide(self, other):
    """self / other, rounded down.

    RuntimeError for integers divided by zero.  It has no derivative.

    >>> import autograd_nb as torch
    >>> torch.floor_divide(torch.tensor([-3, 3]), 2)
    tensor([-2,  1])
    """
    return apply(rest_row("floor_divide", other), operands(self, other, "floor_divide"))


@operator_form("floor_divide")
def floor_divide_operator(self, other):
    return apply(rest_row("floor_divide", other), (self, other))


@public("floor_divide_", function=False)
def floor_divide_in_place(self, other):
    """In-place form of :func:`floor_divide`; changes the tensor and returns it."""
    kind = "tensor" if isinstance(other, Tensor) else "number"
    return in_place(operations[f"floor_divide_{kind}_in_place"], operands(self, other, "floor_divide_"))


def modulo(self, other):
    refuse_zero_division(self, other)
    rest = np.remainder(self, other)
    if rest.dtype.kind == "f" and not rest.all():
        rest = np.where(rest == 0, np.copysign(rest, self), rest)  # a rest of zero has the dividend's sign
    return rest


def modulo_to_zero(self, other):
    refuse_zero_division(self, other)
    return np.fmod(self, other)


@operation("remainder_number", promoted=("self", "other"), tensors=("self",), method=False, function=False,
           node_name="RemainderBackward0", self=lambda grad: grad)  # fmt: skip
def remainder_number(self, other):
    """The rest of a division by a number."""
    return modulo(self, other)


@operation("remainder_tensor", promoted=("self", "other"), broadcasts=True, method=False, function=False,
           node_name="RemainderBackward1", self=lambda grad: grad,
           other=lambda grad, self, other: -grad * div_rounded(self, other, "floor"))  # fmt: skip
def remainder_tensor(self, other):
    """The rest of a division by a tensor."""
    return modulo(self, other)


@operation("fmod_number", promoted=("self", "other"), tensors=("self",), method=False, function=False,
           node_name="FmodBackward0", self=lambda grad: grad)  # fmt: skip
def fmod_number(self, other):
    """The rest of a division by a number, with the sign of the tensor."""
    return modulo_to_zero(self, other)


@operation("fmod_tensor", promoted=("self", "other"), broadcasts=True, method=False, function=False,
           node_name="FmodBackward1", self=lambda grad: grad,
           other=lambda grad, self, other: -grad * div_rounded(self, other, "trunc"))  # fmt: skip
def fmod_tensor(self, other):
    """The rest of a division by a tensor, with the sign of the first."""
    return modulo_to_zero(self, other)


def rest_row(name, other):
    """The row of remainder or fmod for a tensor or a number as second operand."""
    return operations[f"{name}_tensor" if isinstance(other, Tensor) else f"{name}_number"]


@public("remainder")
def remainder_of(self, other):
    """The rest of self / other rounded down; it has the sign of *other*.

    >>> import autograd_nb as torch
    >>> torch.remainder(torch.tensor([-3., 3.]), 2)
    tensor([1., 1.])
    """
    return apply(rest_row("remainder", other), operands(self, other, "remainder"))


@public("fmod")
def fmod_of(self, other):
    """The rest of self / other rounded towards zero; it has the sign of *self*.

    >>> import autograd_nb as torch
    >>> torch.fmod(torch.tensor([-3., 3.]), 2)
    tensor([-1.,  1.])
    """
    return apply(rest_row("fmod", other), operands(self, other, "fmod"))


@public("remainder_", function=False)
def remainder_in_place(self, other):
    """In-place form of :func:`remainder`; changes the tensor and returns it."""
    return in_place(rest_row("remainder", other), operands(self, other, "remainder_"))


@public("fmod_", function=False)
def fmod_in_place(self, other):
    """In-place form of :func:`fmod`; changes the tensor and returns it."""
    return in_place(rest_row("fmod", other), operands(self, other, "fmod_"))


@operator_form("remainder")
def remainder_operator(self, other):
    return apply(rest_row("remainder", other), (self, other))


operation("floor_divide_of_number", tensors=("other",), other=lambda grad: no_derivative("floor_divide"),
          no_forward="aten::floor_divide", **NO_DERIVATIVE)(quotient)  # fmt: skip


@operator_form("rfloor_divide")
def floor_divide_reflected(self, other):
    return apply(operations["floor_divide_of_number"], (other, self))


@operation("remainder_of_number", promoted=("self", "other"), tensors=("other",), method=False, function=False,
           node_name="NotImplemented", no_forward="aten::remainder",
           other=lambda grad: no_derivative("remainder"))  # fmt: skip
def remainder_of_number(self, other):
    """The rest of a number divided by a tensor."""
    return modulo(self, other)


@operator_form("rremainder")
def remainder_reflected(self, other):
    return apply(operations["remainder_of_number"], (other, self))
