"""Functions of each element: trigonometric and hyperbolic ones, erf, signs, rounding, and conversions of dtype."""

import numpy as np

from ..engine import dtypes
from .array_functions import cast, cos, cosh, erf, exp, rsqrt, sign, sin, sinh, zeros_like
from .checks import as_int, require_floating, require_number
from .rows import choice, function, operation, row, unary

unary("sin", sin, lambda grad, self: grad * cos(self),
      "The sine of each element, in radians.", "0.0000, 0.8415")
unary("cos", cos, lambda grad, self: grad * -sin(self),
      "The cosine of each element, in radians.", "1.0000, 0.5403")
unary("tan", np.tan, lambda grad, result: grad * (1 + result**2),
      "The tangent of each element, in radians.", "0.0000, 1.5574")
unary("asin", np.arcsin, lambda grad, self: grad * rsqrt(-self * self + 1),
      "The arc sine of each element; nan outside [-1, 1].", "0.0000, 1.5708")
unary("acos", np.arccos, lambda grad, self: grad * -rsqrt(-self * self + 1),
      "The arc cosine of each element; nan outside [-1, 1].", "1.5708, 0.0000")
unary("atan", np.arctan, lambda grad, self: grad / (self * self + 1),
      "The arc tangent of each element.", "0.0000, 0.7854")
unary("sinh", sinh, lambda grad, self: grad * cosh(self),
      "The hyperbolic sine of each element.", "0.0000, 1.1752")
unary("cosh", cosh, lambda grad, self: grad * sinh(self),
      "The hyperbolic cosine of each element.", "1.0000, 1.5431")
unary("erf", erf, lambda grad, self: 1.1283791670955126 * exp(-(self**2)) * grad,
      "The error function of each element.", "0.0000, 0.8427")

# -- signs and rounding --------------------------------------------------------------------------------------------


def of_numbers(name, function, whole=None):
    """A function that refuses bools; it returns integers as they are, or computes them by *whole*."""

    def forward(self):
        require_number(self, name)
        return function(self) if self.dtype.kind == "f" else self if whole is None else whole(self)

    return forward


unary("abs", of_numbers("abs_cpu", np.abs, np.abs), lambda grad, self: grad * sgn(self),
      "The absolute value of each element; the gradient at 0 is 0.", "1., 2.", "-1., 2.", floats=False)
unary("sign", sign, lambda grad: zeros_like(grad),
      "-1, 0 or 1 by the sign of each element.", "-1.,  0.,  1.", "-3., 0., 2.", floats=False)
unary("floor", of_numbers("floor_vml_cpu", np.floor), lambda grad: zeros_like(grad),
      "Each element rounded down; the gradient is 0.", "-2.,  2.", "-1.5, 2.5", floats=False)
unary("ceil", of_numbers("ceil_vml_cpu", np.ceil), lambda grad: zeros_like(grad),
      "Each element rounded up; the gradient is 0.", "-1.,  3.", "-1.5, 2.5", floats=False)
unary("trunc", of_numbers("trunc_vml_cpu", np.trunc), lambda grad: zeros_like(grad),
      "Each element rounded towards zero; the gradient is 0.", "-1.,  2.", "-1.5, 2.5", floats=False)
row("round", self=lambda grad: zeros_like(grad))(of_numbers("round_vml_cpu", np.rint))


@operation(in_place=True,  # the node saves the same as PyTorch's
           self=lambda grad, self, result: zeros_like(grad))
def sgn(self):
    """The same as :func:`sign` for real numbers."""
    return sign(self)


@row("round.decimals", node_name="RoundBackward1", self=lambda grad: zeros_like(grad))
def to_decimals(self, decimals):
    require_floating(self, "round_cpu")
    scale = self.dtype.type(10 ** abs(decimals))
    return np.rint(self * scale) / scale if decimals > 0 else np.rint(self / scale) * scale


@choice
def round(self, *, decimals=0):
    """Each element rounded, halves to the even neighbour; the gradient is 0.

    >>> import autograd_nb as torch
    >>> torch.round(torch.tensor([0.5, 1.5, 2.6]))
    tensor([0., 2., 3.])
    """
    decimals = as_int(decimals)
    return ("round.decimals", (self, decimals)) if decimals else ("round", (self,))


@function
def positive(self):
    """The tensor itself, ``+self``; RuntimeError for bool."""
    if self._dtype is dtypes.bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return self


# -- conversion ----------------------------------------------------------------------------------------------------


@operation(method=False,
           self=lambda grad, dtype, self_dtype: _to_copy(grad, self_dtype, dtype))  # fmt: skip
def _to_copy(self, dtype, self_dtype):
    """A copy in *dtype* of a tensor of *self_dtype*: ``x.double()`` runs this if they differ.

    >>> import autograd_nb as torch
    >>> torch.tensor([1.5], requires_grad=True).double()
    tensor([1.5000], dtype=torch.float64, grad_fn=<ToCopyBackward0>)
    """
    return cast(self, dtype, copy=True)
