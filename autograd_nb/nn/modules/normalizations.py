"""Normalisation as modules, which own a scale, a shift and running statistics."""

from ...engine import dtypes
from ...engine.table import ops
from ...engine.warning import warn
from .. import functional as F
from .. import init
from .layers import empty_parameter
from .module import Module


def started_flat(module):
    """Set a module's scale to 1 and its shift to 0, where it has them."""
    if module.weight is not None:
        init.ones_(module.weight)
    if module.bias is not None:
        init.zeros_(module.bias)


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
            self.register_parameter(name, empty_parameter(self.normalized_shape, dtype, device) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Scale 1 and shift 0."""
        started_flat(self)

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
        self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None,
        *, bias=True,
    ):  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, empty_parameter((num_features,), dtype, device) if wanted else None)
        for name, make in (("running_mean", lambda: ops.zeros(num_features, dtype=dtype, device=device)),
                           ("running_var", lambda: ops.ones(num_features, dtype=dtype, device=device)),
                           ("num_batches_tracked", lambda: ops.tensor(0, dtype=dtypes.int64))):  # fmt: skip
            self.register_buffer(name, make() if track_running_stats else None)
        self.reset_parameters()

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *more):
        if local_metadata.get("version", 1) < 2 and self.track_running_stats:  # when batches were not counted yet
            state_dict.setdefault(prefix + "num_batches_tracked", self.num_batches_tracked)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *more)

    def reset_running_stats(self):
        """Forget the statistics."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Scale 1 and shift 0, and no statistics."""
        self.reset_running_stats()
        started_flat(self)

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


class BatchNorm3d(_BatchNorm):
    """Gives each channel of volumes mean 0 and variance 1 over the batch, then a learnt scale and shift."""

    ranks = (5,)


class _InstanceNorm(_BatchNorm):
    """What normalisation of each sample's channels shares."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None,
                 dtype=None, *, bias=True):  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input):
        rank = self.ranks[0]
        if input.ndim not in self.ranks:
            raise ValueError(f"expected {rank}D or {rank + 1}D input (got {input.ndim}D input)")
        dim = input.ndim - rank
        if input.size(dim) != self.num_features:
            if self.affine:
                raise ValueError(f"expected input's size at dim={dim} to match num_features ({self.num_features}), but "
                                 f"got: {input.size(dim)}.")
            warn(f"input's size at dim={dim} does not match num_features. You can silence this warning by not passing "
                 "in num_features, which is not used because affine=False")
        if not dim:
            return self._normalized(input.unsqueeze(0)).squeeze(0)
        return self._normalized(input)

    def _normalized(self, input):
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias,
                               self.training or not self.track_running_stats,
                               0.0 if self.momentum is None else self.momentum, self.eps)  # fmt: skip


class InstanceNorm1d(_InstanceNorm):
    """Gives each channel of each sequence mean 0 and variance 1.

    >>> import autograd_nb as torch
    >>> torch.nn.InstanceNorm1d(3)(torch.ones(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Gives each channel of each picture mean 0 and variance 1."""

    ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Gives each channel of each volume mean 0 and variance 1."""

    ranks = (4, 5)


class GroupNorm(Module):
    """Gives each sample's channels, in groups, mean 0 and variance 1, then a learnt scale and shift.

    ValueError for channels that make no groups of one size.

    >>> import autograd_nb as torch
    >>> torch.nn.GroupNorm(2, 4)
    GroupNorm(2, 4, eps=1e-05, affine=True, bias=True)
    """

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None, *, bias=True):
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, empty_parameter((num_channels,), dtype, device) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Scale 1 and shift 0."""
        started_flat(self)

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Divides the last dimensions of each sample by the root of the mean of their squares; then a learnt scale.

    >>> import autograd_nb as torch
    >>> torch.nn.RMSNorm(3)
    RMSNorm((3,), eps=None, elementwise_affine=True)
    """

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self.register_parameter(
            "weight", empty_parameter(self.normalized_shape, dtype, device) if elementwise_affine else None
        )
        self.reset_parameters()

    def reset_parameters(self):
        """Scale 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input):
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
