"""Combinations of two or three tensors and a number: lerp, addcmul, addcdiv."""

from ..engine.tensor import Tensor
from .arithmetic import identity
from .array_functions import own_number
from .checks import in_range, require_floating, require_number
from .publishing import tensor_argument
from .rows import choice, operation, row


@row("lerp", promoted=("self", "end"), broadcasts=True,
     self=lambda grad, weight: grad * own_number(1 - weight), end=lambda grad, weight: grad * weight)  # fmt: skip
def between(self, end, weight):
    require_floating(self, "lerp_kernel_scalar")
    weight = in_range(weight, self.dtype)
    return self + weight * (end - self) if abs(weight) < 0.5 else end - (end - self) * (1 - weight)


@choice
def lerp(self, end, weight):
    """self + weight * (end - self), where *weight* is a number.  RuntimeError for different dtypes.

    >>> import autograd_nb as torch
    >>> torch.lerp(torch.tensor([0., 10.]), torch.tensor([1., 20.]), 0.25)
    tensor([ 0.2500, 12.5000])
    """
    if isinstance(weight, Tensor):
        raise NotImplementedError("lerp() of autograd_nb takes a number; for a tensor: self + weight * (end - self)")
    dtypes = self._dtype, tensor_argument(end, "lerp", "end", 2)._dtype
    if dtypes[0] is not dtypes[1]:
        raise RuntimeError("expected dtype {} for `end` but got dtype {}".format(*[each.cpp_name for each in dtypes]))
    return "lerp", (self, end, weight)


@operation(promoted=("self", "tensor1", "tensor2"), broadcasts=True, in_place=True, self=identity,
           tensor1=lambda grad, tensor2, value: grad * (tensor2 * value),
           tensor2=lambda grad, tensor1, value: grad * (tensor1 * value))  # fmt: skip
def addcmul(self, tensor1, tensor2, *, value=1):
    """self + value * tensor1 * tensor2.

    >>> import autograd_nb as torch
    >>> torch.addcmul(torch.tensor([1.]), torch.tensor([2.]), torch.tensor([3.]), value=10)
    tensor([61.])
    """
    require_number(self, "addcmul_cpu_out")
    return self + in_range(value, self.dtype) * tensor1 * tensor2


@operation(promoted=("self", "tensor1", "tensor2"), broadcasts=True, in_place=True, self=identity,
           tensor1=lambda grad, tensor2, value: grad * (value / tensor2),
           tensor2=lambda grad, tensor1, tensor2, value: -grad * (value * tensor1 / (tensor2 * tensor2)))  # fmt: skip
def addcdiv(self, tensor1, tensor2, *, value=1):
    """self + value * tensor1 / tensor2.

    >>> import autograd_nb as torch
    >>> torch.addcdiv(torch.tensor([1.]), torch.tensor([3.]), torch.tensor([2.]), value=10)
    tensor([16.])
    """
    if self.dtype.kind != "f":
        raise RuntimeError("Integer division with addcdiv is no longer supported; give it floating-point tensors")
    return self + in_range(value, self.dtype) * tensor1 / tensor2
