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
    "unique_consecutive": [sample(np.array([1, 1, 2, 2, 1])), sample(np.array([[1, 1], [1, 1], [2, 2]]), dim=0),
                           sample(np.array([[1, 1], [1, 1], [2, 2]]), True, True),
                           sample(np.array([[1, 1], [1, 1], [2, 2]]), True, True, 1),
                           sample(np.zeros(0, np.int64), True, True),
                           sample(np.array([1.0, 1.0, 3.0]), smooth=False)],
    "block_diag": [sample(spread(2, 2), spread(3), spread()), sample(np.array([[1, 2]]), np.array([3])), sample()],
    "row_stack": [sample([spread(2, 3), spread(3)])],
    "dsplit": [sample(spread(1, 2, 4), 2), sample(spread(1, 2, 4), (1, 3))],
    "cartesian_prod": [sample(spread(2), spread(3, seed=1)), sample(spread(2)),
                       sample(spread(2), spread(1), spread(2, seed=1))],
    "combinations": [sample(spread(4)), sample(spread(3), 3), sample(spread(3), 2, True), sample(spread(2), 3),
                     sample(np.array([1, 2, 3])), sample(spread(3), 1)],
    "vander": [sample(np.array([1, 2, 3])), sample(np.array([1, 2, 3]), 2), sample(np.array([1, 2]), 4, True),
               sample(np.array([1, 2]), 0), sample(spread(3), 1, smooth=False)],
    "unravel_index": [sample(np.array([3, 5, -1, 30]), (2, 3)), sample(np.array(3), (2, 3)), sample(np.array(3), 6)],
    "float_power": [sample(spread(3, low=0.5), 2), sample(spread(3, low=0.5), spread(3, seed=1), mixes=True, ulps=8),
                    sample(2, spread(3)), sample(np.array([1, 2]), 2.5)],
    "gradient": [sample(spread(4)), sample(spread(3, 4)), sample(spread(3, 4), dim=1), sample(spread(3, 4), spacing=2.),
                 sample(spread(5), edge_order=2, mixes=True, ulps=8),
                 sample(spread(3, 4), dim=(0, 1), spacing=(1., 3.)),
                 sample(spread(2)), sample(np.array([1, 4, 9])),
                 sample(spread(4), spacing=[np.array([0., 1., 3., 4.])], mixes=True, ulps=16),
                 sample(spread(4), spacing=[np.array([0, 1, 3, 4])], edge_order=2, mixes=True, ulps=16),
                 sample(spread(2), spacing=[np.array([0, 3])])],
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
