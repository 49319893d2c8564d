"""What slides filters over sequences, pictures and volumes: convolutions, patches, and the padding around them."""

import math

from ..engine.table import ops
from ..engine.warning import warn_once
from .attention import C_NAMES
from .pictures import padded_with_itself
from .pooling import several

__all__ = [
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "fold", "pad", "unfold",
]  # fmt: skip


def _check_kinds(input, bias):
    if bias is not None and bias._dtype is not input._dtype:
        kinds = (C_NAMES[each._dtype.name] for each in (input, bias))
        raise RuntimeError("Input type ({}) and bias type ({}) should be the same".format(*kinds))


def _convolve(input, weight, bias, stride, padding, dilation, groups, space):
    name = f"conv{space}d"
    shape, filters = input._array.shape, weight._array.shape
    if len(shape) not in (space + 1, space + 2):
        raise RuntimeError(
            f"Expected {space + 1}D (unbatched) or {space + 2}D (batched) input to {name}, but got input of "
            f"size: {list(shape)}"
        )
    if len(filters) < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if len(filters) != space + 2:
        raise RuntimeError(
            f"expected stride to be a single integer value or a list of {len(filters) - 2} values to match the "
            f"convolution dimensions, but got stride={list(several(stride, space, 'stride'))}"
        )
    batched = len(shape) == space + 2
    if not batched:
        return _convolve(input.unsqueeze(0), weight, bias, stride, padding, dilation, groups, space).squeeze(0)
    stride, dilation = several(stride, space, "stride"), several(dilation, space, "dilation")
    if min(dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {list(dilation)}")
    kernel = filters[2:]
    reach = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    if padding == "same":
        if any(s != 1 for s in stride):
            raise RuntimeError("padding='same' is not supported for strided convolutions")
        uneven = [r % 2 for r in reach]
        if any(uneven):
            warn_once("Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy "
                      "of the input be created")
            input = ops.constant_pad_nd(input, [each for extra in reversed(uneven) for each in (0, extra)], 0)
            shape = input._array.shape
        padding = tuple(r // 2 for r in reach)
    elif padding == "valid":
        padding = (0,) * space
    elif isinstance(padding, str):
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    padding = several(padding, space, "padding")
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if filters[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but "
                           f"got weight of size [{list(filters)}] instead")
    if shape[1] != filters[1] * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {list(filters)}, expected input{list(shape)} to have "
            f"{filters[1] * groups} channels, but got {shape[1]} channels instead"
        )
    if bias is not None and bias._array.shape != filters[:1]:
        raise RuntimeError(
            f"Given weight of size {list(filters)}, expected bias to be 1-dimensional with {filters[0]} "
            f"elements, but got bias of size {list(bias.shape)} instead"
        )
    inside, window = [n + 2 * p for n, p in zip(shape[2:], padding, strict=True)], [r + 1 for r in reach]
    if any(n < w for n, w in zip(inside, window, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, inside))}). Kernel size: "
            f"({' x '.join(map(str, window))}). Kernel size can't be greater than actual input size"
        )
    _check_kinds(input, bias)
    return ops.convolution(input, weight, bias, stride, padding, dilation, groups)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Filters (out, in / groups, length) slid along sequences (N, in, length).  RuntimeError when shapes do not fit.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.conv1d(torch.tensor([[[1., 2., 4.]]]), torch.tensor([[[-1., 1.]]]))
    tensor([[[1., 2.]]])
    """
    return _convolve(input, weight, bias, stride, padding, dilation, groups, 1)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Filters (out, in / groups, height, width) slid over pictures (N, in, height, width).

    RuntimeError when shapes do not fit.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2))
    tensor([[[[4., 4.],
              [4., 4.]]]])
    """
    return _convolve(input, weight, bias, stride, padding, dilation, groups, 2)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Filters (out, in / groups, depth, height, width) slid through volumes (N, in, depth, height, width)."""
    return _convolve(input, weight, bias, stride, padding, dilation, groups, 3)


def _spread(input, weight, bias, stride, padding, output_padding, groups, dilation, space):
    name = f"conv_transpose{space}d"
    shape, filters = input._array.shape, weight._array.shape
    if len(filters) < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if len(shape) not in (space + 1, space + 2):
        raise RuntimeError(
            f"Expected {space + 1}D (unbatched) or {space + 2}D (batched) input to {name}, but got input of "
            f"size: {list(shape)}"
        )
    if len(shape) == space + 1:
        return _spread(
            input.unsqueeze(0), weight, bias, stride, padding, output_padding, groups, dilation, space
        ).squeeze(0)
    stride, padding, output_padding, dilation = (several(value, space, name) for value, name in (
        (stride, "stride"), (padding, "padding"), (output_padding, "output_padding"), (dilation, "dilation")))
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if filters[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but "
                           f"got weight of size [{list(filters)}] instead")
    if shape[1] != filters[0]:
        raise RuntimeError(f"Given transposed=1, weight of size {list(filters)}, expected input{list(shape)} to have "
                           f"{filters[0]} channels, but got {shape[1]} channels instead")
    if bias is not None and bias._array.shape != (filters[1] * groups,):
        raise RuntimeError(f"Given transposed=1, weight of size {list(filters)}, expected bias to be 1-dimensional "
                           f"with {filters[1] * groups} elements, but got bias of size {list(bias.shape)} instead")
    if any(extra >= max(s, d) for extra, s, d in zip(output_padding, stride, dilation, strict=True)):
        sides = ("depth", "height", "width")[-max(space, 2) :]
        each = [[first] * (len(sides) - space) + list(values)
                for first, values in ((0, output_padding), (1, stride), (1, dilation))]  # fmt: skip
        given = [f"{name}_{side}: {n}" for name, values in
                 zip(("output_padding", "stride", "dilation"), each, strict=True)
                 for side, n in zip(sides, values, strict=True)]  # fmt: skip
        raise RuntimeError("output padding must be smaller than either stride or dilation, but got " + " ".join(given))
    _check_kinds(input, bias)
    return ops.conv_transpose(input, weight, bias, stride, padding, output_padding, dilation, groups)


def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Filters (in, out / groups, length) laid at each place of sequences (N, in, length), and added up.

    RuntimeError when shapes do not fit.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.conv_transpose1d(torch.tensor([[[1., 2.]]]), torch.tensor([[[1., 10.]]]))
    tensor([[[ 1., 12., 20.]]])
    """
    return _spread(input, weight, bias, stride, padding, output_padding, groups, dilation, 1)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Filters (in, out / groups, height, width) laid at each place of pictures, and added up."""
    return _spread(input, weight, bias, stride, padding, output_padding, groups, dilation, 2)


def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Filters (in, out / groups, depth, height, width) laid at each place of volumes, and added up."""
    return _spread(input, weight, bias, stride, padding, output_padding, groups, dilation, 3)


def _pairs_of(**settings):
    """Settings of a window over pictures, as pairs; RuntimeError for another number, and for what is not positive."""
    pairs = {name: (value, value) if isinstance(value, int) else tuple(value) for name, value in settings.items()}
    for name, pair in pairs.items():
        if len(pair) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(pair)}")
    for name in ("kernel_size", "stride", "dilation"):
        short, pair = name.removesuffix("_size"), pairs[name]
        if min(pair) <= 0:
            sides = " ".join(f"{short}_{side}: {n}" for side, n in zip(("height", "width"), pair, strict=True))
            what = "kernel size" if short == "kernel" else short
            raise RuntimeError(f"{what} should be greater than zero, but got {sides}")
    return pairs.values()


def _places(space, kernel, dilation, padding, stride):
    return [(n + 2 * p - d * (k - 1) - 1) // s + 1
            for n, k, d, p, s in zip(space, kernel, dilation, padding, stride, strict=True)]  # fmt: skip


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The patches that a window over pictures (N, C, height, width) sees, as columns: (N, C · kernel, places).

    >>> import autograd_nb as torch
    >>> torch.nn.functional.unfold(torch.tensor([[[[1., 2., 3.]]]]), (1, 2))
    tensor([[[1., 2.],
             [2., 3.]]])
    """
    settings = list(_pairs_of(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride))
    if input.dim() not in (3, 4) or 0 in input.shape[-3:]:
        raise RuntimeError("Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
                           f"dimensions for input, but got: {list(input.shape)}")
    places = _places(input.shape[-2:], *settings)
    if min(places) < 1:
        kernel_size, dilation, padding, stride = settings
        raise RuntimeError(
            f"Given input with spatial size {tuple(input.shape[-2:])}, kernel_size={kernel_size}, dilation={dilation}, "
            f"padding={padding}, calculated shape of the array of sliding blocks as {tuple(places)}, but its "
            "components must be at least one."
        )
    return ops.im2col(input, *settings)


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Columns of patches, as :func:`unfold` gives them, added up in pictures of *output_size*.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.fold(torch.tensor([[[1., 2.], [2., 3.]]]), (1, 3), (1, 2))
    tensor([[[[1., 4., 3.]]]])
    """
    size, *settings = _pairs_of(output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding,
                                stride=stride)  # fmt: skip
    if input.dim() not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError("Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
                           f"dimensions for input, but got: {list(input.shape)}")
    kernel, dilation, padding, stride = settings
    if input.size(-2) % math.prod(kernel):
        raise RuntimeError(f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
                           f"got input.size(1)={input.size(-2)} and kernel_size={kernel}.")
    places = _places(size, *settings)
    if math.prod(places) != input.size(-1) or min(places) < 1:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, stride={stride}, "
            f"expected size of input's dimension 2 to match the calculated number of sliding blocks {places[0]} * "
            f"{places[1]} = {math.prod(places)}, but got input.size(2)={input.size(-1)}."
        )
    return ops.col2im(input, size, *settings)


def pad(input, pad, mode="constant", value=None):
    """The tensor with *value* (0) around it; *pad* has a pair of lengths for each dimension, the last one first.

    In *mode* "reflect", "replicate" or "circular" it is continued by its own elements.  RuntimeError when *pad* does
    not fit, NotImplementedError for other modes.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.pad(torch.tensor([1., 2.]), (1, 2))
    tensor([0., 1., 2., 0., 0.])
    """
    if isinstance(pad, int):
        raise TypeError("pad(): argument 'pad' (position 2) must be tuple of ints, not int")
    for place, each in enumerate(pad):
        if not isinstance(each, int):
            raise TypeError("pad(): argument 'pad' (position 2) must be tuple of ints, but found element of type "
                            f"{type(each).__name__} at pos {place}")
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.dim():
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding "
            f"length {len(pad)} and input of dimension {input.dim()}"
        )
    if any(n + before + after < 0 for n, before, after in zip(input.shape[::-1], pad[::2], pad[1::2], strict=False)):
        raise RuntimeError("narrow(): length must be non-negative.")
    if mode != "constant":
        if value:
            raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
        return padded_with_itself(input, list(pad), mode)
    return ops.constant_pad_nd(input, list(pad), 0 if value is None else value)
