"""Losses that compare inputs with one another, and the one of counts."""

import math

from ..table import ops
from .loss_functions import reduced, reduction_number


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """How far *input1* falls short of being above *input2* (target 1), or below it (target -1), by *margin*.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.margin_ranking_loss(torch.tensor([1.]), torch.tensor([3.]), torch.tensor([1.]))
    tensor(2.)
    """
    number = reduction_number(reduction, size_average, reduce)
    return reduced((-target * (input1 - input2) + margin).clamp_min(0), number)


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """The distance *input* where *target* is 1, and what it lacks to *margin* where it is -1."""
    zeros = ops.zeros_like(input)
    lacking = ops.where(target != 1, (margin - input).clamp_min(0), zeros)
    return reduced(lacking + ops.where(target != -1, input, zeros), reduction_number(reduction, size_average, reduce))


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The *p*-norm of the difference of two tensors' last dimensions.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.pairwise_distance(torch.tensor([[3., 0.]]), torch.tensor([[0., 4.]]))
    tensor([5.])
    """
    inner = max(x1.dim(), x2.dim())
    return ops.norm_row(x1 - x2 + eps, p, [inner - 1], keepdim)


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None,
                        reduce=None, reduction="mean"):  # fmt: skip
    """How far the anchor is from being nearer to *positive* than to *negative* by *margin*."""
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ops.minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced((near + margin - far).clamp_min(0), reduction_number(reduction, size_average, reduce))


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
                     reduction="mean"):  # fmt: skip
    """How unlikely counts *target* are when their mean is exp(*input*), or *input* itself."""
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        more = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + more.masked_fill(target <= 1, 0)
    return reduced(loss, reduction_number(reduction, size_average, reduce))
