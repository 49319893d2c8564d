"""Functions on sequences and pictures in other sizes: interpolation, padding, and pixels into channels."""

import math

from ..engine.table import ops
from ..engine.warning import warn
from ..operations.resampling import linear, nearest, reflected, replicated
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d

__all__ = ["channel_shuffle", "interpolate", "pixel_shuffle", "pixel_unshuffle", "upsample"]

MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
                antialias=False):  # fmt: skip
    """Sequences (N, C, length) or pictures (N, C, height, width) in another size, given as *size* or *scale_factor*.

    *mode* is "nearest", "nearest-exact", "linear" (sequences), "bilinear" (pictures) or "area".  ValueError or
    NotImplementedError for settings that do not fit, and for other modes.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.interpolate(torch.tensor([[[1., 2.]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | "
                             "bicubic | trilinear")
    else:
        align_corners = bool(align_corners)
    space = list(input.shape[2:])
    dims = len(space)
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    scales = [None] * dims
    if size is not None:
        if isinstance(size, tuple | list) and len(size) != dims:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {space} and output size of {size}. Please provide input tensor in (N, C, d1, d2, "
                "...,dK) format and output size in (o1, o2, ...,oK) format."
            )
        if recompute_scale_factor:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        size = list(size) if isinstance(size, tuple | list) else [size] * dims
    else:
        if isinstance(scale_factor, tuple | list) and len(scale_factor) != dims:
            raise ValueError(
                "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {space} and scale_factor of shape {scale_factor}. Please provide input tensor in (N, "
                "C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format."
            )
        factors = list(scale_factor) if isinstance(scale_factor, tuple | list) else [scale_factor] * dims
        size = [math.floor(float(n) * factor) for n, factor in zip(space, factors, strict=True)]
        scales = scales if recompute_scale_factor else factors
    if antialias or mode in ("bicubic", "trilinear", "lanczos") or dims == 3 and mode in MODES.split(" | "):
        raise NotImplementedError(f"interpolate: mode '{mode}'{' with antialias' * antialias} for {dims + 2}D input is "
                                  "not part of autograd_nb; use nearest, linear, bilinear or area")
    if mode in ("linear", "bilinear") and dims in (1, 2) and dims != ("linear", "bilinear").index(mode) + 1:
        raise NotImplementedError(f"Got {dims + 2}D input, but {mode} mode needs {3 if mode == 'linear' else 4}D input")
    if dims not in (1, 2) or mode not in MODES.split(" | "):
        raise NotImplementedError(
            "Input Error: Only 3D, 4D and 5D input Tensors supported (got "
            f"{input.dim()}D) for the modes: {MODES} (got {mode})"
        )
    if mode == "area":
        return (adaptive_avg_pool1d if dims == 1 else adaptive_avg_pool2d)(input, size)
    if min(size) <= 0:
        letters = ("W",) if dims == 1 else ("H", "W")
        given, wanted = (", ".join(f"{letter}: {n}" for letter, n in zip(letters, each, strict=True))
                         for each in (space, size))  # fmt: skip
        between = "and " if dims == 1 else ""
        raise RuntimeError("Input and output sizes should be greater than 0, but got input "
                           f"({given}) {between}output ({wanted})")
    triples = list(zip(space, size, scales, strict=True))
    if mode.startswith("nearest"):
        exact = mode == "nearest-exact"
        name = f"UpsampleNearest{'Exact' * exact}{dims}D"
        return getattr(ops, name)(input, [nearest(*each, exact) for each in triples])
    name = "UpsampleLinear1D" if dims == 1 else "UpsampleBilinear2D"
    return getattr(ops, name)(input, [linear(*each, align_corners) for each in triples])


PAD_SIZES = """Padding size {} is not supported for {}D input tensor.
Supported combinations for non-constant padding:
  - 2D or 3D input: padding size = 2 (pads last dimension)
  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)
  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"""


def padded_with_itself(input, pad, mode):
    """``pad`` in mode "reflect", "replicate" or "circular"."""
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    dims, shape = len(pad) // 2, input.shape
    if dims not in (1, 2) or len(shape) - dims not in (1, 2):
        raise NotImplementedError(PAD_SIZES.format(len(pad), len(shape)))
    pairs = [(shape[-1 - i], *pad[2 * i : 2 * i + 2]) for i in reversed(range(dims))]
    if mode == "circular":
        if min(pad) < 0:
            cropped = ops.constant_pad_nd(input, [min(each, 0) for each in pad], 0)
            return padded_with_itself(cropped, [max(each, 0) for each in pad], mode)
        if any(before > length or after > length for length, before, after in pairs):
            raise RuntimeError("Padding value causes wrapping around more than once.")
        return circular(input, list(zip(range(-dims, 0), pairs, strict=True)))
    if mode == "replicate":
        return getattr(ops, f"ReplicationPad{dims}D")(input, [replicated(*each) for each in pairs])
    for place, (length, before, after) in enumerate(reversed(pairs)):
        if before >= length or after >= length:
            raise RuntimeError(
                f"Argument #{4 + 2 * place}: Padding size should be less than the corresponding input dimension, but "
                f"got: padding ({before}, {after}) at dimension {len(shape) - 1 - place} of input {list(shape)}"
            )
    return getattr(ops, f"ReflectionPad{dims}D")(input, [reflected(*each) for each in pairs])


def circular(input, pads):
    """The input, and before and after it what comes after and before; by PyTorch's steps, for its nodes."""
    shape = list(input.shape)
    for dim, (length, before, after) in pads:
        shape[dim] = before + length + after
    out = input.new_zeros(shape)
    middle = out
    for dim, (length, before, _) in pads:
        middle = middle.narrow(dim, before, length)
    middle.copy_(input)
    for dim, (length, before, after) in reversed(pads):
        if before:
            out.narrow(dim, 0, before).copy_(out.narrow(dim, length, before))
        if after:
            out.narrow(dim, before + length, after).copy_(out.narrow(dim, before, after))
    return out


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """An older name of :func:`interpolate`."""
    warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


def channel_shuffle(input, groups):
    """Channels dealt out anew: the first of each of *groups* groups, then the second of each, and so on."""
    if input.dim() < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    channels = input.size(1)
    if channels % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {channels} channels and {groups} "
                           "groups.")
    return ops.channel_shuffle_row(input, groups)


def _check_planes(call, input):
    if input.dim() < 3:
        raise RuntimeError(f"{call} expects input to have at least 3 dimensions, but got input with {input.dim()} "
                           "dimension(s)")


def pixel_shuffle(input, upscale_factor):
    """Channels (C r², H, W) laid out as larger pictures (C, H r, W r).

    >>> import autograd_nb as torch
    >>> torch.nn.functional.pixel_shuffle(torch.tensor([[[1.]], [[2.]], [[3.]], [[4.]]]), 2)
    tensor([[[1., 2.],
             [3., 4.]]])
    """
    factor = upscale_factor
    _check_planes("pixel_shuffle", input)
    if factor <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {factor}")
    *lead, channels, height, width = input.shape
    if channels % factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {factor**2}"
        )
    return ops.pixel_shuffle_row(input, factor)


def pixel_unshuffle(input, downscale_factor):
    """Pictures (C, H r, W r) laid out as more channels (C r², H, W)."""
    _check_planes("pixel_unshuffle", input)
    if downscale_factor <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {downscale_factor}")
    for name, n in (("height", input.shape[-2]), ("width", input.shape[-1])):
        if n % downscale_factor:
            raise RuntimeError(f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                               f"input.size({-2 if name == 'height' else -1})={n} is not divisible by "
                               f"{downscale_factor}")
    return ops.pixel_unshuffle_row(input, downscale_factor)
