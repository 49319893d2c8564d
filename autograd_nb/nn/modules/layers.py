"""Layers: modules that own the parameters or settings of one function in nn.functional."""

import math

from ... import dtypes
from ...grad_mode import no_grad
from ...table import ops
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .module import Module


def empty_parameter(shape, dtype):
    return Parameter(ops.empty(shape, dtype=dtype))


def started_linearly(weight, bias):
    """Fill a layer's weight and bias as PyTorch does: evenly spread within 1/√fan_in."""
    init.kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = init._calculate_fan_in_and_fan_out(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        init.uniform_(bias, -bound, bound)


class Identity(Module):
    """Returns its input; takes any arguments.

    >>> import autograd_nb as torch
    >>> torch.nn.Identity(54)(torch.tensor(1.))
    tensor(1.)
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Linear(Module):
    """``input @ weight.T + bias``: from *in_features* numbers to *out_features*.

    >>> import autograd_nb as torch
    >>> layer = torch.nn.Linear(2, 3)
    >>> layer, layer(torch.ones(4, 2)).shape
    (Linear(in_features=2, out_features=3, bias=True), torch.Size([4, 3]))
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = empty_parameter((out_features, in_features), dtype)
        if bias:
            self.bias = empty_parameter((out_features,), dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new first values."""
        started_linearly(self.weight, self.bias)

    def forward(self, input):
        parameters = self._parameters
        return F.linear(input, parameters["weight"], parameters["bias"])

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class _Convolution(Module):
    """What convolutions of any number of dimensions share."""

    dimensions = None

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):  # fmt: skip
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if padding_mode != "zeros":
            raise ValueError(f"padding_mode='{padding_mode}' is not part of autograd_nb, expected 'zeros'")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        several = lambda value: (value,) * self.dimensions if isinstance(value, int) else tuple(value)  # noqa: E731
        self.kernel_size, self.stride, self.dilation = several(kernel_size), several(stride), several(dilation)
        self.padding = padding if isinstance(padding, str) else several(padding)
        self.weight = empty_parameter((out_channels, in_channels // groups, *self.kernel_size), dtype)
        if bias:
            self.bias = empty_parameter((out_channels,), dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new first values."""
        started_linearly(self.weight, self.bias)

    def forward(self, input):
        convolve = F.conv1d if self.dimensions == 1 else F.conv2d
        return convolve(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * len(self.padding):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * len(self.dilation):
            text += f", dilation={self.dilation}"
        return (
            text
            + (f", groups={self.groups}" if self.groups != 1 else "")
            + (", bias=False" if self.bias is None else "")
        )


class Conv1d(_Convolution):
    """Slides learnt filters along sequences: input (N, channels, length).

    >>> import autograd_nb as torch
    >>> torch.nn.Conv1d(2, 4, 3)(torch.ones(1, 2, 5)).shape
    torch.Size([1, 4, 3])
    """

    dimensions = 1


class Conv2d(_Convolution):
    """Slides learnt filters over pictures: input (N, channels, height, width).

    >>> import autograd_nb as torch
    >>> torch.nn.Conv2d(1, 4, 3, padding=1)(torch.ones(1, 1, 5, 5)).shape
    torch.Size([1, 4, 5, 5])
    """

    dimensions = 2


class MaxPool2d(Module):
    """The greatest element under a window that slides over pictures.

    >>> import autograd_nb as torch
    >>> torch.nn.MaxPool2d(2)
    MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)
    """

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation, self.return_indices, self.ceil_mode = padding, dilation, return_indices, ceil_mode

    def forward(self, input):
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
                            self.return_indices)  # fmt: skip

    def extra_repr(self):
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class AvgPool2d(Module):
    """The mean of the elements under a window that slides over pictures.

    >>> import autograd_nb as torch
    >>> torch.nn.AvgPool2d(2)(torch.ones(1, 1, 4, 4)).shape
    torch.Size([1, 1, 2, 2])
    """

    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
    ):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input):
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
                            self.divisor_override)  # fmt: skip

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class Flatten(Module):
    """Makes dimensions *start_dim* to *end_dim* one; by default all but the batch.

    >>> import autograd_nb as torch
    >>> torch.nn.Flatten()(torch.ones(2, 3, 4)).shape
    torch.Size([2, 12])
    """

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Dropout(Module):
    """In training mode, zeros each element with probability *p* and scales the others to make up for it.

    >>> import autograd_nb as torch
    >>> torch.nn.Dropout(0.5).eval()(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Embedding(Module):
    """A table of vectors, looked up by whole numbers.

    >>> import autograd_nb as torch
    >>> torch.nn.Embedding(10, 3)(torch.tensor([1, 5])).shape
    torch.Size([2, 3])
    """

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None, dtype=None):
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.weight = empty_parameter((num_embeddings, embedding_dim), dtype)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new first values; the padding's vector is zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input):
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self):
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


class LayerNorm(Module):
    """Gives the last dimensions of each sample mean 0 and variance 1, then a learnt scale and shift.

    >>> import autograd_nb as torch
    >>> torch.nn.LayerNorm(3)
    LayerNorm((3,), eps=1e-05, elementwise_affine=True, bias=True)
    """

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        for name, wanted in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            self.register_parameter(name, empty_parameter(self.normalized_shape, dtype) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Scale 1 and shift 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class _BatchNorm(Module):
    """What batch normalisation of inputs of any rank shares."""

    _version = 2
    ranks = ()

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None
    ):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name in ("weight", "bias"):
            self.register_parameter(name, empty_parameter((num_features,), dtype) if affine else None)
        for name, make in (("running_mean", lambda: ops.zeros(num_features, dtype=dtype)),
                           ("running_var", lambda: ops.ones(num_features, dtype=dtype)),
                           ("num_batches_tracked", lambda: ops.tensor(0, dtype=dtypes.int64))):  # fmt: skip
            self.register_buffer(name, make() if track_running_stats else None)
        if affine:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def forward(self, input):
        if input.ndim not in self.ranks:
            raise ValueError(
                f"expected {' or '.join(f'{rank}D' for rank in self.ranks)} input (got {input.ndim}D input)"
            )
        momentum = self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked)
        training = self.training or self.running_mean is None
        tracked = not self.training or self.track_running_stats
        return F.batch_norm(input, self.running_mean if tracked else None, self.running_var if tracked else None,
                            self.weight, self.bias, training, momentum or 0.0, self.eps)  # fmt: skip

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Gives each feature mean 0 and variance 1 over the batch, then a learnt scale and shift.

    >>> import autograd_nb as torch
    >>> torch.nn.BatchNorm1d(3)(torch.ones(4, 3)).shape
    torch.Size([4, 3])
    """

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Gives each channel of pictures mean 0 and variance 1 over the batch, then a learnt scale and shift.

    >>> import autograd_nb as torch
    >>> torch.nn.BatchNorm2d(3)(torch.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    ranks = (4,)
