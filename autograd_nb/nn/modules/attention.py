"""Attention with several heads: each looks at parts of queries, keys and values that were made for it."""

import math

import numpy as np

from ...engine.table import ops
from ...engine.tensor import wrap
from ...engine.warning import warn
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

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None,
                 vdim=None, batch_first=False, device=None, dtype=None):  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError("embed_dim and num_heads must be greater than 0, got "
                             f"embed_dim={embed_dim} and num_heads={num_heads} instead")
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        packed = self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        shapes = {
            "q_proj_weight": not packed and (embed_dim, embed_dim),
            "k_proj_weight": not packed and (embed_dim, self.kdim),
            "v_proj_weight": not packed and (embed_dim, self.vdim),
            "in_proj_weight": packed and (3 * embed_dim, embed_dim),
            "in_proj_bias": bias and (3 * embed_dim,),
            "bias_k": add_bias_kv and (1, 1, embed_dim),
            "bias_v": add_bias_kv and (1, 1, embed_dim),
        }
        for name, shape in shapes.items():
            self.register_parameter(name, empty_parameter(shape, dtype, device) if shape else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self):
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if getattr(self, name) is not None:
                init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True, is_causal=False):  # fmt: skip
        padding, mask, three = key_padding_mask, attn_mask, (query, key, value)
        if padding is not None and mask is not None and padding.dtype != mask.dtype:
            warn("Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type for both instead.")
        padding, mask = added(padding, "key_padding_mask", query.dtype), added(mask, "attn_mask", query.dtype)
        batched = self._check_ranks(three, padding, mask)
        if is_causal and mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
                               "method `generate_square_subsequent_mask` to create this mask.")
        if not batched:
            three = tuple(each.unsqueeze(1) for each in three)
            padding = padding if padding is None else padding.unsqueeze(0)
        elif self.batch_first:
            turned = {id(each): each.transpose(1, 0) for each in three}  # one view of each, also where two are the same
            three = tuple(turned[id(each)] for each in three)
        self._check_shapes(*three)
        length, batch, width = three[0].shape
        query, key, value, more = self._in_heads(*three)
        if is_causal and padding is None and not need_weights:
            mask = None
        else:
            mask = self._mask(mask, padding, (batch, length, key.size(1) - more), more)
            is_causal = is_causal and padding is None
        dropout = self.dropout if self.training else 0.0
        if need_weights:
            output, weights = self._weighted(query, key, value, mask, dropout)
            weights = weights.view(batch, self.num_heads, length, key.size(1))
            weights = weights.mean(1) if average_attn_weights else weights
            output = output.transpose(0, 1).reshape(length * batch, width)
        else:
            query, key, value = (each.view(batch, self.num_heads, -1, self.head_dim) for each in (query, key, value))
            if mask is not None:
                mask = mask.unsqueeze(0) if mask.size(0) == 1 else mask.view(batch, self.num_heads, -1, key.size(2))
            output = F.scaled_dot_product_attention(query, key, value, mask, dropout, is_causal and mask is None)
            output, weights = output.permute(2, 0, 1, 3).reshape(batch * length, width), None
        output = F.linear(output, self.out_proj.weight, self.out_proj.bias).view(length, batch, width)
        if not batched:
            return output.squeeze(1), weights if weights is None else weights.squeeze(0)
        return output.transpose(1, 0) if self.batch_first else output, weights

    def _check_ranks(self, three, padding, mask):
        """Whether there is a batch; AssertionError unless all have the ranks that go with that."""
        rank, *others = (each.dim() for each in three)
        if rank not in (2, 3):
            raise AssertionError("query should be unbatched 2D or batched 3D tensor but received "
                                 f"{rank}-D query tensor")
        start = f"For {'un' * (rank == 2)}batched ({rank}-D) `query`, expected "
        if others != [rank, rank]:
            raise AssertionError(f"{start}`key` and `value` to be {rank}-D but found {others[0]}-D and {others[1]}-D "
                                 "tensors respectively")
        for name, each, allowed in (("key_padding_mask", padding, (rank - 1,)), ("attn_mask", mask, (2, 3))):
            if each is not None and each.dim() not in allowed:
                wanted = " or ".join(f"{count}-D" for count in allowed)
                comma = ", " if len(allowed) > 1 else " or "
                raise AssertionError(f"{start}`{name}` to be `None`{comma}{wanted} but found {each.dim()}-D tensor "
                                     "instead")
        if rank == 2 and mask is not None and mask.dim() == 3:
            wanted = (self.num_heads, three[0].size(0), three[1].size(0))
            if mask.shape != wanted:
                raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {mask.shape}")
        return rank == 3

    def _check_shapes(self, query, key, value):
        if query.size(2) != self.embed_dim:
            raise AssertionError(f"was expecting embedding dimension of {self.embed_dim}, but got {query.size(2)}")
        if self._qkv_same_embed_dim and key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's "
                                 f"{value.shape[:2]}")

    def _in_heads(self, query, key, value):
        """Queries, keys and values of each head, (N · heads, length, E / heads), and how many keys were added."""
        batch = query.size(1)
        query, key, value = self._projected(query, key, value)
        if self.bias_k is not None:
            key, value = (ops.cat([each, bias.repeat(1, batch, 1)])
                          for each, bias in ((key, self.bias_k), (value, self.bias_v)))  # fmt: skip
        heads = batch * self.num_heads
        query, key, value = (each.reshape(each.size(0), heads, self.head_dim).transpose(0, 1)
                             for each in (query, key, value))  # fmt: skip
        if self.add_zero_attn:
            zeros = ops.zeros(heads, 1, self.head_dim, dtype=key.dtype)
            key, value = (ops.cat([each, zeros], 1) for each in (key, value))
        return query, key, value, (self.bias_k is not None) + bool(self.add_zero_attn)

    def _projected(self, query, key, value):
        """Queries, keys and values made for the heads."""
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        if self._qkv_same_embed_dim and query is key is value:
            return F.linear(query, self.in_proj_weight, self.in_proj_bias).chunk(3, -1)
        weights = self.in_proj_weight.chunk(3) if self._qkv_same_embed_dim else (
            self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)  # fmt: skip
        return [F.linear(*each) for each in zip((query, key, value), weights, biases, strict=True)]

    def _weighted(self, query, key, value, mask, dropout):
        """The means of the values, and their weights."""
        query, key = query * math.sqrt(1.0 / self.head_dim), key.transpose(-2, -1)
        scores = ops.bmm(query, key) if mask is None else ops.baddbmm(mask, query, key)
        weights = F.softmax(scores, dim=-1)
        weights = F.dropout(weights, dropout) if dropout else weights
        return ops.bmm(weights, value), weights

    def _mask(self, mask, padding, sizes, more):
        """Both masks as one that is added: (1 or N · heads, L or 1, S), with nothing for the *more* keys added."""
        batch, length, source = sizes
        if mask is not None:
            wanted = {2: (length, source), 3: (batch * self.num_heads, length, source)}[mask.dim()]
            if mask.shape != wanted:
                raise RuntimeError(f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {wanted}.")
            mask = mask.unsqueeze(0) if mask.dim() == 2 else mask
        if more:
            mask, padding = (each if each is None else F.pad(each, (0, more)) for each in (mask, padding))
        if padding is None:
            return mask
        for place, size in enumerate((batch, source + more)):
            if padding.size(place) != size:
                raise AssertionError(f"Expected key_padded_mask.shape[{place}] to be {size}, but got "
                                     f"{padding.size(place)}")
        padding = padding.view(batch, 1, 1, -1).expand(-1, self.num_heads, -1, -1)
        padding = padding.reshape(batch * self.num_heads, 1, source + more)
        return padding if mask is None else mask + padding


def added(mask, name, dtype):
    """A mask as numbers to add: minus infinity where a bool one is true."""
    if mask is None or mask._dtype.is_floating_point:
        return mask
    if mask._dtype.name != "bool":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return wrap(np.where(mask._array, -np.inf, 0).astype(dtype.numpy), dtype)
