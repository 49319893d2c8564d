"""Attention with several heads: each looks at parts of queries, keys and values that were made for it."""

import math

import numpy as np

from ...table import ops
from ...tensors import wrap
from .. import functional as F
from .. import init
from .layers import Linear, empty_parameter
from .module import Module


class NonDynamicallyQuantizableLinear(Linear):
    """The last linear layer of attention, which PyTorch gives a name of its own."""


class MultiheadAttention(Module):
    """``(output, weights)`` of attention in *num_heads* parts: query (L, N, E), key and value (S, N, E).

    With *batch_first* the batch comes first.  ValueError, AssertionError or RuntimeError when shapes do not fit.

    >>> import autograd_nb as torch
    >>> x = torch.ones(5, 2, 4)
    >>> output, weights = torch.nn.MultiheadAttention(4, num_heads=2)(x, x, x)
    >>> output.shape, weights.shape
    (torch.Size([5, 2, 4]), torch.Size([2, 5, 5]))
    """

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, *, kdim=None, vdim=None, batch_first=False,
                 device=None, dtype=None):  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError("embed_dim and num_heads must be greater than 0, got "
                             f"embed_dim={embed_dim} and num_heads={num_heads} instead")
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.packed = self.kdim == self.vdim == embed_dim
        widths = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        for name, width in widths.items():
            self.register_parameter(name, None if self.packed else empty_parameter((embed_dim, width), dtype))
        packed = empty_parameter((3 * embed_dim, embed_dim), dtype) if self.packed else None
        self.register_parameter("in_proj_weight", packed)
        self.register_parameter("in_proj_bias", empty_parameter((3 * embed_dim,), dtype) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        self._reset_parameters()

    def _reset_parameters(self):
        for name in ("in_proj_weight",) if self.packed else ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
            init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True, is_causal=False):  # fmt: skip
        rank = query.dim()
        if rank not in (2, 3):
            raise AssertionError("query should be unbatched 2D or batched 3D tensor but received "
                                 f"{rank}-D query tensor")
        if is_causal and attn_mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
                               "method `generate_square_subsequent_mask` to create this mask.")
        three = query, key, value
        if rank == 2:
            three = tuple(each.unsqueeze(1) for each in three)
            key_padding_mask = key_padding_mask if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        elif self.batch_first:
            turned = {id(each): each.transpose(1, 0) for each in three}  # one view of each, also where two are the same
            three = tuple(turned[id(each)] for each in three)
        (length, batch, width), source, heads = three[0].shape, three[1].size(0), batch_heads(three[0], self)
        if width != self.embed_dim:
            raise AssertionError(f"was expecting embedding dimension of {self.embed_dim}, but got {width}")
        if three[1].shape[:2] != three[2].shape[:2]:
            raise AssertionError(f"key shape {three[1].shape} does not match value shape {three[2].shape}")
        query, key, value = (each.reshape(each.size(0), heads, self.head_dim).transpose(0, 1)
                             for each in self._projected(*three))  # fmt: skip
        dropout = self.dropout if self.training else 0.0
        if is_causal and key_padding_mask is None and not need_weights:
            mask = None
        else:
            mask = self._mask(attn_mask, key_padding_mask, query.dtype, (batch, length, source))
            is_causal = is_causal and key_padding_mask is None
        if need_weights:
            query = query * math.sqrt(1.0 / self.head_dim)
            scores = ops.bmm(query, key.transpose(-2, -1)) if mask is None else ops.baddbmm(
                mask, query, key.transpose(-2, -1))  # fmt: skip
            weights = F.softmax(scores, dim=-1)
            weights = F.dropout(weights, dropout) if dropout else weights
            output = ops.bmm(weights, value).transpose(0, 1).reshape(length * batch, width)
            weights = weights.view(batch, self.num_heads, length, source)
            weights = weights.mean(1) if average_attn_weights else weights
        else:
            query, key, value = (each.view(batch, self.num_heads, -1, self.head_dim) for each in (query, key, value))
            if mask is not None:
                mask = mask.unsqueeze(0) if mask.size(0) == 1 else mask.view(batch, self.num_heads, -1, source)
            output = F.scaled_dot_product_attention(query, key, value, mask, dropout, is_causal and mask is None)
            output, weights = output.permute(2, 0, 1, 3).reshape(batch * length, width), None
        output = F.linear(output, self.out_proj.weight, self.out_proj.bias).view(length, batch, width)
        if rank == 2:
            return output.squeeze(1), weights if weights is None else weights.squeeze(0)
        return output.transpose(1, 0) if self.batch_first else output, weights

    def _projected(self, query, key, value):
        """Queries, keys and values made for the heads."""
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        if self.packed and query is key is value:
            return F.linear(query, self.in_proj_weight, self.in_proj_bias).chunk(3, -1)
        weights = self.in_proj_weight.chunk(3) if self.packed else (
            self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)  # fmt: skip
        return [F.linear(*each) for each in zip((query, key, value), weights, biases, strict=True)]

    def _mask(self, attn_mask, padding, dtype, sizes):
        """Both masks as one that is added: (1 or N · heads, L or 1, S)."""
        batch, length, source = sizes
        attn_mask, padding = added(attn_mask, "attn_mask", dtype), added(padding, "key_padding_mask", dtype)
        if attn_mask is not None:
            wanted = {2: (length, source), 3: (batch * self.num_heads, length, source)}.get(attn_mask.dim())
            if wanted is None:
                raise RuntimeError(f"attn_mask's dimension {attn_mask.dim()} is not supported")
            if attn_mask.shape != wanted:
                raise RuntimeError(f"The shape of the {attn_mask.dim()}D attn_mask is {attn_mask.shape}, but should be "
                                   f"{wanted}.")
            attn_mask = attn_mask.unsqueeze(0) if attn_mask.dim() == 2 else attn_mask
        if padding is None:
            return attn_mask
        for place, size in enumerate((batch, source)):
            if padding.size(place) != size:
                raise AssertionError(f"Expected key_padded_mask.shape[{place}] to be {size}, but got "
                                     f"{padding.size(place)}")
        padding = padding.view(batch, 1, 1, source).expand(-1, self.num_heads, -1, -1)
        padding = padding.reshape(batch * self.num_heads, 1, source)
        return padding if attn_mask is None else attn_mask + padding


def batch_heads(query, module):
    return query.size(1) * module.num_heads


def added(mask, name, dtype):
    """A mask as numbers to add: minus infinity where a bool one is true."""
    if mask is None or mask._dtype.is_floating_point:
        return mask
    if mask._dtype.name != "bool":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return wrap(np.where(mask._array, -np.inf, 0).astype(dtype.numpy), dtype)
