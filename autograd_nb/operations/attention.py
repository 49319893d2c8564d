"""Attention: each query's mean of the values, weighted by how well their keys fit; and the product of three."""

import numpy as np

from ..engine.dispatch import operation
from .carriers import both, reshape
from .norms import softmax_backward_data, softmax_row
from .products import transpose


@operation("safe_softmax", method=False, function=False,
           self=lambda grad, dim, result: softmax_backward_data(grad, result, dim))  # fmt: skip
def safe_softmax(self, dim):
    """Softmax, with zeros where all is minus infinity."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(self).all(dim, keepdims=True), self.dtype.type(0), softmax_row(self, dim))


@both
def weights_of(query, key, mask, scale):
    """For each query the shares of the keys."""
    scores = query @ transpose(key, -2, -1) * scale
    return safe_softmax(scores if mask is None else scores + mask, -1)


@both
def scores_backward(grad, query, key, value, mask, scale):
    """The gradient of the products of queries and keys."""
    weights = weights_of(query, key, mask, scale)
    return softmax_backward_data(grad @ transpose(value, -2, -1), weights, -1) * scale


@operation("attention", method=False, function=False, tensors=("mask",),
           node_name="ScaledDotProductFlashAttentionForCpuBackward0",
           no_forward="_scaled_dot_product_flash_attention_for_cpu",
           query=lambda grad, query, key, value, mask, scale:
           scores_backward(grad, query, key, value, mask, scale) @ key,
           key=lambda grad, query, key, value, mask, scale:
           transpose(scores_backward(grad, query, key, value, mask, scale), -2, -1) @ query,
           value=lambda grad, query, key, mask, scale:
           transpose(weights_of(query, key, mask, scale), -2, -1) @ grad)  # fmt: skip
def attention(query, key, value, mask, scale):
    """Means of the values: query (…, L, E), key (…, S, E), value (…, S, E), *mask* added to the products."""
    return weights_of(query, key, mask, query.dtype.type(scale)) @ value


# -- a number for each pair --------------------------------------------------------------------------------------------


@both
def pairs(a, b):
    """The products of all pairs of elements of two rows: shape (N, elements of a · elements of b)."""
    return reshape(a[:, :, None] * b[:, None, :], (a.shape[0], -1))


@both
def flat(weight, columns):
    return reshape(weight, (-1, columns))


@operation("trilinear", method=False, function=False,
           input1=lambda grad, weight, input2:
           pairs(grad, input2) @ flat(transpose(weight, -2, -1), weight.shape[1]),
           weight=lambda grad, input1, input2, weight_sym_sizes:
           reshape(transpose(pairs(grad, input1), 0, 1) @ input2, weight_sym_sizes),
           input2=lambda grad, input1, weight: pairs(grad, input1) @ flat(weight, weight.shape[2]))  # fmt: skip
def trilinear(input1, weight, input2):
    """For each row the products of two inputs' elements, weighted and summed: weight (out, in1, in2)."""
    return pairs(input1, input2) @ weight.reshape(weight.shape[0], -1).T
