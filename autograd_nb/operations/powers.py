"""Powers, with the roots and reciprocals among them; exponentials and logarithms."""


import numpy as np

from ..engine.tensor import Tensor
from . import array_functions
from .array_functions import (
    exp,
    inverse_square,
    log,
    log_of,
    pow_slope,
    power,
    rsqrt,
    sqrt,
    where,
    xlogy_slope,
    zeros_like,
)
from .publishing import tensor_argument
from .rows import binary, choice, function, operands, row, run_row, unary

# -- pow: the node depends on which operand is a number ---------------------------------------------------------------

row("pow.Tensor_Scalar", promoted=("self", "exponent"),
    self=lambda grad, self, exponent: grad * pow_slope(self, exponent) if exponent else zeros_like(self))(power)


@row("pow.Tensor_Tensor", promoted=("self", "exponent"), broadcasts=True, node_name="PowBackward1",
     self=lambda grad, self, exponent: where(exponent == 0, 0, grad * (exponent * self ** (exponent - 1))),
     exponent=lambda grad, self, exponent, result: grad * where(
         (self == 0) & (exponent >= 0), 0, result * log(self)))  # fmt: skip
def power_of_tensors(self, exponent):
    """A tensor to the power of a tensor."""
    if self.dtype.kind == "f":
        return np.power(self, exponent)
    rounded = np.where(self == 1, 1, np.where(self == -1, 1 - 2 * (exponent % 2), 0))  # negative powers
    return np.where(exponent < 0, rounded, self ** np.maximum(exponent, 0)).astype(self.dtype)


row("pow.Scalar", promoted=("self", "exponent"), node_name="PowBackward2",
    exponent=lambda grad, self, exponent, result: grad * (result * log_of(self)) if self
    else grad * where(exponent >= 0, 0, result * log_of(self)))(power_of_tensors)  # fmt: skip


def power_row(self, exponent):
    """The row's name for these operands; RuntimeError for an integer tensor and a negative integer exponent."""
    if isinstance(exponent, Tensor):
        return "pow.Tensor_Tensor" if isinstance(self, Tensor) else "pow.Scalar"
    if exponent.__class__ is int and exponent < 0 and not self._dtype.is_floating_point:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return "pow.Tensor_Scalar"


@choice
def pow(self, exponent):
    """*self* to the power *exponent*, element by element; one of the two may be a Python number.

    >>> import autograd_nb as torch
    >>> torch.pow(torch.tensor([1., 2., 3.]), 2)
    tensor([1., 4., 9.])
    """
    values = operands(self, exponent, "pow")
    return power_row(*values), values


@function(operator=True, usual_row="pow.Tensor_Scalar")
def __pow__(self, exponent):
    """*self* to the power *exponent*, element by element."""
    return run_row(power_row(self, exponent), self, exponent)


@function(operator=True)
def __rpow__(self, base):
    """The number *base* to the power *self*, element by element."""
    return run_row("pow.Scalar", base, self)


@choice
def square(self):
    """The square of each element, which is ``self ** 2``.

    >>> import autograd_nb as torch
    >>> torch.square(torch.tensor([1., -2.]))
    tensor([1., 4.])
    """
    return "pow.Tensor_Scalar", (tensor_argument(self, "square"), 2)


# -- roots and reciprocals, exponentials and logarithms ------------------------------------------------------------


def precise_log(self):
    """The logarithm; float32 is computed in float64, as PyTorch nearly always rounds correctly and NumPy does not."""
    if self.dtype != np.float32 or self.size > 65536:
        return log(self)
    return log(self, dtype=np.float64).astype(np.float32)


unary("sqrt", sqrt, lambda grad, result: grad / (2 * result),
      "The square root of each element; nan for negative ones.", "2.0000, 1.4142", "4., 2.")
unary("rsqrt", rsqrt, lambda grad, result: -0.5 * grad * result**3,
      "One over the square root of each element.", "0.5000, 2.0000", "4., 0.25")
unary("reciprocal", lambda self: 1 / self, lambda grad, result: -grad * (result * result),
      "One over each element.", "0.2500,    inf", "4., 0.")
unary("exp", exp, lambda grad, result: grad * result,
      "e to the power of each element.", "1.0000, 2.7183")
unary("exp2", np.exp2, lambda grad, result: grad * result * 0.6931471805599453,
      "2 to the power of each element.", "1., 8.", "0., 3.")
unary("expm1", np.expm1, lambda grad, result: grad * (result + 1),
      "exp(self) - 1, accurate for small elements too.", "0.0000, 1.7183")
unary("log", precise_log, lambda grad, self: grad / self,
      "The natural logarithm of each element.", "0.0000, 0.6931", "1., 2.")
unary("log1p", np.log1p, lambda grad, self: grad / (self + 1),
      "log(1 + self), accurate for small elements too.", "0.0000, 0.6931", node_name="Log1PBackward0")
unary("log2", np.log2, lambda grad, self: grad / (self * 0.6931471805599453),
      "The logarithm to base 2 of each element.", "0., 3.", "1., 8.")
unary("log10", lambda self: np.log10(self, dtype=np.float64).astype(self.dtype),  # NumPy's is not exact for float32
      lambda grad, self: grad / (self * 2.3025850929940456),
      "The logarithm to base 10 of each element.", "0., 3.", "1., 1000.")

binary("atan2", np.arctan2, lambda grad, self, other: grad * other * inverse_square(self, other),
       lambda grad, self, other: grad * -self * inverse_square(self, other), floats=True, numbers=0,
       in_place=True, text="The angle of the point (other, self), from -pi to pi.",
       example=("torch.atan2(torch.tensor([1.]), torch.tensor([-1.]))", "tensor([2.3562])"))  # fmt: skip

# a part of kl_div
row("xlogy", promoted=("self", "other"), broadcasts=True, floats=True,
    self=lambda grad, self, other: xlogy_slope(grad, self, other),
    other=lambda grad, self, other: grad * self / other)(array_functions.xlogy)  # fmt: skip
