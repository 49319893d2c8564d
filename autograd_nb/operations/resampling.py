"""Pictures in another size: interpolation, padding by what is there already, pooling to a given size.

All of these make each element along a dimension from a few of the input's, each with a weight: *taps*, for every
dimension a pair of arrays (places, weights), one row for each of the few.  The derivative spreads every gradient over
the same places with the same weights.
"""

import numpy as np

from ..engine.dispatch import operation
from .carriers import both


def along(array, dim):
    """A vector in a shape that broadcasts along dimension *dim* counted from the end (-1 is the last)."""
    return array.reshape((-1,) + (1,) * (-dim - 1))


@operation("resampled", method=False, function=False,
           self=lambda grad, self_sym_sizes, taps: resampled_backward(grad, self_sym_sizes, taps))  # fmt: skip
def resampled(self, taps):
    """Each element from a few of the input's, along the last dimensions, for each of which *taps* has a pair."""
    for dim, (places, weights) in zip(range(-1, -len(taps) - 1, -1), reversed(taps), strict=True):
        total = None
        for place, weight in zip(places, weights, strict=True):
            part = np.take(self, place, dim)
            if not (weight == 1).all():
                part = part * along(weight.astype(self.dtype), dim)
            total = part if total is None else total + part
        self = total
    return self


@operation("resampled_backward", method=False, function=False, self=lambda grad, taps: resampled(grad, taps))
def resampled_backward(self, sizes, taps):
    """What every element of the input gave, added up."""
    for dim, (places, weights) in zip(range(-len(taps), 0), taps, strict=True):
        shape = list(self.shape)
        shape[dim] = sizes[dim]
        total = np.zeros(shape, self.dtype)
        moved = np.moveaxis(total, dim, 0)
        for place, weight in zip(places, weights, strict=True):
            np.add.at(moved, place, np.moveaxis(self * along(weight.astype(self.dtype), dim), dim, 0))
        self = total
    return self


@both
def spread_out(grad, self, taps):
    """The same for operations whose node keeps its input."""
    return resampled_backward(grad, self.shape, taps)


for _name in ("UpsampleNearest1D", "UpsampleNearest2D", "UpsampleNearestExact1D", "UpsampleNearestExact2D",
              "UpsampleLinear1D", "UpsampleBilinear2D"):  # fmt: skip
    operation(_name, node_name=_name + "Backward0", method=False, function=False,
              self=lambda grad, self_sym_sizes, taps: resampled_backward(grad, self_sym_sizes, taps))(resampled)
for _name in ("AdaptiveAvgPool2D", "ReflectionPad1D", "ReflectionPad2D", "ReplicationPad1D", "ReplicationPad2D"):
    operation(_name, node_name=_name + "Backward0", method=False, function=False,
              self=lambda grad, self, taps: spread_out(grad, self, taps))(resampled)

# -- taps --------------------------------------------------------------------------------------------------------------


def ones(places):
    return places[None], np.ones((1, len(places)))


def nearest(length, size, scale, exact):
    """The element below each new one, or with *exact* the one whose middle is nearest."""
    step = np.float32(1 / scale if scale else length / size)
    places = np.floor((np.arange(size, dtype=np.float32) + (0.5 if exact else 0)) * step).astype(np.int64)
    return ones(np.minimum(places, length - 1))


def linear(length, size, scale, align_corners):
    """The two neighbours of each new element, weighted by how near they are."""
    new = np.arange(size, dtype=np.float64)
    if align_corners:
        where = new * ((length - 1) / (size - 1) if size > 1 else 0)
    else:
        where = np.maximum((new + 0.5) * (1 / scale if scale else length / size) - 0.5, 0)
    below = np.minimum(where.astype(np.int64), length - 1)
    above = np.minimum(below + 1, length - 1)
    part = np.clip(where - below, 0, 1)
    return np.stack([below, above]), np.stack([1 - part, part])


def reflected(length, before, after):
    """Elements mirrored at the ends, which are not repeated."""
    places = np.abs(np.arange(-before, length + after))
    return ones(np.where(places >= length, 2 * (length - 1) - places, places))


def replicated(length, before, after):
    """The outermost elements repeated."""
    return ones(np.clip(np.arange(-before, length + after), 0, length - 1))


def shared_parts(length, size):
    """The elements of each of *size* parts, which may overlap, with equal weights."""
    new = np.arange(size)
    starts, ends = new * length // size, -(-(new + 1) * length // size)
    places = starts + np.arange((ends - starts).max())[:, None]
    weights = np.where(places < ends, 1 / (ends - starts), 0)
    return np.minimum(places, ends - 1), weights

# -- pixels into channels and back -------------------------------------------------------------------------------------


@operation("pixel_shuffle_row", method=False, function=False, node_name="PixelShuffleBackward0",
           self=lambda grad, factor: pixel_unshuffle_row(grad, factor))  # fmt: skip
def pixel_shuffle_row(self, factor):
    """Channels laid out as pixels."""
    *lead, channels, height, width = self.shape
    parts = self.reshape(*lead, channels // factor**2, factor, factor, height, width)
    parts = parts.transpose(*range(len(lead)), *(len(lead) + i for i in (0, 3, 1, 4, 2)))
    return parts.reshape(*lead, channels // factor**2, height * factor, width * factor)


@operation("pixel_unshuffle_row", method=False, function=False, node_name="PixelUnshuffleBackward0",
           self=lambda grad, factor: pixel_shuffle_row(grad, factor))  # fmt: skip
def pixel_unshuffle_row(self, factor):
    """Pixels laid out as channels."""
    *lead, channels, height, width = self.shape
    parts = self.reshape(*lead, channels, height // factor, factor, width // factor, factor)
    parts = parts.transpose(*range(len(lead)), *(len(lead) + i for i in (0, 2, 4, 1, 3)))
    return parts.reshape(*lead, channels * factor**2, height // factor, width // factor)


@operation("channel_shuffle_row", method=False, function=False, node_name="ChannelShuffleBackward0",
           self=lambda grad, self_sym_sizes, groups:
           channel_shuffle_row(grad, self_sym_sizes[1] // groups))  # fmt: skip
def channel_shuffle_row(self, groups):
    """Channels dealt out anew."""
    parts = self.reshape(self.shape[0], groups, self.shape[1] // groups, *self.shape[2:])
    return parts.swapaxes(1, 2).reshape(self.shape)
