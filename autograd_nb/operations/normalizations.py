"""Normalisation to mean 0 and variance 1, and looking vectors up in a table."""

import math

import numpy as np

from ..engine.dispatch import operation
from ..engine.formulas import tensor_names
from .affine import summed_to
from .carriers import both, reshape, rsqrt
from .losses import weighted
from .products import kind


def mean_over(self, dims):
    return np.add.reduce(self, dims, keepdims=True) / math.prod(self.shape[dim] for dim in dims)


tensor_names["mean_over"] = lambda self, dims: self.mean(dims, True)


@both
def centred(self, dims):
    return self - mean_over(self, dims)


@both
def normalized(self, dims, eps):
    """The elements less their mean over *dims*, over their standard deviation."""
    centre = centred(self, dims)
    return centre * rsqrt(mean_over(centre * centre, dims) + eps)


@both
def normalized_backward(grad, self, dims, eps):
    """The gradient of what was normalised: the part that changes mean or variance does not count."""
    centre = centred(self, dims)
    scale = rsqrt(mean_over(centre * centre, dims) + eps)
    shape = centre * scale
    return scale * (grad - mean_over(grad, dims) - shape * mean_over(grad * shape, dims))


# -- over the last dimensions of each sample -------------------------------------------------------------------------


def last_dims(normalized_shape):
    return tuple(range(-len(normalized_shape), 0))


@operation("native_layer_norm", method=False, function=False,
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


def all_but_channels(ndim):
    return (0, *range(2, ndim))


tensor_names.update(last_dims=last_dims, all_but_channels=all_but_channels)


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
    centre = input - per_channel(running_mean, input.ndim)
    return centre * rsqrt(per_channel(running_var, input.ndim) + eps)


@both
def batch_norm_input(grad, input, running_var, training, eps):
    if training:
        return normalized_backward(grad, input, all_but_channels(input.ndim), eps)
    return grad * rsqrt(per_channel(running_var, input.ndim) + eps)


@operation("native_batch_norm", method=False, function=False, tensors=("running_mean", "running_var"),
           input=lambda grad, input, weight, running_var, training, eps:
           batch_norm_input(weighted(grad, per_channel(weight, input.ndim)), input, running_var, training, eps),
           weight=lambda grad, input, running_mean, running_var, training, eps:
           over_channels(grad * batch_normalized(input, running_mean, running_var, training, eps)),
           bias=lambda grad: over_channels(grad))  # fmt: skip
def native_batch_norm(input, weight, bias, running_mean, running_var, training, eps):
    """Each channel normalised over the batch (or, out of training, by the running statistics), scaled and shifted."""
    result = weighted(
        batch_normalized(input, running_mean, running_var, training, eps), per_channel(weight, input.ndim)
    )
    return (result if bias is None else result + per_channel(bias, input.ndim)).astype(input.dtype)


@both
def in_groups(self, groups):
    """Each sample's channels in groups: shape (N, groups, elements of a group)."""
    return reshape(self, (self.shape[0], groups, -1))


@operation("native_group_norm", method=False, function=False,
           input=lambda grad, input, weight, group, eps:
           reshape(normalized_backward(in_groups(weighted(grad, per_channel(weight, input.ndim)), group),
                                       in_groups(input, group), (2,), eps), input.shape),
           weight=lambda grad, input, group, eps:
           over_channels(grad * reshape(normalized(in_groups(input, group), (2,), eps), input.shape)),
           bias=lambda grad: over_channels(grad))  # fmt: skip
def native_group_norm(input, weight, bias, group, eps):
    """The channels of each sample normalised in groups, scaled and shifted."""
    result = normalized(in_groups(input, group), (2,), eps).reshape(input.shape)
    result = weighted(result, per_channel(weight, input.ndim))
    return (result if bias is None else result + per_channel(bias, input.ndim)).astype(input.dtype)


# -- a table of vectors ----------------------------------------------------------------------------------------------


@operation("embedding", method=False, function=False, tensors=("indices",),
           weight=lambda grad, weight_sym_sizes, indices, padding_idx, scale_grad_by_freq:
           embedding_backward(grad, indices, weight_sym_sizes, padding_idx, scale_grad_by_freq))  # fmt: skip
def embedding(weight, indices, padding_idx, scale_grad_by_freq=False):
    """The rows of *weight* that *indices* name."""
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if indices.dtype.name not in ("int64", "int32"):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"torch.{kind(indices)}Tensor instead (while checking arguments for embedding)"
        )
    if indices.size and not (0 <= indices.min() and indices.max() < weight.shape[0]):
        raise IndexError("index out of range in self")
    return weight[indices]


@operation("embedding_backward", method=False, function=False, tensors=("indices",),
           node_name="EmbeddingDenseBackwardBackward0",
           grad_output=lambda grad, indices, padding_idx: embedding_rows(grad, indices, padding_idx))  # fmt: skip
def embedding_backward(grad_output, indices, sizes, padding_idx, scale_grad_by_freq=False):
    """Gradients added up (or averaged) in the rows that were looked up; the padding's row gets none.

    The second derivative takes them for sums in any case, as PyTorch's does.
    """
    total = np.zeros(sizes, grad_output.dtype)
    np.add.at(total, indices, per_use(grad_output, indices) if scale_grad_by_freq else grad_output)
    if padding_idx >= 0:
        total[padding_idx] = 0
    return total


@operation("embedding_rows", method=False, function=False, tensors=("indices",), node_name="EmbeddingBackward0",
           self=lambda grad, self_sym_sizes, indices, padding_idx:
           embedding_backward(grad, indices, self_sym_sizes, padding_idx))  # fmt: skip
def embedding_rows(self, indices, padding_idx):
    """The rows that *indices* name, zero for the padding's."""
    return np.where((indices == padding_idx)[..., None], 0, self[indices]).astype(self.dtype)


def per_use(rows, indices):
    """Rows over the number of times that their index occurs."""
    return rows / np.bincount(np.reshape(indices, -1))[indices][..., None].astype(rows.dtype)
