"""Facts of single nodes and snapshots; a freed node still has its name, constants and shapes."""

import math

import numpy as np

from ..microscope.labels import plain_name
from ..microscope.readings import is_freed, is_leaf, name_of, place_of, row_of, saved_of
from ..words import of


def by_operation(table):
    """``{operation: what a table of the words says of it}``."""
    return {name: each for names, each in of("why")[table].items() for name in names.split()}


EDGES, FLAT = by_operation("edges"), by_operation("flat")


def node_of(tensor):
    return place_of(tensor)[0]


def op_of(node):
    """The operation that made a node, as a recording calls it, or the beginning of the node's own name."""
    return plain_name(getattr(row_of(node), "name", name_of(node).partition("Backward")[0]))


def was_freed(node):
    return not is_leaf(node) and is_freed(node)


def is_stale(node):
    """Whether something that a node saved was changed in place since."""
    return not is_leaf(node) and any(saved.is_modified for saved in saved_of(node))


def is_learners(record):
    """Whether a recorded node belongs to a Function of the learner; the names of PyTorch's own end in a number."""
    return record.row is None and not record.name[-1:].isdigit()


def is_step(event):
    """Whether an optimizer, whose name begins with a capital letter, changed a tensor."""
    return event.kind == "Changed" and event.name[:1].isupper()


# -- snapshots ---------------------------------------------------------------------------------------------------------


def numbers(value):
    """An array of the elements of a snapshot, or of their extremes, zero, NaN and inf; empty if it cannot be read."""
    if value is None or not value.is_readable:
        return np.zeros(0)
    if value.is_whole:
        return value.array
    counts = [1, 1, value.zeros > 0, value.nans > 0, value.infs > 0]
    return np.repeat([value.low or 0, value.high or 0, 0, np.nan, np.inf], counts)


def magnitude(value):
    """The root of the mean square of a snapshot; NaN for None and for one that cannot be read."""
    if value is None or not value.is_readable:
        return math.nan
    norm = float(np.linalg.norm(value.array.astype(complex))) if value.is_whole else value.norm
    return norm / max(value.size, 1) ** 0.5


def largest(value):
    """The largest absolute value among a snapshot's finite numbers; 0 if it has none."""
    return float(np.abs(finite_in(value)).max(initial=0))


def finite_in(value):
    found = numbers(value)
    return found[np.isfinite(found)]


def bad_kind(value):
    """ "NaN" or "inf" when that is in a snapshot, else None."""
    found = numbers(value)
    return None if np.isfinite(found).all() else "NaN" if np.isnan(found).any() else "inf"


def is_all_zero(value):
    """Whether a snapshot is all zeros."""
    return value and value.size and value.is_zero


def has_zero(value):
    return 0 in numbers(value)


# the smallest number above 0 of a dtype, and its largest
