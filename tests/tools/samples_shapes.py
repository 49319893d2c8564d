"""Inputs for views, copies in another order, joining and splitting, indexing, gathering and sorting."""

import numpy as np
from samples import sample, spread

MATRIX = spread(2, 3)
CUBE = spread(2, 3, 4)
VECTOR = spread(4)
SCALAR = np.array(0.7)
EMPTY = np.zeros((0, 3))
WHOLE = np.array([[3, 1, 2], [4, 6, 5]])
PAIR = np.array([0, 1])
MASK = np.array([[True, False, True], [False, True, True]])
COLUMN, ROW = slice(None), np.array([2, 0])


def of(*arguments, inputs=(MATRIX, WHOLE), **keywords):
    """One sample for each input, with these arguments."""
    return [sample(array, *arguments, **keywords) for array in inputs]


def dims(*cases, of=CUBE):
    return [sample(of, *case) for case in cases]


SHAPES = {
    "view": [
        *of((3, 2)), sample(MATRIX, -1), sample(SCALAR, (1, 1)), sample(EMPTY, (3, 0), smooth=False),
        sample(CUBE, 4, -1),
    ],
    "reshape": [*of((3, 2)), sample(MATRIX, (-1,)), sample(SCALAR, (1,)), sample(CUBE, (4, 1, -1))],
    "view_as": [sample(MATRIX, np.ones(6, int))],
    "flatten": [
        sample(MATRIX), sample(CUBE, 1), sample(CUBE, 0, 1), sample(CUBE, -2, -1), sample(SCALAR), sample(VECTOR),
    ],
    "ravel": [sample(CUBE), sample(VECTOR)],
    "t": [*of(), sample(VECTOR), sample(SCALAR)],
    "transpose": [*dims((0, 1), (-1, 0), (1, 1)), sample(SCALAR, 0, -1), *of(0, 1)],
    "swapaxes": dims((0, 2)),
    "swapdims": dims((0, 2)),
    "permute": [sample(CUBE, (2, 0, 1)), sample(CUBE, (-1, -2, 0)), sample(CUBE, (0, 1, 2)), sample(SCALAR, ())],
    "squeeze": [
        sample(spread(1, 3, 1)), sample(spread(1, 3, 1), 0), sample(spread(1, 3, 1), 1), sample(spread(1, 3, 1), -1),
        sample(spread(1, 3, 1), (0, 2)), sample(spread(1, 3, 1), ()), sample(SCALAR), sample(SCALAR, 0),
        sample(spread(1, 1)),
    ],
    "unsqueeze": [*dims((0,), (-1,), (2,)), sample(SCALAR, 0)],
}

REPEATS = {
    "expand": [
        sample(spread(2, 1), (2, 3)), sample(VECTOR, (3, -1)), sample(SCALAR, (2, 2)), sample(MATRIX, -1, 3),
        sample(spread(1, 3), (4, 1, 3)), sample(spread(1), (0,)),
    ],
    "expand_as": [sample(VECTOR, np.ones((3, 4), int))],
    "broadcast_to": [sample(VECTOR, (2, 4))],
    "sum_to_size": [
        sample(MATRIX, 1, 3), sample(CUBE, (3, 1)), sample(MATRIX, (2, 3)), sample(MATRIX, ()), sample(MATRIX, 1),
    ],
    "repeat": [
        sample(MATRIX, 2, 3), sample(VECTOR, (3, 2)), sample(SCALAR, 2), sample(MATRIX, (1, 1)),
        sample(MATRIX, (0, 1)),
    ],
    "flip": [sample(CUBE, (0,)), sample(CUBE, (1, -1)), *of((1,))],
    "roll": [sample(MATRIX, 1), sample(MATRIX, -1, 1), sample(CUBE, (1, 2), (0, 2)), sample(MATRIX, (1,), (0,))],
    "diagonal": [sample(MATRIX), sample(CUBE, 1, 0, 2), sample(CUBE, -1, -1, 0), sample(MATRIX, 5)],
    "diag": [*of(), sample(VECTOR), sample(VECTOR, -1), sample(MATRIX, 1)],
    "tril": [*of(), sample(CUBE, 1), sample(MATRIX, -1)],
    "triu": [*of(), sample(CUBE, 1), sample(MATRIX, -1)],
    "trace": [*of(), sample(spread(3, 3))],
    "clone": [*of(), sample(SCALAR)],
    "contiguous": of(),
    "is_contiguous": of(),
    "stride": [*of(), sample(CUBE, 1)],
    "storage_offset": of(),
    "detach": of(),
}

JOINING = {
    "cat": [
        sample([MATRIX, spread(1, 3)]), sample([MATRIX, spread(2, 1)], 1), sample([MATRIX, MATRIX], -1),
        sample([WHOLE, WHOLE]), sample([np.zeros(0), MATRIX]), sample([MATRIX]),
    ],
    "concat": [sample([VECTOR, VECTOR])],
    "concatenate": [sample([VECTOR, VECTOR], 0)],
    "stack": [
        sample([MATRIX, 2 * MATRIX]), sample([MATRIX, MATRIX], 1), sample([MATRIX, MATRIX], -1),
        sample([SCALAR, SCALAR]), sample([WHOLE, WHOLE]),
    ],
    "hstack": [sample([VECTOR, VECTOR]), sample([MATRIX, MATRIX]), sample([SCALAR, SCALAR])],
    "vstack": [sample([VECTOR, VECTOR]), sample([MATRIX, MATRIX])],
    "split": [sample(VECTOR, 3), sample(CUBE, 2, -1), sample(MATRIX, [1, 2], 1), sample(EMPTY, 1, smooth=False)],
    "chunk": [sample(VECTOR, 3), sample(CUBE, 2, 1), sample(VECTOR, 9), sample(EMPTY, 2, smooth=False)],
    "unbind": [sample(MATRIX), sample(CUBE, -1), sample(VECTOR)],
}

INDEXING = {
    "__getitem__": [
        sample(CUBE, index)
        for index in (
            0, -1, slice(1, None), slice(None, None, 2), slice(None), ..., None, (0, 1), (0, slice(1, 3)), (..., 0),
            (None, 0), (slice(None), None, 1), (0, ..., slice(0, 2)), (COLUMN, ROW), (ROW[1:], COLUMN, PAIR),
            (0, ROW, slice(1, 3)), (PAIR, 1), (PAIR, PAIR), (None, PAIR), [0, 1, 1], [[0, 1], [2, 0]], True, False,
            (COLUMN, True), (), (..., ROW), (slice(5, 9),), (PAIR[:, None], ROW), slice(1, 0),
        )
    ]
    + [
        sample(MATRIX, MASK), sample(MATRIX, MASK[:, 0]), sample(MATRIX, PAIR), sample(MATRIX, np.array([1, 1, 0])),
        sample(MATRIX, np.array(1)), sample(SCALAR, ...), sample(SCALAR, None), sample(SCALAR, ()),
        sample(SCALAR, True), sample(WHOLE, MASK), sample(MATRIX, np.zeros((2, 3), bool)),
    ],
    "select": [*dims((0, 1), (-1, -2)), *of(1, 0)],
    "narrow": [*dims((0, 1, 1), (2, -3, 2), (1, 3, 0)), *of(1, 1, 2)],
    "index_put": [
        sample(MATRIX, [PAIR], spread(3)), sample(MATRIX, [PAIR, PAIR], spread(2)), sample(MATRIX, [MASK], SCALAR),
        sample(MATRIX, [np.array([1, 1])], spread(2, 3), True), sample(WHOLE, [PAIR], WHOLE),
    ],
    "masked_fill": [
        sample(MATRIX, MASK, 2.5), sample(MATRIX, MASK, SCALAR), sample(VECTOR, np.array([[True], [False]]), 1),
        sample(WHOLE, MASK, 7), sample(MATRIX, MASK[0], SCALAR),
    ],
}

GATHERING = {
    "gather": [
        sample(MATRIX, 1, np.array([[2, 0], [1, 1]])), sample(MATRIX, 0, np.array([[1, 0]])),
        sample(SCALAR, 0, np.array(0)), sample(WHOLE, -1, np.array([[0], [2]])),
    ],
    "scatter": [
        sample(MATRIX, 1, np.array([[2, 0], [1, 2]]), spread(2, 2)),
        sample(MATRIX, 0, np.array([[1, 0]]), spread(2, 3), smooth=False),
        sample(MATRIX, 1, np.array([[2], [0]]), 1.5), sample(WHOLE, 1, np.array([[2], [0]]), 9),
    ],
    "scatter_add": [
        sample(MATRIX, 1, np.array([[2, 0], [1, 1]]), spread(2, 2)),
        sample(MATRIX, 0, np.array([[1, 1]]), spread(2, 3), smooth=False),
        sample(WHOLE, 1, np.array([[2], [0]]), WHOLE),
    ],
    "index_select": [
        sample(MATRIX, 1, np.array([2, 0, 2])), sample(CUBE, 0, PAIR), sample(SCALAR, 0, np.array([0])),
        sample(WHOLE, 0, PAIR),
    ],
    "index_add": [
        sample(MATRIX, 1, ROW, spread(2, 2)), sample(MATRIX, 0, np.array([1, 1]), MATRIX, alpha=2),
        sample(WHOLE, 0, PAIR, WHOLE),
    ],
    "masked_select": [sample(MATRIX, MASK), sample(MATRIX, MASK[0]), sample(VECTOR[:3], MASK), sample(WHOLE, MASK)],
    "sort": [
        sample(MATRIX), sample(CUBE, 0), sample(CUBE, 1, True), sample(SCALAR), *of(), sample(MATRIX, stable=True),
        sample(np.array([2.0, np.nan, 1.0]), smooth=False),
        sample(np.array([2.0, np.nan, 1.0]), 0, True, smooth=False),
    ],
    "argsort": [*of(), sample(CUBE, 1, True)],
    "histogram": [sample(*args, smooth=False, **options) for *args, options in (
        (spread(40), 5, {}), (CUBE, {"bins": 3, "range": (-1.0, 0.5)}), (spread(40), 4, {"density": True}),
        (np.array([2.0, 2.0]), 3, {}), (np.array([]), 3, {}),
        (np.array([0.0, np.nan, np.inf, 1.0]), 2, {"range": (0.0, 1.0)}), (SCALAR, 2, {}),
        (np.array(0.3), 2, {"range": (1.0, 1.0)}), (np.array([0.0, 0.5, 1.0, 1.5, 2.0]), 4, {}),
    )],
    "topk": [sample(MATRIX, 2), sample(CUBE, 2, 1, False), sample(CUBE, 1, 0), sample(SCALAR, 1), sample(WHOLE, 2)],
    "nonzero": [sample(WHOLE), sample(MASK), sample(MASK, as_tuple=True), sample(np.array(3))],
}

WRITTEN_OVER = {  # with gradients in test_inplace.py: a leaf may not be overwritten
    "zero_": [sample(WHOLE)],
    "fill_": [sample(WHOLE, 3), sample(WHOLE, np.array(2))],
    "copy_": [sample(WHOLE, np.array([7, 8, 9]))],
    "masked_fill_": [sample(WHOLE, MASK, 7)],
}

CASTING = {
    "to": [
        sample(spread(3), "float64"), sample(spread(2, 2), "float16", smooth=False),  # too few digits for differences
        sample(spread(3), "cpu", "float64", copy=True), sample(spread(3), spread(2)),
        sample(np.array([1, 2]), "float32"),
    ],
    "type_as": [sample(spread(3), spread(1)), sample(np.array([1, 2]), spread(1))],
}

SAMPLES = {**CASTING, **SHAPES, **REPEATS, **JOINING, **INDEXING, **GATHERING, **WRITTEN_OVER}
