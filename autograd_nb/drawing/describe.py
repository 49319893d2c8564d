"""What a picture of a living graph and one of a trace have in common: a scene, and how its boxes are described."""

import math

from ..microscope.events import thumbnail
from ..microscope.values import CELLS, COLUMNS, ROWS, precise, shape_of, short, statistics_lines
from ..microscope.values import SAY as VALUES
from . import words
from .scene import Noted, Scene
from .shapes import Grid

NEUTRAL = ("alpha", "beta")  # factors that are not worth showing while they are 1


class Builder:
    """A scene in the making: subclasses know each value's ``name`` and ``title``, ``value_of``, ``grad_and_note`` and
    ``flags_of``, and each call's ``saved_lines``; they are asked only for boxes that will be seen.
    """

    now = in_trouble = ()  # keys of what happens at the moment, and of calls whose saved values it is about

    def rule(self, key):
        """How a call turned gradients of its outputs into those of its inputs, with the numbers put in."""
        return ""

    def __init__(self, values, saved):
        self.with_values, self.with_saved = values, saved  # whether boxes show values, and calls what they saved
        self.scene = Scene()
        changed = self.scene.changed
        self.keys = {}  # (node, output number) -> key of that value
        self.troubles, self.notes, self.freed = Noted(changed), Noted(changed), Noted(changed)

    def describe(self, key, outline):
        """The parts of a box."""
        scene, trouble = self.scene, self.troubles.get(key, "")
        if key in scene.calls:
            saved = list(self.saved_lines(key)) if outline.is_small else []
            told = [] if self.with_saved or key in self.in_trouble else saved
            hint = "\n".join([*told, self.rule(key)] if outline.is_small else []).strip()
            return {"kind": "function", "title": scene.calls[key].name, "lines": [] if told else saved, "saved": told,
                    "hint": hint, "error": trouble, "current": key in self.now, "freed": key in self.freed}  # fmt: skip
        kind = "root" if key in scene.roots and scene.values[key] == "tensor" else scene.values[key]
        adder = scene.leaves.get(key, "")
        parts = {"title": self.title(key), "kind": kind, "error": trouble, "adds": bool(adder),
                 "current": key in self.now or adder in self.now}  # fmt: skip
        parts |= box_of(self.value_of(key), self.with_values, parts["title"])
        way = scene.received.get((adder or outline.origin.get(key), key), {})
        hook = way.get("hook", "")
        if hook or kind != "leaf":
            parts |= {"arrived": way.get("label", ""), "hook": hook}
        grad, note = self.grad_and_note(key)
        notes = [*parts.get("notes", []), *self.notes.get(key, []), *([note] if note and grad is None else [])]
        told = [parts.get("hint", ""), way.get("hint", "")]
        if grad is not None:
            lines, grid, _ = lines_grid_notes(grad)
            told.append(f"{words.GRAD} {precise(grad)}")
            parts |= {"grad": " ".join(lines), "grad_grid": grid}
        return parts | {"notes": notes, "flags": self.flags_of(key), "hint": "\n".join(filter(None, told))}


def box_of(value, shown, named):
    """The parts of a box that show a value (None: not kept); of one that is not to be shown, its shape for a name."""
    if not shown and named:
        return {}
    if value is None or not shown:
        return {"lines": [words.NOT_KEPT if value is None else shape_of(value)]}
    lines, grid, notes = lines_grid_notes(value)
    return {"lines": lines, "grid": grid, "notes": notes, "hint": precise(value)}


def constant_lines(constants, saved):
    """Lines for what a function reads besides tensors: ``(name, value)`` pairs, without those that it *saved*."""
    return [f"{name}={short(value)}" for name, value in constants
            if name not in saved and (name not in NEUTRAL or value != 1)]  # fmt: skip


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
