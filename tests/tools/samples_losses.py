"""Inputs for the functions of nn.functional: losses first, then the functions of layers."""

import numpy as np
from samples import sample, spread
from samples_pointwise import KINKS

LINE, TARGET = spread(5), spread(5, seed=1)
TABLE, OTHER = spread(2, 3), spread(2, 3, seed=1)
CHANCES = spread(2, 3, low=0.1, high=0.9)
CLASSES = np.array([2, 0])
REDUCTIONS = ("mean", "sum", "none")
PICTURE = spread(2, 2, 5, 4)
PLACES = np.arange(40).reshape(2, 5, 4) % 3 % 2  # a class for each
SAMPLES = {}  # of the table's public rows, these have none: FUNCTIONAL is for nn.functional


def reductions(*args, **kwargs):
    return [sample(*args, reduction=reduction, **kwargs) for reduction in REDUCTIONS]


LOSSES = {
    "mse_loss": [*reductions(LINE, TARGET), *reductions(TABLE, OTHER), sample(LINE, spread(2, 5)),
                 sample(np.array(0.3), np.array(1.2)), sample(LINE, np.arange(5))],
    "huber_loss": [*reductions(LINE, TARGET), *reductions(TABLE, OTHER, delta=0.3), sample(LINE, spread(1), delta=2),
                   sample(LINE, LINE + np.array([1, -1, 0.5, 0, 3]), smooth=False)],
    "smooth_l1_loss": [*reductions(LINE, TARGET), *reductions(TABLE, OTHER, beta=0.3), sample(LINE, TARGET, beta=0),
                       sample(LINE, LINE + np.array([1, -1, 0.5, 0, 3]), smooth=False)],
    "l1_loss": [*reductions(LINE, TARGET), sample(LINE, spread(1))],
    "binary_cross_entropy": [*reductions(CHANCES, spread(2, 3, low=0.1, high=0.9, seed=1)),
                             sample(np.array([0.0, 1.0, 0.5]), np.array([0.0, 0.0, 1.0]), smooth=False)],
    "binary_cross_entropy_with_logits": [*reductions(TABLE, spread(2, 3, low=0.9, high=2.0)),
                                         sample(np.array([-200.0, 200.0]), np.array([0.3, 0.4]))],
    "kl_div": [
        *reductions(TABLE, CHANCES), sample(TABLE, CHANCES, reduction="batchmean"),
        sample(TABLE, OTHER, reduction="sum", log_target=True), sample(TABLE, (TABLE > 0) * 1.0, smooth=False)],
    "nll_loss": [*reductions(TABLE, CLASSES), sample(spread(3), np.array(1)), sample(TABLE, np.array([1, -100])),
                 sample(TABLE, CLASSES, ignore_index=2), *reductions(PICTURE, PLACES),
                 *reductions(PICTURE[:, :, 0], PLACES[:, 0], ignore_index=1),
                 sample(PICTURE[..., None], PLACES[..., None]), sample(TABLE, np.array([-100, -100]), smooth=False)],
    "cross_entropy": [*reductions(TABLE, CLASSES), sample(spread(3), np.array(1)), *reductions(TABLE, OTHER),
                      sample(spread(3), spread(3, low=0.1, high=0.9)), *reductions(PICTURE, PICTURE),
                      *reductions(PICTURE[:, :, 0], PLACES[:, 0]), sample(PICTURE, PLACES)],
}  # fmt: skip

LAYERS = {
    "relu": [sample(TABLE)], "leaky_relu": [sample(TABLE), sample(TABLE, 0.2)],
    "sigmoid": [sample(TABLE)], "tanh": [sample(TABLE)],
    "elu": [sample(TABLE), sample(TABLE, 0.3), sample(KINKS, smooth=False)],
    "mish": [sample(TABLE), sample(KINKS[1:5], smooth=False)],
    "prelu": [sample(TABLE, spread(1), ulps=1024), sample(TABLE, spread(3)), sample(LINE, spread(1)),
              sample(PICTURE, spread(2), ulps=1024),
              sample(KINKS, spread(1), smooth=False)],
    "normalize": [sample(TABLE), sample(TABLE, 1.0, 0), sample(PICTURE, dim=-1, eps=0.5),
                  sample(np.zeros((2, 3)), smooth=False)],
    "cosine_similarity": [sample(TABLE, OTHER), sample(TABLE, spread(3), 0), sample(PICTURE, PICTURE + 1, -1),
                          sample(TABLE, np.zeros((2, 3)), smooth=False)],
    "pairwise_distance": [sample(TABLE, OTHER), sample(TABLE, spread(3), 1.0, keepdim=True), sample(LINE, TARGET, 3.0)],
    "silu": [sample(TABLE), sample(KINKS, smooth=False)],
    "gelu": [sample(TABLE), sample(TABLE, approximate="tanh", ulps=8), sample(KINKS[1:5], smooth=False)],
    "softplus": [sample(TABLE), sample(TABLE, 2.0, 1.0), sample(KINKS, smooth=False)],
    "logsigmoid": [sample(TABLE), sample(KINKS, smooth=False)],
    "embedding": [sample(np.array([[0, 2], [2, 1]]), spread(3, 4)), sample(np.array(1), spread(3, 4), -3),
                  sample(np.array([0, 2, 2]), spread(3, 4), 2, smooth=False)],
    "softmax": [sample(TABLE, 1)], "log_softmax": [sample(TABLE, -1)],
    "linear": [sample(TABLE, spread(4, 3), spread(4))],
    "batch_norm": [
        sample(spread(5, 3), None, None, spread(3), spread(3, seed=1), training=True, ulps=64),
        sample(spread(4, 3, 2), None, None, spread(3), training=True, eps=0.1, ulps=64)],
    "layer_norm": [sample(TABLE, (3,), spread(3), spread(3, seed=1), ulps=16), sample(TABLE, (3,), ulps=16),
                   sample(PICTURE, (5, 4), spread(5, 4), None, ulps=16)],
}  # fmt: skip
WEIGHTED = {
    "binary_cross_entropy": dict(weight=np.array([0.5, 1.0, 2.0])),
    "binary_cross_entropy_with_logits": dict(weight=np.array([0.5, 1.0, 2.0]), pos_weight=np.array([2.0, 0.5, 1.0])),
    "nll_loss": dict(weight=np.array([0.5, 1.0, 2.0])), "cross_entropy": dict(weight=np.array([0.5, 1.0, 2.0])),
}  # fmt: skip

FUNCTIONAL = {**LOSSES, **LAYERS}
