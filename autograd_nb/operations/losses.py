"""Losses: how far a prediction is from its target, element by element, then averaged, summed or left alone.

``reduction`` is a number here, as a node saves it: 0 none, 1 mean, 2 sum.  The functions that learners call, with
reductions by name, are in nn/functional.py; losses made of other operations have no row here.
"""

import numpy as np

from ..engine.table import tensor_names
from .array_functions import absolute, both, exp, log, log1p, sigmoid, weighted, where, zeros_like
from .checks import dtype_name, require_floating
from .rows import operation, row

NONE, MEAN, SUM = range(3)


def reduced(terms, reduction, count=None):
    """The terms themselves, or their mean or sum; *count*: the divisor of the mean, if not their number."""
    if reduction == NONE:
        return terms
    total = np.add.reduce(terms, None)
    return total / (terms.size if count is None else count) if reduction == MEAN else total


def share(self, reduction):
    """The weight of one term in the reduced loss."""
    return 1 / self.size if reduction == MEAN and self.size else 1.0


def clamp_min(self, min):
    return np.maximum(self, self.dtype.type(min))


tensor_names.update(share=lambda self, reduction: share(self._array, reduction),
                    clamp_min=lambda self, min: self.clamp(min))  # fmt: skip

# -- regression ---------------------------------------------------------------------------------------------------


PAIR = {"promoted": ("self", "target"), "broadcasts": True}


@row(**PAIR,
     self=lambda grad, self, target, reduction: grad * (2 * share(self, reduction)) * (self - target),
     target=lambda grad, self, target, reduction: grad * (2 * share(self, reduction)) * (target - self))  # fmt: skip
def mse_loss(self, target, reduction):
    """The squares of the differences."""
    require_floating(self, "mse_cpu")
    difference = self - target
    return reduced(difference * difference, reduction)


@row(broadcasts=True,
     grad_output=lambda grad, self, target, reduction, delta:
     huber_loss_backward(grad, self, target, reduction, delta),
     self=lambda grad, grad_output, self, target, reduction, delta:
     within(self, target, delta, grad * grad_output * share(self, reduction)),
     target=lambda grad, grad_output, self, target, reduction, delta:
     within(self, target, delta, -grad * grad_output * share(self, reduction)))  # fmt: skip
def huber_loss_backward(grad_output, self, target, reduction, delta):
    """The gradient of the prediction: its difference from the target, limited to *delta*."""
    return np.clip(self - target, -delta, delta) * grad_output * share(self, reduction)


@both
def within(self, target, delta, grad):
    return where(absolute(self - target) < delta, grad, 0)


@row(**PAIR,
     self=lambda grad, self, target, reduction, delta: huber_loss_backward(grad, self, target, reduction, delta),
     target=lambda grad, self, target, reduction, delta:
     huber_loss_backward(grad, target, self, reduction, delta))  # fmt: skip
def huber_loss(self, target, reduction, delta):
    """Half the square of a difference up to *delta*, beyond it a line."""
    require_floating(self, "huber_cpu")
    size = np.abs(self - target)
    return reduced(np.where(size < delta, 0.5 * size * size, delta * (size - 0.5 * delta)), reduction)


@row("smooth_l1_loss", **PAIR,
     self=lambda grad, self, target, reduction, beta:
     huber_loss_backward(grad / beta, self, target, reduction, beta),
     target=lambda grad, self, target, reduction, beta:
     huber_loss_backward(grad / beta, target, self, reduction, beta))  # fmt: skip
def smooth_l1_loss(self, target, reduction, beta):
    """The Huber loss divided by *beta*, at which it bends."""
    require_floating(self, "smooth_l1_cpu")
    return huber_loss(self, target, reduction, beta) / beta


SMALLEST = tensor_names["SMALLEST"] = float(np.float32(1e-12))  # PyTorch's constant is of single precision

# -- two classes ---------------------------------------------------------------------------------------------------


@row(tensors=("weight",), broadcasts=True,
     grad_output=lambda grad, self, target, weight, reduction:
     weighted(grad * share(self, reduction) * (self - target) / ((self + 1e-12) * (1 - self + 1e-12)), weight),
     self=lambda grad, grad_output, self, target, weight, reduction:
     weighted(grad * grad_output * share(self, reduction) * (self * self - 2 * self * target + target)
              / ((self + 1e-12) * (1 - self + 1e-12)) ** 2, weight),
     target=lambda grad, grad_output, self, weight, reduction:
     weighted(-grad * grad_output * share(self, reduction) / clamp_min((1 - self) * self, 1e-12), weight))  # fmt: skip
def binary_cross_entropy_backward(grad_output, self, target, weight, reduction):
    """The gradient of the prediction, finite where this is 0 or 1; its derivatives are PyTorch's formulas."""
    slope = (self - target) / clamp_min((1 - self) * self, SMALLEST)
    return weighted(grad_output * share(self, reduction) * slope, weight)


@row(tensors=("weight",), self=lambda grad, self, target, weight, reduction:
     binary_cross_entropy_backward(grad, self, target, weight, reduction),
     target=lambda grad, self, target, weight, reduction:
     weighted(grad * share(self, reduction) * (log(1 - self) - log(self)), weight))  # fmt: skip
def binary_cross_entropy(self, target, weight, reduction):
    """-(target·log(self) + (1-target)·log(1-self)), with logarithms clamped to at least -100."""
    for other in (target,) if weight is None else (target, weight):
        if other.dtype != self.dtype:
            raise RuntimeError(f"Found dtype {dtype_name(other)} but expected {dtype_name(self)}")
    require_floating(self, "binary_cross_entropy")
    fits, target_fits = ((values >= 0) & (values <= 1) for values in (self, target))
    if not (fits & target_fits).all():  # PyTorch checks element by element
        name = "target" if np.ravel(fits)[np.argmin(fits & target_fits)] else "input"
        raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    no, yes = clamp_min(np.log1p(-self), -100), clamp_min(np.log(self), -100)
    return reduced(weighted((target - 1) * no - target * yes, weight), reduction)


@both
def log_of_sigmoid(self):
    """log(1 / (1 + exp(-self))) without overflow."""
    return where(self < 0, self, 0) - log1p(exp(-absolute(self)))


@both
def logit_slope(self, target, pos_weight):
    """The derivative of the cross-entropy with respect to the logit."""
    if pos_weight is None:
        return sigmoid(self) - target
    return (pos_weight * target + 1 - target) * sigmoid(self) - pos_weight * target


@both
def logit_target_slope(self, pos_weight):
    """The derivative of the cross-entropy with respect to the target."""
    return -self if pos_weight is None else log_of_sigmoid(-self) - pos_weight * log_of_sigmoid(self)


@operation(tensors=("weight", "pos_weight"), promoted=("self", "target"),
           broadcasts=True, method=False,
           self=lambda grad, self, target, weight, pos_weight, reduction:
           weighted(grad * share(self, reduction) * logit_slope(self, target, pos_weight), weight),
           target=lambda grad, self, target, weight, pos_weight, reduction:
           weighted(grad * share(self, reduction) * logit_target_slope(self, pos_weight), weight))  # fmt: skip
def binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, reduction=MEAN):
    """The binary cross-entropy of sigmoid(self), computed so that it neither overflows nor loses digits."""
    require_floating(self, "log_sigmoid_cpu")
    log_yes = log_of_sigmoid(self)
    if pos_weight is not None:
        log_yes = ((pos_weight - 1) * target + 1) * log_yes
    return reduced(weighted((1 - target) * self - log_yes, weight), reduction)


@row("div.Scalar", formula="div_number", node_name="DivBackward1", self=lambda grad, other: grad / other)
def div_number(self, other):
    """The division with which PyTorch itself makes a mean of a sum; for a program's own number it makes a tensor."""
    return self / other


# -- several classes --------------------------------------------------------------------------------------------------


def chosen_classes(shape, target, weight, ignore_index, dtype):
    """The indices of the targets' classes in an array of *shape*, their weights, and which are not ignored.

    The latter two are None where all have the weight 1.
    """
    classes = shape[1] if len(shape) > 1 else shape[0]
    lowest, highest = -1, classes
    if target.size:
        lowest, highest = np.minimum.reduce(target, None), np.maximum.reduce(target, None)
    weights = kept = None
    if weight is not None or lowest < 0 or highest >= classes or lowest <= ignore_index <= highest:
        kept = target != ignore_index
        outside = kept & ((target < 0) | (target >= classes))
        if outside.any():
            raise IndexError(f"Target {target[outside].ravel()[0]} is out of bounds.")
        target = np.where(kept, target, 0)
        weights = kept.astype(dtype) if weight is None else np.where(kept, weight[target], dtype.type(0))
    places = [np.arange(len(target))] if target.ndim == 1 else list(np.indices(target.shape, sparse=True))
    places.insert(len(shape) > 1, target)
    return tuple(places), weights, kept


@row(tensors=("target", "weight"), kernel="nll_loss_forward",
     self=lambda grad, self, target, weight, reduction, ignore_index:
     nll_loss_backward(grad, self, target, weight, reduction, ignore_index))  # fmt: skip
def nll_loss(self, target, weight, reduction, ignore_index):
    """Minus the log-probability of each target's class; the mean is weighted like the classes."""
    require_floating(self, "nll_loss_out_frame")
    places, weights, kept = chosen_classes(self.shape, target, weight, ignore_index, self.dtype)
    if kept is None:
        return reduced(-self[places], reduction)
    terms = np.where(kept, -self[places] * weights, 0).astype(self.dtype)
    return reduced(terms, reduction, np.add.reduce(weights, None))


@row(tensors=("target", "weight"),
     self=lambda grad: zeros_like(grad),
     grad_output=lambda grad, target, weight, reduction, ignore_index:
     nll_loss(grad, target, weight, reduction, ignore_index))  # fmt: skip
def nll_loss_backward(grad_output, self, target, weight, reduction, ignore_index):
    """Minus the weighted gradient at each target's class, zero elsewhere and where the target is ignored."""
    spread = np.zeros(self.shape, self.dtype)
    places, weights, kept = chosen_classes(self.shape, target, weight, ignore_index, self.dtype)
    if kept is None:
        spread[places] = -self.dtype.type(1 / target.size if reduction == MEAN else 1) * grad_output
        return spread
    if reduction == MEAN:
        weights = weights / np.add.reduce(weights, None)
    spread[places] = np.where(kept, -weights * grad_output, 0)
    return spread


# the same for more dimensions, with PyTorch's names of nodes
nll_loss2d = row("nll_loss2d", tensors=("target", "weight"), node_name="NllLoss2DBackward0",
                 kernel="nll_loss2d_forward", self=lambda grad, self, target, weight, reduction, ignore_index:
                 nll_loss2d_backward(grad, self, target, weight, reduction, ignore_index))(nll_loss)  # fmt: skip
nll_loss2d_backward = row("nll_loss2d_backward", tensors=("target", "weight"), node_name="NllLoss2DBackwardBackward0",
                          self=lambda grad: zeros_like(grad),
                          grad_output=lambda grad, target, weight, reduction, ignore_index:
                          nll_loss2d(grad, target, weight, reduction, ignore_index))(nll_loss_backward)  # fmt: skip
