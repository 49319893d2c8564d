"""The text in the box of a call or a value at a moment."""

import math
from functools import lru_cache

import numpy as np

from ..microscope.events import thumbnail
from ..microscope.labels import CELLS, COLUMNS, ROWS, in_line, precise, printed, shape_of, statistics_lines
from ..microscope.labels import SAY as VALUES
from . import words
from .picture import PictureEdge, PictureNode
from .shapes import Grid

NEUTRAL = ("alpha", "beta")  # factors to leave out while they are 1


def call_box(moment, key, is_small, saved):
    """A call's box; *is_small*: whether the graph is small; *saved*: whether to show its saved values."""
    lines = saved_lines(moment, key) if is_small else []
    told = [] if saved or key in moment.in_trouble else lines
    shown = [] if told else lines
    found = {"freed": key in moment.freed, "current": key in moment.now, "saved": shown}
    return PictureNode(key, "function", moment.calls[key].name, shown, told, signs=[*filter(found.get, found)],
                error=moment.troubles.get(key, ""), hint=moment.rule(key) if is_small else "")  # fmt: skip


def value_box(moment, key, origin, values):
    """A value's box; *origin*: the call that made it; *values*: whether to show its numbers."""
    record, entry = latest(moment, key), moment.entry_at(key) or {"value": None, "version": 0}
    adder, title, value, version = moment.leaves.get(key, ""), moment.title(key), entry["value"], entry["version"]
    kind, place = moment.values[key], record and record.place
    current, retained = key in moment.now or adder in moment.now, record and record.retains_grad
    told, lasting = record and moment.flags.get(record.key) or [], bool(moment.trace.events)
    hooked = told and [flag for flag in told if flag.startswith(words.HOOKED)]
    flags = [retained and words.RETAINED, *told, version and words.VERSION.format(version),
             place and place.partition("), ")[0] + ")"]  # fmt: skip
    lines, notes, hint = in_box(value) if value and values else ([], [], "")
    if not lines and (values or not title):  # a hidden value has its shape in place of a name
        lines = [shape_of(value) if value else words.NOT_KEPT]
    way, arrived = moment.received.get((adder or origin, key), {}), None
    if way.get("hook") or way.get("label") and kind != "leaf":
        arrived = PictureEdge(adder or origin, key, current=current, **way | {"kind": "gradient", "hint": ""})
    grad, notes = record and moment.entry(record.key)["grad"], [*notes, *moment.notes.get(key, [])]
    written, _, exact = in_box(grad) if grad else ((), (), "")
    if grad is None and (retained or record and kind == "leaf"):
        notes.append(words.GRAD_NONE)
    elif grad is None and record and record.node and not lasting:
        notes.append(words.GRAD_NOT_KEPT)
    hints = [hint, place, way.get("hint"), exact and f"{words.GRAD} {exact}",
             *map(words.HANGS.format, lasting * hooked)]  # fmt: skip
    found = {"accumulate": adder, "current": current, "retained": retained, "version": version, "hooks": hooked,
             "not_kept": words.NOT_KEPT in lines or words.GRAD_NOT_KEPT in notes}  # fmt: skip
    return PictureNode(key, "root" if key in moment.roots and kind == "tensor" else kind, title, lines, notes=notes,
                       grad=written, flags=[*filter(None, flags)],
                       arrived=arrived, signs=[*filter(found.get, found)], error=moment.troubles.get(key, ""),
                       hint="\n".join(filter(None, hints)))  # fmt: skip


def latest(moment, key):
    """The record of the tensor whose latest value this is, or None."""
    tensor = moment.tensor_of.get(key)
    return moment.trace.tensors.get(tensor) if moment.at.get(tensor) == key else None


def saved_lines(moment, key):
    record = moment.trace.nodes.get(key)
    if record is None:
        return []
    saved = {} if key in moment.freed else moment.saved.get(key, {})
    lines = [f"{name}={value if isinstance(value, str) else in_line(value)}"
             for name, value in saved.items() if value is not None]  # fmt: skip
    for name, value in record.constants:
        neutral = name in NEUTRAL and value == 1
        if isinstance(value, bool | int | float | str) and name not in record.saves and not neutral:
            lines.append(f"{name}={printed(value)}")
    return lines


@lru_cache(256)  # one value is shown at many moments
def in_box(value):
    """How a box shows a value: lines, notes and a hint."""
    return *lines_notes(value), precise(value)


def lines_notes(value):
    """How a box shows a value: large lines, a grid among them, and small lines below it."""
    kind = "" if value.dtype == "float32" else f" {value.dtype}"
    if value.is_whole and value.shape == ():
        return [printed(value.data) + kind], []
    shape = shape_of(value) + kind
    if not math.prod(value.shape):
        return [shape, VALUES["no_element"]], []
    if not value.is_readable:
        return [shape], [VALUES["unread"]]
    array = value.array.reshape(-1, value.array.shape[-1])
    rows = array.tolist()
    small = len(rows) <= ROWS and len(rows[0]) <= COLUMNS and len(rows) * len(rows[0]) <= CELLS
    if value.is_whole and len(value.shape) <= 2 and small:
        return [shape, Grid(_floats(array), tuple([tuple(map(printed, row)) for row in rows]))], []
    return [shape, Grid(_floats(thumbnail(array)))], statistics_lines(value)


def norm_lines(grads):
    """The norm of all the gradients in a box, and how many of its leaves have none; nothing if nobody has one."""
    norms = [value.norm if value.norm is not None else float(np.linalg.norm(value.array.astype(np.float64)))
             for value in grads if value is not None and value.is_readable]  # fmt: skip
    lacking = f"{VALUES['none']} {words.TIMES.format(len(grads) - len(norms))}"
    return [words.NORM.format(printed(math.hypot(*norms)))] * bool(norms) + [lacking] * (0 < len(norms) < len(grads))


def _floats(array):
    array = abs(array) if np.iscomplexobj(array) else array
    return tuple(map(tuple, array.astype(float).tolist()))
