"""Activations that write over their input: their backward reads the result, since the input is gone.

They have nodes of their own in PyTorch, and refuse a slope from whose result the input's sign cannot be told.
"""

from ..engine.dispatch import operation
from ..engine.formulas import tensor_names
from ..engine.inplace import in_place
from ..engine.table import operations
from .activations import (
    SELU,
    celu_values,
    leaky_relu,
    leaky_relu_backward,
    linear_or_exponential,
    single,
    threshold_backward,
)  # fmt: skip
from .carriers import where
from .public import public

INTERNAL = dict(method=False, function=False)


def not_negative(slope, name, more=""):
    """The slope; RuntimeError if it is negative, for then the results do not tell the signs of the inputs."""
    if slope < 0:
        raise RuntimeError(
            f"In-place {name} backward calculation is triggered with a negative slope which is not supported. This is "
            "caused by calling in-place forward function with a negative slope, please call out-of-place version "
            f"instead.{more}"
        )
    return slope


UNLIKELY = (
    " File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward "
    "calculation with negative slope"
)
tensor_names.update(not_negative=not_negative, UNLIKELY=UNLIKELY)


@operation("elu_backward_of_result", node_name="EluBackwardBackward0", **INTERNAL,
           grad_output=lambda grad, alpha, scale, input_scale, result:
           elu_backward_of_result(grad, alpha, scale, input_scale, result),
           result=lambda grad, grad_output, input_scale, result:
           where(result < 0, grad * grad_output * input_scale, 0))  # fmt: skip
def elu_backward_of_result(grad_output, alpha, scale, input_scale, result):
    """The gradient of elu from its result."""
    coefficient = not_negative(alpha, "elu") * scale
    return where(result <= 0, grad_output * input_scale * (result + coefficient), grad_output * scale)


@operation("elu_over", node_name="EluBackward1", **INTERNAL,
           self=lambda grad, alpha, scale, input_scale, result:
           elu_backward_of_result(grad, alpha, scale, input_scale, result))  # fmt: skip
def elu_over(self, alpha, scale, input_scale):
    return linear_or_exponential(self, alpha, scale, input_scale)


@operation("celu_over", node_name="CeluBackward1", **INTERNAL,
           self=lambda grad, alpha, result:
           elu_backward_of_result(grad, alpha, 1, 1.0 / single(alpha), result))  # fmt: skip
def celu_over(self, alpha):
    return linear_or_exponential(self, alpha, 1, 1.0 / alpha)


@operation("leaky_relu_over", node_name="LeakyReluBackward1", **INTERNAL,
           self=lambda grad, negative_slope, result:
           leaky_relu_backward(grad, result, not_negative(negative_slope, "leakyReLu", UNLIKELY)))  # fmt: skip
def leaky_relu_over(self, negative_slope):
    return leaky_relu(self, negative_slope)


@operation("threshold_over", node_name="ThresholdBackward1", **INTERNAL,
           self=lambda grad, self, threshold: threshold_backward(grad, self, threshold))  # fmt: skip
def threshold_over(self, threshold, value):
    return where(self <= threshold, self.dtype.type(value), self)


# -- the public forms: each gives its row and the values of that row's parameters ----------------------------------

FORMS = {
    "elu": lambda self, alpha=1.0, scale=1, input_scale=1: ("elu_over", (self, alpha, scale, input_scale)),
    "celu": lambda self, alpha=1.0: ("celu_over", celu_values(self, alpha)),
    "selu": lambda self: ("elu_over", (self, *SELU)),
    "leaky_relu": lambda self, negative_slope=0.01: ("leaky_relu_over", (self, negative_slope)),
    "threshold": lambda self, threshold, value: ("threshold_over", (self, threshold, value)),
    "hardtanh": lambda self, min_val=-1.0, max_val=1.0: ("hardtanh", (self, min_val, max_val)),
    **{name: lambda self, name=name: (name, (self,)) for name in ("hardsigmoid", "hardswish", "mish", "silu")},
}
for name, form in FORMS.items():
    form.__doc__ = f"In-place form of :func:`{name}`; changes the tensor and returns it."
    public(name + "_", method=False, function=False, run=lambda row, values: in_place(operations[row], values))(form)
