"""Activation functions: relu and its kin, the sigmoids, gelu.

Their derivatives are operations of their own where they are in PyTorch (``sigmoid_backward`` and so on): a node of the
second derivative bears that name.
"""

import math

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import apply, operation
from ..engine.elementwise import unary
from ..engine.formulas import tensor_names
from ..engine.inplace import publish_in_place
from ..engine.table import operations
from .carriers import both, erf, exp, log1p, sigmoid, tanh, where, zeros_like
from .public import doc, public

# -- sigmoid and tanh ----------------------------------------------------------------------------------------------


@operation("sigmoid_backward", method=False, function=False,
           grad_output=lambda grad, output: sigmoid_backward(grad, output),
           output=lambda grad, grad_output, output: grad * grad_output * (-2 * output + 1))  # fmt: skip
def sigmoid_backward(grad_output, output):
    """The gradient of sigmoid."""
    return grad_output * (1 - output) * output


@operation("tanh_backward", method=False, function=False,
           grad_output=lambda grad, output: tanh_backward(grad, output),
           output=lambda grad, grad_output, output: grad * (-2 * output * grad_output))  # fmt: skip
def tanh_backward(grad_output, output):
    """The gradient of tanh."""
    slope = output * output
    if slope.__class__ is not np.ndarray:
        return grad_output * (1 - slope)
    np.subtract(1, slope, slope)  # in place: fresh memory costs more than the arithmetic
    return np.multiply(slope, grad_output, slope)


unary("sigmoid", sigmoid, lambda grad, result: sigmoid_backward(grad, result), floats=True,
      text=doc("1 / (1 + exp(-self)), between 0 and 1.", "torch.sigmoid(torch.tensor([0., 2.]))",
               "tensor([0.5000, 0.8808])"))  # fmt: skip
unary("tanh", tanh, lambda grad, result: tanh_backward(grad, result), floats=True,
      text=doc("The hyperbolic tangent of each element.", "torch.tanh(torch.tensor([0., 1.]))",
               "tensor([0.0000, 0.7616])"))  # fmt: skip

# -- kinked lines --------------------------------------------------------------------------------------------------

maximum = np.maximum
ZEROS = {dtype.scalar: dtype.scalar(0) for dtype in dtypes.ALL}
ZERO_ARRAYS = {dtype.numpy: np.zeros((), dtype.numpy) for dtype in dtypes.ALL}  # a Python 0 is converted each time
BITS = {2: np.dtype(np.int16), 4: np.dtype(np.int32), 8: np.dtype(np.int64)}


@operation("threshold_backward", method=False, function=False,
           grad_output=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
           self=lambda grad: zeros_like(grad))  # fmt: skip
def threshold_backward(grad_output, self, threshold):
    """The gradient, but 0 where the element is not above the threshold."""
    if self.__class__ is np.ndarray:
        below = self <= (threshold or ZERO_ARRAYS[self.dtype])
        if below.size < 1024:
            passed = np.array(grad_output)
            np.putmask(passed, below, 0)
            return passed
        above = np.logical_not(below, below)  # so NaN counts as above
        bits = BITS[grad_output.itemsize]
        # the bits as integers times 0 or 1: several times as fast as a choice, and right for infinity and NaN as well
        return np.multiply(grad_output.view(bits), above).view(grad_output.dtype)
    return ZEROS[grad_output.__class__] if self <= threshold else grad_output


def rectified(self):
    if self.__class__ is np.ndarray:
        dtype = self.dtype
        if dtype.char == "?":
            raise RuntimeError("Boolean inputs not supported for relu")
        return maximum(self, ZERO_ARRAYS[dtype])
    return self if not self <= 0 else ZEROS[self.__class__]


unary("relu", rectified, lambda grad, result: threshold_backward(grad, result, 0),
      text=doc("The element where it is positive, else 0; the gradient at 0 is 0.",
               "torch.relu(torch.tensor([-1., 2.]))",
               "tensor([0., 2.])"))  # fmt: skip


def require_floating(self, kernel):
    if self.dtype.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.of_array(self).legacy_name}'")


@operation("threshold", method=False,
           self=lambda grad, self, threshold: threshold_backward(grad, self, threshold))  # fmt: skip
def threshold(self, threshold, value):
    """The element where it is above *threshold*, else *value*.

    >>> import autograd_nb as torch
    >>> torch.threshold(torch.tensor([-1., 2.]), 0, 5)
    tensor([5., 2.])
    """
    return where(self <= threshold, self.dtype.type(value), self)


@operation("leaky_relu_backward", method=False, function=False,
           grad_output=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope),
           self=lambda grad: zeros_like(grad))  # fmt: skip
def leaky_relu_backward(grad_output, self, negative_slope):
    """The gradient of leaky_relu."""
    return where(self > 0, grad_output, grad_output * negative_slope)


@operation("leaky_relu", method=False, function=False,
           self=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope))  # fmt: skip
def leaky_relu(self, negative_slope=0.01):
    """The element where it is positive, else *negative_slope* times it."""
    require_floating(self, "leaky_relu_cpu")
    return where(self > 0, self, self * negative_slope)


@operation("hardtanh_backward", method=False, function=False,
           grad_output=lambda grad, self, min_val, max_val: hardtanh_backward(grad, self, min_val, max_val),
           self=lambda grad: zeros_like(grad))  # fmt: skip
def hardtanh_backward(grad_output, self, min_val, max_val):
    """The gradient strictly between the bounds, else 0."""
    return where((self <= min_val) | (self >= max_val), 0, grad_output)


@operation("hardtanh", method=False, function=False,
           self=lambda grad, self, min_val, max_val: hardtanh_backward(grad, self, min_val, max_val))  # fmt: skip
def hardtanh(self, min_val=-1.0, max_val=1.0):
    """The element brought within the bounds."""
    kind = self.dtype.type
    return np.minimum(np.maximum(self, kind(min_val)), kind(max_val))


SIXTH = tensor_names["SIXTH"] = float(np.float32(1 / 6))  # PyTorch's constant is of single precision


@operation("hardsigmoid", method=False, function=False,
           self=lambda grad, self: where((self > -3) & (self < 3), grad * SIXTH, 0))  # fmt: skip
def hardsigmoid(self):
    """(self + 3) / 6, brought within 0 and 1."""
    require_floating(self, "hardsigmoid_cpu")
    return np.minimum(np.maximum(self + 3, 0), 6) / 6


@operation("hardswish_backward", method=False, function=False,
           grad_output=lambda grad, self: hardswish_backward(grad, self),
           self=lambda grad, grad_output, self: where((self > -3) & (self < 3), grad * grad_output / 3, 0))  # fmt: skip
def hardswish_backward(grad_output, self):
    """The gradient of hardswish."""
    return where(self <= -3, 0, where(self < 3, grad_output * (self / 3 + 0.5), grad_output))


@operation("hardswish", method=False, function=False, self=lambda grad, self: hardswish_backward(grad, self))
def hardswish(self):
    """self * hardsigmoid(self)."""
    require_floating(self, "hardswish_cpu")
    return self * np.minimum(np.maximum(self + 3, 0), 6) / 6


# -- exponential linear units --------------------------------------------------------------------------------------


@operation("elu_backward", method=False, function=False,
           grad_output=lambda grad, alpha, scale, input_scale, self:
           elu_backward(grad, alpha, scale, input_scale, self),
           self=lambda grad, grad_output, alpha, scale, input_scale, self:
           where(self < 0, grad * grad_output * (alpha * scale * input_scale * input_scale) * exp(self * input_scale),
                 0))
def elu_backward(grad_output, alpha, scale, input_scale, self):
    """The gradient of elu."""
    below = grad_output * (alpha * scale * input_scale) * np.exp(self * input_scale)
    return where(self <= 0, below, grad_output * scale)


def linear_or_exponential(self, alpha, scale, input_scale):
    require_floating(self, "elu_cpu")
    return where(self <= 0, np.expm1(self * input_scale) * (alpha * scale), self * scale)


@operation("elu", method=False, function=False,
           self=lambda grad, alpha, scale, input_scale, self:
           elu_backward(grad, alpha, scale, input_scale, self))  # fmt: skip
def elu(self, alpha=1.0, scale=1, input_scale=1):
    """The element where it is positive, else alpha * (exp(self) - 1)."""
    return linear_or_exponential(self, alpha, scale, input_scale)


def single(number):
    """A number rounded to single precision, as PyTorch does with celu's alpha on the way back."""
    return float(np.float32(number))


tensor_names["single"] = single


@operation("celu_row", method=False, function=False, node_name="CeluBackward0",
           self=lambda grad, self, alpha: elu_backward(grad, alpha, 1, 1.0 / single(alpha), self))  # fmt: skip
def celu_row(self, alpha):
    """Elu with a slope of 1 at 0 for every alpha."""
    return linear_or_exponential(self, alpha, 1, 1.0 / alpha)


@public("celu", method=False)
def celu_of(self, alpha=1.0):
    """The element where it is positive, else alpha * (exp(self / alpha) - 1).

    >>> import autograd_nb as torch
    >>> torch.celu(torch.tensor([-1., 2.]))
    tensor([-0.6321,  2.0000])
    """
    return apply(operations["celu_row"], celu_values(self, alpha))


def celu_values(self, alpha):
    """What celu is called with; RuntimeError for an *alpha* of 0."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return self, alpha


SELU = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1


@public("selu", method=False)
def selu_of(self):
    """Elu with the alpha and the scale that keep activations standardised from layer to layer.

    >>> import autograd_nb as torch
    >>> torch.selu(torch.tensor([-1., 2.]))
    tensor([-1.1113,  2.1014])
    """
    return apply(operations["elu"], (self, *SELU))


# -- smooth steps --------------------------------------------------------------------------------------------------


@operation("softplus_backward", method=False, function=False,
           grad_output=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold),
           self=lambda grad, grad_output, self, beta, threshold:
           where(self * beta > threshold, 0,
                 sigmoid_backward(grad * grad_output, sigmoid(self * beta)) * beta))  # fmt: skip
def softplus_backward(grad_output, self, beta, threshold):
    """The gradient of softplus."""
    powers = np.exp(self * beta)
    return where(self * beta > threshold, grad_output, grad_output * powers / (powers + 1))


@operation("softplus", method=False, function=False,
           self=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold))  # fmt: skip
def softplus(self, beta=1, threshold=20):
    """log(1 + exp(beta * self)) / beta; the element itself where beta * self is above *threshold*."""
    require_floating(self, "softplus_cpu")
    return where(self * beta > threshold, self, np.log1p(np.exp(self * beta)) / beta)


@operation("log_sigmoid_backward", method=False, function=False,
           grad_output=lambda grad, self: log_sigmoid_backward(grad, self),
           self=lambda grad, grad_output, self:
           -sigmoid_backward(grad * grad_output, sigmoid(self)))  # fmt: skip
def log_sigmoid_backward(grad_output, self):
    """The gradient of logsigmoid."""
    powers = np.exp(-np.abs(self))
    return grad_output * where(self < 0, 1 / (1 + powers), powers / (1 + powers))


@operation("logsigmoid", method=False, function=False, node_name="LogSigmoidBackward0",
           self=lambda grad, self: log_sigmoid_backward(grad, self))  # fmt: skip
def logsigmoid(self):
    """The logarithm of sigmoid, without overflow."""
    require_floating(self, "log_sigmoid_cpu")
    return np.minimum(self, 0) - np.log1p(np.exp(-np.abs(self)))


@operation("silu", method=False, function=False,
           self=lambda grad, self: grad * sigmoid(self) * (1 + self * (1 - sigmoid(self))))  # fmt: skip
def silu(self):
    """self * sigmoid(self)."""
    require_floating(self, "silu_cpu")
    return self / (1 + np.exp(-self))


@both
def mish_backward(grad, self):
    """The gradient of mish."""
    bent = tanh(log1p(exp(self)))
    return grad * (bent + self * sigmoid(self) * (1 - bent * bent))


@operation("mish", method=False, function=False, self=lambda grad, self: mish_backward(grad, self))
def mish(self):
    """self * tanh(softplus(self))."""
    require_floating(self, "mish_cpu")
    return self * np.tanh(np.log1p(np.exp(self)))


# -- gelu ----------------------------------------------------------------------------------------------------------

ROOT_HALF, NORMAL = math.sqrt(0.5), 1 / math.sqrt(2 * math.pi)  # NORMAL: the normal density at 0
STEEP, CUBIC = math.sqrt(2 / math.pi), 0.044715  # of the tanh that stands for the normal distribution
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


@operation("gelu_backward", method=False, function=False,
           grad_output=lambda grad, self, approximate: gelu_backward(grad, self, approximate),
           self=lambda grad, grad_output, self, approximate:
           grad * grad_output * gelu_curvature(self, approximate))  # fmt: skip
def gelu_backward(grad_output, self, approximate):
    """The gradient of gelu."""
    return grad_output * gelu_slope(self, approximate)


@operation("gelu", method=False, function=False,
           self=lambda grad, self, approximate: gelu_backward(grad, self, approximate))  # fmt: skip
def gelu(self, approximate="none"):
    """The element times the normal distribution function there, exact ("none") or by a tanh ("tanh")."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    require_floating(self, "GeluKernelImpl")
    if approximate == "none":
        return self * 0.5 * (1 + erf(self * ROOT_HALF))
    return 0.5 * self * (1 + np.tanh(STEEP * (self + CUBIC * self * self * self)))


for name in ("tanh", "sigmoid", "relu"):
    publish_in_place(name)
