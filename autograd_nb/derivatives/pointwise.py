"""Element-wise functions of one tensor: trigonometric and hyperbolic ones, error functions, signs and rounding."""

import math

import numpy as np

from ..dispatch import unary
from .carriers import cos, cosh, rsqrt, sin, sinh
from .public import alias, doc

DEGREE = math.pi / 180

# -- trigonometric and hyperbolic functions -----------------------------------------------------------------------

unary("sin", sin, lambda grad, self: grad * cos(self), floats=True,
      text=doc("The sine of each element, in radians.", "torch.sin(torch.tensor([0., 1.]))", "tensor([0.0000, 0.8415])"))
unary("cos", cos, lambda grad, self: grad * -sin(self), floats=True,
      text=doc("The cosine of each element, in radians.", "torch.cos(torch.tensor([0., 1.]))", "tensor([1.0000, 0.5403])"))
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
      text=doc("The hyperbolic sine of each element.", "torch.sinh(torch.tensor([0., 1.]))", "tensor([0.0000, 1.1752])"))
unary("cosh", cosh, lambda grad, self: grad * sinh(self), floats=True,
      text=doc("The hyperbolic cosine of each element.", "torch.cosh(torch.tensor([0., 1.]))", "tensor([1.0000, 1.5431])"))
unary("tanh", np.tanh, lambda grad, result: grad * (1 - result * result), floats=True,
      text=doc("The hyperbolic tangent of each element.", "torch.tanh(torch.tensor([0., 1.]))", "tensor([0.0000, 0.7616])"))
unary("asinh", np.arcsinh, lambda grad, self: grad * rsqrt(self**2 + 1), floats=True,
      text=doc("The inverse hyperbolic sine of each element.", "torch.asinh(torch.tensor([0., 1.]))",
               "tensor([0.0000, 0.8814])"))  # fmt: skip
unary("acosh", np.arccosh, lambda grad, self: grad * rsqrt(self * self - 1), floats=True,
      text=doc("The inverse hyperbolic cosine of each element; nan below 1.", "torch.acosh(torch.tensor([1., 2.]))",
               "tensor([0.0000, 1.3170])"))  # fmt: skip
unary("atanh", np.arctanh, lambda grad, self: grad * 1 / (1 - self**2), floats=True,
      text=doc("The inverse hyperbolic tangent of each element; nan outside [-1, 1].", "torch.atanh(torch.tensor([0., 1.]))",
               "tensor([0., inf])"))  # fmt: skip
unary("deg2rad", lambda self: self * self.dtype.type(DEGREE), lambda grad: grad * 0.017453292519943295, floats=True,
      node_name="Deg2RadBackward0",
      text=doc("Degrees to radians.", "torch.deg2rad(torch.tensor([180.]))", "tensor([3.1416])"))  # fmt: skip
unary("rad2deg", lambda self: self * self.dtype.type(1 / DEGREE), lambda grad: grad * 57.29577951308232, floats=True,
      node_name="Rad2DegBackward0",
      text=doc("Radians to degrees.", "torch.rad2deg(torch.tensor([3.14159265]))", "tensor([180.])"))  # fmt: skip
for name, of in (("arcsin", "asin"), ("arccos", "acos"), ("arctan", "atan"), ("arcsinh", "asinh"), ("arccosh", "acosh"),
                 ("arctanh", "atanh")):  # fmt: skip
    alias(name, of)
