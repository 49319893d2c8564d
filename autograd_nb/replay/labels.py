"""What to call numbers, snapshots, tensors and nodes, in a few characters."""

from math import isfinite

import numpy as np

FEW = 6  # numbers up to which an array stands in a sentence


def number(value, digits=4):
    """A number to so many significant digits, with a typographic minus."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int) and abs(value) < 10**6:
        text = str(value)
    else:
        text = f"{value:.{digits}g}" if isfinite(value) else str(value)
        mantissa, exponent, power = text.partition("e")
        text = f"{mantissa}e{int(power)}" if exponent else text
    return text.replace("-", "−")


def few(value, digits=4):
    """A snapshot as text when it holds few numbers, else None."""
    if value is None or not value.is_whole or value.size > FEW:
        return None
    return nested(value.array, digits)


def nested(array, digits=4):
    if array.ndim == 0:
        return number(array[()], digits)
    return "[" + ", ".join(nested(each, digits) for each in array) + "]"


def short(value):
    """A snapshot in a few words: its numbers, or its shape and extent."""
    if value is None:
        return "None"
    if few(value) is not None:
        return few(value)
    shape = "×".join(map(str, value.shape))
    if not value.size:
        return f"no numbers ({shape})"
    kept = value.array.astype(np.float64)
    low, high = (kept.min(), kept.max()) if value.is_whole else (value.low, value.high)
    return f"{shape} numbers{f', all {number(low)}' if low == high else f' from {number(low)} to {number(high)}'}"


def tensor_name(trace, key):
    """What to call a tensor: the learner's name, or what made it."""
    label = trace.labels.get(key, "")
    if label:
        return label
    if key in trace.makers:
        return f"result of {operation_name(trace.makers[key])}"
    record = trace.tensors.get(key)
    if record is None or record.node is None or record.is_leaf:
        return "a tensor without a name"
    name = node_name(trace, record.node)
    return f"result of {name.partition('Backward')[0].lower() or name}"


def name_alone(trace, key):
    return trace.tensors[key].name if key in trace.tensors else ""


def node_name(trace, key):
    return trace.nodes[key].name if key in trace.nodes else "a node"


def operation_name(event):
    name = event.name
    for ending in ("_number", "_tensor", "_tensors", "_all", "_dim", "_row", "_base", "_scaled", "_whole", "_numbers"):
        name = name.removesuffix(ending)
    return name.strip("_")
