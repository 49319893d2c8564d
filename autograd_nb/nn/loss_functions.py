"""Losses as functions of a prediction and a target; nn.functional has them all.

``reduction`` says what becomes of the terms: "mean", "sum", or "none" to have them as they are.
"""

from ..engine.dispatch import apply
from ..engine.table import operations, ops
from ..engine.warning import warn
from ..operations.checks import broadcast_shape
from ..operations.losses import MEAN, NONE, SUM

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "huber_loss", "kl_div", "l1_loss",
    "mse_loss", "nll_loss", "smooth_l1_loss",
]  # fmt: skip

REDUCTIONS = {"none": NONE, "mean": MEAN, "elementwise_mean": MEAN, "sum": SUM}


def reduction_number(reduction, size_average=None, reduce=None):
    """The reduction as nodes save it; ValueError for an unknown one, a warning for the two older arguments."""
    if size_average is not None or reduce is not None:
        reduction = "none" if reduce is False else "mean" if size_average is not False else "sum"
        warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS[reduction]


def reduced(terms, reduction):
    return terms if reduction == NONE else terms.mean() if reduction == MEAN else terms.sum()


def weighted_and_reduced(terms, weight, reduction, divide_by_weights=True):
    """The terms times their weights, reduced; a mean is over the weights, except for the Huber loss."""
    if weight.size() != terms.size():
        raise ValueError("Weights and input must have the same size.")
    terms = terms * weight
    if reduction == MEAN and divide_by_weights:
        return terms.sum() / weight.sum()
    return reduced(terms, reduction)


def of_one_size(input, target):
    """Both, broadcast to one shape; a warning when that changed anything, for it is rarely meant."""
    if target.size() == input.size():
        return input, target
    warn(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will "
        "likely lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )
    shape = broadcast_shape(input._array.shape, target._array.shape)
    return [tensor if tensor.shape == shape else tensor.expand(shape) for tensor in (input, target)]


# -- distances of numbers ------------------------------------------------------------------------------------------


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The mean of the squared differences.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.mse_loss(torch.tensor([1., 2.]), torch.tensor([0., 4.]))
    tensor(2.5000)
    """
    pair = of_one_size(input, target)
    reduction = reduction_number(reduction, size_average, reduce)
    if weight is not None:
        return weighted_and_reduced((pair[0] - pair[1]) ** 2, weight, reduction)
    return apply(operations["mse_loss"], (*pair, reduction))


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The mean of the absolute differences.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.l1_loss(torch.tensor([1., 2.]), torch.tensor([0., 4.]))
    tensor(1.5000)
    """
    input, target = of_one_size(input, target)
    reduction = reduction_number(reduction, size_average, reduce)
    terms = (input - target).abs()
    return reduced(terms, reduction) if weight is None else weighted_and_reduced(terms, weight, reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """Absolute differences with a parabola in place of the kink: half the square, over *beta*, where less than *beta*.

    RuntimeError for a negative *beta*.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.smooth_l1_loss(torch.tensor([1., 2.]), torch.tensor([0.5, 4.]))
    tensor(0.8125)
    """
    pair = of_one_size(input, target)
    reduction = reduction_number(reduction, size_average, reduce)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return reduced((pair[0] - pair[1]).abs(), reduction) if beta == 0 else ops.smooth_l1_loss(*pair, reduction, beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """Half the squared differences, continued by straight lines from *delta* on.

    RuntimeError unless *delta* is positive.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.huber_loss(torch.tensor([1., 2.]), torch.tensor([0.5, 5.]), delta=2.)
    tensor(2.0625)
    """
    pair = of_one_size(input, target)
    reduction = reduction_number(reduction)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    if weight is not None:
        return weighted_and_reduced(ops.huber_loss(*pair, NONE, delta), weight, reduction, divide_by_weights=False)
    return ops.huber_loss(*pair, reduction, delta)


# -- distances of distributions ------------------------------------------------------------------------------------


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """How unlikely the *target*s, 0 to 1, are under the probabilities *input*.

    ValueError when their sizes differ, RuntimeError for numbers outside [0, 1].

    >>> import autograd_nb as torch
    >>> torch.nn.functional.binary_cross_entropy(torch.tensor([0.5, 0.9]), torch.tensor([1., 1.]))
    tensor(0.3993)
    """
    reduction = reduction_number(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(broadcast_shape(target._array.shape, weight._array.shape))
    return ops.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean",
                                     pos_weight=None):  # fmt: skip
    """The binary cross-entropy of sigmoid(input); *pos_weight* is the weight of the targets that are 1.

    ValueError when the sizes differ.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.binary_cross_entropy_with_logits(torch.tensor([0., 2.]), torch.tensor([1., 1.]))
    tensor(0.4100)
    """
    reduction = reduction_number(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    for name in (tensor._dtype.legacy_name for tensor in (input, target) if not tensor._dtype.is_floating_point):
        if not input._dtype.is_floating_point:
            raise NotImplementedError(f"\"log_sigmoid_cpu\" not implemented for '{name}'")
        raise RuntimeError("result type Float can't be cast to the desired output type " + name)
    for factor in (weight, pos_weight):
        if factor is not None:
            wide = broadcast_shape(factor._array.shape, input._array.shape)
            if wide != input._array.shape:
                raise RuntimeError(f"output with shape {list(input.shape)} doesn't match the broadcast shape "
                                   f"{list(wide)}")
    return apply(operations["binary_cross_entropy_with_logits"], (input, target, weight, pos_weight, reduction))


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """Minus the log-probability *input* of each target's class; *target* holds class numbers.

    Raises IndexError for a class that is not there, ValueError or RuntimeError when shapes or dtypes do not fit.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.nll_loss(torch.tensor([[-1., -2.], [-3., -4.]]), torch.tensor([0, 1]))
    tensor(2.5000)
    """
    reduction = reduction_number(reduction, size_average, reduce)
    return nll_of_any_rank(input, target, weight, reduction, ignore_index)


def nll_of_any_rank(input, target, weight, reduction, ignore_index):
    """Classes on the second dimension; behind it PyTorch knows two more, into which others are folded."""
    shape, of_target = input._array.shape, target._array.shape
    if not shape:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(shape) != 1 and (not of_target or shape[0] != of_target[0]):
        raise ValueError(
            f"Expected input batch_size ({shape[0]}) to match target batch_size ({of_target[0] if of_target else 0})."
        )
    if len(shape) == 1 and len(of_target) == 1 and of_target != (1,):
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {of_target[0]}")
    if len(shape) < 3 and len(of_target) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target._dtype.name not in ("int64", "uint8"):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target._dtype.legacy_name}")
    classes = shape[min(len(shape), 2) - 1]
    if weight is not None and weight._array.shape != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight "
            f"tensor of shape: {list(weight.shape)}"
        )
    if weight is not None and weight._dtype is not input._dtype:
        raise RuntimeError(f"expected scalar type {input._dtype.legacy_name} but found {weight._dtype.legacy_name}")
    if len(shape) < 3:
        if len(shape) == 1 and of_target:
            target = target.reshape(())
        return apply(operations["nll_loss"], (input, target, weight, reduction, ignore_index))
    if len(shape) == 4:
        if len(of_target) != 3:
            raise RuntimeError(
                f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(of_target)}"
            )
        if of_target[1:] != shape[2:]:
            raise RuntimeError(f"size mismatch (got input: {list(shape)} , target: {list(of_target)}")
        return ops.nll_loss2d(input, target, weight, reduction, ignore_index)
    if of_target[1:] != shape[2:]:
        raise RuntimeError(f"Expected target size {[shape[0], *shape[2:]]}, got {list(of_target)}")
    input, flat = input.contiguous().view(shape[0], shape[1], 1, -1), target.contiguous().view(shape[0], 1, -1)
    result = ops.nll_loss2d(input, flat, weight, reduction, ignore_index)
    return result.view(shape[0], *shape[2:]) if reduction == NONE else result


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                  label_smoothing=0.0):  # fmt: skip
    """How unlikely the targets are under softmax(input); *target* holds class numbers, or a probability for each class.

    Errors are those of :func:`nll_loss`, and RuntimeError for a label_smoothing outside [0, 1].

    >>> import autograd_nb as torch
    >>> torch.nn.functional.cross_entropy(torch.tensor([[1., 2., 3.]]), torch.tensor([2]))
    tensor(0.4076)
    """
    reduction = reduction_number(reduction, size_average, reduce)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    dim = 0 if input.dim() == 1 else 1
    if input.size() == target.size():
        return cross_entropy_of_probabilities(input, target, weight, reduction, ignore_index, label_smoothing, dim)
    log_probabilities = ops.log_softmax(input, dim)
    loss = nll_of_any_rank(log_probabilities, target, weight, reduction, ignore_index)
    if not label_smoothing:
        return loss
    classes, shape = input.size(dim), (1,) * dim + (-1,) + (1,) * (input.dim() - dim - 1)
    terms = log_probabilities if weight is None else log_probabilities * weight.view(shape)
    ignored = target == ignore_index
    smooth = (-terms.sum(dim)).masked_fill(ignored, 0)
    if reduction == MEAN:
        kept = ignored.logical_not()
        smooth = smooth.sum() / (kept.sum() if weight is None else weight.gather(0, target.masked_select(kept)).sum())
    elif reduction == SUM:
        smooth = smooth.sum()
    return ops.mul_number(loss, 1 - label_smoothing) + ops.mul_number(smooth, label_smoothing / classes)


def cross_entropy_of_probabilities(input, target, weight, reduction, ignore_index, label_smoothing, dim):
    if not target._dtype.is_floating_point:
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {target._dtype.legacy_name}"
        )
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    classes = input.size(dim)
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(
            "cross_entropy: weight tensor should be defined either for all "
            f"{classes} classes or no classes but got weight tensor of shape: {list(weight.shape)}"
        )
    if label_smoothing:
        target = ops.mul_number(target, 1 - label_smoothing) + label_smoothing / classes
    terms = ops.log_softmax(input, dim) * target
    if weight is not None:
        terms = terms * weight.view((1,) * dim + (-1,) + (1,) * (input.dim() - dim - 1))
    if reduction == NONE:
        return -terms.sum(dim)
    loss = -terms.sum()
    return ops.div_number(loss, max(input.numel() // classes, 1)) if reduction == MEAN else loss


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """The Kullback-Leibler divergence from the log-probabilities *input* to *target*; "batchmean" divides by the batch.

    >>> import autograd_nb as torch
    >>> uniform, skewed = torch.tensor([0.5, 0.5]), torch.tensor([0.9, 0.1])
    >>> torch.nn.functional.kl_div(uniform.log(), skewed, reduction="sum")
    tensor(0.3681)
    """
    if size_average is None and reduce is None and reduction == "mean":
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the "
            "same as 'batchmean' in the next major release."
        )
    per_sample = reduction == "batchmean"
    number = SUM if per_sample else reduction_number(reduction, size_average, reduce)
    if log_target:
        terms = target.exp() * (target - input)
    else:
        expected = target * input  # first, as PyTorch's graph has it
        terms = ops.xlogy(target, target) - expected
    loss = reduced(terms, number)
    return loss / input.size(0) if per_sample and input.dim() else loss
