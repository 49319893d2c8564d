"""Inputs for products of vectors, matrices and batches, and sums of products over named dimensions."""

import numpy as np
from samples import sample, spread


def positive(*shape, seed=0):
    """Numbers of one sign: their products add up without cancelling, so that all libraries find nearly one sum."""
    return spread(*shape, low=0.3, high=1.7, seed=seed)


def whole(*shape):
    return np.arange(1, 1 + int(np.prod(shape))).reshape(shape)


VECTOR, OTHER = positive(3), positive(3, seed=1)
MATRIX, RIGHT = positive(2, 3), positive(3, 4)
BATCH, BATCH_RIGHT = positive(2, 2, 3), positive(2, 3, 2, seed=1)
FIXED = np.array([[1, 2, 3], [4, 5, 6]])

PAIRS = [
    (VECTOR, OTHER), (MATRIX, VECTOR), (VECTOR, RIGHT), (MATRIX, RIGHT), (BATCH, VECTOR), (BATCH, RIGHT),
    (VECTOR, BATCH_RIGHT),
    (MATRIX, BATCH_RIGHT), (BATCH, BATCH_RIGHT), (positive(1, 2, 3), BATCH_RIGHT), (BATCH, positive(1, 3, 2)),
    (positive(3, 1, 2, 3), BATCH_RIGHT), (positive(1, 3), positive(3, 1)), (np.zeros((0, 3)), RIGHT),
    (np.zeros((2, 0)), np.zeros((0, 3))),
    (positive(3, 2, 1, 3), VECTOR), (VECTOR, positive(2, 1, 3, 2)), (FIXED, whole(3, 2)), (whole(3), whole(3)),
]  # fmt: skip

SAMPLES = {
    "dot": [sample(VECTOR, OTHER), sample(whole(3), whole(3)), sample(np.zeros(0), np.zeros(0), smooth=False)],
    "mv": [sample(MATRIX, VECTOR), sample(FIXED, whole(3)), sample(np.zeros((0, 3)), VECTOR, smooth=False)],
    "mm": [sample(MATRIX, RIGHT), sample(FIXED, whole(3, 2)), sample(np.zeros((2, 0)), np.zeros((0, 3)), smooth=False)],
    "bmm": [sample(BATCH, BATCH_RIGHT), sample(whole(2, 2, 3), whole(2, 3, 1))],
    "addmm": [sample(positive(4), MATRIX, RIGHT), sample(positive(2, 1), MATRIX, RIGHT),
              sample(positive(2, 4), MATRIX, RIGHT), sample(np.array(0.6), MATRIX, RIGHT),
              sample(whole(2), FIXED, whole(3, 2))],
    "matmul": [sample(*pair, smooth=all(each.size for each in pair)) for pair in PAIRS],
    "outer": [sample(VECTOR, positive(2)), sample(whole(2), whole(3))],
    "ger": [sample(VECTOR, positive(2))],
    "einsum": [sample(equation, *operands) for equation, *operands in (
        ("ij,jk->ik", MATRIX, RIGHT), ("ij,jk", MATRIX, RIGHT), ("i,i->", VECTOR, OTHER), ("i,j->ij", VECTOR, OTHER),
        ("ij->ji", MATRIX), ("ij->", MATRIX), ("ij->j", MATRIX), ("ii->i", positive(3, 3)), ("ii", positive(3, 3)),
        ("bij,bjk->bik", BATCH, BATCH_RIGHT), ("...ij,jk->...ik", BATCH, RIGHT),
        ("ij,jk,k->i", MATRIX, RIGHT, positive(4)),
        ("ij,k->i", MATRIX, positive(4)), ("ij,ij->ij", MATRIX, positive(2, 3, seed=1)), ("i...->...", BATCH),
        ("ij,jk->ik", positive(2, 1), RIGHT), (",i", np.array(0.7), VECTOR), ("iij->ij", positive(2, 2, 3)),
        ("bn,anm,bm->ba", positive(2, 3), positive(2, 3, 2), positive(2, 2)),
    )],
    "linear": [sample(MATRIX, positive(4, 3), positive(4)), sample(MATRIX, positive(4, 3)),
               sample(VECTOR, positive(4, 3), positive(4)),
               sample(BATCH, positive(4, 3), positive(4)), sample(BATCH, positive(4, 3)), sample(MATRIX, VECTOR),
               sample(VECTOR, positive(4, 3)), sample(VECTOR, OTHER, np.array(0.3)),
               sample(MATRIX, positive(4, 3), positive(1, 4))],
}  # fmt: skip
