"""Losses as modules: called on a prediction and a target."""

from .. import functional as F
from ..loss_functions import reduction_number
from .module import Module


class _Loss(Module):
    """What losses share: the reduction, and weights that are kept as buffers."""

    def __init__(self, size_average=None, reduce=None, reduction="mean", **weights):
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = ("none", "mean", "sum")[reduction_number(reduction, size_average, reduce)]
        self.reduction = reduction
        for name, weight in weights.items():
            self.register_buffer(name, weight)


class MSELoss(_Loss):
    """The mean of the squared differences.

    >>> import autograd_nb as torch
    >>> torch.nn.MSELoss()(torch.tensor([1., 2.]), torch.tensor([0., 4.]))
    tensor(2.5000)
    """

    def forward(self, input, target):
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(_Loss):
    """The mean of the absolute differences."""

    def forward(self, input, target):
        return F.l1_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """Absolute differences, with a parabola in place of the kink where they are less than *beta*."""

    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input, target):
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Half the squared differences, continued by straight lines from *delta* on."""

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input, target):
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class BCELoss(_Loss):
    """The binary cross-entropy of probabilities."""

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction, weight=weight)

    def forward(self, input, target):
        return F.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """The binary cross-entropy of sigmoid(input).

    >>> import autograd_nb as torch
    >>> torch.nn.BCEWithLogitsLoss()(torch.tensor([0.]), torch.tensor([1.]))
    tensor(0.6931)
    """

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
        super().__init__(size_average, reduce, reduction, weight=weight, pos_weight=pos_weight)

    def forward(self, input, target):
        return F.binary_cross_entropy_with_logits(input, target, self.weight, pos_weight=self.pos_weight,
                                                  reduction=self.reduction)  # fmt: skip


class NLLLoss(_Loss):
    """Minus the log-probability of each target's class."""

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction, weight=weight)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        return F.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class CrossEntropyLoss(_Loss):
    """How unlikely the targets are under softmax(input).

    >>> import autograd_nb as torch
    >>> torch.nn.CrossEntropyLoss()(torch.tensor([[1., 2., 3.]]), torch.tensor([2]))
    tensor(0.4076)
    """

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                 label_smoothing=0.0):  # fmt: skip
        super().__init__(size_average, reduce, reduction, weight=weight)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input, target):
        return F.cross_entropy(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction,
                               label_smoothing=self.label_smoothing)  # fmt: skip


class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence from log-probabilities to a target."""

    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input, target):
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)
