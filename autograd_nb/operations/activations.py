"""Activation functions: relu, leaky_relu and the sigmoids.

Their derivatives are operations of their own where PyTorch has them as operations (``sigmoid_backward`` and so on), for
which the nodes of second derivatives are named.
"""

import numpy as np

from ..engine import dtypes
from .array_functions import sigmoid, tanh, where, zeros_like
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
      "1 / (1 + exp(-self)), between 0 and 1.", "0., 2.", "0.5000, 0.8808")
unary("tanh", tanh, lambda grad, result: tanh_backward(grad, result),
      "The hyperbolic tangent of each element.", "0., 1.", "0.0000, 0.7616")

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
      "The element where it is positive, else 0; the gradient at 0 is 0.", "-1., 2.", "0., 2.", floats=False)


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
