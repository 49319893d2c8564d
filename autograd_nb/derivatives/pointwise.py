"""Element-wise operations of one tensor, and arithmetic of two."""

import operator

import numpy as np

from ..dispatch import binary, unary
from .carriers import cos, log, sin

binary("add", operator.add, lambda grad: grad, lambda grad: grad)
binary("sub", operator.sub, lambda grad: grad, lambda grad: -grad)
binary("mul", operator.mul, lambda grad, other: grad * other, lambda grad, self: grad * self)
binary("div", operator.truediv, lambda grad, other: grad / other,
             lambda grad, self, other: -grad * (self / other / other), floats=True)  # fmt: skip
unary("neg", operator.neg, lambda grad: -grad)
unary("exp", np.exp, lambda grad, result: grad * result, floats=True)
unary("log", np.log, lambda grad, self: grad / self, floats=True)
unary("sin", np.sin, lambda grad, self: grad * cos(self), floats=True)
unary("cos", np.cos, lambda grad, self: -grad * sin(self), floats=True)
