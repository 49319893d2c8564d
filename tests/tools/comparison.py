"""When two runs of a program count as the same: their texts agree except in the last places of numbers.

Every character outside numbers printed in full is a fact: dtype, shape, flags, the node's name, words, warnings and
errors. A number in full may differ by `ulps` units in the last place of its dtype, as two libraries' exp and log do.
"""

import json
import re
from itertools import zip_longest

import numpy as np

NUMBER = re.compile(r"(-?\d+\.?\d*(?:e[-+]?\d+)?)")


def differences(ours, theirs, ulps=2):
    """The lines in which plain data differ: a run's output, warnings, error, and tensors at the end."""
    texts = (json.dumps(each, indent=1, ensure_ascii=False, sort_keys=True) for each in (ours, theirs))
    pairs = zip_longest(*(text.splitlines() for text in texts))
    return [f"{a} instead of {b}" for a, b in pairs if a is None or b is None or not _same_line(a, b, ulps)]


def _same_line(a, b, ulps):
    a, b = NUMBER.split(a), NUMBER.split(b)
    return len(a) == len(b) and all(
        x == y or (index % 2 and _same_number(x, y, ulps)) for index, (x, y) in enumerate(zip(a, b, strict=True))
    )


def _same_number(a, b, ulps):
    """Only floats in full have a last place: with more than 7 digits of a float32, more than 15 of a float64."""
    digits = max(len(text.partition("e")[0].strip("-0.").replace(".", "")) for text in (a, b))
    values = np.array([float(a), float(b)])
    single = values.astype(np.float32)
    full, (x, y) = (7, single) if np.array_equal(single, values) else (15, values)
    return "." in a + b and digits > full and abs(x - y) <= ulps * np.spacing(max(abs(x), abs(y)))
