"""Convolutions and transposed ones as modules, which own their filters."""

from collections.abc import Iterable

from .. import functional as F
from .layers import empty_parameter, started_linearly
from .module import Module

MODES = ("zeros", "reflect", "replicate", "circular")
USUAL = {"padding": 0, "dilation": 1, "output_padding": 0, "groups": 1, "bias": True, "padding_mode": "zeros"}


class _Convolution(Module):
    """What convolutions of any number of dimensions share."""

    dimensions = convolve = None
    transposed, output_padding = False, 0

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):  # fmt: skip
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if padding_mode not in MODES:
            raise ValueError(f"padding_mode must be one of {MODES}, but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.padding_mode = padding_mode
        if isinstance(padding, str) and not self.transposed:
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
            if padding == "same" and any(each != 1 for each in self._several(stride)):
                raise ValueError("padding='same' is not supported for strided convolutions")
        several = self._several
        self.kernel_size, self.stride, self.dilation = several(kernel_size), several(stride), several(dilation)
        self.padding = padding if isinstance(padding, str) and not self.transposed else several(padding)
        self.weight = empty_parameter(self._filters(), dtype, device)
        self.register_parameter("bias", empty_parameter((out_channels,), dtype, device) if bias else None)
        self.reset_parameters()

    def _several(self, value):
        return tuple(value) if isinstance(value, Iterable) else (value,) * self.dimensions

    def reset_parameters(self):
        """Draw new first values."""
        started_linearly(self.weight, self.bias)

    def _filters(self):
        return (self.out_channels, self.in_channels // self.groups, *self.kernel_size)

    def forward(self, input):
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._around(), self.padding_mode), 0
        return self.convolve(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def _around(self):
        """The padding as F.pad takes it."""
        if not isinstance(self.padding, str):
            return [each for each in reversed(self.padding) for _ in range(2)]
        reach = [d * (k - 1) if self.padding == "same" else 0
                 for d, k in zip(self.dilation, self.kernel_size, strict=True)]  # fmt: skip
        return [each for r in reversed(reach) for each in (r // 2, r - r // 2)]

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        values = {**{name: getattr(self, name) for name in USUAL}, "bias": self.bias is not None}
        unusual = [name for name, usual in USUAL.items() if values[name] not in (usual, (usual,) * self.dimensions)]
        return text + "".join(f", {name}={values[name]}" for name in unusual)


class Conv1d(_Convolution):
    """Slides learnt filters along sequences: input (N, channels, length).

    >>> import autograd_nb as torch
    >>> torch.nn.Conv1d(2, 4, 3)(torch.ones(1, 2, 5)).shape
    torch.Size([1, 4, 3])
    """

    dimensions, convolve = 1, staticmethod(F.conv1d)


class Conv2d(_Convolution):
    """Slides learnt filters over pictures: input (N, channels, height, width).

    >>> import autograd_nb as torch
    >>> torch.nn.Conv2d(1, 4, 3, padding=1)(torch.ones(1, 1, 5, 5)).shape
    torch.Size([1, 4, 5, 5])
    """

    dimensions, convolve = 2, staticmethod(F.conv2d)


class Conv3d(_Convolution):
    """Slides learnt filters through volumes: input (N, channels, depth, height, width)."""

    dimensions, convolve = 3, staticmethod(F.conv3d)


class _Spread(_Convolution):
    """What transposed convolutions of any number of dimensions share."""

    transposed = True

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
                 bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        object.__setattr__(self, "output_padding", self._several(output_padding))
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode,
                         device, dtype)  # fmt: skip

    def _filters(self):
        return (self.in_channels, self.out_channels // self.groups, *self.kernel_size)

    def forward(self, input, output_size=None):
        extra = self.output_padding if output_size is None else self._extra(input, output_size)
        return self.convolve(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups,
                             self.dilation)  # fmt: skip

    def _extra(self, input, output_size):
        """What is missing to *output_size*; ValueError for one that no stride gives."""
        space, given = self.dimensions, output_size
        lead = input.dim() - space
        size = given[lead:] if len(given) == lead + space else given
        if len(size) != space:
            raise ValueError(f"ConvTranspose{space}D: for {input.dim()}D input, output_size must have {space} or "
                             f"{lead + space} elements (got {len(given)})")
        lows = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in zip(
            input.shape[lead:], self.stride, self.padding, self.dilation, self.kernel_size, strict=True)]  # fmt: skip
        highs = [low + s - 1 for low, s in zip(lows, self.stride, strict=True)]
        if any(not low <= n <= high for low, n, high in zip(lows, size, highs, strict=True)):
            raise ValueError(f"requested an output size of {given}, but valid sizes range from {lows} to {highs} (for "
                             f"an input of {input.size()[lead:]})")
        return [n - low for n, low in zip(size, lows, strict=True)]



class ConvTranspose1d(_Spread):
    """Lays learnt filters at each place of sequences, as far apart as the stride says, and adds them up.

    >>> import autograd_nb as torch
    >>> torch.nn.ConvTranspose1d(2, 4, 3, stride=2)(torch.ones(1, 2, 5)).shape
    torch.Size([1, 4, 11])
    """

    dimensions, convolve = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_Spread):
    """Lays learnt filters at each place of pictures, as far apart as the stride says, and adds them up."""

    dimensions, convolve = 2, staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_Spread):
    """Lays learnt filters at each place of volumes, as far apart as the stride says, and adds them up."""

    dimensions, convolve = 3, staticmethod(F.conv_transpose3d)
