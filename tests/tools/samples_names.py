"""Samples of names that are operations under a second name, with arguments of their own."""

from samples import sample, spread

SAMPLES = {
    "true_divide": [sample(spread(2, 3), spread(3)), sample(spread(3), 2)],
}
