"""Inputs for linear algebra: matrices of full rank, batches, wide and tall ones."""

import numpy as np
from samples import sample, spread

SQUARE = spread(3, 3) + 3 * np.eye(3)
BATCH = spread(2, 2, 2) + 3 * np.eye(2)
VECTOR, WIDE, TALL = spread(3), spread(2, 3), spread(3, 2)
POSITIVE = SQUARE @ SQUARE.T + np.eye(3)
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])
LOOSE = {"ulps": 64, "mixes": True}  # another order of the same steps, or other steps, within LAPACK

SAMPLES = {
    "linalg_inv": [sample(SQUARE, **LOOSE), sample(BATCH, **LOOSE)],
    "inverse": [sample(SQUARE, **LOOSE)],
    "linalg_solve": [sample(SQUARE, VECTOR, **LOOSE), sample(SQUARE, TALL, **LOOSE),
                     sample(BATCH, spread(2, 2), **LOOSE),
                     sample(BATCH, spread(2, 2, 3), **LOOSE), sample(BATCH[0], spread(2, 2, 3), **LOOSE)],
    "linalg_det": [sample(SQUARE, **LOOSE), sample(BATCH, **LOOSE), sample(SINGULAR, smooth=False, **LOOSE)],
    "det": [sample(SQUARE, **LOOSE), sample(np.eye(2)[::-1].copy())],
    "linalg_slogdet": [sample(SQUARE, **LOOSE), sample(BATCH, **LOOSE)],
    "logdet": [sample(POSITIVE, **LOOSE), sample(np.stack([POSITIVE, np.eye(3)]), **LOOSE),
               sample(np.eye(2)[::-1].copy(), smooth=False)],
    # functions of one triangle, whose gradient is that of a symmetric matrix: test_linear_algebra.py has differences
    "linalg_cholesky": [sample(POSITIVE, smooth=False, **LOOSE),
                        sample(np.stack([POSITIVE, np.eye(3)]), smooth=False, **LOOSE)],
    "linalg_eigh": [sample(POSITIVE, smooth=False, **LOOSE),
                    sample(POSITIVE + np.diag([1.0, 2.0, 3.0]), "U", smooth=False, **LOOSE)],
    "linalg_norm": [sample(WIDE), sample(VECTOR, 3), sample(WIDE, 1, 0), sample(WIDE, dim=1),
                    sample(BATCH, "fro", (0, 2), True)],
}  # fmt: skip
