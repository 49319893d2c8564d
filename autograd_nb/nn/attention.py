"""Attention as functions: every query's mean of the values whose keys fit it."""

import math

import numpy as np

from ..engine.table import ops
from ..engine.tensor import wrap
from ..operations.checks import broadcast_shape
from ..torch_api.distributions import _C_NAMES
from .noise import dropout

__all__ = ["scaled_dot_product_attention"]
C_NAMES = {**_C_NAMES, "int64": "long int"}


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False):  # fmt: skip
    """``softmax(query @ key.T * scale + mask) @ value``: query (…, L, E), key (…, S, E), value (…, S, Ev).

    A bool *attn_mask* says where to look, any other is added; with *is_causal* a query sees no later key.  *scale* is
    1/√E unless given.  RuntimeError when shapes or dtypes do not fit.

    >>> import autograd_nb as torch
    >>> q = torch.tensor([[1., 0.]])
    >>> torch.nn.functional.scaled_dot_product_attention(q, torch.zeros(2, 2), torch.tensor([[1.], [3.]]))
    tensor([[2.]])
    """
    three = {"query": query, "key": key, "value": value}
    if len({each._dtype for each in three.values()}) > 1:
        kinds = " and ".join(f"{name}.dtype: {C_NAMES[each._dtype.name]}" for name, each in three.items())
        raise RuntimeError("Expected query, key, and value to have the same dtype, but got "
                           + kinds.replace(" and key", " key") + " instead.")  # fmt: skip
    if any(each.dim() < 2 for each in three.values()):
        raise RuntimeError("Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
                           f"{query.dim()} key.dim: {key.dim()} and value.dim: {value.dim()} instead.")
    if attn_mask is not None:
        if attn_mask._dtype.name not in ("bool", "float32", query._dtype.name):
            raise RuntimeError(
                "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
                f"{C_NAMES[attn_mask._dtype.name]} and  query.dtype: {C_NAMES[query._dtype.name]} instead."
            )
        if is_causal:
            raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when "
                               "is_causal=True")
    if not query._dtype.is_floating_point:
        raise RuntimeError("expected m1 and m2 to have the same dtype, but got: float != "
                           f"{C_NAMES[query._dtype.name]}")
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")
    if enable_gqa:
        if query.size(-3) % key.size(-3) or query.size(-3) % value.size(-3):
            raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
        key, value = (each.repeat_interleave(query.size(-3) // each.size(-3), -3) for each in (key, value))
    for other in (key, value):
        broadcast_shape(query._array.shape[:-2], other._array.shape[:-2])
    scale = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    seen = np.tri(query.size(-2), key.size(-2), dtype=bool) if is_causal else None
    if attn_mask is not None and attn_mask._dtype.name == "bool":
        seen = attn_mask._array
    if seen is not None:
        attn_mask = wrap(np.where(seen, 0, -np.inf).astype(query._dtype.numpy), query._dtype)
    same = query.size(-1) == key.size(-1) == value.size(-1) and key.size(-2) == value.size(-2)
    if not dropout_p and query.dim() == 4 and same and not (attn_mask is not None and attn_mask.requires_grad):
        return ops.attention(query, key, value, attn_mask, float(scale))
    scores = ops.mul_number(query, math.sqrt(scale)) @ ops.mul_number(key.transpose(-2, -1), math.sqrt(scale))
    if attn_mask is not None:
        scores = scores + attn_mask
    return dropout(ops.safe_softmax(scores, -1), dropout_p) @ value
