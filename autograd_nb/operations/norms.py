"""Vector norms; softmax, log_softmax and logsumexp; normalisation of layers and batches."""

import math

import numpy as np

from ..engine.table import ops
from .array_functions import (
    absolute,
    all_but_channels,
    as_type,
    axes_of,
    both,
    counted,
    exp,
    in_rows,
    isnan,
    last_dims,
    logical_and,
    logical_or,
    masked_fill,
    math_inf,
    mean_over,
    of_channels,
    reduced_size,
    restored,
    rsqrt,
    sgn,
    sum,
    sum_to_size,
    total,
    weighted,
)
from .checks import as_int, conversion, require_floating, wrap_dim
from .publishing import tensor_argument
from .rows import function, internal, row, run_row

# -- norms ---------------------------------------------------------------------------------------------------------


@both
def vector_norm_backward(grad, self, ord, result, dim, keepdim):
    """The gradient of a norm; where the norm has a kink, the subgradient that PyTorch takes."""
    if ord == 0:
        return None
    grad, result = restored(grad, dim, keepdim, self.shape), restored(result, dim, keepdim, self.shape)
    if ord == 1:
        return sgn(self) * grad
    if ord == 2:
        return grad * masked_fill(self / result, result == 0, 0)
    size = absolute(self)
    if ord in (math_inf, -math_inf):
        largest = logical_or(size == result, logical_and(isnan(size), isnan(result)))
        return sgn(self) * (grad / counted(largest, dim, grad) * largest)
    if ord < 1:
        return sgn(self) * masked_fill(size ** (ord - 1), self == 0, 0) * grad * result ** (1 - ord)
    scaled = sgn(self) * size ** (ord - 1) if ord < 2 else self * size ** (ord - 2)
    return scaled * masked_fill(grad / result ** (ord - 1), result == 0, 0)


@row("norm.ScalarOpt_dim", node_name="NormBackward1",
     self=lambda grad, self, ord, dim, keepdim, result: vector_norm_backward(grad, self, ord, result, dim, keepdim))
@row(self=lambda grad, self, ord, dim, keepdim, result, dtype:
     vector_norm_backward(grad, as_type(self, dtype), ord, result, dim, keepdim))
def linalg_vector_norm(self, ord, dim, keepdim, dtype):
    """The norm of order *ord* over dimensions."""
    self = as_type(self, dtype)
    size, over = np.abs(self), {"axis": axes_of(dim, self.ndim), "keepdims": keepdim}
    if ord == 0:
        result = np.add.reduce(size != 0, **over)
    elif ord in (math.inf, -math.inf) or reduced_size(self.shape, dim) == 1:
        result = (np.minimum if ord < 0 else np.maximum).reduce(size, **over)
    else:  # powers and their sum have the range of float32, the sum has more digits
        range_of = self.dtype if self.itemsize > 2 else np.dtype(np.float32)
        if ord == 2:
            powers = size.astype(range_of, copy=False)
            powers = powers * powers
        else:
            powers = (size.astype(np.float64) ** ord).astype(range_of)
        powers = np.add.reduce(powers, **over, dtype=np.float64).astype(range_of)
        result = powers.astype(np.float64) ** (1 / ord)
    return result.astype(self.dtype, "C")


@internal
def vector_norm(self, ord=2, dim=None, keepdim=False, *, dtype=None):
    """The norm of order *ord* of all elements, or along *dim*, taken as one vector.  RuntimeError for integers."""
    if not (dtype or self._dtype).is_floating_point:
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {self._dtype.legacy_name}"
        )
    dim = [dim] if isinstance(dim, int) else dim
    return run_row("linalg_vector_norm", self, ord, dim, keepdim, conversion(self, dtype))


@function
def norm(self, p="fro", dim=None, keepdim=False, dtype=None):
    """The norm of order *p* of all elements, or along *dim*, taken as one vector; integers are refused.

    >>> import autograd_nb as torch
    >>> torch.norm(torch.tensor([[3., 4.], [6., 8.]]), dim=1)
    tensor([ 5., 10.])
    """
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    if p == "fro" and isinstance(dim, tuple | list) and len(dim) > 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    return ops.vector_norm(self, 2 if p == "fro" or p is None else p, dim, keepdim, dtype=dtype)


# -- log-sum-exp and softmax ---------------------------------------------------------------------------------------


@row("logsumexp", promoted=("self",), floats=True,
     self=lambda grad, self, dim, keepdim, result:
     restored(grad, dim, keepdim, self.shape)
     * exp(self - restored(result, dim, keepdim, self.shape)))  # fmt: skip
def log_of_sums(self, dim, keepdim):
    """The logarithm of the sum of exponentials, with the largest factored out so that none overflows."""
    axes = axes_of(dim, self.ndim)
    largest = np.maximum.reduce(self, axis=axes, keepdims=True, initial=-math.inf)
    largest = np.where(np.isinf(largest), self.dtype.type(0), largest)
    result = np.log(total(np.exp(self - largest), axes, True)) + largest
    return in_rows(result if keepdim else np.squeeze(result, axes), self)


@function
def logsumexp(self, dim, keepdim=False):
    """log(sum(exp(self))) along *dim*, without overflow; integers are computed in the default dtype.

    >>> import autograd_nb as torch
    >>> torch.logsumexp(torch.tensor([1000., 1000.]), 0)
    tensor(1000.6932)
    """
    dims = [dim] if isinstance(dim, int) else dim
    if not dims and self._array.ndim and not keepdim:
        raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {[1] * self._array.ndim}")
    return run_row("logsumexp", tensor_argument(self, "logsumexp"), dims, keepdim)


def shifted(self, dim):
    """The elements minus the largest along *dim*, their exponentials, and the sums of these."""
    axes = axes_of(dim, self.ndim)
    self = np.ascontiguousarray(self) if self.ndim else self
    if self.ndim == 2 and axes == (1,) and self.shape[1] < 32 <= self.shape[0]:  # columns reduce faster than rows
        largest = np.maximum.reduce(self.T.copy(), axis=0, initial=-math.inf)[:, None]
    else:
        largest = np.maximum.reduce(self, axis=axes, keepdims=True, initial=-math.inf)
    self = self - largest
    powers = np.exp(self)
    return self, powers, total(powers, axes, True)


@row(grad_output=lambda grad, output, dim: softmax_backward_data(grad, output, dim),
     output=lambda grad, grad_output, output, dim: grad * grad_output
     - sum(output * grad_output, dim, True) * grad - grad_output * sum(output * grad, dim, True))  # fmt: skip
def softmax_backward_data(grad_output, output, dim):
    return output * (grad_output - sum(grad_output * output, dim, True))


@row("softmax",
     self=lambda grad, dim, result: softmax_backward_data(grad, result, dim))  # fmt: skip
def shares(self, dim):
    _, powers, sums = shifted(self, dim)
    return (powers / sums).astype(self.dtype, copy=False)


@row(grad_output=lambda grad, output, dim: grad - sum(grad * exp(output), dim, True),
     output=lambda grad, grad_output, output, dim: -grad * exp(output) * sum(grad_output, dim, True))  # fmt: skip
def log_softmax_backward_data(grad_output, output, dim):
    return grad_output - exp(output) * sum(grad_output, dim, True)


@row("log_softmax",
     self=lambda grad, dim, result: log_softmax_backward_data(grad, result, dim))  # fmt: skip
def log_shares(self, dim):
    below, _, sums = shifted(self, dim)
    below -= np.log(sums)
    return below


def along(self, dim, name, dtype):
    """The values for a softmax row, with the tensor cast to *dtype*."""
    dim = as_int(dim)
    wrap_dim(dim, self._array.ndim)
    self = self if dtype is None else self.to(dtype)
    require_floating(self._array, f"{name}_lastdim_kernel_impl")
    return self, dim


@function
def softmax(self, dim, dtype=None):
    """Exponentials along *dim* divided by their sum, so that they add up to one; integers need a *dtype*.

    >>> import autograd_nb as torch
    >>> torch.softmax(torch.tensor([0., 0.]), 0)
    tensor([0.5000, 0.5000])
    """
    return run_row("softmax", *along(self, dim, "softmax", dtype))


@function
def log_softmax(self, dim, dtype=None):
    """The logarithm of :func:`softmax`, computed without loss of precision.

    >>> import autograd_nb as torch
    >>> torch.log_softmax(torch.tensor([0., 0.]), 0)
    tensor([-0.6931, -0.6931])
    """
    return run_row("log_softmax", *along(self, dim, "log_softmax", dtype))


# -- normalisation to mean 0 and variance 1 --------------------------------------------------------------------------


@both
def normalized(self, dims, eps):
    """The elements minus their mean over *dims*, divided by their standard deviation."""
    centre = self - mean_over(self, dims)
    return centre * rsqrt(mean_over(centre * centre, dims) + eps)


@both
def normalized_backward(grad, self, dims, eps):
    """The gradient of the input, without the components that only change its mean or its variance."""
    centre = self - mean_over(self, dims)
    scale = rsqrt(mean_over(centre * centre, dims) + eps)
    shape = centre * scale
    return scale * (grad - mean_over(grad, dims) - shape * mean_over(grad * shape, dims))


@row(input=lambda grad, input, normalized_shape, weight, eps:
     normalized_backward(weighted(grad, weight), input, last_dims(normalized_shape), eps),
     weight=lambda grad, input, normalized_shape, weight, eps:  # saved in any case, as in PyTorch
     sum_to_size(grad * normalized(input, last_dims(normalized_shape), eps), normalized_shape),
     bias=lambda grad, normalized_shape: sum_to_size(grad, normalized_shape))  # fmt: skip
def native_layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Each sample's last dimensions normalised, times *weight*, plus *bias*."""
    require_floating(input, "LayerNormKernelImpl")
    if any([each is not None and each.dtype != input.dtype for each in (weight, bias)]):
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
    result = weighted(normalized(input, last_dims(normalized_shape), eps), weight)
    return (result if bias is None else result + bias).astype(input.dtype)


@both
def standardised(self, running_mean, running_var, training, eps):
    """Each channel normalised over the batch, or by the running mean and variance."""
    if training:
        return normalized(self, all_but_channels(self.ndim), eps)
    return (self - of_channels(running_mean, self.ndim)) * rsqrt(of_channels(running_var, self.ndim) + eps)


@both
def standardised_backward(grad, self, running_var, training, eps):
    if training:
        return normalized_backward(grad, self, all_but_channels(self.ndim), eps)
    return grad * rsqrt(of_channels(running_var, self.ndim) + eps)


@row(tensors=("running_mean", "running_var"),
     input=lambda grad, input, weight, running_var, training, eps:
     standardised_backward(weighted(grad, of_channels(weight, input.ndim)), input, running_var, training, eps),
     weight=lambda grad, input, running_mean, running_var, training, eps:
     sum(grad * standardised(input, running_mean, running_var, training, eps), all_but_channels(input.ndim)),
     bias=lambda grad: sum(grad, all_but_channels(grad.ndim)))  # fmt: skip
def native_batch_norm(input, weight=None, bias=None, running_mean=None, running_var=None, training=False, eps=1e-5):
    """Each channel, the dimension 1, normalised, times *weight*, plus *bias*."""
    result = standardised(input, running_mean, running_var, training, eps)
    result = weighted(result, of_channels(weight, input.ndim))
    return (result if bias is None else result + of_channels(bias, input.ndim)).astype(input.dtype)
