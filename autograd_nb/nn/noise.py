"""Functions that draw random numbers: dropout of elements and of whole channels, random slopes, Gumbel's softmax."""

import math

import numpy as np

from ..engine.table import ops
from ..engine.tensor import wrap
from ..engine.warning import warn
from ..torch_api import distributions

__all__ = [
    "alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout", "gumbel_softmax",
    "rrelu", "rrelu_",
]  # fmt: skip

ALPHA = 1.7580993408473766  # minus what selu goes to far on the left, which alpha dropout puts in place of elements


def check_probability(p):
    """*p*; ValueError unless it lies between 0 and 1."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return p


def coins(input, p, shape=None):
    """Ones, and zeros with probability *p*, as an array of the input's shape or another."""
    def draw(shape):
        return distributions.bernoulli(1 - p, shape, input._dtype.numpy)

    kept = distributions.like(input._array, draw) if shape is None else draw(shape)
    return kept if kept.shape else kept[()]


def dropped(input, p, training, inplace, channels=False, alpha=False):
    """The input with elements, or whole *channels*, set to zero and the others scaled; *alpha* is for selu."""
    check_probability(p)
    if not training or not p or not input.numel():
        return input
    if not input._dtype.is_floating_point:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {input._dtype.legacy_name}")
    if channels and p < 1 and input.dim() < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    times = input.mul_ if inplace else input.mul
    if p == 1:
        return times(ops.zeros((), dtype=input._dtype))
    number = input._dtype.numpy.type
    kept = coins(input, p, (*input.shape[:2], *[1] * (input.dim() - 2)) if channels else None)
    if not alpha:
        return times(wrap(kept / number(1 - p), input._dtype))
    scale = 1 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
    shift = (kept - number(1)) * number(ALPHA * scale) + number(ALPHA * scale * p)
    return times(wrap(kept * number(scale), input._dtype)).add_(wrap(shift, input._dtype))


def dropout(input, p=0.5, training=True, inplace=False):
    """Each element zeroed with probability *p*, the others divided by 1 - p; the input itself out of *training*.

    ValueError for a probability outside [0, 1].
    """
    return dropped(input, p, training, inplace)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Dropout that keeps mean 0 and variance 1: elements are set to what selu goes to far on the left."""
    return dropped(input, p, training, inplace, alpha=True)


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """:func:`alpha_dropout` of whole channels."""
    return dropped(input, p, training, inplace, channels=True, alpha=True)


OTHER_RANKS = (
    "dropout{0}d: Received a {1}-D input to dropout{0}d, which is deprecated and will result in an error in a future "
    "release. To retain the behavior and silence this warning, please use dropout instead. Note that dropout{0}d "
    "exists to provide channel-wise dropout on inputs with {0} spatial dimensions, a channel dimension, and an "
    "optional batch dimension (i.e. {2}D or {3}D inputs)."
)
READ_AS_SEQUENCES = (
    "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input "
    "is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future release to "
    "interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
    "dropout behavior, please switch to using dropout1d instead."
)


def of_channels(input, p, training, inplace, space):
    check_probability(p)
    rank = input.dim()
    if rank not in (space + 1, space + 2):
        if space == 1:
            raise RuntimeError(
                f"dropout1d: Expected 2D or 3D input, but received a {rank}D input. Note that dropout1d exists to "
                "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional "
                "batch dimension (i.e. 2D or 3D inputs)."
            )
        warn(OTHER_RANKS.format(space, rank, space + 1, space + 2))
    if space == 2:
        if rank == 3:
            warn(READ_AS_SEQUENCES)
        return dropped(input, p, training, inplace, channels=True)
    if rank == space + 2:
        return dropped(input, p, training, inplace, channels=True)
    if inplace:
        return dropped(input.unsqueeze_(0), p, training, True, channels=True).squeeze_(0)
    return dropped(input.unsqueeze(0), p, training, False, channels=True).squeeze(0)


def dropout1d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels of sequences (N, C, length) or (C, length)."""
    return of_channels(input, p, training, inplace, 1)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels of pictures (N, C, height, width)."""
    return of_channels(input, p, training, inplace, 2)


def dropout3d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels of volumes (N, C, depth, height, width) or (C, depth, height, width)."""
    return of_channels(input, p, training, inplace, 3)


def rrelu(input, lower=1 / 8, upper=1 / 3, training=False, inplace=False):
    """The element where positive, else a slope times it: drawn anew from [lower, upper) in *training*, else the middle.

    RuntimeError when the bounds are out of order.
    """
    if not math.isfinite(upper) or not math.isfinite(lower):
        name, bound = ("lower", lower) if not math.isfinite(lower) else ("upper", upper)
        raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound:g}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    array = input.detach().numpy(force=True)
    slopes = array * 0 + array.dtype.type((lower + upper) / 2)
    below = array <= 0
    if training:
        slopes[below] = distributions.uniform((int(below.sum()),), np.float64) * (upper - lower) + lower
    slopes[~below] = 1
    result = ops.rrelu_with_noise(input, wrap(slopes, input._dtype))
    return input.copy_(result) if inplace else result


def rrelu_(input, lower=1 / 8, upper=1 / 3, training=False):
    """In-place form of :func:`rrelu`."""
    return rrelu(input, lower, upper, training, True)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """The softmax of *logits* plus Gumbel noise, over *tau*: a random choice that gradients pass through.

    With *hard* the values are 0 and a single 1, the gradients those of the softmax.
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    noise = -ops.empty_like(logits).exponential_().log()
    soft = ops.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    chosen = ops.zeros_like(logits).scatter_(dim, soft.max(dim, keepdim=True)[1], 1.0)
    return chosen - soft.detach() + soft
