"""Inputs for the functions of nn.functional: losses first, then what layers apply."""

import numpy as np
from samples import sample, spread

LINE, TARGET = spread(5), spread(5, seed=1)
TABLE, OTHER = spread(2, 3), spread(2, 3, seed=1)
CHANCES = spread(2, 3, low=0.1, high=0.9)
LOGS = spread(2, 3, low=-6.0, high=-3.0)
CLASSES = np.array([2, 0])
REDUCTIONS = ("mean", "sum", "none")
PICTURE = spread(2, 2, 5, 4)
SAMPLES = {}  # of the table's public rows, these have none: FUNCTIONAL is for nn.functional


def reductions(*args, **kwargs):
    return [sample(*args, reduction=reduction, **kwargs) for reduction in REDUCTIONS]


LOSSES = {
    "mse_loss": [*reductions(LINE, TARGET), *reductions(TABLE, OTHER), sample(LINE, spread(2, 5)),
                 sample(np.array(0.3), np.array(1.2)),
                 sample(LINE, np.arange(5)), sample(LINE, TARGET, weight=np.arange(5))],
    "l1_loss": [*reductions(LINE, TARGET), sample(LINE, spread(1)), sample(LINE, TARGET, weight=np.arange(5))],
    "smooth_l1_loss": [*reductions(LINE, TARGET), *reductions(LINE, TARGET, beta=0.4), sample(LINE, TARGET, beta=0.0)],
    "huber_loss": [*reductions(LINE, TARGET), *reductions(LINE, TARGET, delta=0.4),
                   sample(LINE, TARGET, weight=np.ones(5))],
    "binary_cross_entropy": [*reductions(CHANCES, spread(2, 3, low=0.1, high=0.9, seed=1)),
                             sample(np.array([0.0, 1.0, 0.5]), np.array([0.0, 0.0, 1.0]), smooth=False)],
    "binary_cross_entropy_with_logits": [*reductions(TABLE, spread(2, 3, low=0.9, high=2.0)),
                                         sample(np.array([-200.0, 200.0]), np.array([0.3, 0.4]))],
    "nll_loss": [*reductions(TABLE, CLASSES), sample(spread(3), np.array(1)), sample(TABLE, np.array([1, -100])),
                 sample(TABLE, CLASSES, ignore_index=2), *reductions(spread(2, 3, 2), np.array([[0, 1], [2, 2]])),
                 *reductions(spread(2, 3, 1, 2), np.array([[[0, 1]], [[2, 2]]])),
                 sample(spread(1, 3, 1, 1, 2), np.zeros((1, 1, 1, 2), int))],
    "cross_entropy": [*reductions(TABLE, CLASSES), sample(spread(3), np.array(1)), *reductions(TABLE, CHANCES),
                      *reductions(TABLE, CLASSES, label_smoothing=0.1), sample(TABLE, CHANCES, label_smoothing=0.1),
                      sample(TABLE, np.array([1, -100]), label_smoothing=0.1),
                      sample(spread(2, 3, 2), np.array([[0, 1], [2, 2]])),
                      sample(spread(2, 3, 2), np.array([[0, 1], [2, 2]]), label_smoothing=0.2)],
    "kl_div": [*reductions(LOGS, CHANCES), sample(LOGS, CHANCES, reduction="batchmean"),
               sample(-CHANCES, -CHANCES, reduction="sum", log_target=True)],
}  # fmt: skip

LINES = spread(1, 2, 6)
BILINEAR = {"mode": "bilinear"}
SIGNS = np.array([1.0, -1.0, 1.0, 1.0, -1.0])
SIZES = {
    "hardshrink": [sample(TABLE), sample(TABLE, 1.0)], "softshrink": [sample(TABLE), sample(TABLE, 0.2)],
    "threshold": [sample(TABLE, 0.1, 20.0)], "glu": [sample(spread(2, 4), ulps=8), sample(spread(4, 3), 0, ulps=8)],
    "prelu": [sample(TABLE[:1], np.array([0.25])), sample(TABLE, spread(3)), sample(LINE, np.array(0.3)),
              sample(PICTURE, spread(2))],
    "margin_ranking_loss": [*reductions(LINE, TARGET, SIGNS), sample(LINE, TARGET, SIGNS, 0.7)],
    "hinge_embedding_loss": [*reductions(LINE, SIGNS.astype(int)), sample(LINE, SIGNS.astype(int), 2.2)],
    "pairwise_distance": [sample(TABLE, OTHER, ulps=8), sample(TABLE, LINE[:3].copy(), 1.0, keepdim=True, ulps=8)],
    "triplet_margin_loss": [*reductions(TABLE, OTHER, TABLE * 0.5 + 1, ulps=8),
                            sample(TABLE, OTHER, OTHER + 1, margin=3.0, swap=True, ulps=16)],
    "poisson_nll_loss": [*reductions(LINE, np.arange(5)), sample(spread(5, low=0.1), np.arange(5), False),
                         sample(LINE, np.arange(5), full=True)],
    "interpolate": [
        sample(LINES, 9), sample(LINES, scale_factor=0.6), sample(LINES, scale_factor=1.5, mode="nearest-exact"),
        sample(LINES, 4, mode="linear"), sample(LINES, scale_factor=2.5, mode="linear", align_corners=True),
        sample(LINES, scale_factor=1.7, mode="linear", recompute_scale_factor=True), sample(PICTURE, scale_factor=2),
        sample(PICTURE, (3, 6), mode="nearest-exact"), sample(PICTURE, (3, 6), ulps=8, **BILINEAR),
        sample(PICTURE, scale_factor=(2.0, 1.5), ulps=8, **BILINEAR),
        sample(PICTURE, (7, 2), align_corners=True, ulps=8, **BILINEAR),
        sample(PICTURE, (3, 3), mode="area"), sample(LINES, 4, mode="area"),
    ],
    "pad": [
        *(sample(LINES, (2, 1), mode=mode) for mode in ("reflect", "replicate", "circular")),
        *(sample(PICTURE, (2, 1, 0, 3), mode=mode) for mode in ("reflect", "replicate", "circular")),
        sample(PICTURE[0], (1, 1, 1, 1), mode="reflect"), sample(TABLE, (1, 2), mode="replicate"),
    ],
    "adaptive_avg_pool2d": [sample(PICTURE, 1), sample(PICTURE, 3), sample(PICTURE, (None, 2)),
                            sample(PICTURE[0], (1, 3))],
    "adaptive_avg_pool1d": [sample(LINES, 4), sample(TABLE, 2)],
    "max_pool1d": [sample(LINES, 2), sample(LINES, 3, 2, 1), sample(TABLE, 2, return_indices=True)],
    "avg_pool1d": [sample(LINES, 2), sample(LINES, 3, 2, 1), sample(LINES, 3, 2, 1, False, False)],
    "pixel_shuffle": [sample(spread(1, 8, 2, 3), 2), sample(spread(4, 2, 2), 2)],
    "pixel_unshuffle": [sample(spread(1, 2, 4, 6), 2), sample(spread(1, 4, 4), 2)],
}  # fmt: skip
LAYERS = {
    "relu": [sample(TABLE)], "relu6": [sample(TABLE * 4)], "leaky_relu": [sample(TABLE), sample(TABLE, 0.2)],
    "elu": [sample(TABLE), sample(TABLE, 0.5)], "selu": [sample(TABLE)], "celu": [sample(TABLE, 2.0)],
    "silu": [sample(TABLE, ulps=4)], "mish": [sample(TABLE, ulps=8)],
    "gelu": [sample(TABLE, ulps=8), sample(TABLE, approximate="tanh", ulps=8)],
    "softplus": [sample(TABLE), sample(TABLE, 2.0, 1.0)], "hardtanh": [sample(TABLE), sample(TABLE, -0.5, 0.5)],
    "hardsigmoid": [sample(TABLE * 3)], "hardswish": [sample(TABLE * 3)], "logsigmoid": [sample(TABLE)],
    "sigmoid": [sample(TABLE)], "tanh": [sample(TABLE)], "softsign": [sample(TABLE)],
    "tanhshrink": [sample(TABLE, ulps=16)],
    "softmax": [sample(TABLE, 1)], "softmin": [sample(TABLE, 0)], "log_softmax": [sample(TABLE, -1)],
    "linear": [sample(TABLE, spread(4, 3), spread(4))],
    "one_hot": [sample(CLASSES), sample(CLASSES, 4)],
    "embedding": [sample(np.array([[1, 0], [1, 1]]), TABLE), sample(np.array([1, 0, 1]), TABLE, padding_idx=1,
                                                                    smooth=False)],
    "layer_norm": [sample(TABLE, (3,), spread(3), spread(3, seed=1), ulps=16), sample(TABLE, (3,), ulps=16),
                   sample(PICTURE, (5, 4), spread(5, 4), None, ulps=16)],
    "batch_norm": [sample(spread(4, 3), None, None, spread(3), spread(3, seed=1), True, ulps=16),
                   sample(spread(3, 2, 4), None, None, training=True, ulps=16)],
    "normalize": [sample(TABLE), sample(TABLE, 1.0, 0)],
    "cosine_similarity": [sample(TABLE, OTHER, ulps=16), sample(TABLE, OTHER, dim=0, ulps=16)],
    "conv1d": [sample(spread(2, 4, 6), spread(4, 2, 3), spread(4), 2, 1, 1, 2, ulps=64),
               sample(spread(2, 6), spread(1, 2, 3), ulps=64)],
    "conv2d": [sample(PICTURE[:1], spread(3, 2, 2, 2), spread(3), ulps=64),
               sample(PICTURE[0], spread(1, 2, 3, 2), ulps=64),
               sample(PICTURE, spread(2, 1, 3, 2), spread(2), (2, 1), (1, 0), 1, 2, ulps=64),
               sample(PICTURE[:1], spread(1, 2, 2, 2), None, 1, 0, (2, 3), ulps=64),
               sample(PICTURE[:1], spread(1, 2, 2, 3), padding="same", ulps=64),
               sample(PICTURE[:1], spread(1, 2, 2, 3), padding="valid", ulps=64)],
    "max_pool2d": [sample(PICTURE, 2), sample(PICTURE[0], (3, 2), 1, 1), sample(PICTURE, 2, ceil_mode=True),
                   sample(PICTURE, 2, 1, 0, 2),
                   sample(PICTURE, 2, 1, return_indices=True), sample(PICTURE, 2, 2, 1, 1, True)],
    "avg_pool2d": [sample(PICTURE, 2), sample(PICTURE[0], (3, 2), 1, 1), sample(PICTURE, 2, ceil_mode=True),
                   sample(PICTURE, 2, 2, 1, True, False), sample(PICTURE, 2, divisor_override=3),
                   sample(PICTURE, 3, 2, 1, True)],
    "pad": [sample(TABLE, (1, 2)), sample(TABLE, (1, 0, -1, 2), value=1.5), sample(TABLE, (-1, 1))],
}  # fmt: skip

LABELS = np.array([[1, 2, -1], [0, 0, -1]])
QUERIES, KEYS, VALUES = spread(1, 2, 3, 4), spread(1, 2, 5, 4, seed=1), spread(1, 2, 5, 4, seed=2)
MORE = {
    "group_norm": [sample(PICTURE, 2, spread(2), spread(2, seed=1), ulps=32), sample(LINES, 1, ulps=32)],
    "instance_norm": [sample(PICTURE, None, None, spread(2), spread(2, seed=1), ulps=32), sample(LINES, ulps=32)],
    "rms_norm": [sample(TABLE, (3,), spread(3), ulps=16), sample(PICTURE, (5, 4), None, 0.1, ulps=16)],
    "conv_transpose1d": [sample(spread(2, 4, 3), spread(4, 2, 3), spread(4), 2, 1, 1, 2, ulps=64)],
    "conv_transpose2d": [sample(PICTURE[0], spread(2, 3, 2, 2), dilation=(2, 1), ulps=64)],
    "conv3d": [sample(spread(1, 2, 3, 3, 2), spread(2, 2, 2, 2, 2), spread(2), padding=(1, 0, 1), ulps=64)],
    "unfold": [sample(PICTURE, 2, 1, 1, 2), sample(PICTURE[0], (2, 3), (2, 1))],
    "fold": [sample(spread(1, 8, 6), (3, 4), 2, ulps=8), sample(spread(4, 9), (4, 4), 2, 1, 1, 2, ulps=8)],
    "adaptive_max_pool1d": [sample(LINES, 4), sample(TABLE, 2, return_indices=True)],
    "adaptive_max_pool2d": [sample(PICTURE, 3), sample(PICTURE[0], (None, 2))],
    "lp_pool1d": [sample(LINES, 2, 2, ulps=8)], "channel_shuffle": [sample(spread(2, 6, 2), 2)],
    "bilinear": [sample(TABLE, spread(2, 4), spread(2, 3, 4), spread(2), ulps=32)],
    "scaled_dot_product_attention": [
        sample(QUERIES, KEYS, VALUES, ulps=64, twice=False),
        sample(QUERIES, KEYS, VALUES, scale=0.3, ulps=64, twice=False),
        sample(TABLE, OTHER, spread(2, 4), ulps=64), sample(TABLE, OTHER, OTHER, np.eye(2) > 0, ulps=64),
    ],
    "soft_margin_loss": reductions(LINE, SIGNS.astype(int), ulps=8, twice=False),
    "multi_margin_loss": [*reductions(TABLE, CLASSES, twice=False), sample(TABLE, CLASSES, 2, 1.5, twice=False)],
    "multilabel_margin_loss": reductions(TABLE, LABELS, twice=False),
    "cosine_embedding_loss": [*reductions(TABLE, OTHER, SIGNS[:2], ulps=32),
                              sample(TABLE, OTHER, SIGNS[1:3], 0.1, ulps=32)],
    "gaussian_nll_loss": [*reductions(TABLE, OTHER, CHANCES, ulps=16), sample(TABLE, OTHER, CHANCES, True, ulps=16)],
    "multilabel_soft_margin_loss": reductions(TABLE, (OTHER > 0) * 1.0, ulps=16),
    "rrelu": [sample(TABLE), sample(TABLE, 0.1, 0.9)],
}  # fmt: skip
WEIGHTED = {
    "binary_cross_entropy": dict(weight=np.array([0.5, 1.0, 2.0])),
    "binary_cross_entropy_with_logits": dict(weight=np.array([0.5, 1.0, 2.0]), pos_weight=np.array([2.0, 0.5, 1.0])),
    "nll_loss": dict(weight=np.array([0.5, 1.0, 2.0])), "cross_entropy": dict(weight=np.array([0.5, 1.0, 2.0])),
}  # fmt: skip

FUNCTIONAL = {**LOSSES, **LAYERS, **{name: [*LAYERS.get(name, []), *more] for name, more in {**SIZES, **MORE}.items()}}
