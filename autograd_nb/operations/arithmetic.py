"""Arithmetic of two tensors, or of a tensor and a number; the reflected forms."""

import operator

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import apply, operation
from ..engine.elementwise import binary, unary
from ..engine.formulas import handed_on
from ..engine.inplace import in_place, publish_in_place, shorten_arithmetic
from ..engine.table import FORMULA_NUMBERS, operand, operations, ops
from ..engine.tensor import Tensor, wrap
from .carriers import zeros_like
from .public import alias, chosen, doc, operator_form, public

# -- the four operations -------------------------------------------------------------------------------------------


def refuse_bool(self, other):
    """RuntimeError for a difference in which an operand is bool."""
    found = (each._dtype if isinstance(each, Tensor) else dtypes.of_number(each) for each in (self, other))
    given = [dtype is dtypes.bool for dtype in found]
    if all(given):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if any(given):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )


def negate(self):
    if self.dtype == bool:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )
    return -self


binary("add", operator.add, handed_on, handed_on)
binary("sub", operator.sub, lambda grad: grad, lambda grad: -grad, check=refuse_bool)
binary("mul", operator.mul, lambda grad, other: grad * other, lambda grad, self: grad * self)
binary("div", operator.truediv, lambda grad, other: grad / other,
       lambda grad, self, other: -grad * (self / other / other), floats=True)  # fmt: skip

unary("neg", negate, lambda grad: -grad,
      text=doc("Each element with the opposite sign.", "torch.neg(torch.tensor([1., -2.]))", "tensor([-1.,  2.])"))


@operation("add_scaled", promoted=("self", "other"), broadcasts=True, method=False, function=False,
           node_name="AddBackward0", self=lambda grad: grad, other=lambda grad, alpha: grad * alpha)  # fmt: skip
def add_scaled(self, other, alpha):
    """self + alpha * other."""
    return self + self.dtype.type(alpha) * other


@operation("sub_scaled", promoted=("self", "other"), broadcasts=True, method=False, function=False,
           node_name="SubBackward0", self=lambda grad: grad, other=lambda grad, alpha: -grad * alpha)  # fmt: skip
def sub_scaled(self, other, alpha):
    """self - alpha * other."""
    return self - self.dtype.type(alpha) * other


@operation("rsub_tensor", promoted=("self", "other"), broadcasts=True, method=False, function=False,
           node_name="RsubBackward0", self=lambda grad, alpha: -grad * alpha, other=lambda grad: grad)  # fmt: skip
def rsub_tensor(self, other, alpha):
    """other - alpha * self."""
    return other - self.dtype.type(alpha) * self


@operation("rsub_number", promoted=("self", "other"), tensors=("self",), method=False, function=False,
           node_name="RsubBackward1", self=lambda grad: -grad)  # fmt: skip
def rsub_number(self, other, alpha):
    """other - alpha * self for a number *other*."""
    return other - self if alpha == 1 else other - self.dtype.type(alpha) * self


@operation("div_rounded", promoted=("self", "other"), broadcasts=True, method=False, function=False,
           node_name="DivBackward2",  # its formulas name what PyTorch's save
           self=lambda grad, other, rounding_mode: zeros_like(grad) if rounding_mode else grad / other,
           other=lambda grad, self, other, rounding_mode:
           zeros_like(grad) if rounding_mode else -grad * ((self / other) / other))  # fmt: skip
def div_rounded(self, other, rounding_mode):
    """self / other, rounded down ("floor"), towards zero ("trunc") or not at all (None)."""
    if rounding_mode is None:
        return self / other
    refuse_zero_division(self, other)
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    if self.dtype.kind == "f":
        return np.trunc(self / other)
    return np.sign(self) * np.sign(other) * (np.abs(self) // np.abs(other))


def refuse_zero_division(self, other):
    if self.dtype.kind != "f" and not np.all(other):
        raise RuntimeError("ZeroDivisionError")


def scaled_row(row, scaled, values, alpha):
    """The row and its values for an operation with *alpha*; the plain row when alpha is 1."""
    self, other = values
    tensors = [value for value in values if isinstance(value, Tensor)]
    if alpha.__class__ is bool and not all(value._dtype is dtypes.bool for value in tensors):
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if alpha == 1:
        return operations[row], values
    if not isinstance(alpha, dtypes.PYTHON_NUMBERS):
        raise TypeError(f"{row}(): argument 'alpha' must be Number, not {type(alpha).__name__}")
    if isinstance(alpha, float) and not any(value._dtype.is_floating_point for value in tensors):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return operations[scaled], (self, other, alpha)


def operands(self, other, name):
    """Both operands, numbers allowed on either side but not on both; TypeError for anything else."""
    if not isinstance(self, Tensor) and not (isinstance(self, dtypes.PYTHON_NUMBERS) and isinstance(other, Tensor)):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(self).__name__}")
    return self, operand(other, name)


@public("add", numbers=True)
def add_to(self, other, *, alpha=1):
    """self + alpha * other; one of the two may be a Python number.

    >>> import autograd_nb as torch
    >>> torch.add(torch.tensor([1., 2.]), torch.tensor([10., 20.]), alpha=2)
    tensor([21., 42.])
    """
    return apply(*scaled_row("add", "add_scaled", operands(self, other, "add"), alpha))


@public("sub", numbers=True)
def subtract_from(self, other, *, alpha=1):
    """self - alpha * other; one of the two may be a Python number.

    RuntimeError for two bool tensors.

    >>> import autograd_nb as torch
    >>> torch.sub(torch.tensor([1., 2.]), 1)
    tensor([0., 1.])
    """
    refuse_bool(*operands(self, other, "sub"))
    return apply(*scaled_row("sub", "sub_scaled", (self, other), alpha))


@public("mul", numbers=True)
def multiply(self, other):
    """self * other; one of the two may be a Python number.

    >>> import autograd_nb as torch
    >>> torch.mul(torch.tensor([1., 2.]), 3)
    tensor([3., 6.])
    """
    return apply(operations["mul"], operands(self, other, "mul"))


def division(self, other, rounding_mode):
    """The row and values of a division."""
    if rounding_mode not in (..., None, "trunc", "floor"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    values = operands(self, other, "div")
    if rounding_mode is ... or rounding_mode is None and not any(
        isinstance(value, Tensor) and value._dtype.is_floating_point for value in values
    ):  # fmt: skip
        return operations["div"], values
    return operations["div_rounded"], (*values, rounding_mode)


@public("div", numbers=True)
def divide(self, other, *, rounding_mode=...):
    """self / other, as floating point; or rounded down ("floor") or towards zero ("trunc").

    RuntimeError for another rounding mode, and for a rounded division of integers by zero.

    >>> import autograd_nb as torch
    >>> torch.div(torch.tensor([-3, 3]), 2), torch.div(torch.tensor([-3, 3]), 2, rounding_mode="floor")
    (tensor([-1.5000,  1.5000]), tensor([-2,  1]))
    """
    return apply(*division(self, other, rounding_mode))


@public("add_", function=False)
def add_in_place(self, other, *, alpha=1):
    """In-place form of :func:`add`; changes the tensor and returns it."""
    return in_place(*scaled_row("add", "add_scaled", operands(self, other, "add_"), alpha))


@public("sub_", function=False)
def subtract_in_place(self, other, *, alpha=1):
    """In-place form of :func:`sub`; changes the tensor and returns it."""
    refuse_bool(*operands(self, other, "sub_"))
    return in_place(*scaled_row("sub", "sub_scaled", (self, other), alpha))


@public("div_", function=False)
def divide_in_place(self, other, *, rounding_mode=...):
    """In-place form of :func:`div`; changes the tensor and returns it."""
    return in_place(*division(self, other, rounding_mode))


@public("rsub")
def subtract_reflected(self, other, *, alpha=1):
    """other - alpha * self.

    >>> import autograd_nb as torch
    >>> torch.rsub(torch.tensor([1., 2.]), 10)
    tensor([9., 8.])
    """
    refuse_bool(*operands(self, other, "rsub"))
    return apply(operations["rsub_tensor" if isinstance(other, Tensor) else "rsub_number"], (self, other, alpha))


@operator_form("rsub")
def difference_reflected(self, other):
    if other.__class__ in FORMULA_NUMBERS:  # C++ code fills a tensor with it
        return wrap(np.full_like(self._array, +other)[()], self._dtype) - self
    if not self._dtype.is_floating_point or isinstance(other, (Tensor, bool)):
        return subtract_reflected(self, other)
    return apply(operations["rsub_number"], (self, other, 1))


@operator_form("rdiv")
def divide_reflected(self, other):
    if other.__class__ in FORMULA_NUMBERS:
        return wrap(np.full_like(self._array, +other)[()], self._dtype) / self
    return ops.reciprocal(self) * other  # as PyTorch does, nodes included


for name in ("mul", "neg"):
    publish_in_place(name)
for name in ("add", "sub", "mul", "div"):
    shorten_arithmetic(name)
for name, of in (("subtract", "sub"), ("multiply", "mul"), ("divide", "div"), ("negative", "neg")):
    alias(name, of)


@chosen("true_divide")
def true_divide_row(self, other):
    """self / other, as :func:`div` without a rounding mode.

    >>> import autograd_nb as torch
    >>> torch.true_divide(torch.tensor([3, 4]), 2)
    tensor([1.5000, 2.0000])
    """
    return division(self, other, ...)
