"""Normalisation to mean 0 and variance 1, of each sample or over the batch; and looking vectors up in a table."""

import math

import numpy as np

from ..engine.formulas import tensor_names
from .affine import summed_to
from .carriers import both, reshape, rsqrt
from .checks import dtype_name
from .losses import weighted
from .public import row


def mean_over(self, dims):
    return np.add.reduce(self, dims, keepdims=True) / math.prod(self.shape[dim] for dim in dims)


def last_dims(normalized_shape):
    return tuple(range(-len(normalized_shape), 0))


def all_but_channels(ndim):
    return (0, *range(2, ndim))


tensor_names.update(mean_over=lambda self, dims: self.mean(dims, True), last_dims=last_dims,
                    all_but_channels=all_but_channels)  # fmt: skip


@both
def normalized(self, dims, eps):
    """The elements less their mean over *dims*, over their standard deviation."""
    centre = self - mean_over(self, dims)
    return centre * rsqrt(mean_over(centre * centre, dims) + eps)


@both
def normalized_backward(grad, self, dims, eps):
    """The gradient of what was normalised: the part that changes mean or variance does not count."""
    centre = self - mean_over(self, dims)
    scale = rsqrt(mean_over(centre * centre, dims) + eps)
    shape = centre * scale
    return scale * (grad - mean_over(grad, dims) - shape * mean_over(grad * shape, dims))


@row("native_layer_norm",
     input=lambda grad, input, normalized_shape, weight, eps:
     normalized_backward(weighted(grad, weight), input, last_dims(normalized_shape), eps),
     weight=lambda grad, input, normalized_shape, weight, eps:  # which is kept in any case, as in PyTorch
     summed_to(grad * normalized(input, last_dims(normalized_shape), eps), normalized_shape),
     bias=lambda grad, normalized_shape: summed_to(grad, normalized_shape))  # fmt: skip
def native_layer_norm(input, normalized_shape, weight, bias, eps):
    """Each sample's last dimensions normalised, times *weight*, plus *bias*."""
    result = weighted(normalized(input, last_dims(normalized_shape), eps), weight)
    return (result if bias is None else result + bias).astype(input.dtype)


# -- over the samples, for each channel ------------------------------------------------------------------------------


@both
def per_channel(values, ndim):
    """A number for each channel, shaped to broadcast."""
    return values if values is None else reshape(values, (1, -1, *(1,) * (ndim - 2)))


@both
def over_channels(grad):
    """The sum for each channel."""
    return reshape(summed_to(grad, (1, grad.shape[1], *(1,) * (grad.ndim - 2))), (grad.shape[1],))


@both
def batch_normalized(input, running_mean, running_var, training, eps):
    if training:
        return normalized(input, all_but_channels(input.ndim), eps)
    return (input - per_channel(running_mean, input.ndim)) * rsqrt(per_channel(running_var, input.ndim) + eps)


@both
def batch_norm_input(grad, input, running_var, training, eps):
    if training:
        return normalized_backward(grad, input, all_but_channels(input.ndim), eps)
    return grad * rsqrt(per_channel(running_var, input.ndim) + eps)


@row("native_batch_norm", tensors=("running_mean", "running_var"),
     input=lambda grad, input, weight, running_var, training, eps:
     batch_norm_input(weighted(grad, per_channel(weight, input.ndim)), input, running_var, training, eps),
     weight=lambda grad, input, running_mean, running_var, training, eps:
     over_channels(grad * batch_normalized(input, running_mean, running_var, training, eps)),
     bias=lambda grad: over_channels(grad))  # fmt: skip
def native_batch_norm(input, weight, bias, running_mean, running_var, training, eps):
    """Each channel normalised over the batch (or, out of training, by the running statistics), scaled and shifted."""
    result = batch_normalized(input, running_mean, running_var, training, eps)
    result = weighted(result, per_channel(weight, input.ndim))
    return (result if bias is None else result + per_channel(bias, input.ndim)).astype(input.dtype)


# -- a table of vectors ----------------------------------------------------------------------------------------------


@row("embedding", tensors=("indices",),
     weight=lambda grad, weight_sym_sizes, indices, padding_idx, scale_grad_by_freq:
     embedding_backward(grad, indices, weight_sym_sizes, padding_idx, scale_grad_by_freq))  # fmt: skip
def embedding(weight, indices, padding_idx, scale_grad_by_freq=False):
    """The rows of *weight* that *indices* name."""
    if indices.dtype.name not in ("int64", "int32"):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"torch.{dtype_name(indices)}Tensor instead (while checking arguments for embedding)"
        )
    if indices.size and not (0 <= indices.min() and indices.max() < weight.shape[0]):
        raise IndexError("index out of range in self")
    return weight[indices]


@row("embedding_backward", tensors=("indices",), node_name="EmbeddingDenseBackwardBackward0",
     grad_output=lambda grad, indices, padding_idx: embedding_rows(grad, indices, padding_idx))  # fmt: skip
def embedding_backward(grad_output, indices, sizes, padding_idx, scale_grad_by_freq=False):
    """Gradients added up (or averaged) in the rows that were looked up; the padding's row gets none."""
    total = np.zeros(sizes, grad_output.dtype)
    if scale_grad_by_freq:
        uses = np.bincount(np.reshape(indices, -1))[indices]
        grad_output = grad_output / uses[..., None].astype(grad_output.dtype)
    np.add.at(total, indices, grad_output)
    if padding_idx >= 0:
        total[padding_idx] = 0
    return total


@row("embedding_rows", tensors=("indices",), node_name="EmbeddingBackward0",
     self=lambda grad, self_sym_sizes, indices, padding_idx:
     embedding_backward(grad, indices, self_sym_sizes, padding_idx))  # fmt: skip
def embedding_rows(self, indices, padding_idx):
    """The rows that *indices* name, zero for the padding's."""
    return np.where((indices == padding_idx)[..., None], 0, self[indices]).astype(self.dtype)
