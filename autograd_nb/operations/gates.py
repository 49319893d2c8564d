"""Activations with a threshold, a slope to learn or a gate (hardshrink, softshrink, prelu, glu), and a norm of rows."""

import math

import numpy as np

from ..engine.dispatch import operation
from ..engine.table import ops
from .activations import sigmoid
from .carriers import both, cat, logical_and, where, zeros_like
from .checks import wrap_dim
from .distances import norm_along
from .indexing import slice
from .norms import vector_norm_backward
from .public import public


@operation("hardshrink_row", method=False, function=False, node_name="HardshrinkBackward0", element_wise=True,
           self=lambda grad, self, lambd:
           where(logical_and(self >= -lambd, self <= lambd), zeros_like(grad), grad))  # fmt: skip
def hardshrink_row(self, lambd):
    """0 near zero."""
    return np.where((self >= -lambd) & (self <= lambd), self.dtype.type(0), self)


@public("hardshrink")
def _hardshrink(self, lambd=0.5):
    """The element, or 0 where it is no larger than *lambd* in size.

    >>> import autograd_nb as torch
    >>> torch.hardshrink(torch.tensor([0.2, 2.]))
    tensor([0., 2.])
    """
    return ops.hardshrink_row(self, lambd)


@operation("softshrink", method=False, function=False, element_wise=True,
           self=lambda grad, self, lambd:
           where(logical_and(self >= -lambd, self <= lambd), zeros_like(grad), grad))  # fmt: skip
def softshrink(self, lambd=0.5):
    """The element brought nearer to zero by *lambd*, 0 where it is no larger than that in size."""
    if not 0 <= lambd:
        kind = {"f": "Float", "d": "Double", "e": "Half"}.get(self.dtype.char, self.dtype.name)
        largest = f"{np.finfo(self.dtype).max:.6g}"
        raise RuntimeError(f"lambda must be in range [0, {largest}] for input dtype {kind}, but found "
                           f"{lambd:g}")
    zero = self.dtype.type(0)
    return np.where(self > lambd, self - lambd, np.where(self < -lambd, self + lambd, self * zero)).astype(self.dtype)


@operation("rrelu_with_noise", tensors=("noise",), method=False, function=False,
           self=lambda grad, noise: grad * noise)  # fmt: skip
def rrelu_with_noise(self, noise):
    """Each element times its slope."""
    return self * noise


@operation("prelu_kernel", promoted=("self", "weight"), broadcasts=True, method=False, function=False,
           self=lambda grad, self, weight: where(self > 0, grad, grad * weight),
           weight=lambda grad, self, weight: where(self > 0, zeros_like(grad), grad * self))  # fmt: skip
def prelu_kernel(self, weight):
    """The element where it is positive, else *weight* times it."""
    return np.where(self > 0, self, self * weight)


@public("prelu")
def _prelu(self, weight):
    """The element where it is not negative, else *weight* times it: one number, or one for each channel.

    RuntimeError when there is another number of them.

    >>> import autograd_nb as torch
    >>> torch.prelu(torch.tensor([-2., 2.]), torch.tensor(0.5))
    tensor([-1.,  2.])
    """
    ndim, count = self._array.ndim, weight._array.size
    if weight._array.ndim > 1:
        raise RuntimeError("prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = "
                           f"{weight._array.ndim}")
    if count != 1:
        channels = self._array.shape[1] if ndim > 1 else 1
        if channels != count:
            raise RuntimeError("Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                               f"{count} and channel size = {channels}.")
    if ndim != weight._array.ndim:
        weight = ops.view(weight, [count if dim == (1 if ndim > 1 else 0) else 1 for dim in range(ndim)])
    return ops.prelu_kernel(self, weight)


@both
def glu_backward(grad, self, dim):
    """The gradients of the values and of the gates."""
    half = self.shape[dim] // 2
    value, gate = slice(self, dim, 0, half, 1), sigmoid(slice(self, dim, half, 2 * half, 1))
    return cat([grad * gate, grad * value * gate * (1 - gate)], dim)


@operation("glu", method=False, function=False, self=lambda grad, self, dim: glu_backward(grad, self, dim))
def glu(self, dim=-1):
    """The first half along *dim* times the sigmoid of the second; RuntimeError for an odd length."""
    if not np.ndim(self):
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = wrap_dim(dim, self.ndim)
    if self.shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {self.shape[dim]}")
    value, gate = np.split(self, 2, dim)
    return value * sigmoid(gate)


@operation("norm_row", method=False, function=False, node_name="NormBackward1",
           self=lambda grad, self, p, dim, keepdim, result:
           vector_norm_backward(grad, self, p, result, dim, keepdim))  # fmt: skip
def norm_row(self, p, dim, keepdim):
    """The norm along a dimension."""
    found = norm_along(self, math.inf if p == math.inf else p, dim[0])
    return np.expand_dims(found, dim[0]) if keepdim else found
