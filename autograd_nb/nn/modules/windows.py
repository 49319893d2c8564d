"""Pooling, padding, folding and other sizes as modules: they have settings and no parameters."""

from functools import partial

from .. import functional as F
from .applied import applied

_layer = partial(applied, __name__)


# -- pooling -----------------------------------------------------------------------------------------------------------


def _strided(settings, alone=False):
    """The settings with the window's size as its stride, unless that is given; as tuples of one when *alone*."""
    if settings["stride"] is None:
        settings["stride"] = settings["kernel_size"]
    if alone:
        for name in ("kernel_size", "stride", "padding"):
            value = settings[name]
            settings[name] = (value,) if isinstance(value, int) else tuple(value)
    return settings


_GREATEST = "kernel_size={kernel_size}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil_mode}"
_MEAN = "kernel_size={kernel_size}, stride={stride}, padding={padding}"
_POWER = "norm_type={norm_type}, kernel_size={kernel_size}, stride={stride}, ceil_mode={ceil_mode}"

MaxPool1d, MaxPool2d = (_layer(
    name, function, f"The greatest element under a window that slides over {what}.",
    lambda self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False:
    _strided(locals()), _GREATEST)
    for name, function, what in (("MaxPool1d", F.max_pool1d, "sequences"), ("MaxPool2d", F.max_pool2d, "pictures")))
AvgPool1d = _layer("AvgPool1d", F.avg_pool1d, "The mean of the elements under a window that slides over sequences.",
                   lambda self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True:
                   _strided(locals(), alone=True), _MEAN)  # fmt: skip
AvgPool2d = _layer("AvgPool2d", F.avg_pool2d, "The mean of the elements under a window that slides over pictures.",
                   lambda self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                   divisor_override=None: _strided(locals()), _MEAN)  # fmt: skip
LPPool1d, LPPool2d = (_layer(
    name, function, f"The norm of the elements under a window that slides over {what}.",
    lambda self, norm_type, kernel_size, stride=None, ceil_mode=False: locals(), _POWER)
    for name, function, what in (("LPPool1d", F.lp_pool1d, "sequences"), ("LPPool2d", F.lp_pool2d, "pictures")))
AdaptiveAvgPool1d, AdaptiveAvgPool2d = (_layer(
    name, function, f"The means of as many parts of {what} as *output_size* says.",
    lambda self, output_size: locals(), "output_size={output_size}")
    for name, function, what in (("AdaptiveAvgPool1d", F.adaptive_avg_pool1d, "sequences"),
                                 ("AdaptiveAvgPool2d", F.adaptive_avg_pool2d, "pictures")))  # fmt: skip
AdaptiveMaxPool1d, AdaptiveMaxPool2d = (_layer(
    name, function, f"The greatest elements of as many parts of {what} as *output_size* says.",
    lambda self, output_size, return_indices=False: locals(), "output_size={output_size}")
    for name, function, what in (("AdaptiveMaxPool1d", F.adaptive_max_pool1d, "sequences"),
                                 ("AdaptiveMaxPool2d", F.adaptive_max_pool2d, "pictures")))  # fmt: skip

# -- padding -----------------------------------------------------------------------------------------------------------


def _around(settings, space):
    """The settings with one padding for all sides repeated for each."""
    padding = settings["padding"]
    settings["padding"] = (padding,) * (2 * space) if isinstance(padding, int) else tuple(padding)
    return settings


def _pad_with(input, padding, value=0.0, mode="constant"):
    return F.pad(input, padding, mode, None if mode != "constant" else value)


for _space in (1, 2, 3):
    for _name, _mode, _what in (("Zero", "constant", "Zeros around the input."),
                                ("Reflection", "reflect", "The input mirrored at its ends."),
                                ("Replication", "replicate", "The outermost elements repeated."),
                                ("Circular", "circular", "The input continued by its other end.")):  # fmt: skip
        if _space < 3 or _mode == "constant":
            _name = f"{_name}Pad{_space}d"
            globals()[_name] = _layer(_name, partial(_pad_with, mode=_mode), _what,
                                      lambda self, padding, _space=_space: _around({"padding": padding}, _space),
                                      "{padding}", without=("_space",))  # fmt: skip
    globals()[f"ConstantPad{_space}d"] = _layer(
        f"ConstantPad{_space}d", _pad_with, "A number around the input.",
        lambda self, padding, value, _space=_space: _around({"padding": padding, "value": value}, _space),
        "padding={padding}, value={value}", without=("_space",))  # fmt: skip

# -- patches as columns, pixels as channels, other sizes ---------------------------------------------------------------

_WINDOW = "kernel_size={kernel_size}, dilation={dilation}, padding={padding}, stride={stride}"

Unfold = _layer("Unfold", F.unfold, "The patches that a window over pictures sees, as columns.",
                lambda self, kernel_size, dilation=1, padding=0, stride=1: locals(), _WINDOW)  # fmt: skip
Fold = _layer("Fold", F.fold, "Columns of patches added up in pictures of *output_size*.",
              lambda self, output_size, kernel_size, dilation=1, padding=0, stride=1: locals(),
              "output_size={output_size}, " + _WINDOW)  # fmt: skip
PixelShuffle = _layer("PixelShuffle", F.pixel_shuffle, "Channels laid out as larger pictures.",
                      lambda self, upscale_factor: locals(), "upscale_factor={upscale_factor}")  # fmt: skip
PixelUnshuffle = _layer("PixelUnshuffle", F.pixel_unshuffle, "Pictures laid out as more channels.",
                        lambda self, downscale_factor: locals(), "downscale_factor={downscale_factor}")  # fmt: skip
ChannelShuffle = _layer("ChannelShuffle", F.channel_shuffle, "Channels of groups dealt out anew.",
                        lambda self, groups: locals(), "groups={groups}")  # fmt: skip


def _factors(settings):
    factor = settings["scale_factor"]
    if factor is not None:
        settings["scale_factor"] = tuple(map(float, factor)) if isinstance(factor, tuple) else float(factor)
    return settings


def _which_size(self):
    given = "size" if self.scale_factor is None else "scale_factor"
    return f"{given}={getattr(self, given)}, mode={self.mode!r}"


Upsample = _layer("Upsample", F.interpolate, "Sequences or pictures in another size.",
                  lambda self, size=None, scale_factor=None, mode="nearest", align_corners=None,
                  recompute_scale_factor=None: _factors(locals()), _which_size)  # fmt: skip
UpsamplingNearest2d = _layer(
    "UpsamplingNearest2d", F.interpolate, "Pictures in another size, each pixel the nearest one.",
    lambda self, size=None, scale_factor=None: _factors({**locals(), "mode": "nearest", "align_corners": None}),
    _which_size, more=("mode",))  # fmt: skip
UpsamplingBilinear2d = _layer(
    "UpsamplingBilinear2d", F.interpolate, "Pictures in another size, pixels between their neighbours.",
    lambda self, size=None, scale_factor=None: _factors({**locals(), "mode": "bilinear", "align_corners": True}),
    _which_size, more=("mode", "align_corners"))  # fmt: skip
