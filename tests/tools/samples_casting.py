"""Inputs for conversions to another dtype."""

import numpy as np
from samples import sample, spread

SAMPLES = {
    # half precision has too few digits for differences
    "to": [
        sample(spread(3), "float64"), sample(spread(2, 2), "float16", smooth=False),
        sample(spread(3), "cpu", "float64", copy=True), sample(spread(3), spread(2)),
        sample(np.array([1, 2]), "float32"),
    ],
    "type_as": [sample(spread(3), spread(1)), sample(np.array([1, 2]), spread(1))],
}
