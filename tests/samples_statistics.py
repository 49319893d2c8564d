"""Inputs for quantiles, differences, covariances, counts and distances."""

import numpy as np
from samples import sample, spread

NAN = float("nan")
ROW, TABLE, CUBE = spread(5), spread(3, 4), spread(2, 3, 4)
BROKEN = np.array([[1.0, NAN, 2.0, 5.0], [0.0, -1.0, 3.0, 4.0]])
PARTS = np.array([0.0, 0.3, 0.75, 1.0])
COUNTS = np.array([[1, 5, 5], [4, 2, 4]])
POINTS, OTHERS = spread(3, 2), spread(4, 2, seed=1)
NEAR = {"ulps": 64, "mixes": True}
KINDS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantiles(smooth=True):
    return [
        *(sample(TABLE, 0.3, interpolation=kind, ulps=8) for kind in KINDS), sample(ROW, 0.5, 0),
        sample(TABLE, 0.25, 0),
        sample(TABLE, 0.8, -1, True, ulps=8), sample(CUBE, 0.4, 1, **NEAR), sample(CUBE, 0.4, 0, keepdim=True, **NEAR),
        sample(CUBE, 0.6, keepdim=True, ulps=8), sample(np.array(0.7), 0.2), sample(BROKEN, 0.5, 1, smooth=False),
        sample(BROKEN, 0.5, smooth=False),
    ]  # fmt: skip


SAMPLES = {
    "quantile": quantiles(), "nanquantile": quantiles(),
    "mode": [sample(COUNTS), sample(COUNTS, 0, True), sample(np.array([[1.0, 2.0, 2.0, 1.0], [3.0, 0.0, 1.0, 2.0]]),
                                                             smooth=False), sample(np.array(3.0)), sample(TABLE, 0)],
    "nanmean": [sample(TABLE), sample(CUBE, (0, 2)), sample(BROKEN, smooth=False),
                sample(BROKEN, 1, True, smooth=False)],
    "diff": [sample(ROW), sample(TABLE, 2), sample(TABLE, dim=0), sample(TABLE, 1, 1, TABLE[:, :1].copy()),
             sample(ROW, append=ROW), sample(np.array([True, False, False])), sample(np.arange(4) ** 2),
             sample(ROW, 7)],
    "trapezoid": [sample(ROW, **NEAR), sample(TABLE, dim=0, **NEAR),
                  sample(TABLE, dx=0.5, **NEAR), sample(TABLE, spread(4)),
                  sample(TABLE, spread(3), dim=0), sample(TABLE, spread(3, 4, seed=1)), sample(ROW[:1].copy())],
    "trapz": [sample(ROW, **NEAR), sample(ROW, spread(5, seed=1), ulps=8)],
    "cumulative_trapezoid": [sample(ROW), sample(TABLE, dx=2.0), sample(TABLE, spread(3), dim=0)],
    "cov": [sample(TABLE, **NEAR), sample(ROW, **NEAR), sample(TABLE, correction=0, **NEAR),
            sample(TABLE, fweights=np.array([1, 2, 1, 3]), **NEAR)],
    "corrcoef": [sample(TABLE, **NEAR)],
    "bincount": [sample(np.array([0, 2, 2, 5])), sample(np.array([1, 1]), minlength=4), sample(np.zeros(0, int))],
    "searchsorted": [sample(np.array([1, 3, 5]), np.array([[3, 4], [0, 9]])),
                     sample(np.array([[1, 3, 3], [2, 4, 6]]), np.array([[3, 0], [4, 5]]), right=True),
                     sample(np.array([1, 3, 5]), np.array([3]), side="right", out_int32=True)],
    "bucketize": [sample(np.array([[3, 4], [0, 9]]), np.array([1, 3, 5])),
                  sample(np.array(3), np.array([1, 3]), right=True)],
    "isin": [sample(np.array([[1, 2], [3, 4]]), np.array([2, 3])), sample(np.array([1, 2]), 2),
             sample(np.array([1, 2]), np.array([2]), invert=True)],
    "dist": [sample(TABLE, spread(3, 4, seed=1)), *(sample(TABLE, spread(4), p) for p in (1, 2, 3.0, float("inf"))),
             sample(TABLE, TABLE.copy(), smooth=False)],
    "cdist": [*(sample(POINTS, OTHERS, p, twice=False, ulps=16) for p in (1.0, 2.0, 3.0)),
              sample(POINTS, OTHERS, float("inf"), smooth=False),
              sample(spread(2, 3, 2), OTHERS, twice=False, ulps=16),
              sample(POINTS, POINTS.copy(), smooth=False, ulps=16)],
    "renorm": [sample(TABLE, 2, 0, 1.0), sample(TABLE, 1, 1, 2.0), sample(CUBE, 2, -1, 1.5), sample(TABLE, 3, 0, 1.0)],
}  # fmt: skip
