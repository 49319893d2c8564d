"""The functions that layers apply, for calling them directly: ``torch.nn.functional``, usually imported as ``F``."""

import math
from functools import reduce

import numpy as np

from ..engine.modes import no_grad, warn
from ..engine.table import operations, ops, scalar
from ..engine.tensor import refuse_foreign, wrap
from ..operations.checks import broadcast_shape, require_floating
from ..operations.losses import MEAN, NONE, SUM
from ..operations.rows import change_by_row, run_row
from ..torch_api import random_streams
from ..torch_api.keywords import stands_for

sigmoid, tanh, linear = ops.sigmoid, ops.tanh, ops.linear  # the same under either name
gelu, logsigmoid = ops.gelu, ops.log_sigmoid

# -- activations -----------------------------------------------------------------------------------------------------


def relu(input, inplace=False):
    """Each element where it is positive, else 0."""
    return (ops.relu_ if inplace else ops.relu)(input)


def activated(name, inplace, *values):
    if inplace:
        return change_by_row(name + "_" if name + "_" in operations else name, *values)
    return getattr(ops, name)(*values)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """Each element where it is positive, else *negative_slope* times it."""
    return activated("leaky_relu", inplace, input, negative_slope)


def elu(input, alpha=1.0, inplace=False):
    """Each element where it is positive, else *alpha* times (exp(input) - 1)."""
    return activated("elu", inplace, input, alpha)


def silu(input, inplace=False):
    """Each element times its sigmoid."""
    return activated("silu", inplace, input)


def mish(input, inplace=False):
    """Each element times the hyperbolic tangent of log(1 + exp(input))."""
    return activated("mish", inplace, input)


def prelu(input, weight):
    """Each element where it is positive, else *weight* times it: one number, or one for each channel, dimension 1."""
    count, ndim = weight.numel(), input.dim()
    if weight._dtype is not input._dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {input._dtype.legacy_name} and "
                           f"{weight._dtype.legacy_name}")  # fmt: skip
    channels = input.size(1) if ndim > 1 else 1
    if count not in (1, channels):
        raise RuntimeError("Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                           f"{count} and channel size = {channels}.")
    if ndim != 1:
        weight = weight.reshape([count if dim == 1 else 1 for dim in range(ndim)])
    return run_row("_prelu_kernel", input, weight)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A random choice along *dim* that gradients flow through: the softmax of the logits plus noise, over *tau*.

    *hard* makes it a one and zeros, with the gradient of the softmax.
    """
    noise = wrap(random_streams.exponential(logits.shape, logits._dtype.numpy), logits._dtype)
    soft = ops.softmax((logits + -noise.log()) / tau, dim)
    if not hard:
        return soft
    chosen = ops.zeros_like(logits).scatter_(dim, soft.max(dim, keepdim=True)[1], 1.0)
    return chosen - soft.detach() + soft


def softplus(input, beta=1.0, threshold=20.0):
    """A smooth relu, log(1 + exp(beta * input)) / beta; the input itself where beta * input is above *threshold*."""
    return ops.softplus(input, beta, threshold)


def along(name, input, dim, dtype):
    """Run softmax or log_softmax, along a dimension that depends on the shape if none is given."""
    if dim is None:
        warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
             "argument.")
        dim = 0 if input.dim() in (0, 1, 3) else 1
    return getattr(ops, name)(input, dim, dtype=dtype)


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """exp(input) divided by its sum along *dim*: positive numbers that add up to 1.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.softmax(torch.tensor([0., 0.]), dim=0)
    tensor([0.5000, 0.5000])
    """
    return along("softmax", input, dim, dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """The logarithm of :func:`softmax`, computed so that it neither overflows nor loses digits."""
    return along("log_softmax", input, dim, dtype)


# -- distances -------------------------------------------------------------------------------------------------------


def normalize(input, p=2.0, dim=1, eps=1e-12):
    """Vectors along *dim* divided by their norm of order *p*, or by *eps* if that is larger.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.normalize(torch.tensor([[3., 4.]]))
    tensor([[0.6000, 0.8000]])
    """
    refuse_foreign(input)
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """The cosine of the angle between vectors along *dim*; norms below *eps* count as *eps*."""
    x1, x2 = broadcast([x1, x2])
    norms = [ops.vector_norm(each, 2, dim, True).clone() for each in (x1, x2)]
    with no_grad():
        for each in norms:
            each.clamp_min_(eps)
    return (x1 / norms[0] * (x2 / norms[1])).sum(dim)


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The norm of order *p* of the differences of vectors along the last dimension; *eps* is added to each element."""
    return run_row("norm.ScalarOpt_dim", x1 - x2 + scalar(eps), p, [-1], keepdim, None)


# -- layers ----------------------------------------------------------------------------------------------------------


def check_probability(p):
    """ValueError unless *p* lies between 0 and 1."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input, p=0.5, training=True, inplace=False):
    """Each element zeroed with probability *p*, the others divided by 1 - p; the input itself if not *training*."""
    check_probability(p), refuse_foreign(input)
    if not training or not p or not input.numel():
        return input
    dtype = input._dtype
    if not dtype.is_floating_point:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {dtype.legacy_name}")
    times = input.mul_ if inplace else input.mul
    if p == 1:  # PyTorch draws nothing in this case
        return times(ops.zeros((), dtype=dtype))
    kept = random_streams.bernoulli(1 - p, input.shape, dtype.numpy)
    return times(wrap(kept[()] / dtype.numpy.type(1 - p), dtype))


def embedding(input, weight, padding_idx=None):
    """The row of the table *weight* at each index in *input*; the row *padding_idx* gets no gradient.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.embedding(torch.tensor([1, 0, 1]), torch.tensor([[1., 2.], [3., 4.]]))
    tensor([[3., 4.],
            [1., 2.],
            [3., 4.]])
    """
    if padding_idx is not None:
        rows = weight.size(0)
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    return ops.embedding(weight, input, -1 if padding_idx is None else padding_idx)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """The last dimensions, *normalized_shape*, of each sample brought to mean 0 and variance 1, scaled and shifted.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.layer_norm(torch.tensor([[1., 2., 3.]]), (3,))
    tensor([[-1.2247,  0.0000,  1.2247]])
    """
    shape = tuple(normalized_shape)
    if not shape or input.shape[-len(shape) :] != shape:
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape "
                           f"[*, {', '.join(map(str, shape))}], but got input of size{list(input.shape)}")  # fmt: skip
    for name, given in ("weight", weight), ("bias", bias):
        if given is not None and given.shape != shape:
            raise RuntimeError(f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                               f"{list(given.shape)} and normalized_shape = {list(shape)}")  # fmt: skip
    return ops.native_layer_norm(input, shape, weight, bias, eps)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """Each channel, the dimension 1, brought to mean 0 and variance 1 over the batch, then scaled and shifted.

    When *training*, the running mean and variance move by *momentum* towards those of the batch; else they are used.
    """
    elements = input._array
    channels = elements.shape[1] if elements.ndim > 1 else 0
    if training and elements.size == channels and channels > 0:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for name, values in given.items():
        if values is None and not training and name.startswith("running"):
            raise RuntimeError(f"{name} must be defined in evaluation mode")
        if values is not None and values.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {values.numel()}")
    require_floating(elements, "batch_norm")
    result = ops.native_batch_norm(input, weight, bias, running_mean, running_var, training, eps)
    if training and running_mean is not None:
        batch = (0, *range(2, elements.ndim))
        for running, now in (running_mean, elements.mean(batch)), (running_var, elements.var(batch, ddof=1)):
            running._array[...] = (1 - momentum) * running._array + momentum * now  # PyTorch counts no change here
    return result


# -- losses: how far a prediction is from its target ----------------------------------------------------------------

REDUCTIONS = {"none": NONE, "mean": MEAN, "sum": SUM}


def reduction_number(reduction):
    """The reduction as nodes save it; ValueError for an unknown one."""
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        reduction = "mean"
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS[reduction]


def reduced(terms, reduction):
    """The terms of a loss, or their mean or sum."""
    return terms if reduction_number(reduction) == NONE else getattr(terms, reduction)()


def of_one_size(input, target):
    """Both tensors, broadcast to one shape; warns if their shapes differ, which is rarely intended."""
    if target.size() == input.size():
        return input, target
    warn(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will "
        "likely lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )
    return broadcast([input, target])


def broadcast(tensors):
    """The tensors expanded to one shape."""
    shape = reduce(broadcast_shape, [each._array.shape for each in tensors])
    return [each if each.shape == shape else each.expand(shape) for each in tensors]


def mse_loss(input, target, *, reduction="mean"):
    """The mean of the squared differences."""
    pair = of_one_size(input, target)
    return run_row("mse_loss", *pair, reduction_number(reduction))


def l1_loss(input, target, *, reduction="mean"):
    """The mean of the absolute differences."""
    input, target = of_one_size(input, target)
    return reduced((input - target).abs(), reduction)


def huber_loss(input, target, reduction="mean", delta=1.0):
    """The mean of half the squared differences; beyond *delta*, where they grow linearly, of delta (|x| - delta/2)."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    return run_row("huber_loss", *of_one_size(input, target), reduction_number(reduction), delta)


def smooth_l1_loss(input, target, *, reduction="mean", beta=1.0):
    """The mean of the absolute differences less beta / 2; below *beta* of half their squares over *beta*."""
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return run_row("smooth_l1_loss", *of_one_size(input, target), reduction_number(reduction), beta)


def kl_div(input, target, *, reduction="mean", log_target=False):
    """target · (log(target) - input), the divergence from log-probabilities *input* to probabilities *target*.

    The reduction "batchmean" is the one of mathematics: the sum divided by the number of samples.
    """
    if reduction == "mean":
        warn("reduction: 'mean' divides the total loss by both the batch size and the support size."
             "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
             "'mean' will be changed to behave the same as 'batchmean' in the next major release.")
    if not (input._dtype.is_floating_point and target._dtype.is_floating_point):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        terms = target.exp() * (target - input)
    else:
        terms = ops.xlogy(target, target) - target * input
    if reduction == "batchmean":
        return terms.sum() / input.size(0) if input.dim() else terms.sum()
    return reduced(terms, reduction)


def binary_cross_entropy(input, target, weight=None, *, reduction="mean"):
    """The cross-entropy of the targets, numbers from 0 to 1, and the probabilities *input*."""
    reduction = reduction_number(reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(broadcast_shape(target._array.shape, weight._array.shape))
    return ops.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, *, reduction="mean", pos_weight=None):
    """The binary cross-entropy of sigmoid(input); *pos_weight* is the weight of the targets that are 1."""
    reduction = reduction_number(reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    if not target._dtype.is_floating_point:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {target._dtype.legacy_name}")
    return run_row("binary_cross_entropy_with_logits", input, target, weight, pos_weight, reduction)


def nll_loss(input, target, weight=None, *, ignore_index=-100, reduction="mean"):
    """Minus the log-probability of each target's class, given in *input*; *target* holds class indices.

    Shapes: (classes) and a number, (batch, classes) and (batch), or (batch, classes, …) and (batch, …).
    """
    reduction = reduction_number(reduction)
    shape, of_target = input._array.shape, target._array.shape
    if not shape:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(shape) != 1 and (not of_target or shape[0] != of_target[0]):
        raise ValueError(
            f"Expected input batch_size ({shape[0]}) to match target batch_size ({of_target[0] if of_target else 0})."
        )
    if len(shape) == 1 == len(of_target) and of_target != (1,):
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {of_target[0]}")
    if len(shape) > 2:
        return nll_loss_of_places(input, target, weight, reduction, ignore_index)
    if len(of_target) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    require_classes(target, weight, shape[-1], f"{shape[-1]} classes or no classes but got weight tensor of shape: "
                    f"{list(weight.shape) if weight is not None else None}")  # fmt: skip
    if len(shape) == 1:
        target = target.reshape(())
    return run_row("nll_loss", input, target, weight, reduction, ignore_index)


def nll_loss_of_places(input, target, weight, reduction, ignore_index):
    """The loss of (batch, classes, …), computed as in PyTorch like that of images, (batch, classes, height, width)."""
    shape, of_target = input._array.shape, target._array.shape
    wanted = shape[:1] + shape[2:]
    if len(shape) != 4:
        if of_target != wanted:
            raise RuntimeError(f"Expected target size {list(wanted)}, got {list(of_target)}")
        width = math.prod(shape[2:])
        input, target = input.contiguous().view(*shape[:2], 1, width), target.contiguous().view(shape[0], 1, width)
    elif len(of_target) != 3:
        raise RuntimeError("only batches of spatial targets supported (3D tensors) but got targets of dimension: "
                           f"{len(of_target)}")  # fmt: skip
    elif of_target != wanted:
        raise RuntimeError(f"size mismatch (got input: {list(shape)} , target: {list(of_target)}")
    require_classes(target, weight, shape[1], "or no classes")
    result = run_row("nll_loss2d", input, target, weight, reduction, ignore_index)
    return result.view(wanted) if reduction == NONE and len(shape) != 4 else result


def require_classes(target, weight, classes, their_weight):
    """RuntimeError unless *target* has a dtype for indices, and *weight* a number for each of the *classes*."""
    if target._dtype.name not in ("int64", "uint8"):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target._dtype.legacy_name}")
    if weight is not None and weight._array.shape != (classes,):
        raise RuntimeError(f"weight tensor should be defined either for all {their_weight}")


def cross_entropy(input, target, weight=None, *, ignore_index=-100, reduction="mean"):
    """Minus the log-probability of each target's class under softmax(input).

    *target* holds class indices or, in the shape of *input*, the probability of each class; shapes as in `nll_loss`.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.cross_entropy(torch.tensor([[1., 2., 3.]]), torch.tensor([2]))
    tensor(0.4076)
    """
    dim = min(input._array.ndim, 2) - 1
    log_probabilities = ops.log_softmax(input, dim)
    if target._array.shape != input._array.shape:
        return nll_loss(log_probabilities, target, weight, ignore_index=ignore_index, reduction=reduction)
    if not target._dtype.is_floating_point:
        raise RuntimeError("Expected floating point type for target with class probabilities, got "
                           f"{target._dtype.legacy_name}")  # fmt: skip
    terms = log_probabilities * target
    if weight is not None:
        terms = terms * weight.view([-1] + [1] * (input.dim() - 1 - dim))
    number = reduction_number(reduction)
    total = -(terms.sum(dim) if number == NONE else terms.sum())
    return ops.div_number(total, input.numel() / input.size(dim)) if number == MEAN else total


def one_hot(input, num_classes=-1):
    """For each class index, a row of zeros with a one at that place; rows are as long as the highest index needs.

    >>> import autograd_nb as torch
    >>> torch.nn.functional.one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    if input._dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    classes = input._array
    if num_classes == -1 and not classes.size:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if classes.size and classes.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    count = classes.max() + 1 if num_classes == -1 else num_classes
    if classes.size and classes.max() >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return wrap((np.asarray(classes)[..., None] == np.arange(count)).astype(np.int64), input._dtype)


__getattr__ = stands_for("torch.nn.functional", globals())
