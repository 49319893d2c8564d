"""What the box of a call or of a value says at a moment."""

import math

from ..microscope.events import thumbnail
from ..microscope.values import CELLS, COLUMNS, ROWS, in_line, precise, shape_of, short, statistics_lines
from ..microscope.values import SAY as VALUES
from . import words
from .shapes import Grid

NEUTRAL = ("alpha", "beta")  # factors that are not worth showing while they are 1


def call_box(moment, key, is_small, saved):
    """The parts of a call's box; *is_small*: whether the graph is; *saved*: whether to show what it saved."""
    lines = list(saved_lines(moment, key)) if is_small else []
    told = [] if saved or key in moment.in_trouble else lines
    hint = "\n".join([*told, moment.rule(key)] if is_small else []).strip()
    return {"kind": "function", "title": moment.calls[key].name, "lines": [] if told else lines, "saved": told,
            "hint": hint, "error": moment.troubles.get(key, ""), "current": key in moment.now,
            "freed": key in moment.freed}  # fmt: skip


def value_box(moment, key, origin, values):
    """The parts of a value's box; *origin*: the call that it came from; *values*: whether to show what it is."""
    record, entry = latest(moment, key), moment.entry_at(key) or {"value": None, "version": 0}
    kind = "root" if key in moment.roots and moment.values[key] == "tensor" else moment.values[key]
    adder = moment.leaves.get(key, "")
    parts = {"title": moment.title(key), "kind": kind, "error": moment.troubles.get(key, ""), "adds": bool(adder),
             "current": key in moment.now or adder in moment.now, "flags": flags_of(moment, record, entry)}  # fmt: skip
    parts |= box_of(entry["value"], values, parts["title"])
    way = moment.received.get((adder or origin, key), {})
    hook = way.get("hook", "")
    if hook or kind != "leaf":
        parts |= {"arrived": way.get("label", ""), "hook": hook}
    grad = moment.entry(record.key)["grad"] if record else None
    notes = [*parts.get("notes", []), *moment.notes.get(key, [])]
    if record and grad is None:
        notes += note_of(moment, record)
    told = [parts.get("hint", ""), way.get("hint", "")]
    if grad is not None:
        lines, grid, _ = lines_grid_notes(grad)
        told.append(f"{words.GRAD} {precise(grad)}")
        parts |= {"grad": " ".join(lines), "grad_grid": grid}
    return parts | {"notes": notes, "hint": "\n".join(filter(None, told))}


def latest(moment, key):
    """The record of the tensor whose latest value this is, or None."""
    tensor = moment.tensor_of.get(key)
    return moment.trace.tensors.get(tensor) if moment.at.get(tensor) == key else None


def note_of(moment, record):
    """What is told where a .grad would be."""
    if record.retains_grad or moment.values[moment.at[record.key]] == "leaf":
        return [words.GRAD_NONE]
    return [words.GRAD_NOT_KEPT] if record.node and not len(moment.trace) else []


def flags_of(moment, record, entry):
    flags = [words.RETAINED] if record and record.retains_grad else []
    flags += moment.flags.get(record and record.key, [])
    return flags + ([words.VERSION.format(entry["version"])] if entry["version"] else [])


def saved_lines(moment, key):
    record = moment.trace.nodes.get(key)
    if record is None:
        return
    saved = {} if key in moment.freed else moment.saved.get(key, {})
    yield from (f"{name}={value if isinstance(value, str) else in_line(value)}"
                for name, value in saved.items() if value is not None)  # fmt: skip
    for name, value in record.constants:
        neutral = name in NEUTRAL and value == 1
        if isinstance(value, bool | int | float | str) and name not in record.saves and not neutral:
            yield f"{name}={short(value)}"


def box_of(value, shown, named):
    """The parts of a box that show a value (None: not kept); of one that is not to be shown, its shape for a name."""
    if not shown and named:
        return {}
    if value is None or not shown:
        return {"lines": [words.NOT_KEPT if value is None else shape_of(value)]}
    lines, grid, notes = lines_grid_notes(value)
    return {"lines": lines, "grid": grid, "notes": notes, "hint": precise(value)}


def lines_grid_notes(value):
    """How a box shows a value: large lines, a grid or None, small lines below it."""
    kind = "" if value.dtype == "float32" else f" {value.dtype}"
    if value.is_whole and value.shape == ():
        return [short(value.data) + kind], None, []
    if not math.prod(value.shape):
        return [f"{shape_of(value)}{kind}", VALUES["no_element"]], None, []
    if not value.is_readable:
        return [f"{shape_of(value)}{kind}"], None, [VALUES["unread"]]
    array = value.array.reshape(-1, value.array.shape[-1])
    rows = array.tolist()
    small = len(rows) <= ROWS and len(rows[0]) <= COLUMNS and len(rows) * len(rows[0]) <= CELLS
    if value.is_whole and len(value.shape) <= 2 and small:
        return [shape_of(value) + kind], Grid(_floats(rows), tuple(tuple(map(short, row)) for row in rows)), []
    return [shape_of(value) + kind], Grid(_floats(thumbnail(array).tolist())), statistics_lines(value)


def _floats(rows):
    return tuple(tuple(float(abs(each) if isinstance(each, complex) else each) for each in row) for row in rows)
