"""Arithmetic of two tensors, or of a tensor and a number; the reflected forms; remainders.

Some operations have one row for a tensor as second operand and one for a number, because PyTorch has two nodes.
"""

import operator

import numpy as np

from ..engine import dtypes
from ..engine.call import common_dtype
from ..engine.table import FORMULA_NUMBERS, operations, ops, tensor_names
from ..engine.tensor import Tensor, wrap
from .array_functions import zeros_like
from .checks import in_range, require_number
from .rows import binary, change_by_row, choice, function, operands, row, run_row, unary

PAIR = {"promoted": ("self", "other")}
WITH_TENSOR = {**PAIR, "broadcasts": True}

# -- the four operations -------------------------------------------------------------------------------------------


INVERT = "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."


def refuse_bool(self, other):
    """RuntimeError if an operand of a subtraction is bool."""
    kinds = [value._dtype if isinstance(value, Tensor) else dtypes.of_number(value) for value in (self, other)]
    if dtypes.bool in kinds:
        two = kinds[0] is kinds[1]
        raise RuntimeError(
            f"Subtraction, the `-` operator, with {'two bool tensors' if two else 'a bool tensor'} is not supported. "
            + ("Use the `^` or `logical_xor()` operator instead." if two else INVERT)
        )


def negate(self):
    if self.dtype.kind == "b":
        raise RuntimeError(f"Negation, the `-` operator, on a bool tensor is not supported. {INVERT}")
    return -self


def identity(grad):
    """The formula of a term of a sum: its gradient is the output's."""
    return grad


binary("add", operator.add, identity, identity)
binary("sub", operator.sub, identity, lambda grad: -grad, check=refuse_bool)
binary("mul", operator.mul, lambda grad, other: grad * other, lambda grad, self: grad * self, numbers=2, in_place=True,
       text="self * other; one of the two may be a Python number.",
       example=("torch.mul(torch.tensor([1., 2.]), 3)", "tensor([3., 6.])"))  # fmt: skip
binary("div", operator.truediv, lambda grad, other: grad / other,
       lambda grad, self, other: -grad * (self / other / other), floats=True)  # fmt: skip
unary("neg", negate, lambda grad: -grad,
      "Each element with the opposite sign.", "-1.,  2.", "1., -2.", floats=False)

row("add.alpha", **WITH_TENSOR, self=identity, other=lambda grad, alpha: grad * alpha)(
    lambda self, other, alpha: self + in_range(alpha, self.dtype) * other)  # fmt: skip
row("sub.alpha", **WITH_TENSOR, self=identity, other=lambda grad, alpha: -grad * alpha)(
    lambda self, other, alpha: self - in_range(alpha, self.dtype) * other)  # fmt: skip
row("rsub.Scalar", **PAIR, node_name="RsubBackward1", self=lambda grad: -grad)(lambda self, other, alpha: other - self)


@row("div.Tensor_mode", formula="div_rounded", **WITH_TENSOR, node_name="DivBackward2",
     # its formulas name the values that PyTorch's node saves
     self=lambda grad, other, rounding_mode: zeros_like(grad) if rounding_mode else grad / other,
     other=lambda grad, self, other, rounding_mode:
     zeros_like(grad) if rounding_mode else -grad * ((self / other) / other))  # fmt: skip
def div_rounded(self, other, rounding_mode):
    if rounding_mode is None:
        return self / other
    if rounding_mode == "floor":
        return quotient(self, other)
    refuse_zero_division(self, other, "div_trunc_cpu")
    if self.dtype.kind == "f":
        return np.trunc(self / other)
    return np.sign(self) * np.sign(other) * (np.abs(self) // np.abs(other))


def refuse_zero_division(self, other, kernel):
    if self.dtype.kind != "f":
        require_number(self, kernel)
        if not np.all(other):
            raise RuntimeError("ZeroDivisionError")


def quotient(self, other):
    refuse_zero_division(self, other, "div_floor_cpu")
    return np.floor_divide(self, other)


def scaled_row(name, self, other, alpha):
    """The row's name and its values for an operation with *alpha*; the plain row when alpha is 1."""
    values = operands(self, other, name)
    if alpha.__class__ is int and alpha == 1:
        return name, values
    name += ".alpha"
    dtype = common_dtype(operations[name], values)
    if alpha.__class__ is bool and dtype is not dtypes.bool:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and not dtype.is_floating_point:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return name, (*values, alpha)


@choice
def add(self, other, *, alpha=1):
    """self + alpha * other; one of the two may be a Python number.

    >>> import autograd_nb as torch
    >>> torch.add(torch.tensor([1., 2.]), torch.tensor([10., 20.]), alpha=2)
    tensor([21., 42.])
    """
    return scaled_row("add", self, other, alpha)


@choice
def sub(self, other, *, alpha=1):
    """self - alpha * other; one of the two may be a Python number.  RuntimeError for bool.

    >>> import autograd_nb as torch
    >>> torch.sub(torch.tensor([1., 2.]), 1)
    tensor([0., 1.])
    """
    refuse_bool(*operands(self, other, "sub"))
    return scaled_row("sub", self, other, alpha)


@choice
def div(self, other, *, rounding_mode=...):
    """self / other in floating point, or rounded down ("floor") or towards zero ("trunc").

    RuntimeError for another rounding mode, and for a rounded division of integers by zero.

    >>> import autograd_nb as torch
    >>> torch.div(torch.tensor([-3, 3]), 2), torch.div(torch.tensor([-3, 3]), 2, rounding_mode="floor")
    (tensor([-1.5000,  1.5000]), tensor([-2,  1]))
    """
    if rounding_mode not in (..., None, "trunc", "floor"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    values = operands(self, other, "div")
    floating = any(isinstance(value, Tensor) and value._dtype.is_floating_point for value in values)
    if rounding_mode is ... or rounding_mode is None and not floating:
        return "div", values
    return "div.Tensor_mode", (*values, rounding_mode)


def row_for(name, other):
    """The name of the row of an operation for a tensor or a number as second operand."""
    overload = f"{name}.{'Tensor' if isinstance(other, Tensor) else 'Scalar'}"
    return overload if overload in operations else name


def filled(self, number):
    """A formula's own number as PyTorch's C++ code has it: a tensor filled with it."""
    return wrap(np.full_like(self._array, +number)[()], self._dtype)


@function(operator=True)
def __rsub__(self, other):
    """other - self."""
    if other.__class__ in FORMULA_NUMBERS or isinstance(other, Tensor):
        return filled(self, other) - self
    refuse_bool(self, other)
    return run_row("rsub.Scalar", self, other, 1)


@function(operator=True)
def __rtruediv__(self, other):
    """other / self."""
    if other.__class__ in FORMULA_NUMBERS:
        return filled(self, other) / self
    return ops.reciprocal(self) * other  # as PyTorch does, nodes included


# -- floor_divide, which has no derivative; remainder --------------------------------------------------------------


def no_derivative(name):
    """The formula of an operation that has no derivative in PyTorch either."""
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


def modulo(self, other):
    refuse_zero_division(self, other, "remainder_cpu")
    remainder = np.remainder(self, other)
    if remainder.dtype.kind == "f" and not remainder.all():  # a remainder of zero has the dividend's sign
        remainder = np.where(remainder == 0, np.copysign(remainder, self), remainder)
    return remainder


tensor_names["no_derivative"] = no_derivative
for form, none in (("floor_divide", lambda grad: no_derivative("floor_divide")),
                   ("floor_divide_", lambda grad: no_derivative("floor_divide_"))):  # fmt: skip
    row(form + ".Scalar", **PAIR, node_name="NotImplemented", self=none)(quotient)
    row(form, **WITH_TENSOR, node_name="NotImplemented", self=none, other=none)(quotient)
row("floor_divide.Scalar_Tensor", **PAIR, node_name="NotImplemented",
    other=lambda grad: no_derivative("floor_divide"))(quotient)  # fmt: skip
row("remainder.Scalar", **PAIR, self=identity)(modulo)
row("remainder.Tensor", **WITH_TENSOR, node_name="RemainderBackward1", self=identity,
    other=lambda grad, self, other: -grad * div_rounded(self, other, "floor"))(modulo)  # fmt: skip
row("remainder.Scalar_Tensor", **PAIR, node_name="NotImplemented",
    other=lambda grad: no_derivative("remainder"))(modulo)  # fmt: skip


@function
def floor_divide(self, other):
    """self / other, rounded down.  RuntimeError for integers divided by zero; it has no derivative.

    >>> import autograd_nb as torch
    >>> torch.floor_divide(torch.tensor([-3, 3]), 2)
    tensor([-2,  1])
    """
    return run_row(row_for("floor_divide", other), *operands(self, other, "floor_divide"))


@function
def floor_divide_(self, other):
    return change_by_row(row_for("floor_divide_", other), *operands(self, other, "floor_divide_"))


@choice
def remainder(self, other):
    """The remainder of self / other rounded down; it has the sign of *other*.

    >>> import autograd_nb as torch
    >>> torch.remainder(torch.tensor([-3., 3.]), 2)
    tensor([1., 1.])
    """
    return row_for("remainder", other), operands(self, other, "remainder")


@function(operator=True)
def __floordiv__(self, other):
    """self / other, rounded down."""
    return run_row(row_for("floor_divide", other), self, other)


@function(operator=True)
def __rfloordiv__(self, other):
    """other / self, rounded down."""
    return run_row("floor_divide.Scalar_Tensor", other, self)


@function(operator=True)
def __mod__(self, other):
    """The remainder of self / other rounded down; it has the sign of *other*."""
    return run_row(row_for("remainder", other), self, other)


@function(operator=True)
def __rmod__(self, other):
    """The remainder of other / self rounded down; it has the sign of *self*."""
    return run_row("remainder.Scalar_Tensor", other, self)
