"""Element-wise functions of one tensor: trigonometric and hyperbolic ones, error functions, signs and rounding."""

import math

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import apply, operation
from ..engine.elementwise import unary
from ..engine.formulas import scalar, tensor_names
from ..engine.inplace import in_place, publish_in_place
from ..engine.table import operations
from .carriers import (
    both,
    cos,
    cosh,
    elementwise,
    erf,
    exp,
    isfinite,
    logical_and,
    logical_or,
    math_nan,
    rsqrt,
    sign,
    sin,
    sinh,
    where,
    zeros_like,
)  # fmt: skip
from .public import alias, doc, public

math_pi = math.pi
tensor_names["math_pi"] = scalar(math.pi)
DEGREE = math.pi / 180

# -- trigonometric and hyperbolic functions -----------------------------------------------------------------------

unary("sin", sin, lambda grad, self: grad * cos(self), floats=True,
      text=doc("The sine of each element, in radians.", "torch.sin(torch.tensor([0., 1.]))",
               "tensor([0.0000, 0.8415])"))
unary("cos", cos, lambda grad, self: grad * -sin(self), floats=True,
      text=doc("The cosine of each element, in radians.", "torch.cos(torch.tensor([0., 1.]))",
               "tensor([1.0000, 0.5403])"))
unary("tan", np.tan, lambda grad, result: grad * (1 + result**2), floats=True,
      text=doc("The tangent of each element, in radians.", "torch.tan(torch.tensor([0., 1.]))",
               "tensor([0.0000, 1.5574])"))  # fmt: skip
unary("asin", np.arcsin, lambda grad, self: grad * rsqrt(-self * self + 1), floats=True,
      text=doc("The arc sine of each element; nan outside [-1, 1].", "torch.asin(torch.tensor([0., 1.]))",
               "tensor([0.0000, 1.5708])"))  # fmt: skip
unary("acos", np.arccos, lambda grad, self: grad * -rsqrt(-self * self + 1), floats=True,
      text=doc("The arc cosine of each element; nan outside [-1, 1].", "torch.acos(torch.tensor([0., 1.]))",
               "tensor([1.5708, 0.0000])"))  # fmt: skip
unary("atan", np.arctan, lambda grad, self: grad / (self * self + 1), floats=True,
      text=doc("The arc tangent of each element.", "torch.atan(torch.tensor([0., 1.]))", "tensor([0.0000, 0.7854])"))
unary("sinh", sinh, lambda grad, self: grad * cosh(self), floats=True,
      text=doc("The hyperbolic sine of each element.", "torch.sinh(torch.tensor([0., 1.]))",
               "tensor([0.0000, 1.1752])"))
unary("cosh", cosh, lambda grad, self: grad * sinh(self), floats=True,
      text=doc("The hyperbolic cosine of each element.", "torch.cosh(torch.tensor([0., 1.]))",
               "tensor([1.0000, 1.5431])"))
unary("asinh", np.arcsinh, lambda grad, self: grad * rsqrt(self**2 + 1), floats=True,
      text=doc("The inverse hyperbolic sine of each element.", "torch.asinh(torch.tensor([0., 1.]))",
               "tensor([0.0000, 0.8814])"))  # fmt: skip
unary("acosh", np.arccosh, lambda grad, self: grad * rsqrt(self * self - 1), floats=True,
      text=doc("The inverse hyperbolic cosine of each element; nan below 1.", "torch.acosh(torch.tensor([1., 2.]))",
               "tensor([0.0000, 1.3170])"))  # fmt: skip
unary("atanh", np.arctanh, lambda grad, self: grad * 1 / (1 - self**2), floats=True,
      text=doc("The inverse hyperbolic tangent of each element; nan outside [-1, 1].",
               "torch.atanh(torch.tensor([0., 1.]))",
               "tensor([0., inf])"))  # fmt: skip
unary("deg2rad", lambda self: self * self.dtype.type(DEGREE), lambda grad: grad * 0.017453292519943295, floats=True,
      node_name="Deg2RadBackward0",
      text=doc("Degrees to radians.", "torch.deg2rad(torch.tensor([180.]))", "tensor([3.1416])"))  # fmt: skip
unary("rad2deg", lambda self: self * self.dtype.type(1 / DEGREE), lambda grad: grad * 57.29577951308232, floats=True,
      node_name="Rad2DegBackward0",
      text=doc("Radians to degrees.", "torch.rad2deg(torch.tensor([3.14159265]))", "tensor([180.])"))  # fmt: skip

# -- error functions -----------------------------------------------------------------------------------------------

unary("erf", erf, lambda grad, self: 1.1283791670955126 * exp(-(self**2)) * grad, floats=True,
      text=doc("The error function of each element.", "torch.erf(torch.tensor([0., 1.]))", "tensor([0.0000, 0.8427])"))
unary("erfc", lambda self: elementwise(math.erfc, self),
      lambda grad, self: -1.1283791670955126 * exp(-(self**2)) * grad, floats=True,
      text=doc("1 - erf(self), exact where that is small.", "torch.erfc(torch.tensor([0., 1.]))",
               "tensor([1.0000, 0.1573])"))  # fmt: skip


def inverse_error_function(x):
    """The y with erf(y) = x: a first guess (Winitzki's), then Newton's steps on erf, or on erfc near the ends."""
    if not -1 < x < 1:
        return math.copysign(math.inf, x) if x in (-1, 1) else math.nan
    logarithm = math.log1p(-x * x)
    part = 2 / (math.pi * 0.147) + logarithm / 2
    y = math.copysign(math.sqrt(math.sqrt(part * part - logarithm / 0.147) - part), x)
    for _ in range(4):
        miss = math.erf(y) - x if abs(x) < 0.5 else math.copysign(1, x) * ((1 - abs(x)) - math.erfc(abs(y)))
        y -= miss * math.sqrt(math.pi) / 2 * math.exp(y * y)
    return y


def erfinv(self):
    return elementwise(inverse_error_function, self)


unary("erfinv", erfinv, lambda grad, self: 0.8862269254527579 * exp(erfinv(self) ** 2) * grad, floats=True,
      text=doc("The inverse of the error function, nan outside [-1, 1].", "torch.erfinv(torch.tensor([0., 0.5]))",
               "tensor([0.0000, 0.4769])"))  # fmt: skip

# -- signs and rounding --------------------------------------------------------------------------------------------


def unless(refused, kernel, function):
    """A forward that is *function* but for the kinds of dtype *refused*: NotImplementedError in PyTorch's words."""

    def forward(self):
        if self.dtype.kind in refused:
            raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.of_array(self).legacy_name}'")
        return function(self)

    return forward


def whole(function):
    """A rounding function: integers stay as they are."""
    return lambda self: function(self) if self.dtype.kind == "f" else self


unary("abs", unless("b", "abs_cpu", np.abs), lambda grad, self: grad * sgn(self),
      text=doc("The absolute value of each element; the gradient at 0 is 0.", "torch.abs(torch.tensor([-1., 2.]))",
               "tensor([1., 2.])"))  # fmt: skip
unary("sign", sign, lambda grad: zeros_like(grad),
      text=doc("-1, 0 or 1 by the sign of each element.", "torch.sign(torch.tensor([-3., 0., 2.]))",
               "tensor([-1.,  0.,  1.])"))  # fmt: skip
unary("floor", unless("b", "floor_vml_cpu", whole(np.floor)), lambda grad: zeros_like(grad),
      text=doc("Each element rounded down; the gradient is 0.", "torch.floor(torch.tensor([-1.5, 2.5]))",
               "tensor([-2.,  2.])"))  # fmt: skip
unary("ceil", unless("b", "ceil_vml_cpu", whole(np.ceil)), lambda grad: zeros_like(grad),
      text=doc("Each element rounded up; the gradient is 0.", "torch.ceil(torch.tensor([-1.5, 2.5]))",
               "tensor([-1.,  3.])"))  # fmt: skip
unary("trunc", unless("b", "trunc_vml_cpu", whole(np.trunc)), lambda grad: zeros_like(grad),
      text=doc("Each element rounded towards zero; the gradient is 0.", "torch.trunc(torch.tensor([-1.5, 2.5]))",
               "tensor([-1.,  2.])"))  # fmt: skip
unary("frac", unless("biu", "frac_cpu", lambda self: self - np.trunc(self)), lambda grad: grad,
      text=doc("What trunc cuts off each element.", "torch.frac(torch.tensor([-1.5, 2.25]))",
               "tensor([-0.5000,  0.2500])"))  # fmt: skip


@operation("sgn", self=lambda grad, self, result: zeros_like(grad))  # it names what PyTorch's formula names
def sgn(self):
    """The same as :func:`sign` for real numbers.

    >>> import autograd_nb as torch
    >>> torch.sgn(torch.tensor([-3., 0., 2.]))
    tensor([-1.,  0.,  1.])
    """
    return sign(self)


@operation("round_whole", method=False, function=False, node_name="RoundBackward0",
           self=lambda grad: zeros_like(grad))  # fmt: skip
def round_whole(self):
    """Each element rounded."""
    return unless("b", "round_vml_cpu", whole(np.rint))(self)


@operation("round_decimals", method=False, function=False, node_name="RoundBackward1",
           self=lambda grad: zeros_like(grad))  # fmt: skip
def round_decimals(self, decimals):
    """Each element rounded to so many decimals."""
    if self.dtype.kind != "f":
        raise NotImplementedError(f"\"round_cpu\" not implemented for '{dtypes.of_array(self).legacy_name}'")
    scale = self.dtype.type(10 ** abs(decimals))
    return np.rint(self * scale) / scale if decimals > 0 else np.rint(self / scale) * scale


def rounding(self, decimals):
    return (operations["round_decimals"], (self, decimals)) if decimals else (operations["round_whole"], (self,))


@public("round")
def round_of(self, *, decimals=0):
    """Each element rounded, halves to the even neighbour; the gradient is 0.

    >>> import autograd_nb as torch
    >>> torch.round(torch.tensor([0.5, 1.5, 2.6]))
    tensor([0., 2., 3.])
    """
    return apply(*rounding(self, decimals))


@public("round_", function=False)
def round_in_place(self, *, decimals=0):
    """In-place form of :func:`round`; changes the tensor and returns it."""
    return in_place(*rounding(self, decimals))


@public("positive")
def positive_of(self):
    """The tensor itself; RuntimeError for bool.

    >>> import autograd_nb as torch
    >>> torch.positive(torch.tensor([1.]))
    tensor([1.])
    """
    if self._dtype is dtypes.bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return self


# -- functions with gaps -------------------------------------------------------------------------------------------

@both
def sinc_slope(turned, squared):
    """The derivative of sinc from pi times a number and pi times its square."""
    return (turned * cos(turned) - sin(turned)) / squared


unary("sinc", np.sinc,
      lambda grad, self: where(self == 0, 0, grad * sinc_slope(self * math_pi, self * self * math_pi)),
      floats=True,
      text=doc("sin(pi * self) / (pi * self), 1 at 0.", "torch.sinc(torch.tensor([0., 0.5]))",
               "tensor([1.0000, 0.6366])"))  # fmt: skip


@operation("nan_to_num", self=lambda grad, self: grad * isfinite(self))
def nan_to_num(self, nan=None, posinf=None, neginf=None):
    """The elements with nan, inf and -inf replaced: by 0 and the largest and the smallest number unless given.

    >>> import autograd_nb as torch
    >>> torch.nan_to_num(torch.tensor([1., float("nan")]))
    tensor([1., 0.])
    """
    if self.dtype.kind != "f":
        return self
    return np.nan_to_num(self, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


@both
def logit_backward(grad, self, eps):
    """The gradient of logit, 0 (without *eps*: nan) outside its bounds."""
    inner = grad / (self * (1.0 - self))
    if eps is None:
        return where(logical_and(self >= 0, self <= 1), inner, math_nan)
    return where(logical_or(self < eps, self > 1 - eps), 0, inner)


@operation("logit", promoted=("self",), floats=True, element_wise=True,
           self=lambda grad, self, eps: logit_backward(grad, self, eps))
def logit(self, eps=None):
    """log(self / (1 - self)), the inverse of sigmoid; elements are brought within *eps* of 0 and 1 first.

    >>> import autograd_nb as torch
    >>> torch.logit(torch.tensor([0.5, 0.75]))
    tensor([0.0000, 1.0986])
    """
    if eps is not None:
        self = np.minimum(np.maximum(self, self.dtype.type(eps)), self.dtype.type(1 - eps))
    return np.log(self / (1 - self))


for name in (
    "abs sign sgn sin cos tan asin acos atan sinh cosh logit sinc floor ceil trunc frac erf erfc erfinv deg2rad "
    "rad2deg nan_to_num"
).split():
    publish_in_place(name)

# -- written over, these three have a derivative that PyTorch refuses ----------------------------------------------


def refused(name):
    raise NotImplementedError(f"the derivative for 'inplace version of {name}' is not implemented.")


tensor_names["refused"] = refused
OVER = {"promoted": ("self",), "floats": True, "method": False, "function": False}


@operation("asinh_over", node_name="AsinhBackward1", self=lambda grad: refused("asinh"), **OVER)
def asinh_over(self):
    return np.arcsinh(self)


@operation("acosh_over", node_name="AcoshBackward1", self=lambda grad: refused("acosh"), **OVER)
def acosh_over(self):
    return np.arccosh(self)


@operation("atanh_over", node_name="AtanhBackward1", self=lambda grad: refused("atanh"), **OVER)
def atanh_over(self):
    return np.arctanh(self)


@public("asinh_", function=False)
def asinh_in_place(self):
    """In-place form of :func:`asinh`; changes the tensor and returns it."""
    return in_place(operations["asinh_over"], (self,))


@public("acosh_", function=False)
def acosh_in_place(self):
    """In-place form of :func:`acosh`; changes the tensor and returns it."""
    return in_place(operations["acosh_over"], (self,))


@public("atanh_", function=False)
def atanh_in_place(self):
    """In-place form of :func:`atanh`; changes the tensor and returns it."""
    return in_place(operations["atanh_over"], (self,))


for name, of in (("arcsin", "asin"), ("arccos", "acos"), ("arctan", "atan"), ("arcsinh", "asinh"), ("arccosh", "acosh"),
                 ("arctanh", "atanh"), ("absolute", "abs"), ("fix", "trunc")):  # fmt: skip
    alias(name, of)
