"""Samples of operations that put tensors together, and of elements that are combined at one place."""

import numpy as np
from samples import sample, spread

INDEX = np.array([[0, 1, 1], [2, 0, 0]])
TIES = np.array([[1.0, 2.0, 2.0], [3.0, 1.0, 0.0], [2.0, 2.0, 2.0]])


def ways(*names, **kwargs):
    return [sample(spread(3, 3), 0, INDEX, spread(2, 3, seed=1), name, ulps=4, **kwargs) for name in names]


SAMPLES = {
    "addbmm": [sample(spread(2, 4), spread(3, 2, 3), spread(3, 3, 4), mixes=True, ulps=8),
               sample(spread(2, 4), spread(2, 2, 3), spread(2, 3, 4), beta=0.5, alpha=2, mixes=True, ulps=8)],
    "scatter_reduce": [
        *ways("sum", "prod", "mean", "amax", "amin"),
        *ways("sum", "prod", "mean", "amax", "amin", include_self=False),
        sample(TIES, 0, INDEX, np.array([[2.0, 2.0, 0.0], [1.0, 3.0, 1.0]]), "amax", smooth=False),
        sample(np.array([1.0, 2.0, 3.0]), 0, np.array([0, 0, 1]), np.array([0.0, 2.0, 0.0]), "prod", smooth=False),
        sample(np.array([1, 2, 3]), 0, np.array([0, 0, 1]), np.array([5, 6, 7]), "mean"),
        sample(np.array([1, 2, 3]), 0, np.array([0, 0, 1]), np.array([5, 6, 7]), "amin", include_self=False),
        sample(spread(), 0, np.array(0), spread(seed=3), "sum"),
    ],
    "index_reduce": [
        *(sample(spread(3, 2), 0, np.array([0, 2, 0]), spread(3, 2, low=-1.9, high=2.2, seed=1), way, ulps=4)
          for way in ("prod", "mean", "amax", "amin")),
        *(sample(spread(2, 3), 1, np.array([0, 2, 0]), spread(2, 3, low=-1.9, high=2.2, seed=1), way,
                 include_self=False, ulps=4)
          for way in ("prod", "mean", "amax", "amin")),
        sample(np.array([1, 2, 3]), 0, np.array([0, 0]), np.array([5, 6]), "mean"),
    ],
}  # fmt: skip
