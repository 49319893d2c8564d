"""Layers: modules with parameters, and Dropout, which does something only in training mode."""

import math

from ..engine.table import ops
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


def add_parameters(module, device, dtype, **shapes):
    """Give a module parameters of these shapes, or None where none is wanted, and their initial values."""
    for name, shape in shapes.items():
        wanted = isinstance(shape, tuple)
        module.register_parameter(name, Parameter(ops.empty(shape, dtype=dtype, device=device)) if wanted else None)
    module.reset_parameters()


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
        add_parameters(self, device, dtype, weight=(out_features, in_features), bias=bias and (out_features,))

    def reset_parameters(self):
        """Draw new initial values, uniformly between ±1/√in_features."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        parameters = self._parameters
        return F.linear(input, parameters["weight"], parameters["bias"])

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Embedding(Module):
    """A table with a row of *embedding_dim* numbers for each index; the row *padding_idx* stays zero.

    >>> import autograd_nb as torch
    >>> torch.nn.Embedding(27, 10)(torch.tensor([[5, 13, 13]])).shape
    torch.Size([1, 3, 10])
    """

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, *, device=None, dtype=None):
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        add_parameters(self, device, dtype, weight=(num_embeddings, embedding_dim))

    def reset_parameters(self):
        """Draw new rows from the normal distribution; zeros for the row *padding_idx*."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    def forward(self, input):
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self):
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


class LayerNorm(Module):
    """Normalises the last dimensions of each sample to mean 0 and variance 1, then scales and shifts them."""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        shape = elementwise_affine and self.normalized_shape
        add_parameters(self, device, dtype, weight=shape, bias=bias and shape)

    def reset_parameters(self):
        """Set the scale to 1 and the shift to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
                f"bias={self.bias is not None}")  # fmt: skip


class BatchNorm1d(Module):
    """Brings each channel to mean 0 and variance 1: in training over the batch, else by the average of earlier batches.

    The input's shape is (batch, channels) or (batch, channels, length).
    """

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None,
                 dtype=None, *, bias=True):  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name in ("running_mean", "running_var"):
            self.register_buffer(name, ops.empty(num_features, dtype=dtype) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", ops.tensor(0) if track_running_stats else None)
        shape = affine and (num_features,)
        add_parameters(self, device, dtype, weight=shape, bias=bias and shape)

    def reset_running_stats(self):
        """Forget the batches so far."""
        if self.track_running_stats:
            self.running_mean.zero_(), self.running_var.fill_(1), self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Set the scale to 1 and the shift to 0, and forget the batches so far."""
        self.reset_running_stats()
        LayerNorm.reset_parameters(self)

    def forward(self, input):
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")
        momentum, tracks = self.momentum, self.training and self.track_running_stats
        if tracks:
            self.num_batches_tracked.add_(1)
            momentum = 1 / self.num_batches_tracked.item() if momentum is None else momentum
        running = (self.running_mean, self.running_var) if tracks or not self.training else (None, None)
        return F.batch_norm(input, *running, self.weight, self.bias, self.training or self.running_mean is None,
                            momentum, self.eps)

    def extra_repr(self):
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
                f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}")  # fmt: skip


class Dropout(Module):
    """In training mode, sets each element to zero with probability *p* and divides the others by 1 - p."""

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        F.check_probability(p)
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class PReLU(Module):
    """Each element where it is positive, else times a slope, which is learnt: one, or one for each channel."""

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        add_parameters(self, device, dtype, weight=(num_parameters,))

    def reset_parameters(self):
        """Set the slopes to their initial value."""
        init.constant_(self.weight, self.init)

    def forward(self, input):
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class Identity(Module):
    """Returns its input: a placeholder for another module, whose arguments it accepts and ignores."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input
