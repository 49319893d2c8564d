"""Windows that slide over sequences and pictures: convolution, the greatest under a window, padding.

A convolution is linear in its input and in its weights, so its two gradients are linear maps of the same family and
the three differentiate into each other.  All of them see the input as a matrix of its patches, one column for each
place of the window; an input of one space dimension is one of height 1.
"""

import math

import numpy as np

from ..engine.dispatch import operation
from ..engine.formulas import tensor_names
from .checks import dtype_name
from .products import multiplied
from .public import row


def padded(array, pads, value=0.0):
    """The array with *pads*, pairs for the last dimensions from front to back, of *value* around it; negative ones
    crop."""
    pads = ((0, 0),) * (array.ndim - len(pads)) + tuple(pads)
    kept = tuple(slice(max(-before, 0), length - max(-after, 0)) for (before, after), length in
                 zip(pads, array.shape, strict=True))  # fmt: skip
    wide = np.pad(array[kept], [(max(before, 0), max(after, 0)) for before, after in pads], constant_values=value)
    return np.asarray(wide, order="C")


def windows(array, kernel, stride, dilation):
    """All places of a window over the last dimensions: shape (…, places…, kernel…), a NumPy view."""
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    places = np.lib.stride_tricks.sliding_window_view(array, reach, tuple(range(-len(kernel), 0)))
    lead = (slice(None),) * (array.ndim - len(kernel))
    return places[(*lead, *(slice(None, None, s) for s in stride), *(slice(None, None, d) for d in dilation))]


def patches(input, kernel, stride, padding, dilation, groups):
    """The input's patches as matrices: shape (N, groups, places, channels of a group · kernel), and the places'
    shape."""
    space = len(kernel)
    seen = windows(padded(input, [(p, p) for p in padding]), kernel, stride, dilation)
    places = seen.shape[2 : 2 + space]
    seen = seen.reshape(input.shape[0], groups, -1, *places, *kernel)
    order = (0, 1, *range(3, 3 + space), 2, *range(3 + space, 3 + 2 * space))
    return seen.transpose(order).reshape(input.shape[0], groups, math.prod(places), -1), places


def added_up(shares, sizes, kernel, stride, padding, dilation):
    """Arrays of *sizes*, to each element of which all patches that see it gave a share: (N, C, kernel…, places…)."""
    space, places = sizes[2:], shares.shape[2 + len(kernel) :]
    total = np.zeros((*sizes[:2], *(n + 2 * p for n, p in zip(space, padding, strict=True))), shares.dtype)
    for offset in np.ndindex(*kernel):
        where = tuple(slice(o * d, o * d + s * (n - 1) + 1, s)
                      for o, d, s, n in zip(offset, dilation, stride, places, strict=True))  # fmt: skip
        total[(..., *where)] += shares[(slice(None), slice(None), *offset)]
    return padded(total, [(-p, -p) for p in padding])


# -- convolution ---------------------------------------------------------------------------------------------------


@operation("convolution", method=False,
           input=lambda grad, input_sym_sizes, weight, stride, padding, dilation, groups:
           convolution_input(grad, weight, input_sym_sizes, stride, padding, dilation, groups),
           weight=lambda grad, input, weight_sym_sizes, stride, padding, dilation, groups:
           convolution_weight(grad, input, weight_sym_sizes, stride, padding, dilation, groups),
           bias=lambda grad: summed_over_places(grad))  # fmt: skip
def convolution(input, weight, bias, stride, padding, dilation, groups):
    """The products of filters and patches: input (N, C, …), weight (filters, C / groups, …), a bias for each filter."""
    for other in (weight,) if bias is None else (weight, bias):
        if other.dtype != input.dtype:
            raise RuntimeError(f"expected scalar type {dtype_name(input)} but found {dtype_name(other)}")
    seen, places = patches(input, weight.shape[2:], stride, padding, dilation, groups)
    filters = weight.reshape(groups, weight.shape[0] // groups, -1)
    result = multiplied(filters, seen.swapaxes(-1, -2)).reshape(input.shape[0], weight.shape[0], *places)
    return result if bias is None else result + bias.reshape(-1, *(1,) * len(places))


@row("convolution_input", node_name="ConvolutionBackwardBackward0",
     grad_output=lambda grad, weight, stride, padding, dilation, groups:
     convolution(grad, weight, None, stride, padding, dilation, groups),
     weight=lambda grad, grad_output, weight_sym_sizes, stride, padding, dilation, groups:
     convolution_weight(grad_output, grad, weight_sym_sizes, stride, padding, dilation, groups))  # fmt: skip
def convolution_input(grad_output, weight, sizes, stride, padding, dilation, groups):
    """The gradient of a convolution's input: each patch's share added up where the patch was."""
    kernel, places = weight.shape[2:], grad_output.shape[2:]
    filters = weight.reshape(groups, weight.shape[0] // groups, -1)
    shares = multiplied(filters.swapaxes(-1, -2), grad_output.reshape(sizes[0], groups, filters.shape[1], -1))
    shares = shares.reshape(sizes[0], sizes[1], *kernel, *places)
    return added_up(shares, sizes, kernel, stride, padding, dilation)


@row("convolution_weight", node_name="ConvolutionBackwardBackward0",
     grad_output=lambda grad, input, stride, padding, dilation, groups:
     convolution(input, grad, None, stride, padding, dilation, groups),
     input=lambda grad, grad_output, input_sym_sizes, stride, padding, dilation, groups:
     convolution_input(grad_output, grad, input_sym_sizes, stride, padding, dilation, groups))  # fmt: skip
def convolution_weight(grad_output, input, sizes, stride, padding, dilation, groups):
    """The gradient of a convolution's weights: products of patches and what arrived at their places."""
    seen, _ = patches(input, sizes[2:], stride, padding, dilation, groups)
    grads = grad_output.reshape(input.shape[0], groups, sizes[0] // groups, -1)
    return np.add.reduce(multiplied(grads, seen[..., : grads.shape[-1], :]), 0).reshape(sizes)


def summed_over_places(grad):
    return np.add.reduce(grad, (0, *range(2, grad.ndim)))


tensor_names["summed_over_places"] = lambda grad: grad.sum((0, *range(2, grad.ndim)))


# -- pooling -------------------------------------------------------------------------------------------------------


def pooling_pads(shape, kernel, stride, padding, dilation, ceil_mode):
    """The pads around the last two dimensions, the far one longer where ceil_mode asks for one more place."""
    pads = []
    for length, k, s, p, d in zip(shape[-2:], kernel, stride, padding, dilation, strict=True):
        span = length + 2 * p - d * (k - 1) - 1
        count = span // s + 1
        if ceil_mode and span % s and count * s < length + p:
            count += 1
        pads.append((p, max(p, (count - 1) * s + d * (k - 1) + 1 - length - p)))
    return pads


@row("max_pool2d_with_indices", returns=("result0", "result1"),
     node_name="MaxPool2DWithIndicesBackward0",
     self=lambda grad, self, result1: put_at_places(grad[0], result1, shape_of(self)))  # fmt: skip
def max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode):
    """The greatest element under each place of the window, and where in its plane, counted flat, it stands."""
    pads = pooling_pads(self.shape, kernel_size, stride, padding, dilation, ceil_mode)
    lowest = -np.inf if self.dtype.kind == "f" else np.iinfo(self.dtype).min
    flat = np.arange(math.prod(self.shape[-2:])).reshape(self.shape[-2:])
    seen = windows(padded(self, pads, lowest), kernel_size, stride, dilation)
    numbers = windows(padded(flat, pads), kernel_size, stride, dilation)
    seen = seen.reshape(*seen.shape[:-2], -1)
    best = np.argmax(seen, -1)[..., None]
    numbers = np.broadcast_to(numbers.reshape(*numbers.shape[:-2], -1), seen.shape)
    return np.take_along_axis(seen, best, -1)[..., 0], np.take_along_axis(numbers, best, -1)[..., 0]


@row("put_at_places", tensors=("indices",),
     node_name="MaxPool2DWithIndicesBackwardBackward0",
     self=lambda grad, indices: taken_at_places(grad, indices))  # fmt: skip
def put_at_places(self, indices, sizes):
    """Zeros of *sizes* with the elements added at their places in the last two dimensions, counted flat."""
    total = np.zeros((math.prod(sizes[:-2]), math.prod(sizes[-2:])), self.dtype)
    rows = np.arange(len(total))[:, None]
    np.add.at(total, (rows, indices.reshape(len(total), -1)), self.reshape(len(total), -1))
    return total.reshape(sizes)


@row("taken_at_places", tensors=("indices",),
     self=lambda grad, self, indices: put_at_places(grad, indices, shape_of(self)))  # fmt: skip
def taken_at_places(self, indices):
    """The elements at the places in the last two dimensions, counted flat."""
    planes = self.reshape(*self.shape[:-2], -1)
    return np.take_along_axis(planes, indices.reshape(*indices.shape[:-2], -1), -1).reshape(indices.shape)


def shape_of(self):
    return self.shape


tensor_names["shape_of"] = lambda self: self._array.shape


# -- padding -------------------------------------------------------------------------------------------------------


@operation("constant_pad_nd", method=False,
           self=lambda grad, pad: constant_pad_nd(grad, [-each for each in pad], 0))  # fmt: skip
def constant_pad_nd(self, pad, value=0):
    """The tensor with *value* around it; *pad* has a pair of lengths for each dimension, the last one first."""
    return padded(self, list(zip(pad[-2::-2], pad[-1::-2], strict=True)), value)
