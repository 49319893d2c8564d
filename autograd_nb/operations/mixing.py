"""Element-wise functions of two and three tensors that are more than arithmetic."""

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import operation
from ..engine.dtypes import CPP_NAMES
from ..engine.elementwise import binary
from ..engine.inplace import publish_in_place
from ..engine.table import operations
from ..engine.tensor import Tensor
from .carriers import both, exp, exp2, logical_and, masked_fill, own_number, reciprocal, where, zeros_like
from .public import alias, chosen, doc, require_tensor


def floating_only(kernel, function):
    """A forward of two tensors: NotImplementedError, in PyTorch's words, for integers."""

    def forward(self, other):
        if self.dtype.kind != "f":
            raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.of_array(self).legacy_name}'")
        return function(self, other)

    return forward


@both
def near(self, other):
    """One over the squared distance of the point (other, self) from the origin, 0 at the origin."""
    squared = self * self + other * other
    return masked_fill(reciprocal(squared), squared == 0, 0)


binary("atan2", np.arctan2, lambda grad, self, other: grad * other * near(self, other),
       lambda grad, self, other: grad * -self * near(self, other), floats=True,
       text=doc("The angle of the point (other, self), between -pi and pi.",
                "torch.atan2(torch.tensor([1.]), torch.tensor([-1.]))", "tensor([2.3562])"))  # fmt: skip
binary("hypot", floating_only("hypot_cpu", np.hypot), lambda grad, self, result: grad * self / result,
       lambda grad, other, result: grad * other / result,
       text=doc("The length of the hypotenuse.", "torch.hypot(torch.tensor([3.]), torch.tensor([4.]))",
                "tensor([5.])"))  # fmt: skip
binary("logaddexp", floating_only("logaddexp_cpu", np.logaddexp),
       lambda grad, self, other: grad / (1 + exp(other - self)),
       lambda grad, self, other: grad / (1 + exp(self - other)),
       text=doc("log(exp(self) + exp(other)), without overflow.",
                "torch.logaddexp(torch.tensor([1000.]), torch.tensor([1000.]))", "tensor([1000.6932])"))  # fmt: skip
binary("logaddexp2", floating_only("logaddexp2_cpu", np.logaddexp2),
       lambda grad, self, other: grad / (1 + exp2(other - self)),
       lambda grad, self, other: grad / (1 + exp2(self - other)),
       text=doc("The same as logaddexp to base 2.", "torch.logaddexp2(torch.tensor([1.]), torch.tensor([1.]))",
                "tensor([2.])"))  # fmt: skip
for name in ("atan2", "hypot", "logaddexp", "logaddexp2"):
    require_tensor(name)

COPYSIGN = dict(promoted=("self", "other"), floats=True, method=False, function=False)


@operation("copysign_tensors", broadcasts=True, node_name="CopysignBackward0", **COPYSIGN,
           self=lambda grad, self, result: where(self == 0, 0, grad * result / self),
           other=lambda grad: zeros_like(grad))  # fmt: skip
def copysign_tensors(self, other):
    """The size of *self* with the sign of *other*."""
    return np.copysign(self, other)


@operation("copysign_number", node_name="CopysignBackward1", tensors=("self",), **COPYSIGN,
           self=lambda grad, self, result: where(self == 0, 0, grad * result / self))  # fmt: skip
def copysign_number(self, other):
    """The size of *self* with the sign of a number."""
    return np.copysign(self, other)


@chosen("copysign")
def copysign_of(self, other):
    """The size of each element of *self* with the sign of *other*, a tensor or a number.

    >>> import autograd_nb as torch
    >>> torch.copysign(torch.tensor([1., 2.]), -1)
    tensor([-1., -2.])
    """
    return operations["copysign_tensors" if isinstance(other, Tensor) else "copysign_number"], (self, other)


# -- xlogy, whose node depends on which operand is a number --------------------------------------------------------


def xlogy(self, other):
    """self * log(other) on arrays, 0 wherever *self* is."""
    other = np.asarray(other, self.dtype)[()]
    return where(np.isnan(other), np.nan, where(self == 0, 0, self * np.log(other)))


XLOGY = dict(promoted=("self", "other"), floats=True, method=False, function=False)


@operation("xlogy_tensors", broadcasts=True, node_name="XlogyBackward0", **XLOGY,
           self=lambda grad, self, other: masked_fill(xlogy(grad, other), logical_and(self == 0, other <= 0), 0),
           other=lambda grad, self, other: grad * self / other)  # fmt: skip
def xlogy_tensors(self, other):
    """self * log(other) of tensors."""
    return xlogy(self, other)


@operation("xlogy_of_number", node_name="XlogyBackward1", tensors=("other",), **XLOGY,
           other=lambda grad, self, other: grad * self / other)  # fmt: skip
def xlogy_of_number(self, other):
    """self * log(other), the first a number."""
    return xlogy(self, other)


@operation("xlogy_with_number", node_name="XlogyBackward2", tensors=("self",), **XLOGY,
           self=lambda grad, self, other:
           xlogy(grad, other) if other > 0 else masked_fill(xlogy(grad, other), self == 0, 0))  # fmt: skip
def xlogy_with_number(self, other):
    """self * log(other), the second a number."""
    return xlogy(self, other)


@chosen("xlogy", numbers=True)
def xlogy_of(self, other):
    """self * log(other), 0 wherever *self* is; one of the two may be a Python number.

    >>> import autograd_nb as torch
    >>> torch.xlogy(torch.tensor([0., 2.]), torch.tensor([0., 1.]))
    tensor([0., 0.])
    """
    if not isinstance(self, Tensor):
        row = "xlogy_of_number"
    else:
        row = "xlogy_tensors" if isinstance(other, Tensor) else "xlogy_with_number"
    return operations[row], (self, other)


# -- three tensors -------------------------------------------------------------------------------------------------


@operation("lerp_number", promoted=("self", "end"), broadcasts=True, method=False, function=False,
           node_name="LerpBackward0", self=lambda grad, weight: grad * own_number(1 - weight),
           end=lambda grad, weight: grad * weight)  # fmt: skip
def lerp_number(self, end, weight):
    """From *self* towards *end* by a number."""
    weight = self.dtype.type(weight)
    return self + weight * (end - self) if abs(weight) < 0.5 else end - (end - self) * (1 - weight)


@operation("lerp_tensor", promoted=("self", "end", "weight"), broadcasts=True, method=False, function=False,
           node_name="LerpBackward1", self=lambda grad, weight: grad * (1 - weight),
           end=lambda grad, weight: grad * weight, weight=lambda grad, self, end: grad * (end - self))  # fmt: skip
def lerp_tensor(self, end, weight):
    """From *self* towards *end* by a tensor."""
    return where(np.abs(weight) < 0.5, self + weight * (end - self), end - (end - self) * (1 - weight))


@chosen("lerp")
def lerp_of(self, end, weight):
    """self + weight * (end - self); *weight* is a number or a tensor.

    RuntimeError for tensors of different dtypes.

    >>> import autograd_nb as torch
    >>> torch.lerp(torch.tensor([0., 10.]), torch.tensor([1., 20.]), 0.25)
    tensor([ 0.2500, 12.5000])
    """
    tensors = [end, weight] if isinstance(weight, Tensor) else [end]
    for name, each in zip(("end", "weight"), tensors):  # noqa: B905 weight counts only where it is a tensor
        if each._dtype is not self._dtype:
            expected, got = CPP_NAMES[self._dtype.name], CPP_NAMES[each._dtype.name]
            raise RuntimeError(f"expected dtype {expected} for `{name}` but got dtype {got}")
    return operations["lerp_tensor" if len(tensors) > 1 else "lerp_number"], (self, end, weight)


@operation("addcmul", promoted=("self", "tensor1", "tensor2"), broadcasts=True,
           self=lambda grad: grad,
           tensor1=lambda grad, tensor2, value: grad * (tensor2 * value),
           tensor2=lambda grad, tensor1, value: grad * (tensor1 * value))  # fmt: skip
def addcmul(self, tensor1, tensor2, *, value=1):
    """self + value * tensor1 * tensor2.

    >>> import autograd_nb as torch
    >>> torch.addcmul(torch.tensor([1.]), torch.tensor([2.]), torch.tensor([3.]), value=10)
    tensor([61.])
    """
    return self + self.dtype.type(value) * tensor1 * tensor2


INTEGER_DIVISION = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division of "
    "tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / "
    "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The "
    "future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes."
)


@operation("addcdiv", promoted=("self", "tensor1", "tensor2"), broadcasts=True,
           self=lambda grad: grad,
           tensor1=lambda grad, tensor2, value: grad * (value / tensor2),
           tensor2=lambda grad, tensor1, tensor2, value: -grad * (value * tensor1 / (tensor2 * tensor2)))  # fmt: skip
def addcdiv(self, tensor1, tensor2, *, value=1):
    """self + value * tensor1 / tensor2; RuntimeError for integers.

    >>> import autograd_nb as torch
    >>> torch.addcdiv(torch.tensor([1.]), torch.tensor([3.]), torch.tensor([2.]), value=10)
    tensor([16.])
    """
    if tensor1.dtype.kind != "f" and tensor2.dtype.kind != "f":
        raise RuntimeError(INTEGER_DIVISION)
    return self + self.dtype.type(value) * tensor1 / tensor2


for name in ("atan2", "hypot", "addcmul", "addcdiv"):
    publish_in_place(name)
alias("arctan2", "atan2")
