"""Inputs for copies in which a part is replaced."""

import numpy as np
from samples import sample, spread

PLANE, CUBE = spread(3, 4), spread(2, 3, 4)

SAMPLES = {
    "select_scatter": [sample(PLANE, spread(4), 0, 1), sample(PLANE, spread(3), -1, -2),
                       sample(np.arange(4), np.array(7), 0, 2)],
    "slice_scatter": [sample(PLANE, spread(1, 4), 0, 1, 2), sample(PLANE, spread(3, 2), 1, 0, 4, 2),
                      sample(PLANE, spread(3, 4)), sample(PLANE, spread(3, 3), dim=-1, start=-3)],
    "diagonal_scatter": [sample(PLANE, spread(3)), sample(PLANE, spread(3), 1), sample(CUBE, spread(3, 2), 0, -1, 0)],
}  # fmt: skip
