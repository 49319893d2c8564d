"""What nodes and snapshots tell by themselves: of freed nodes, too, the names, constants and shapes are there."""

import math

import numpy as np

from ..microscope.labels import plain_name
from ..microscope.readings import edges_of, is_freed, is_leaf, place_of, row_of, saved_of


def node_of(tensor):
    return place_of(tensor)[0]


def op_of(node):
    """The operation that made a node, as a recording calls it."""
    return plain_name(getattr(row_of(node), "name", ""))


def inputs_of(node):
    """The nodes that made what an operation is given, None for what needs no gradient."""
    return [inner for inner, _ in edges_of(node)]


def base_of(node):
    """The node that made what a view is of, or the node itself where it is no view's."""
    while node is not None and getattr(row_of(node), "view", False):
        node = next(iter(inputs_of(node)), None)
    return node


def was_freed(node):
    return not is_leaf(node) and is_freed(node)


def is_stale(node):
    """Whether something that a node saved was changed in place since."""
    return not is_leaf(node) and any(saved.is_modified for saved in saved_of(node))


def is_learners(record):
    """Whether a recorded node is that of a learner's own Function; those of PyTorch end in a number."""
    return record.row is None and not record.name[-1:].isdigit()


# -- snapshots ---------------------------------------------------------------------------------------------------------


def magnitude(value):
    """The root of the mean square of a snapshot; NaN for one that cannot be read."""
    if not value.is_readable:
        return math.nan
    norm = float(np.linalg.norm(np.abs(value.array).astype(np.float64))) if value.is_whole else value.norm
    return norm / max(value.size, 1) ** 0.5


def largest(value):
    """The largest absolute value of a snapshot, of its finite numbers if it is large; NaN if it cannot be read."""
    if not value.is_readable or not value.size:
        return math.nan
    return float(np.abs(value.array).max()) if value.is_whole else max(abs(value.low), abs(value.high))


def lowest(value):
    """The smallest finite number of a snapshot; NaN where there is none."""
    if not value.is_readable or not value.is_whole:
        return math.nan if value.low is None else value.low
    finite = value.array[np.isfinite(value.array)]
    return float(finite.min()) if finite.size and value.array.dtype.kind in "fiu" else math.nan


def is_bad(value):
    """Whether there is NaN or inf in a snapshot."""
    return bad_kind(value) is not None


def bad_kind(value):
    """ "NaN" or "inf" when that is in a snapshot, else None."""
    if value is None or not value.is_readable:
        return None
    if value.is_whole:
        array = value.array
        if array.dtype.kind not in "fc" or np.isfinite(array).all():
            return None
        return "NaN" if np.isnan(array).any() else "inf"
    return "NaN" if value.nans else "inf" if value.infs else None


def is_all_zero(value):
    """Whether a snapshot is all zeros."""
    known = value is not None and value.is_readable and value.size > 0
    return known and (not value.array.any() if value.is_whole else value.zeros == 1)


def has_zero(value):
    known = value is not None and value.is_readable and value.size > 0
    return known and (not value.array.all() if value.is_whole else value.zeros > 0)
