"""What graphs in sight tell without a recording: of freed nodes, too, their names, constants and shapes are there."""

from math import prod

import numpy as np

from . import readings
from .labels import plain_name
from .readings import constants_of, edges_of, is_leaf, row_of, value_of


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


def is_of_one(node):
    """Whether a softmax or a normalisation goes over a single number."""
    told, shape = dict(constants_of(node)), readings.made_shape(node) or ()
    if "normalized_shape" in told:
        return prod(told["normalized_shape"]) == 1
    return "softmax" in op_of(node) and shape[told["dim"] :][:1] == (1,)


def ignores(node, labels):
    """Whether a loss of classes ignores all of some labels."""
    ignored = dict(constants_of(node)).get("ignore_index")
    value = value_of(labels) if ignored is not None and not labels.dtype.is_floating_point else None
    return bool(value and value.is_whole and value.size and (value.array == ignored).all())


def zero_factor(node):
    """``(leaf, other factors)`` where one factor of a product is a leaf of zeros; or None."""
    factors = inputs_of(node)[op_of(node) == "addmm" :]
    for factor in factors if op_of(node) in ("mul", "mm", "addmm", "bmm", "mv", "dot") else ():
        leaf = base_of(factor)
        if leaf is not None and is_leaf(leaf) and nothing_in(value_of(leaf.variable)):
            return leaf, [other for other in factors if other is not factor]
    return None


def shapes_of(node):
    """The shapes of the two operands of an operation, None for one that is not known, and of what it made of them;
    or None where an operand was given its dimension on purpose."""
    shapes, made = [], readings.made_shape(node)
    for inner in inputs_of(node)[:2]:
        if inner is not None and op_of(inner) == "expand":
            made, shape = readings.made_shape(inner), dict(constants_of(inner)).get("self_sym_sizes")
            inner = inputs_of(inner)[0]
        else:
            shape = inner and (inner.variable.shape if is_leaf(inner) else readings.made_shape(inner))
        if inner is not None and op_of(inner) == "unsqueeze":
            return None
        shapes.append(shape and tuple(shape))
    return shapes, made and tuple(made)


# -- values --

def size(value):
    """The root of the mean square of a snapshot."""
    norm = float(np.linalg.norm(np.abs(value.array).astype(np.float64))) if value.is_whole else value.norm
    return norm / max(value.size, 1) ** 0.5


def bad(value):
    """Whether there is NaN or inf in a snapshot."""
    return kinds(value) is not None


def kinds(value):
    """ "NaN" or "inf" when that is in a snapshot, else None."""
    if value is None or not value.is_readable:
        return None
    if value.is_whole:
        array = value.array
        if array.dtype.kind not in "fc" or np.isfinite(array).all():
            return None
        return "NaN" if np.isnan(array).any() else "inf"
    return "NaN" if value.nans else "inf" if value.infs else None


def nothing_in(value):
    """Whether a snapshot is all zeros."""
    return bool(value and value.size) and (not value.array.any() if value.is_whole else value.zeros == 1)


def has_zero(value):
    return value is not None and bool(value.size) and (not value.array.all() if value.is_whole else value.zeros > 0)
