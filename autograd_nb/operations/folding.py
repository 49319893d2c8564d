"""Windows the other way round: places spread into overlapping patches, which add up.

A transposed convolution computes what a convolution computes for its input's gradient; fold adds up the columns that
unfold takes apart.  So the rows here are made of those in convolutions.py, and differentiate into them.
"""

import math

from ..engine.dispatch import operation
from .convolutions import added_up, convolution, convolution_input, convolution_weight, patches, summed_over_places
from .products import kind


def spread_size(places, kernel, stride, padding, dilation, output_padding):
    """How long each dimension is whose windows have so many places."""
    return tuple((n - 1) * s - 2 * p + d * (k - 1) + extra + 1 for n, k, s, p, d, extra in
                 zip(places, kernel, stride, padding, dilation, output_padding, strict=True))  # fmt: skip


@operation("conv_transpose", method=False, function=False, node_name="ConvolutionBackward0",
           input=lambda grad, weight, stride, padding, dilation, groups:
           convolution(grad, weight, None, stride, padding, dilation, groups),
           weight=lambda grad, input, weight_sym_sizes, stride, padding, dilation, groups:
           convolution_weight(input, grad, weight_sym_sizes, stride, padding, dilation, groups),
           bias=lambda grad: summed_over_places(grad))  # fmt: skip
def conv_transpose(input, weight, bias, stride, padding, output_padding, dilation, groups):
    """Filters (in, out / groups, …) laid at each place, times the element there, and added up."""
    for other in (weight,) if bias is None else (weight, bias):
        if other.dtype != input.dtype:
            raise RuntimeError(f"expected scalar type {kind(input)} but found {kind(other)}")
    space = spread_size(input.shape[2:], weight.shape[2:], stride, padding, dilation, output_padding)
    sizes = (input.shape[0], weight.shape[1] * groups, *space)
    result = convolution_input(input, weight, sizes, stride, padding, dilation, groups)
    return result if bias is None else result + bias.reshape(-1, *(1,) * len(space))


@operation("im2col", node_name="Im2ColBackward0", method=False, function=False,
           self=lambda grad, self_sym_sizes, kernel, dilation, padding, stride:
           col2im(grad, self_sym_sizes[-2:], kernel, dilation, padding, stride))  # fmt: skip
def im2col(self, kernel, dilation, padding, stride):
    """The input's patches as columns: shape (…, channels · kernel, places)."""
    columns = patches(self.reshape(-1, *self.shape[-3:]), kernel, stride, padding, dilation, 1)[0].swapaxes(-1, -2)
    return columns.reshape(*self.shape[:-3], *columns.shape[-2:])


@operation("col2im", node_name="Col2ImBackward0", method=False, function=False,
           self=lambda grad, kernel, dilation, padding, stride:
           im2col(grad, kernel, dilation, padding, stride))  # fmt: skip
def col2im(self, sizes, kernel, dilation, padding, stride):
    """Pictures of *sizes* in which the columns are added up where their patches are."""
    places = [(n + 2 * p - d * (k - 1) - 1) // s + 1
              for n, k, d, p, s in zip(sizes, kernel, dilation, padding, stride, strict=True)]  # fmt: skip
    shares = self.reshape(math.prod(self.shape[:-2]), -1, *kernel, *places)
    total = added_up(shares, (*shares.shape[:2], *sizes), kernel, stride, padding, dilation)
    return total.reshape(*self.shape[:-2], *total.shape[1:])
