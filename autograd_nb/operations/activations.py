"""Activation functions: the sigmoids; relu and leaky_relu; elu, silu, gelu, softplus and logsigmoid.

If PyTorch has a derivative as an operation (``sigmoid_backward`` and so on), this module has it too, since the nodes of
second derivatives are named after it.
"""

import numpy as np

from ..engine import dtypes
from .array_functions import both, erf, exp, log1p, sigmoid, tanh, where, zeros_like
from .checks import in_range, require_floating
from .rows import row, unary

# -- sigmoid and tanh ----------------------------------------------------------------------------------------------


@row(grad_output=lambda grad, output: sigmoid_backward(grad, output),
     output=lambda grad, grad_output, output: grad * grad_output * (-2 * output + 1))  # fmt: skip
def sigmoid_backward(grad_output, output):
    return grad_output * (1 - output) * output


@row(grad_output=lambda grad, output: tanh_backward(grad, output),
     output=lambda grad, grad_output, output: grad * (-2 * output * grad_output))  # fmt: skip
def tanh_backward(grad_output, output):
    slope = output * output
    if slope.__class__ is not np.ndarray:
        return grad_output * (1 - slope)
    np.subtract(dtypes.of_array(slope).one, slope, slope)  # in place: fresh memory costs more than the arithmetic
    return np.multiply(slope, grad_output, slope)


unary("sigmoid", sigmoid, lambda grad, result: sigmoid_backward(grad, result),
      "1 / (1 + exp(-self)), between 0 and 1.", "0.5000, 0.8808", "0., 2.")
unary("tanh", tanh, lambda grad, result: tanh_backward(grad, result),
      "The hyperbolic tangent of each element.", "0.0000, 0.7616")

# -- piecewise linear ----------------------------------------------------------------------------------------------

BITS = {2: np.int16, 4: np.int32, 8: np.int64}
ZERO = {dtype.numpy: np.array(0, dtype.numpy) for dtype in dtypes.ALL if dtype is not dtypes.bool}  # for speed


@row(grad_output=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
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


unary("relu", rectified, lambda grad, result: threshold_backward(grad, result, 0),
      "The element where it is positive, else 0; the gradient at 0 is 0.", "0., 2.", "-1., 2.", floats=False)


@row(grad_output=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope),
     self=lambda grad: zeros_like(grad))  # fmt: skip
def leaky_relu_backward(grad_output, self, negative_slope):
    return where(self > 0, grad_output, grad_output * negative_slope)


@row(checks=True,
     self=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope))
def leaky_relu(self, negative_slope=0.01):
    """The element where it is positive, else *negative_slope* times it."""
    require_floating(self, "leaky_relu_cpu")
    return where(self > 0, self, self * in_range(negative_slope, self.dtype))


row("leaky_relu_", node_name="LeakyReluBackward1",
    self=lambda grad, result, negative_slope: leaky_relu_backward(grad, result, negative_slope))(leaky_relu)


# At 0 PyTorch's prelu takes the left side, and its second derivatives the right side.
@row(grad_output=lambda grad, self, weight: where(self >= 0, grad, grad * weight),
     self=lambda grad, self: zeros_like(self),
     weight=lambda grad, grad_output, self: where(self >= 0, 0, grad * grad_output), broadcasts=True)  # fmt: skip
def _prelu_kernel_backward(grad_output, self, weight):
    return where(self > 0, grad_output, grad_output * weight)


@row(grad_output=lambda grad, self: where(self >= 0, 0, grad * self),
     self=lambda grad, grad_output, self: where(self >= 0, 0, grad * grad_output))  # fmt: skip
def _prelu_kernel_backward_weight(grad_output, self):
    return where(self > 0, 0, grad_output * self)


@row(self=lambda grad, self, weight: _prelu_kernel_backward(grad, self, weight),
     weight=lambda grad, self: _prelu_kernel_backward_weight(grad, self), broadcasts=True)  # fmt: skip
def _prelu_kernel(self, weight):
    return where(self > 0, self, self * weight)


# -- smooth bends --------------------------------------------------------------------------------------------------


@row(grad_output=lambda grad, self_or_result, alpha: elu_backward(grad, self_or_result, alpha),
     self_or_result=lambda grad, grad_output, self_or_result, alpha:
     where(self_or_result < 0, grad * elu_backward(grad_output, self_or_result, alpha), 0))  # fmt: skip
def elu_backward(grad_output, self_or_result, alpha):
    return where(self_or_result <= 0, grad_output * alpha * exp(self_or_result), grad_output)


@row(checks=True, self=lambda grad, self, alpha: elu_backward(grad, self, alpha))
def elu(self, alpha=1.0):
    """The element where it is positive, else *alpha* times (exp(self) - 1)."""
    require_floating(self, "elu_cpu")
    return where(self > 0, self, np.expm1(self) * in_range(alpha, self.dtype))


row("elu_", node_name="EluBackward1",
    self=lambda grad, result, alpha: where(result <= 0, grad * (result + alpha), grad))(elu)


@both
def silu_slope(self):
    return sigmoid(self) * (1 + self * (1 - sigmoid(self)))


@row(checks=True, self=lambda grad, self: grad * silu_slope(self))
def silu(self):
    """The element times its sigmoid."""
    require_floating(self, "silu_cpu")
    return self * sigmoid(self)


@both
def mish_slope(self):
    bend = tanh(log1p(exp(self)))
    return bend + self * sigmoid(self) * (1 - bend * bend)


@row(self=lambda grad, self: grad * mish_slope(self))
def mish(self):
    """The element times the hyperbolic tangent of log(1 + exp(self))."""
    require_floating(self, "mish_cpu")
    return self * tanh(log1p(exp(self)))


@both
def gelu_parts(self):
    """The hyperbolic tangent in the quick form of gelu, and the slope of what it is taken of."""
    squared = self * self
    slope = 0.7978845608028654 * (1 + 0.134145 * squared)
    return tanh(0.7978845608028654 * self * (1 + 0.044715 * squared)), slope


@both
def gelu_slope(self, approximate):
    """The derivative of gelu; 0.3989 is 1 / sqrt(2 * pi)."""
    if approximate == "none":
        density = 0.3989422804014327 * exp(-0.5 * self * self)
        return 0.5 * (1 + erf(self * 0.7071067811865476)) + self * density
    t, slope = gelu_parts(self)
    return 0.5 * (1 + t + self * (1 - t * t) * slope)


@row(checks=True, self=lambda grad, self, approximate: grad * gelu_slope(self, approximate))
def gelu(self, *, approximate="none"):
    """The element times the share of the normal distribution below it; "tanh" is quicker and nearly the same."""
    require_floating(self, "GeluKernelImpl")
    if approximate == "none":
        return 0.5 * self * (1 + erf(self * 0.7071067811865476))
    if approximate == "tanh":
        return 0.5 * self * (1 + gelu_parts(self)[0])
    raise RuntimeError("approximate argument must be either none or tanh.")


@row(grad_output=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold),
     self=lambda grad, grad_output, self, beta, threshold:
     where(self * beta >= threshold, 0, grad * sigmoid_backward(grad_output, sigmoid(self * beta)) * beta))
def softplus_backward(grad_output, self, beta, threshold):
    return where(self * beta > threshold, grad_output, grad_output * sigmoid(self * beta))


@row(checks=True, self=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold))
def softplus(self, beta=1.0, threshold=20.0):
    """log(1 + exp(beta * self)) / beta, a smooth relu; the element itself where beta * self is above *threshold*."""
    require_floating(self, "softplus_cpu")
    times = self * self.dtype.type(beta)
    return where(times > threshold, self, np.log1p(exp(times)) / self.dtype.type(beta))


@row(checks=True, self=lambda grad, self: grad * sigmoid(-self))
def log_sigmoid(self):
    """The logarithm of the sigmoid, computed so that it neither overflows nor loses digits."""
    require_floating(self, "log_sigmoid_cpu")
    return np.minimum(self, 0) - np.log1p(exp(-np.abs(self)))
