"""Transformers: layers that attend to a sequence, and to another one, each with a small network at every place.

Attention and network add to what they were given, and normalise the sum (or with *norm_first* what goes in).
"""

import copy
import math

from ...engine.modes import is_grad_enabled
from ...engine.table import ops
from ...engine.warning import warn
from .. import functional as F
from .. import init
from .activations import GELU, ReLU
from .attention import MultiheadAttention, added
from .containers import ModuleList
from .layers import Dropout, Linear
from .module import Module
from .normalizations import LayerNorm


def activation_named(activation):
    """The function "relu" or "gelu"; RuntimeError for other names."""
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return getattr(F, activation)


def canonical(mask, name, other, other_name, dtype):
    """A mask as numbers to add; a warning when the other one is of another dtype."""
    if mask is not None and other is not None and mask.dtype != other.dtype:
        warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.")
    return added(mask, name, dtype)


def is_causal_mask(mask, is_causal, sequence, batch_first):
    """Whether a mask hides what comes later, and no more, unless *is_causal* says it."""
    if is_causal is not None or mask is None:
        return bool(is_causal)
    causal = Transformer.generate_square_subsequent_mask(sequence.size(1 if batch_first and sequence.dim() > 2 else 0))
    return mask.shape == causal.shape and bool((mask == causal).all())


class _Layer(Module):
    """What layers of encoders and decoders share: *attentions* names their parts that attend."""

    attentions = ()

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):  # fmt: skip
        super().__init__()
        place = {"device": device, "dtype": dtype}
        for name in self.attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **place))
        self.linear1 = Linear(d_model, dim_feedforward, bias, **place)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **place)
        self.norm_first = norm_first
        parts = range(1, len(self.attentions) + 2)
        for part in parts:
            setattr(self, f"norm{part}", LayerNorm(d_model, layer_norm_eps, bias=bias, **place))
        for part in parts:
            setattr(self, f"dropout{part}", Dropout(dropout))
        self.activation = activation_named(activation)

    def _through(self, x, *parts):
        """*x* after each part, a function, was added to it."""
        for number, part in enumerate(parts, 1):
            norm = getattr(self, f"norm{number}")
            x = x + part(norm(x)) if self.norm_first else norm(x + part(x))
        return x

    def _attending(self, name, dropout, mask, padding, is_causal, memory=None):
        """The part that attends to the sequence itself, or to *memory*."""

        def attend(x):
            other = x if memory is None else memory
            return dropout(getattr(self, name)(x, other, other, padding, False, mask, is_causal=is_causal)[0])

        return attend

    def _network(self, dropout):
        return lambda x: dropout(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a network: (length, N, d_model) to the same shape; with *batch_first* the batch comes first.

    >>> import autograd_nb as torch
    >>> torch.nn.TransformerEncoderLayer(4, nhead=2, dim_feedforward=8)(torch.ones(3, 1, 4)).shape
    torch.Size([3, 1, 4])
    """

    attentions = ("self_attn",)

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        padding = canonical(src_key_padding_mask, "src_key_padding_mask", src_mask, "src_mask", src.dtype)
        mask = added(src_mask, "src_mask", src.dtype)
        return self._through(src, self._attending("self_attn", self.dropout1, mask, padding, is_causal),
                             self._network(self.dropout2))  # fmt: skip

    @property
    def activation_relu_or_gelu(self):
        """1 for relu, 2 for gelu, 0 for any other activation."""
        kinds = {1: (F.relu, ReLU), 2: (F.gelu, GELU)}
        return next((number for number, (function, layer) in kinds.items()
                     if self.activation is function or isinstance(self.activation, layer)), 0)  # fmt: skip


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to a *memory*, and a network."""

    attentions = ("self_attn", "multihead_attn")

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False):  # fmt: skip
        return self._through(
            tgt, self._attending("self_attn", self.dropout1, tgt_mask, tgt_key_padding_mask, tgt_is_causal),
            self._attending("multihead_attn", self.dropout2, memory_mask, memory_key_padding_mask, memory_is_causal,
                            memory),
            self._network(self.dropout3))  # fmt: skip


class _Stack(Module):
    """Copies of a layer, one after the other."""

    def __init__(self, layer, num_layers, norm=None):
        super().__init__()
        self.layers = ModuleList(copy.deepcopy(layer) for _ in range(num_layers))
        self.num_layers = num_layers
        self.norm = norm

    def _normed(self, output):
        return output if self.norm is None else self.norm(output)


class TransformerEncoder(_Stack):
    """*num_layers* copies of an encoder's layer, and perhaps a normalisation at the end."""

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__(encoder_layer, num_layers, norm)
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check
        why_not = enable_nested_tensor and self._unfit(encoder_layer)
        if why_not:
            warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {why_not}")
        self.use_nested_tensor = enable_nested_tensor and not why_not

    @staticmethod
    def _unfit(layer):
        """Why PyTorch cannot leave padding out with such layers; it says so."""
        name = "encoder_layer"
        if not isinstance(layer, TransformerEncoderLayer):
            return f"{name} was not TransformerEncoderLayer"
        attention = layer.self_attn
        reasons = {
            f"{name}.norm_first was True": layer.norm_first,
            f"{name}.self_attn.batch_first was not True(use batch_first for better inference performance)":
                not attention.batch_first,
            f"{name}.self_attn was passed bias=False": attention.in_proj_bias is None,
            f"{name}.activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
            f"{name}.norm1.eps was not equal to {name}.norm2.eps": layer.norm1.eps != layer.norm2.eps,
            f"{name}.self_attn.num_heads is odd": attention.num_heads % 2,
        }  # fmt: skip
        return next((why for why, holds in reasons.items() if holds), "")

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        padding = canonical(src_key_padding_mask, "src_key_padding_mask", mask, "mask", src.dtype)
        mask = added(mask, "mask", src.dtype)
        first = self.layers[0]
        is_causal = is_causal_mask(mask, is_causal, src, first.self_attn.batch_first)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, src_key_padding_mask=padding, is_causal=is_causal)
        if self._leaves_padding_out(src, mask, padding):
            output = output.masked_fill(padding.logical_not().logical_not().unsqueeze(-1), 0.0)
        return self._normed(output)

    def _leaves_padding_out(self, src, mask, padding):
        """Whether PyTorch computes without the padding here, which then is zero in the result."""
        if not self.use_nested_tensor or self.layers[0].training or src.dim() != 3 or padding is None:
            return False
        hidden = padding.logical_not().logical_not()
        if mask is not None or self.mask_check and not bool((hidden[:, 1:] >= hidden[:, :-1]).all()):
            return False
        return not (is_grad_enabled() and (src.requires_grad or any(
            each.requires_grad for each in self.layers[0].parameters())))  # fmt: skip


class TransformerDecoder(_Stack):
    """*num_layers* copies of a decoder's layer, and perhaps a normalisation at the end."""

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__(decoder_layer, num_layers, norm)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False):  # fmt: skip
        tgt_is_causal = is_causal_mask(tgt_mask, tgt_is_causal, tgt, self.layers[0].self_attn.batch_first)
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                        tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask,
                        tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal)  # fmt: skip
        return self._normed(tgt)


class Transformer(Module):
    """An encoder for a source and a decoder for a target that attends to it: (S, N, E) and (T, N, E) to (T, N, E).

    RuntimeError when shapes do not fit.

    >>> import autograd_nb as torch
    >>> model = torch.nn.Transformer(4, nhead=2, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
    >>> model(torch.ones(1, 5, 4), torch.ones(1, 3, 4)).shape
    torch.Size([1, 3, 4])
    """

    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048,
                 dropout=0.1, activation=F.relu, custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):  # fmt: skip
        super().__init__()
        settings = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias,
                    device, dtype)  # fmt: skip

        def made(stack, layer, count):
            layer = layer(*settings)
            return stack(layer, count, LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype))

        self.encoder = custom_encoder if custom_encoder is not None else made(
            TransformerEncoder, TransformerEncoderLayer, num_encoder_layers)  # fmt: skip
        self.decoder = custom_decoder if custom_decoder is not None else made(
            TransformerDecoder, TransformerDecoderLayer, num_decoder_layers)  # fmt: skip
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self):
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
                memory_is_causal=False):  # fmt: skip
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal)  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        """The mask that hides what comes later: minus infinity above the diagonal.

        >>> import autograd_nb as torch
        >>> torch.nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        return ops.full((sz, sz), -math.inf, device=device, dtype=dtype).triu(1)
