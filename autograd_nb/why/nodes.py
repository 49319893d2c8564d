"""Facts of single nodes and snapshots; a freed node still has its name, constants and shapes."""

import math

import numpy as np

from ..microscope.labels import number, plain_name
from ..microscope.readings import is_freed, is_leaf, place_of, row_of, saved_of


def node_of(tensor):
    return place_of(tensor)[0]


def op_of(node):
    """The operation that made a node, as a recording calls it."""
    return plain_name(getattr(row_of(node), "name", ""))


def was_freed(node):
    return not is_leaf(node) and is_freed(node)


def is_stale(node):
    """Whether something that a node saved was changed in place since."""
    return not is_leaf(node) and any(saved.is_modified for saved in saved_of(node))


def is_learners(record):
    """Whether a recorded node belongs to a Function of the learner; the names of PyTorch's own end in a number."""
    return record.row is None and not record.name[-1:].isdigit()


# -- snapshots ---------------------------------------------------------------------------------------------------------


def numbers(value):
    """An array of the elements of a snapshot, or of their extremes, zero, NaN and inf; empty if it cannot be read."""
    if value is None or not value.is_readable:
        return np.zeros(0)
    if value.is_whole:
        return value.array
    zeros, nans, infs = min(value.zeros, 1), min(value.nans, 1), min(value.infs, 1)
    return np.repeat([value.low or 0, value.high or 0, 0, np.nan, np.inf], [1, 1, zeros > 0, nans, infs])


def magnitude(value):
    """The root of the mean square of a snapshot; NaN for one that cannot be read."""
    if not value.is_readable:
        return math.nan
    norm = float(np.linalg.norm(np.abs(value.array).astype(np.float64))) if value.is_whole else value.norm
    return norm / max(value.size, 1) ** 0.5


def largest(value):
    """The largest absolute value among a snapshot's finite numbers; NaN if it has none."""
    found = np.abs(finite_in(value))
    return float(found.max()) if found.size else math.nan


def finite_in(value):
    found = numbers(value)
    return found[np.isfinite(found)]


def bad_kind(value):
    """ "NaN" or "inf" when that is in a snapshot, else None."""
    found = numbers(value)
    return None if np.isfinite(found).all() else "NaN" if np.isnan(found).any() else "inf"


def is_all_zero(value):
    """Whether a snapshot is all zeros."""
    found = numbers(value)
    return found.size > 0 and not found.any()


def has_zero(value):
    found = numbers(value)
    return found.size > 0 and not found.all()


# the smallest number above 0 of a dtype, and its largest
LIMITS = {
    "float16": (6e-8, 65504),
    "bfloat16": (9.2e-41, 3.4e38),
    "float32": (1.4e-45, 3.4e38),
    "float64": (4.9e-324, 1.8e308),
}


def beyond_dtype(ran, end):
    """The product of a gradient and the factor of a node, if it is beyond an *end* of the dtype, as facts."""
    dtype = next((value.dtype for value in ran.results if value is not None), None)
    came = max((largest(value) for value in ran.grads if value is not None), default=0)
    sizes = [largest(value) for _, value, _ in ran.used if value is not None]
    limit, most = LIMITS.get(dtype, (0, math.inf))[end], max(sizes, default=1)
    if not (came * most > limit if end else 0 < came * most < 2 * limit and 0 not in sizes):
        return None
    product = f"{number(came, 2)} · {number(most, 2)}" if sizes else number(came, 2)
    return {"dtype": dtype, "product": product, "limit": number(float(limit), 2)}
