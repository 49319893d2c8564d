"""Pooling: the greatest elements, means or norms under windows over sequences and pictures, or in parts of them."""

import math

from ..engine.table import ops
from ..operations.resampling import shared_parts
from .normalizations import check_floating

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool1d", "adaptive_max_pool2d", "avg_pool1d",
    "avg_pool2d", "lp_pool1d", "lp_pool2d", "max_pool1d", "max_pool2d",
]  # fmt: skip

COUNTS = {1: "one int", 2: "two ints", 3: "three ints"}
POSITIONS = {"kernel_size": 2, "stride": 3, "padding": 4, "dilation": 5}


def several(value, count, name, call=None):
    """A setting of a window as *count* numbers; TypeError or RuntimeError for anything else, as the pooling *call* has
    it, or convolutions have it without one."""
    values = (value,) * count if isinstance(value, int) else value
    if not (isinstance(values, tuple | list) and all(isinstance(each, int) for each in values)):
        raise TypeError(f"{call or 'convolution'}(): argument '{name}' (position {POSITIONS.get(name, 7)}) must be "
                        f"tuple of ints, not {type(value).__name__}")
    values = tuple(values)
    if len(values) == 1:
        values *= count
    if len(values) != count:
        if call:
            raise RuntimeError(f"{call}: {name} must either be a single int, or a tuple of {COUNTS[count]}")
        raise RuntimeError(f"expected {name} to be a single integer value or a list of {count} values to match the "
                           f"convolution dimensions, but got {name}={list(values)}")
    return values


def _check_pooling(input, kernel_size, stride, padding, dilation, ceil_mode):
    shape = input._array.shape
    if len(shape) not in (3, 4) or 0 in shape[-3:]:
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    if 0 in stride:
        raise RuntimeError("stride should not be zero")
    for what, (height, width), short in (("kernel size", kernel_size, "k"), ("stride", stride, "d"),
                                         ("dilation", dilation, "dilation")):  # fmt: skip
        if min(height, width) <= 0:
            raise RuntimeError(f"{what} should be greater than zero, but got {short}H: {height} {short}W: {width}")
    for k, p, d in zip(kernel_size, padding, dilation, strict=True):
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )
    places = [(n + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
              for n, k, s, p, d in zip(shape[-2:], kernel_size, stride, padding, dilation, strict=True)]  # fmt: skip
    if min(places) < 1:
        size = "x".join(map(str, shape[-3:]))
        raise RuntimeError(
            f"Given input size: ({size}). Calculated output size: ({shape[-3]}x"
            f"{'x'.join(map(str, (max(n, 0) for n in places)))}). Output size is too small"
        )


def _settings(call, kernel_size, stride, *more):
    """The settings of a pooling as pairs, the stride by default as large as the window."""
    given = [kernel_size, kernel_size if stride is None or stride == () else stride, *more]
    return [several(value, 2, name, call) for value, name in zip(given, POSITIONS, strict=False)]


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The greatest element under each place of a window; with *return_indices* also where it stands in its plane.

    RuntimeError when the window does not fit.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.max_pool2d(torch.tensor([[[1., 2.], [3., 4.]]]), 2)
    tensor([[[4.]]])
    """
    kernel_size, stride, padding, dilation = _settings("max_pool2d", kernel_size, stride, padding, dilation)
    _check_pooling(input, kernel_size, stride, padding, dilation, ceil_mode)
    values, indices = ops.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return (values, indices) if return_indices else values


def avg_pool2d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The mean of the elements under each place of a window.  RuntimeError when the window does not fit.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.avg_pool2d(torch.tensor([[[1., 2.], [3., 4.]]]), 2)
    tensor([[[2.5000]]])
    """
    kernel_size, stride, padding = _settings("avg_pool2d", kernel_size, stride, padding)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    _check_pooling(input, kernel_size, stride, padding, (1, 1), ceil_mode)
    return ops.avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _sequence_settings(call, kernel_size, stride, *more):
    """The settings of a pooling over sequences as numbers; RuntimeError for more than one each."""
    given = [kernel_size, kernel_size if stride is None or stride == () else stride, *more]
    for name, value in zip(POSITIONS, given, strict=False):
        if not isinstance(value, int) and len(value) != 1:
            raise RuntimeError(f"{call}() argument '{name}' should contain one int (got {len(value)})")
    return [value if isinstance(value, int) else value[0] for value in given]


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The greatest element under each place of a window over sequences.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.max_pool1d(torch.tensor([[1., 2., 4., 3.]]), 2)
    tensor([[2., 4.]])
    """
    if input._array.ndim not in (2, 3) or not input._array.size:
        raise RuntimeError("max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
                           f"input, but got:{list(input.shape)}")
    kernel, step, around, apart = _sequence_settings("max_pool1d", kernel_size, stride, padding, dilation)
    for name, n in zip(("kernel_size", "stride", "dilation"), (kernel, step, apart), strict=True):
        if n <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {n}")
    if not 0 <= around <= kernel // 2:
        which = "non-negative" if around < 0 else "at most half of kernel size"
        raise RuntimeError(f"max_pool1d() padding {'must' if around < 0 else 'should'} be {which}, but got "
                           f"{f'padding={around} and kernel_size={kernel}' if around >= 0 else around}")
    length = (input.size(-1) + 2 * around - apart * (kernel - 1) - 1 + (step - 1 if ceil_mode else 0)) // step + 1
    if length <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {length}")
    kernel_size, stride, dilation, padding = (1, kernel), (1, step), (1, apart), (0, around)
    results = max_pool2d(input.unsqueeze(-2), kernel_size, stride, padding, dilation, ceil_mode, True)
    values, indices = (each.squeeze(-2) for each in results)
    if not values.requires_grad:  # then PyTorch takes no detour through pictures
        values = values.clone()
    return (values, indices) if return_indices else values


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of the elements under each place of a window over sequences.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.avg_pool1d(torch.tensor([[1., 2., 4., 3.]]), 2)
    tensor([[1.5000, 3.5000]])
    """
    if input._array.ndim not in (2, 3):
        raise RuntimeError(f"Expected 2 to 3 dimensions, but got {input._array.ndim}-dimensional tensor for argument "
                           "#1 'self' (while checking arguments for avg_pool1d)")
    if 0 in input._array.shape[-2:]:
        raise RuntimeError("Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:"
                           f"{[*input.shape[:-1], 1, input.shape[-1]]}")
    kernel, step, around = _sequence_settings("avg_pool1d", kernel_size, stride, padding)
    return avg_pool2d(input.unsqueeze(-2), (1, kernel), (1, step), (0, around), ceil_mode,
                      count_include_pad).squeeze(-2)  # fmt: skip


def _power_mean(input, norm_type, kernel_size, stride, ceil_mode, average, greatest, count):
    if norm_type in (math.inf, -math.inf):
        return greatest(input.abs(), kernel_size, stride, 0, 1, ceil_mode) if norm_type > 0 else -greatest(
            -input.abs(), kernel_size, stride, 0, 1, ceil_mode)  # fmt: skip
    means = average(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (means.sign() * means.abs().relu()).mul(count).pow(1.0 / norm_type)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The norm, of the power *norm_type*, of the elements under each place of a window over sequences."""
    return _power_mean(input, norm_type, kernel_size, stride, ceil_mode, avg_pool1d, max_pool1d, kernel_size)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The norm, of the power *norm_type*, of the elements under each place of a window over pictures."""
    count = math.prod(several(kernel_size, 2, "kernel_size", "avg_pool2d"))
    return _power_mean(input, norm_type, kernel_size, stride, ceil_mode, avg_pool2d, max_pool2d, count)


# -- in as many parts as are asked for --------------------------------------------------------------------------------


def _sizes(call, output_size):
    if isinstance(output_size, str):
        raise TypeError(f"{call}(): argument 'output_size' (position 2) must be tuple of ints, but found element of "
                        "type str at pos 0")
    return [output_size] * 2 if output_size is None or isinstance(output_size, int) else list(output_size)


def _sequence_size(call, input, output_size):
    """How many parts a sequence is to have; RuntimeError for several numbers, and for other ranks."""
    if input.dim() not in (2, 3):
        raise RuntimeError(f"Expected 2 to 3 dimensions, but got {input.dim()}-dimensional tensor for argument #1 "
                           f"'self' (while checking arguments for {call})")
    if not isinstance(output_size, int) and len(output_size) != 1:
        raise RuntimeError(f"{call}() argument 'output_size' should contain one int (got {len(output_size)})")
    return output_size if isinstance(output_size, int) else output_size[0]


def adaptive_avg_pool2d(input, output_size):
    """The means of as many parts of each picture as *output_size* says; None keeps a length.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.adaptive_avg_pool2d(torch.tensor([[[1., 2.], [3., 4.]]]), 1)
    tensor([[[2.5000]]])
    """
    space, sizes = input.shape[-2:], _sizes("adaptive_avg_pool2d", output_size)
    if input.dim() not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(input.shape)}")
    if len(sizes) >= input.dim():
        raise ValueError(f"Input dimension should be at least {len(sizes) + 1}")
    if len(sizes) != 2:
        raise RuntimeError("adaptive_avg_pool2d: output_size must be 2")
    check_floating("adaptive_avg_pool2d", input)
    sizes = [n if size is None else size for n, size in zip(space, sizes, strict=True)]
    if min(sizes) < 0:
        raise RuntimeError("adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but "
                           f"received {{{sizes[0]}, {sizes[1]}}}")
    if sizes == [1, 1]:
        return ops.mean(input, [-1, -2], True)
    return ops.AdaptiveAvgPool2D(input, [shared_parts(*each) for each in zip(space, sizes, strict=True)])


def adaptive_avg_pool1d(input, output_size):
    """The means of *output_size* parts of each sequence."""
    size = _sequence_size("adaptive_avg_pool1d", input, output_size)
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, size)).squeeze(-2)


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """The greatest elements of as many parts of each picture as *output_size* says; None keeps a length.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.adaptive_max_pool2d(torch.tensor([[[1., 2.], [3., 4.]]]), (1, 2))
    tensor([[[3., 4.]]])
    """
    sizes = _sizes("adaptive_max_pool2d", output_size)
    if len(sizes) != 2:
        raise RuntimeError("adaptive_max_pool2d(): internal error: output_size.size() must be 2")
    if input.dim() not in (3, 4):
        raise RuntimeError(f"adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: {list(input.shape)}")
    for dim in range(input.dim() - 3, input.dim()):
        if not input.size(dim):
            raise RuntimeError(
                "adaptive_max_pool2d(): Expected input to have non-zero size for non-batch dimensions, but input has "
                f"sizes {list(input.shape)} with dimension {dim} being empty"
            )
    sizes = [n if size is None else size for n, size in zip(input.shape[-2:], sizes, strict=True)]
    parts = [shared_parts(*each)[0] for each in zip(input.shape[-2:], sizes, strict=True)]
    values, indices = ops.adaptive_max_pool2d_row(input, parts)
    return (values, indices) if return_indices else values


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """The greatest elements of *output_size* parts of each sequence."""
    size = _sequence_size("adaptive_max_pool1d", input, output_size)
    pair = adaptive_max_pool2d(input.unsqueeze(-2), (1, size), True)
    values, indices = (each.squeeze(-2) for each in pair)
    return (values, indices) if return_indices else values
