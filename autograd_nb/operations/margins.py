"""Losses that ask scores to lie apart by a margin: rows of the table, with the reduction as a number.

Those of several classes see every pair of a row's scores, with a weight: how much the first ought to lie above the
second.
"""

import numpy as np

from ..engine.dispatch import operation
from ..engine.formulas import tensor_names
from .carriers import both, exp, reshape, where, zeros_like
from .losses import clamp_min, reduced, share


@operation("soft_margin_loss", method=False, function=False, tensors=("target",),
           self=lambda grad, self, target, reduction:
           grad * share(self, reduction) * -target * (1 - 1 / (1 + exp(-target * self))))  # fmt: skip
def soft_margin_loss(self, target, reduction):
    """log(1 + exp(-target * self))."""
    return reduced(np.log1p(np.exp(-target * self)), reduction)


@both
def lacking(self, margin):
    """What the first of each pair of scores lacks to lie *margin* above the second: shape (N, C, C)."""
    rows = reshape(self, (-1, self.shape[-1]))
    return clamp_min(rows[:, None, :] - rows[:, :, None] + margin, 0)


def over(self, dim):
    return np.add.reduce(self, dim)


tensor_names["over"] = lambda self, dim: self.sum(dim)


@both
def pairs_backward(grad, self, pairs, p, margin, reduction):
    lack = lacking(self, margin)
    slope = where(lack > 0, pairs, zeros_like(pairs)) if p == 1 else 2 * lack * pairs
    found = over(slope, 1) - over(slope, 2)
    rows = reshape(grad, (-1, 1)) * (1 / pairs.shape[0] if reduction == 1 else 1)
    return reshape(found * rows, self.shape)


def of_pairs(self, pairs, p, margin, reduction, shape):
    """The weighted sum of what pairs of scores lack, one term for each row; they get *shape* if not reduced."""
    terms = (lacking(self, margin) ** p * pairs).sum((1, 2))
    return reduced(terms.reshape(shape)[()], reduction)


for _name, _kernel in (("multi_margin_loss", "multi_margin_loss"),
                       ("multilabel_margin_loss", "multilabel_margin_loss_forward")):  # fmt: skip
    operation(_name, method=False, function=False, tensors=("pairs",), no_forward=_kernel,
              self=lambda grad, self, pairs, p, margin, reduction:
              pairs_backward(grad, self, pairs, p, margin, reduction))(of_pairs)  # fmt: skip
