"""Inputs for linear algebra: matrices of full rank, symmetric and triangular ones, batches, wide and tall ones."""

import numpy as np
from samples import sample, spread

SQUARE = spread(3, 3) + 3 * np.eye(3)
BATCH = spread(2, 2, 2) + 3 * np.eye(2)
POSITIVE = SQUARE @ SQUARE.T
POSITIVE_BATCH = BATCH @ BATCH.transpose(0, 2, 1)
VECTOR, WIDE, TALL = spread(3), spread(2, 3), spread(3, 2)
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])
UPPER = np.triu(SQUARE)
WHOLE = np.arange(6).reshape(2, 3)
LOOSE = {"ulps": 64, "mixes": True}  # another order of the same steps, or other steps, within LAPACK
FAR = LOOSE | {"ulps": 512}
FIRST = np.array([1.0, 0.0, 0.0])

ORDERS = ["fro", "nuc", 2, -2, 1, -1, float("inf"), -float("inf")]

SAMPLES = {
    "linalg_inv": [sample(SQUARE, **LOOSE), sample(BATCH, **LOOSE)],
    "inverse": [sample(SQUARE, **LOOSE)],
    "linalg_solve": [sample(SQUARE, VECTOR, **LOOSE), sample(SQUARE, TALL, **LOOSE),
                     sample(BATCH, spread(2, 2), **LOOSE),
                     sample(BATCH, spread(2, 2, 3), **LOOSE), sample(BATCH[0], spread(2, 2, 3), **LOOSE),
                     sample(SQUARE, WIDE, left=False, **LOOSE)],
    "linalg_det": [sample(SQUARE, **LOOSE), sample(BATCH, **LOOSE), sample(SINGULAR, smooth=False, **LOOSE)],
    "det": [sample(SQUARE, **LOOSE), sample(np.eye(2)[::-1].copy())],
    "linalg_slogdet": [sample(SQUARE, **LOOSE), sample(-BATCH, **LOOSE)],
    "slogdet": [sample(SQUARE, **LOOSE)],
    "logdet": [sample(SQUARE, **LOOSE), sample(POSITIVE_BATCH, **LOOSE)],
    "linalg_solve_triangular": [
        sample(SQUARE, TALL, upper=True, **LOOSE), sample(SQUARE, TALL, upper=False, **LOOSE),
        sample(SQUARE, WIDE, upper=True, left=False, **LOOSE),
        sample(SQUARE, TALL, upper=False, unitriangular=True, **LOOSE),
        sample(BATCH, spread(2, 3), upper=True, **LOOSE),
    ],
    "linalg_cholesky": [sample(POSITIVE, smooth=False, **LOOSE),
                        sample(POSITIVE_BATCH, upper=True, smooth=False, **LOOSE)],
    "cholesky": [sample(POSITIVE, smooth=False, **LOOSE), sample(POSITIVE, True, smooth=False, **LOOSE)],
    "linalg_qr": [sample(SQUARE, **LOOSE), sample(TALL, **LOOSE), sample(WIDE, **LOOSE),
                  sample(BATCH, "complete", **LOOSE),
                  sample(WHOLE.astype(float), "r", smooth=False, **LOOSE)],
    "qr": [sample(TALL, **LOOSE)],
    "linalg_eigvalsh": [sample(POSITIVE, smooth=False, **LOOSE), sample(POSITIVE_BATCH, "U", smooth=False, **LOOSE)],
    "linalg_svdvals": [sample(WIDE, **LOOSE), sample(TALL, **LOOSE), sample(BATCH, **LOOSE)],
    "linalg_pinv": [sample(WIDE, **FAR), sample(TALL, **FAR), sample(BATCH, **FAR)],
    "linalg_lstsq": [sample(SQUARE, TALL, **FAR), sample(WIDE, spread(2, 1), **FAR)],
    "pinverse": [sample(TALL, **FAR)],
    "linalg_matrix_exp": [sample(SQUARE / 4, **FAR), sample(spread(2, 2, 2), **FAR), sample(np.zeros((2, 2)))],
    "matrix_exp": [sample(SQUARE / 4, **FAR)],
    "linalg_norm": [sample(WIDE), sample(VECTOR, 3), sample(WIDE, 2, **LOOSE), sample(WIDE, 1, 0), sample(WIDE, dim=1),
                    sample(WIDE, "nuc", **LOOSE), sample(BATCH, "fro", (0, 2), True)],
    "linalg_matrix_norm": [*(sample(WIDE, ord, **LOOSE) for ord in ORDERS),
                           *(sample(BATCH, ord, (0, 2), keepdim=True, **LOOSE) for ord in ORDERS)],
    "linalg_cond": [sample(SQUARE, **LOOSE), sample(SQUARE, -2, **LOOSE)],
    "linalg_matrix_rank": [sample(SINGULAR), sample(SQUARE), sample(np.stack([SINGULAR, np.eye(2)]))],
    "linalg_matrix_power": [*(sample(SQUARE, n, **LOOSE) for n in (0, 1, 2, 3, 5, 6, -1, -2)),
                            sample(BATCH, 3, **LOOSE)],
    "matrix_power": [sample(SQUARE, 4, **LOOSE)],
    "linalg_multi_dot": [sample([WIDE, SQUARE, TALL], **LOOSE), sample([VECTOR, SQUARE, VECTOR + 1], **LOOSE),
                         sample([WIDE, SQUARE, SQUARE + 1, TALL, spread(2, 4)], **LOOSE),
                         sample([WIDE, VECTOR], **LOOSE)],
    "linalg_vecdot": [sample(VECTOR, VECTOR + 1), sample(WIDE, WIDE + 1, ulps=8),
                      sample(WIDE, WIDE + 1, dim=0, ulps=8)],
    "linalg_diagonal": [sample(WIDE), sample(BATCH, offset=1)],
    "linalg_matmul": [sample(WIDE, TALL, **LOOSE)],
    "linalg_cross": [sample(FIRST, VECTOR), sample(WIDE, WIDE + 1, ulps=8),
                     sample(TALL, TALL + 1, dim=0, ulps=8),
                     sample(spread(1, 3), WIDE, ulps=8)],
    "cross": [sample(WIDE, WIDE[::-1].copy(), 1, ulps=8), sample(TALL, TALL + 1, ulps=8)],
    "linalg_vander": [sample(VECTOR), sample(VECTOR, N=4)],
    "chain_matmul": [sample(WIDE, SQUARE, TALL, **LOOSE)],
}  # fmt: skip
