"""Samples of the gamma functions, and of functions that look at how numbers are made."""

import numpy as np
from samples import sample, spread

POSITIVE = spread(2, 4, low=0.5, high=6)
POLES = np.array([0.0, -1.0, -2.0, np.inf, -np.inf, np.nan])
WHOLE = np.array([3, -4, 0, 12])

SAMPLES = {
    "lgamma": [sample(POSITIVE, mixes=True, ulps=64), sample(spread(3, low=-4), mixes=True, ulps=8), sample(WHOLE),
               sample(POLES, smooth=False, mixes=True, ulps=8)],
    "digamma": [sample(POSITIVE, mixes=True, ulps=16), sample(spread(3, low=-4), mixes=True, ulps=16),
                sample(np.array([1, 2]), mixes=True, ulps=16),
                sample(np.array([np.inf, np.nan, 0.0]), smooth=False, mixes=True, ulps=16)],
    "mvlgamma": [sample(spread(4, low=2, high=6), 3, mixes=True, ulps=16),
                 sample(spread(4, low=2, high=6), p=2, mixes=True, ulps=16)],
    "logcumsumexp": [sample(spread(3, 4), 1, mixes=True, ulps=8), sample(spread(4), -1, mixes=True, ulps=8),
                     sample(spread(), 0),
                     sample(np.array([-np.inf, 1.0, np.inf, 2.0]), 0, smooth=False, mixes=True, ulps=8)],
    "heaviside": [sample(np.array([-1.0, 0.0, 2.0, np.nan]), spread(), smooth=False),
                  sample(np.array([-1, 0, 2]), np.array([5, 6, 7]))],
    "ldexp": [sample(spread(3), spread(3, seed=1), ulps=8, mixes=True),
              sample(spread(2, 3), np.array([1, -2, 3]), smooth=False), sample(spread(3), np.array(2))],
    "frexp": [sample(spread(4, low=-9, high=9), smooth=False)],
    "nextafter": [sample(spread(3), spread(3, seed=1), smooth=False),
                  sample(np.array([1.0, 2.0]), np.array([1.0, np.inf]), smooth=False),
                  sample(spread(2, 3), spread(3, seed=2), smooth=False)],
    "gcd": [sample(WHOLE, np.array(6)), sample(WHOLE, np.array([[8], [9]]))],
    "lcm": [sample(WHOLE, np.array(6)), sample(WHOLE, np.array([[8], [9]]))],
    "angle": [sample(spread(4)), sample(np.array([0.0, -0.0, np.nan, -np.inf]), smooth=False), sample(WHOLE),
              sample(np.array([True, False]))],
    "isreal": [sample(spread(2)), sample(WHOLE)],
    **{name: [sample(spread(3))] for name in ("conj", "conj_physical", "resolve_conj", "resolve_neg")},
}  # fmt: skip
