"""Activation functions: relu and its variants, the sigmoids, gelu.

Their derivatives are operations of their own where PyTorch has them as operations (``sigmoid_backward`` and so on), for
which the nodes of second derivatives are named.
"""

import math

import numpy as np

from ..engine import dtypes
from ..engine.inplace import in_place
from ..engine.table import operations, tensor_names
from .carriers import both, erf, exp, sigmoid, tanh, where, zeros_like
from .checks import require_floating
from .public import in_place_form, pointwise, row

# -- sigmoid and tanh ----------------------------------------------------------------------------------------------


@row("sigmoid_backward", grad_output=lambda grad, output: sigmoid_backward(grad, output),
     output=lambda grad, grad_output, output: grad * grad_output * (-2 * output + 1))  # fmt: skip
def sigmoid_backward(grad_output, output):
    return grad_output * (1 - output) * output


@row("tanh_backward", grad_output=lambda grad, output: tanh_backward(grad, output),
     output=lambda grad, grad_output, output: grad * (-2 * output * grad_output))  # fmt: skip
def tanh_backward(grad_output, output):
    slope = output * output
    if slope.__class__ is not np.ndarray:
        return grad_output * (1 - slope)
    np.subtract(1, slope, slope)  # in place: fresh memory costs more than the arithmetic
    return np.multiply(slope, grad_output, slope)


pointwise("sigmoid", sigmoid, lambda grad, result: sigmoid_backward(grad, result),
          "1 / (1 + exp(-self)), between 0 and 1.", "0., 2.", "0.5000, 0.8808")
pointwise("tanh", tanh, lambda grad, result: tanh_backward(grad, result),
          "The hyperbolic tangent of each element.", "0., 1.", "0.0000, 0.7616")

# -- piecewise linear ----------------------------------------------------------------------------------------------

BITS = {2: np.int16, 4: np.int32, 8: np.int64}
ZERO = {dtype.numpy: np.array(0, dtype.numpy) for dtype in dtypes.ALL if dtype is not dtypes.bool}  # for speed


@row("threshold_backward", grad_output=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
     self=lambda grad: zeros_like(grad))  # fmt: skip
def threshold_backward(grad_output, self, threshold):
    """The gradient, but 0 where the element is not above the threshold; NaN counts as above."""
    if self.__class__ is not np.ndarray:
        return zeros_like(grad_output) if self <= threshold else grad_output
    below = self <= (threshold or ZERO[self.dtype])
    if below.size < 1024:
        return np.where(below, ZERO[self.dtype], grad_output)
    above = np.logical_not(below, below)
    # the bits as integers times 0 or 1: several times as fast as np.where, and right for infinity and NaN as well
    return (grad_output.view(BITS[grad_output.itemsize]) * above).view(grad_output.dtype)


def rectified(self):
    zero = ZERO.get(self.dtype)
    if zero is None:
        raise RuntimeError("Boolean inputs not supported for relu")
    if self.__class__ is not np.ndarray:
        return zero[()] if self <= 0 else self
    return np.maximum(self, zero)


pointwise("relu", rectified, lambda grad, result: threshold_backward(grad, result, 0),
          "The element where it is positive, else 0; the gradient at 0 is 0.", "-1., 2.", "0., 2.", floats=False)


@row("leaky_relu_backward",
     grad_output=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope),
     self=lambda grad: zeros_like(grad))  # fmt: skip
def leaky_relu_backward(grad_output, self, negative_slope):
    return where(self > 0, grad_output, grad_output * negative_slope)


@row("leaky_relu", self=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope))
def leaky_relu(self, negative_slope=0.01):
    """The element where it is positive, else *negative_slope* times it."""
    require_floating(self, "leaky_relu_cpu")
    return where(self > 0, self, self * negative_slope)


# -- smooth ones ---------------------------------------------------------------------------------------------------


@row("elu_backward",
     grad_output=lambda grad, alpha, scale, input_scale, self: elu_backward(grad, alpha, scale, input_scale, self),
     self=lambda grad, grad_output, alpha, scale, input_scale, self: where(
         self < 0, grad * grad_output * (alpha * scale * input_scale * input_scale) * exp(self * input_scale), 0))
def elu_backward(grad_output, alpha, scale, input_scale, self):
    below = grad_output * (alpha * scale * input_scale) * np.exp(self * input_scale)
    return where(self <= 0, below, grad_output * scale)


@row("elu", self=lambda grad, alpha, scale, input_scale, self: elu_backward(grad, alpha, scale, input_scale, self))
def elu(self, alpha=1.0, scale=1, input_scale=1):
    """The element where it is positive, else alpha * (exp(self) - 1)."""
    require_floating(self, "elu_cpu")
    return where(self <= 0, np.expm1(self * input_scale) * (alpha * scale), self * scale)


@row("softplus_backward",
     grad_output=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold),
     self=lambda grad, grad_output, self, beta, threshold: where(
         self * beta > threshold, 0, sigmoid_backward(grad * grad_output, sigmoid(self * beta)) * beta))
def softplus_backward(grad_output, self, beta, threshold):
    powers = np.exp(self * beta)
    return where(self * beta > threshold, grad_output, grad_output * powers / (powers + 1))


@row("softplus", self=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold))
def softplus(self, beta=1, threshold=20):
    """log(1 + exp(beta * self)) / beta; the element itself where beta * self is above *threshold*."""
    require_floating(self, "softplus_cpu")
    return where(self * beta > threshold, self, np.log1p(np.exp(self * beta)) / beta)


@row("silu", self=lambda grad, self: grad * sigmoid(self) * (1 + self * (1 - sigmoid(self))))
def silu(self):
    """self * sigmoid(self)."""
    require_floating(self, "silu_cpu")
    return self / (1 + np.exp(-self))


# -- gelu ----------------------------------------------------------------------------------------------------------

ROOT_HALF, NORMAL = math.sqrt(0.5), 1 / math.sqrt(2 * math.pi)  # NORMAL: the normal density at 0
STEEP, CUBIC = math.sqrt(2 / math.pi), 0.044715  # of the approximation by a tanh
tensor_names.update(ROOT_HALF=ROOT_HALF, NORMAL=NORMAL, STEEP=STEEP, CUBIC=CUBIC)


@both
def gelu_slope(self, approximate):
    """The derivative of gelu."""
    if approximate == "none":
        return 0.5 * (1 + erf(self * ROOT_HALF)) + self * (exp(self * self * -0.5) * NORMAL)
    bent = tanh(STEEP * (self + CUBIC * self * self * self))
    return 0.5 * (1 + bent) + 0.5 * self * (1 - bent * bent) * (STEEP * (1 + 3 * CUBIC * self * self))


@both
def gelu_curvature(self, approximate):
    """The second derivative of gelu."""
    if approximate == "none":
        return exp(self * self * -0.5) * NORMAL * (2 - self * self)
    bent = tanh(STEEP * (self + CUBIC * self * self * self))
    slope = STEEP * (1 + 3 * CUBIC * self * self)
    return (1 - bent * bent) * (slope + self * (3 * STEEP * CUBIC * self - bent * slope * slope))


@row("gelu_backward", grad_output=lambda grad, self, approximate: gelu_backward(grad, self, approximate),
     self=lambda grad, grad_output, self, approximate: grad * grad_output * gelu_curvature(self, approximate))
def gelu_backward(grad_output, self, approximate):
    return grad_output * gelu_slope(self, approximate)


@row("gelu", self=lambda grad, self, approximate: gelu_backward(grad, self, approximate))
def gelu(self, approximate="none"):
    """self * Φ(self), with the normal distribution function Φ exact ("none") or approximated by a tanh ("tanh")."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    require_floating(self, "GeluKernelImpl")
    if approximate == "none":
        return self * 0.5 * (1 + erf(self * ROOT_HALF))
    return 0.5 * self * (1 + np.tanh(STEEP * (self + CUBIC * self * self * self)))


# -- in place: the backward reads the result -----------------------------------------------------------------------

NEGATIVE = (
    "In-place {} backward calculation is triggered with a negative slope which is not supported. This is caused by "
    "calling in-place forward function with a negative slope, please call out-of-place version instead."
)
UNLIKELY = (
    " File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward "
    "calculation with negative slope"
)


def not_negative(slope, name, more=""):
    """The slope; RuntimeError if it is negative: the results would not show the signs of the inputs."""
    if slope < 0:
        raise RuntimeError(NEGATIVE.format(name) + more)
    return slope


tensor_names.update(not_negative=not_negative, UNLIKELY=UNLIKELY)
row("leaky_relu_over", node_name="LeakyReluBackward1", self=lambda grad, negative_slope, result:
    leaky_relu_backward(grad, result, not_negative(negative_slope, "leakyReLu", UNLIKELY)))(leaky_relu)
row("elu_over", node_name="EluBackward1", self=lambda grad, alpha, scale, input_scale, result:
    elu_backward_of_result(grad, alpha, scale, input_scale, result))(elu)


@row("elu_backward_of_result", node_name="EluBackwardBackward0", returns=("grad_input",),
     grad_output=lambda grad, alpha, scale, input_scale, result:
     elu_backward_of_result(grad, alpha, scale, input_scale, result),
     result=lambda grad, grad_output, input_scale, result:
     where(result < 0, grad * grad_output * input_scale, 0))  # fmt: skip
def elu_backward_of_result(grad_output, alpha, scale, input_scale, result):
    coefficient = not_negative(alpha, "elu") * scale
    return where(result <= 0, grad_output * input_scale * (result + coefficient), grad_output * scale)


in_place_form("leaky_relu", method=False)(
    lambda self, negative_slope=0.01: in_place(operations["leaky_relu_over"], (self, negative_slope)))
in_place_form("elu", method=False)(lambda self, alpha=1.0: in_place(operations["elu_over"], (self, alpha, 1, 1)))
in_place_form("silu", method=False)(lambda self: in_place(operations["silu"], (self,)))
