"""What arithmetic says of a function's wrong numbers, as `course.compare` does: a sign, a factor, a shape, an order.

A cause counts only if it explains every wrong result; one that explains only some of them is a coincidence.
"""

import math

import numpy as np

from ... import words
from ...microscope.readings import is_tensor
from ..comparing import alike, factor, of_another_shape, one_in_each_row, ratio_of, shaped
from .kinds import plain, same


def cause(pairs, samples):
    """The sentence on results that are wrong in the same way for each sample, or None.

    >>> cause([([2.0, 4.0], [-2.0, -4.0]), ([1.0], [-1.0])], [(), ()])
    'The numbers are right, but every sign is the opposite.'
    """
    wrong = [(*pair, sizes_of(sample)) for pair, sample in zip(pairs, samples, strict=True) if not same(*pair)]
    place = ""
    if len(wrong) > 1 and all(several(given, right) for given, right, _ in wrong):
        parts = [[same(*each) for each in zip(given, right, strict=True)].index(False) for given, right, _ in wrong]
        if {*parts} != {parts[0]}:
            return None
        wrong = [(given[parts[0]], right[parts[0]], sizes) for given, right, sizes in wrong]
        place = words.of("course")["results"]("part", number=parts[0] + 1) + " "
    try:
        arrays = [(*(np.asarray(plain(each), "float32") for each in pair), sizes) for *pair, sizes in wrong]
    except (TypeError, ValueError):
        return None
    if len(wrong) < 2 or not all(np.isfinite(given).all() and right.size for given, right, _ in arrays):
        return None
    found = of_ratios(arrays) or of_places(arrays)
    if found is None:
        return None
    key, facts = found
    said = words.of("course")
    facts |= {"shape": shaped(arrays[0][0]), "expected": shaped(arrays[0][1])}
    return place + said["results"].get(key, said["compare"].get(key, "")).format(**facts)


def several(given, right):
    """Whether both are as many tensors."""
    both = isinstance(given, (list, tuple)) and isinstance(right, (list, tuple)) and len(given) == len(right)
    return both and all(map(is_tensor, right))


def sizes_of(sample):
    """The numbers of rows, columns and parts in a sample: a mean may divide by one of them."""
    shapes = [tuple(each.shape) if is_tensor(each) else (len(each),) for each in sample
              if is_tensor(each) or isinstance(each, list)]  # fmt: skip
    return sorted({size for shape in shapes for size in shape if size > 1})


def of_ratios(arrays):
    """Whether each result is a multiple of the right one: the same one, or one by the number of rows or columns."""
    ratios = [given.shape == right.shape and ratio_of(given, right) for given, right, _ in arrays]
    if not all(ratios):
        return None
    found = [factor(ratio, sizes) for ratio, (*_, sizes) in zip(ratios, arrays, strict=True)]
    alone = {key for key, _ in found}
    if len(alone) == 1 and alone != {"factor"}:
        return found[0]
    equal = all(math.isclose(ratio, ratios[0], rel_tol=1e-3) for ratio in ratios)
    return ("factor", {"ratio": f"{ratios[0]:.4g}"}) if equal else None


def of_places(arrays):
    """Whether the right numbers stand in another shape or order, or nearly the right ones in their place."""
    for look in PLACES:
        found = [look(given, right) for given, right, _ in arrays]
        if all(found) and len({key for key, _ in found}) == 1:
            return found[0]
    return None


def from_the_end(given, right):
    return ("reversed", {}) if given.ndim == 1 < given.size and alike(given[::-1], right) else None


def nearly(given, right):
    if given.shape != right.shape:
        return None
    off = float(np.abs(given - right).max() / np.abs(right).max(initial=1e-30))
    return ("close", {"digits": max(1, math.floor(-math.log10(off)))}) if 0 < off < 0.02 else None


PLACES = of_another_shape, from_the_end, one_in_each_row, nearly
