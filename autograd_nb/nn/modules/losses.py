"""Losses as modules: called on a prediction and a target, they apply the function of the same name."""

from .. import functional as F
from ..loss_functions import reduction_number
from .applied import Applied, applied
from .layers import PairwiseDistance
from .module import Module


class _Loss(Applied):
    """What losses share: the reduction's name, and weights that are kept as buffers."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        own = self.__dict__
        older = own.pop("size_average", None), own.pop("reduce", None)
        if older != (None, None):
            self.reduction = ("none", "mean", "sum")[reduction_number(self.reduction, *older)]
        for name in ("weight", "pos_weight"):
            if name in own:
                self.register_buffer(name, own.pop(name))


def _loss(name, function, doc, settings, inputs=lambda self, input, target: (input, target)):
    return applied(__name__, name, function, doc, settings, inputs=inputs, without=("size_average", "reduce"),
                   base=_Loss)  # fmt: skip


MSELoss = _loss("MSELoss", F.mse_loss, """The mean of the squared differences.

    >>> import autograd_nb as torch
    >>> torch.nn.MSELoss()(torch.tensor([1., 2.]), torch.tensor([0., 4.]))
    tensor(2.5000)
    """, lambda self, size_average=None, reduce=None, reduction="mean": locals())  # fmt: skip
L1Loss = _loss("L1Loss", F.l1_loss, "The mean of the absolute differences.",
               lambda self, size_average=None, reduce=None, reduction="mean": locals())  # fmt: skip
SmoothL1Loss = _loss(
    "SmoothL1Loss", F.smooth_l1_loss, "Absolute differences, a parabola in place of the kink where less than *beta*.",
    lambda self, size_average=None, reduce=None, reduction="mean", beta=1.0: locals())  # fmt: skip
HuberLoss = _loss("HuberLoss", F.huber_loss, "Half the squared differences, continued by lines from *delta* on.",
                  lambda self, reduction="mean", delta=1.0: locals())  # fmt: skip
BCELoss = _loss("BCELoss", F.binary_cross_entropy, "The binary cross-entropy of probabilities.",
                lambda self, weight=None, size_average=None, reduce=None, reduction="mean": locals())  # fmt: skip
BCEWithLogitsLoss = _loss("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits,
                          """The binary cross-entropy of sigmoid(input).

    >>> import autograd_nb as torch
    >>> torch.nn.BCEWithLogitsLoss()(torch.tensor([0.]), torch.tensor([1.]))
    tensor(0.6931)
    """, lambda self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None:
    locals())  # fmt: skip
NLLLoss = _loss("NLLLoss", F.nll_loss, "Minus the log-probability of each target's class.",
                lambda self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean":
                locals())  # fmt: skip
CrossEntropyLoss = _loss("CrossEntropyLoss", F.cross_entropy, """How unlikely the targets are under softmax(input).

    >>> import autograd_nb as torch
    >>> torch.nn.CrossEntropyLoss()(torch.tensor([[1., 2., 3.]]), torch.tensor([2]))
    tensor(0.4076)
    """, lambda self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
    label_smoothing=0.0: locals())  # fmt: skip
KLDivLoss = _loss("KLDivLoss", F.kl_div, "The Kullback-Leibler divergence from log-probabilities to a target.",
                  lambda self, size_average=None, reduce=None, reduction="mean", log_target=False:
                  locals())  # fmt: skip
PoissonNLLLoss = _loss(
    "PoissonNLLLoss", F.poisson_nll_loss, "How unlikely counts are when their mean is exp(input), or input itself.",
    lambda self, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean":
    locals())  # fmt: skip
GaussianNLLLoss = _loss("GaussianNLLLoss", F.gaussian_nll_loss, "How unlikely targets are that are normal.",
                        lambda self, *, full=False, eps=1e-6, reduction="mean": locals(),
                        lambda self, input, target, var: (input, target, var))  # fmt: skip

# -- with a margin -----------------------------------------------------------------------------------------------------


def _above_zero(name, settings):
    if settings["margin"] <= 0:
        raise ValueError(f"{name}: expected margin to be greater than 0, got {settings['margin']} instead")
    return settings


def _power(settings):
    if settings["p"] not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if settings["weight"] is not None and settings["weight"].dim() != 1:
        raise ValueError("MultiMarginLoss: expected weight to be None or 1D tensor, got "
                         f"{settings['weight'].dim()}D instead")
    return settings


_PAIR = lambda self, input1, input2, target: (input1, input2, target)  # noqa: E731
MarginRankingLoss = _loss(
    "MarginRankingLoss", F.margin_ranking_loss, "How far one input falls short of being above another by *margin*.",
    lambda self, margin=0.0, size_average=None, reduce=None, reduction="mean": locals(), _PAIR)  # fmt: skip
HingeEmbeddingLoss = _loss(
    "HingeEmbeddingLoss", F.hinge_embedding_loss, "A distance where the target is 1, else what it lacks.",
    lambda self, margin=1.0, size_average=None, reduce=None, reduction="mean": locals())  # fmt: skip
CosineEmbeddingLoss = _loss(
    "CosineEmbeddingLoss", F.cosine_embedding_loss, "What the cosine of two inputs lacks to 1, or has above *margin*.",
    lambda self, margin=0.0, size_average=None, reduce=None, reduction="mean": locals(), _PAIR)  # fmt: skip
SoftMarginLoss = _loss("SoftMarginLoss", F.soft_margin_loss, "log(1 + exp(-target * input)).",
                       lambda self, size_average=None, reduce=None, reduction="mean": locals())  # fmt: skip
MultiMarginLoss = _loss(
    "MultiMarginLoss", F.multi_margin_loss, "How far other classes reach above the target's less *margin*.",
    lambda self, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean":
    _power(locals()))  # fmt: skip
MultiLabelMarginLoss = _loss(
    "MultiLabelMarginLoss", F.multilabel_margin_loss, "How far other classes reach above those named, less 1.",
    lambda self, size_average=None, reduce=None, reduction="mean": locals())  # fmt: skip
MultiLabelSoftMarginLoss = _loss(
    "MultiLabelSoftMarginLoss", F.multilabel_soft_margin_loss, "The binary cross-entropy of each class, on average.",
    lambda self, weight=None, size_average=None, reduce=None, reduction="mean": locals())  # fmt: skip
TripletMarginLoss = _loss(
    "TripletMarginLoss", F.triplet_margin_loss, "How far an anchor is from being nearer to one input than to another.",
    lambda self, margin=1.0, p=2.0, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean":
    _above_zero("TripletMarginLoss", locals()),
    lambda self, anchor, positive, negative: (anchor, positive, negative))  # fmt: skip


class TripletMarginWithDistanceLoss(Module):
    """TripletMarginLoss with any distance: a function or a module."""

    def __init__(self, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
        super().__init__()
        self.reduction, self.swap = reduction, swap
        self.margin = _above_zero("TripletMarginWithDistanceLoss", {"margin": margin})["margin"]
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function

    def forward(self, anchor, positive, negative):
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin, swap=self.swap,
            reduction=self.reduction,
        )  # fmt: skip
