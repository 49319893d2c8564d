"""Losses that compare inputs, or the scores of classes, with one another, and those of counts and of means."""

import math

import numpy as np

from ..engine.modes import no_grad
from ..engine.table import ops
from ..engine.tensor import wrap
from ..operations.checks import broadcast_shape
from .loss_functions import reduced, reduction_number

__all__ = [
    "cosine_embedding_loss", "gaussian_nll_loss", "hinge_embedding_loss", "margin_ranking_loss", "multi_margin_loss",
    "multilabel_margin_loss", "multilabel_soft_margin_loss", "pairwise_distance", "poisson_nll_loss",
    "soft_margin_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss",
]  # fmt: skip


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """How far *input1* falls short of being above *input2* (target 1), or below it (target -1), by *margin*.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.margin_ranking_loss(torch.tensor([1.]), torch.tensor([3.]), torch.tensor([1.]))
    tensor(2.)
    """
    number = reduction_number(reduction, size_average, reduce)
    if len({each.dim() for each in (input1, input2, target)}) > 1:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return reduced((-target * (input1 - input2) + margin).clamp_min(0), number)


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """The distance *input* where *target* is 1, and what it lacks to *margin* where it is -1."""
    zeros = ops.zeros_like(input)
    lacking = ops.where(target != 1, (margin - input).clamp_min(0), zeros)
    return reduced(lacking + ops.where(target != -1, input, zeros), reduction_number(reduction, size_average, reduce))


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """What the cosine of two vectors lacks to 1 where *target* is 1, how far it is above *margin* where that is -1.

    RuntimeError when shapes do not fit.
    """
    number, dim = reduction_number(reduction, size_average, reduce), target.dim()
    if dim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1.dim() != dim + 1 or input2.dim() != dim + 1:
        raise RuntimeError(f"{dim}D target tensor expects {dim + 1}D input tensors, but found inputs with sizes "
                           f"{list(input1.shape)} and {list(input2.shape)}.")
    lengths = [(each * each).sum(dim) + 1e-12 for each in (input1, input2)]
    cosine = (input1 * input2).sum(dim) / (lengths[0] * lengths[1]).sqrt_()
    zeros = ops.zeros_like(cosine)
    apart = ops.where(target == -1, (cosine - margin).clamp_min_(0), zeros)
    return reduced(ops.where(target == 1, 1 - cosine, zeros) + apart, number)


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
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    check_ranks(anchor, positive, negative)
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ops.minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced((near + margin - far).clamp_min(0), reduction_number(reduction, size_average, reduce))


def check_ranks(anchor, positive, negative):
    if len({tensor.dim() for tensor in (anchor, positive, negative)}) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs"
        )


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
                     reduction="mean"):  # fmt: skip
    """How unlikely counts *target* are when their mean is exp(*input*), or *input* itself."""
    expected = target * (input if log_input else (input + eps).log())  # the later operand comes first, as in PyTorch
    loss = (input.exp() if log_input else input) - expected
    if full:
        more = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + more.masked_fill(target <= 1, 0)
    return reduced(loss, reduction_number(reduction, size_average, reduce))


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False,
                                      reduction="mean"):  # fmt: skip
    """:func:`triplet_margin_loss` with any distance of two tensors."""
    number = reduction_number(reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    check_ranks(anchor, positive, negative)
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = ops.minimum(far, distance(positive, negative))
    return reduced((margin + near - far).clamp_min(0), number)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """How unlikely *target*s are when they are normal with mean *input* and variance *var*, which counts as *eps* at
    least."""
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * ops.ones_like(input)
    elif (var._array < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif input.ndim != var.ndim or sum(b for a, b in zip(input.shape, var.shape, strict=True) if a != b) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction_number(reduction))


# -- classes that ought to lie apart -----------------------------------------------------------------------------------


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(-target * input)) for *target*s that are 1 or -1."""
    broadcast_shape(input._array.shape, target._array.shape)
    target = target if target._dtype.is_floating_point else target.to(input._dtype)
    return ops.soft_margin_loss(input, target, reduction_number(reduction, size_average, reduce))


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The mean over the classes of the binary cross-entropy of sigmoid(input)."""
    loss = -(target * ops.logsigmoid(input) + (1 - target) * ops.logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    if reduction not in ("none", "mean", "sum") and size_average is reduce is None:
        raise ValueError(reduction + " is not valid")
    return reduced(loss.sum(input.dim() - 1) / input.size(-1), reduction_number(reduction, size_average, reduce))


def check_classes(target):
    if target._dtype.name != "int64":
        raise RuntimeError(f"expected scalar type Long but found {target._dtype.legacy_name}")


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    """How far each other class reaches above the *target* class less *margin*, to the power *p*; mean over classes.

    ValueError for another power than 1 and 2, RuntimeError when shapes or dtypes do not fit.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.multi_margin_loss(torch.tensor([[1., 3.]]), torch.tensor([0]))
    tensor(1.5000)
    """
    number = reduction_number(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    shape = list(input.shape)
    if len(shape) > 2 or not shape or not shape[-1]:
        raise RuntimeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {shape}")
    rows, classes = shape[0] if len(shape) > 1 else 1, shape[-1]
    if target.dim() > 1 or target.numel() != rows:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{rows}], but got {list(target.shape)}. Input has shape {shape}."
        )
    if weight is not None and weight.numel() != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    check_classes(target)
    chosen = np.reshape(target._array, -1)
    if ((chosen < 0) | (chosen >= classes)).any():
        raise RuntimeError("target out of range")
    pairs = np.zeros((rows, classes, classes), input._dtype.numpy)
    every = np.arange(rows)
    pairs[every, chosen] = np.reshape(1.0 if weight is None else weight._array[chosen], (-1, 1)) / classes
    pairs[every, chosen, chosen] = 0
    return ops.multi_margin_loss(input, wrap(pairs, input._dtype), p, margin, number, target.shape)


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """How far each class not named by *target* (classes, up to the first -1) reaches above each that is, less 1.

    RuntimeError when shapes or dtypes do not fit.
    """
    number = reduction_number(reduction, size_average, reduce)
    shape = list(input.shape)
    if len(shape) > 2 or 0 in shape[-1:]:
        raise RuntimeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {shape}")
    if target.shape != input.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {shape}")
    check_classes(target)
    classes = shape[-1] if shape else 1
    rows = np.reshape(target._array, (-1, classes))
    if rows.size and (rows.min() < -1 or rows.max() >= classes):
        raise RuntimeError("argument #2 'target' is out of range")
    named = rows * (np.cumsum(rows < 0, 1) == 0) - (np.cumsum(rows < 0, 1) > 0)
    counts = (named[..., None] == np.arange(classes)).sum(1)  # a class that is named twice counts twice
    pairs = counts[:, :, None] * (counts == 0)[:, None, :] / classes
    pairs = wrap(pairs.astype(input._dtype.numpy), input._dtype)
    return ops.multilabel_margin_loss(input, pairs, 1, 1.0, number, shape[:-1])
