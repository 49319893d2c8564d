"""Inputs for reductions, scans, norms and softmax."""

from dataclasses import replace

import numpy as np
from samples import sample, spread

NAN = float("nan")
ANY = spread(2, 3)
CUBE = spread(2, 3, 4)
POSITIVE = spread(2, 3, low=0.3, high=2.0)
SCALAR = np.array(0.7)
MANY = spread(9, 3, low=-1.0, high=1.0)  # along which log_softmax stays away from 0
ROWS = spread(32, 4, low=-1.0, high=1.0)  # many and short; PyTorch's own results are 1 to 3 ulp from the exact ones
WHOLE = np.array([[1, 5, 3], [4, 2, 6]])
TRUTH = np.array([[True, False, True], [False, True, True]])
TIES = np.array([[1.0, 2.0, 2.0], [2.0, -1.0, 0.0]])
BROKEN = np.array([[1.0, NAN, 2.0], [0.0, -1.0, NAN]])
ZEROS = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [1.0, 2.0, 3.0]])
EMPTY = np.zeros((0, 3))
LONG = spread(1000, 3, low=-1.0, high=1.5)


def over(*, whole=True, integers=True, several=True, dtype=False, ties=True):
    """A reduction: whole, along one and several dimensions, kept or not, 0-d, integers, ties, nan, nothing."""
    given = [sample(CUBE, 0), sample(CUBE, -1, True), sample(CUBE, dim=1, keepdim=True), sample(SCALAR, 0)]
    given += [sample(CUBE), sample(SCALAR), sample(LONG)] if whole else []
    given += [sample(CUBE, (0, 2)), sample(CUBE, [-1, 0], True), sample(CUBE, (0, 1, 2))] if several else []
    given += [sample(WHOLE, 0), sample(TRUTH, 1)] if integers else []
    given += [sample(WHOLE), sample(TRUTH)] if integers and whole else []
    given += [sample(TIES, 1, smooth=False), sample(BROKEN, 1, smooth=False)] if ties else []
    given += [sample(TIES, smooth=False), sample(BROKEN, smooth=False)] if ties and whole else []
    return [*given, sample(LONG, 0)]


def arrays(samples):
    """Those samples whose tensor is of floats."""
    return [each for each in samples if each.args[0].dtype.kind == "f"]


def summed_squares(samples):
    """PyTorch adds up variances element by element in float64, so that its last digits are rounding."""
    return [replace(each, ulps=16, smooth=each.smooth and each.args[0] is not SCALAR) for each in samples]


ALONG = [
    sample(CUBE, 0), sample(CUBE, -1), sample(SCALAR, 0), sample(TIES, 1, smooth=False),
    sample(BROKEN, 1, smooth=False),
]

SAMPLES = {
    "sum": [*over(), sample(EMPTY), sample(EMPTY, 0), sample(CUBE, ()), sample(WHOLE, dtype="float32")],
    "mean": [*arrays(over()), sample(EMPTY), sample(CUBE, ()), sample(WHOLE, dtype="float64")],
    "prod": [
        *(each for each in over(several=False) if each.args[0] is not LONG), sample(ZEROS, smooth=False),
        sample(ZEROS, 0), sample(ZEROS, 1, True), sample(ZEROS[:1]), sample(EMPTY),
    ],
    "var": summed_squares(
        [
            *arrays(over(integers=False)), sample(CUBE, correction=0), sample(CUBE, 1, unbiased=False),
            sample(CUBE, (0, 1), correction=2), sample(CUBE, False), sample(SCALAR, unbiased=False, smooth=False),
        ]
    ),
    "std": summed_squares(
        [
            *arrays(over(integers=False)), sample(CUBE, correction=0), sample(CUBE, 1, unbiased=False),
            sample(np.ones((2, 3)), 1, smooth=False), sample(CUBE, False),
        ]
    ),
    "norm": [
        sample(CUBE), sample(CUBE, 2, 1), sample(CUBE, dim=(0, 2), keepdim=True),
        *(sample(CUBE, p) for p in (1, 3, 1.5, 2.5)),
        *(sample(CUBE, p, 1) for p in (1, 3, float("inf"), -float("inf"))), sample(POSITIVE, 0.5),
        sample(POSITIVE, -1), sample(CUBE, 0, smooth=False),
        *(sample(ZEROS, p, 0, smooth=False) for p in (1, 2, 3, 1.5, float("inf"), "fro")),
        sample(np.zeros(3), smooth=False), sample(EMPTY), sample(SCALAR), sample(TIES, float("inf"), smooth=False),
    ],
    "max": [*over(several=False), sample(ANY, POSITIVE)],
    "min": [*over(several=False), sample(ANY, POSITIVE)],
    "amax": over(),
    "amin": over(),
    "argmax": [each for each in over(several=False) if each.args[0].dtype != bool],
    "argmin": [each for each in over(several=False) if each.args[0].dtype != bool],
    "median": [each for each in over(several=False) if each.args[0].dtype != bool],
    "cumsum": [*ALONG, sample(WHOLE, 1), sample(TRUTH, 0), sample(LONG, 0), sample(WHOLE, 0, dtype="float32")],
    "cumprod": [*ALONG[:-1], sample(WHOLE, 1), sample(ZEROS, 0), sample(ZEROS, 1)],
    "logsumexp": [
        *over(whole=False, integers=False, ties=False), sample(1000 * CUBE, 0, smooth=False), sample(WHOLE, 0),
        sample(EMPTY, 0), sample(np.array([-np.inf, -np.inf]), 0, smooth=False),
        sample(np.array([np.inf, 1.0]), 0, smooth=False),
    ],
    "softmax": [
        sample(CUBE, 0), sample(CUBE, -1), sample(SCALAR, 0), sample(1000 * CUBE, 1, smooth=False),
        sample(WHOLE, 0, dtype="float32"), sample(EMPTY, 0), sample(ROWS, 1, ulps=4),
    ],
    "log_softmax": [
        sample(MANY, 0), sample(MANY.T, -1), sample(MANY.reshape(1, 9, 3), 1), sample(SCALAR, 0),
        sample(1000 * CUBE, 1, smooth=False), sample(EMPTY, 0), sample(ROWS, -1, ulps=4),
    ],
    "any": [*over(ties=False), sample(EMPTY)],
    "all": [*over(ties=False), sample(EMPTY)],
}
