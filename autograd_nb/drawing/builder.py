"""What a picture of a living graph and one of a trace have in common: a scene, and how its boxes are described."""

from . import words
from .scene import Scene
from .values import lines_grid_notes, precise, shape_of, short

FEW = 14  # calls up to which every value gets a box, and functions show what they saved
MANY = 200  # values up to which this is so
NEUTRAL = ("alpha", "beta")  # factors that are not worth showing while they are 1


class Builder:
    """A scene in the making: subclasses know each value's ``name`` and ``title``, ``value_of``, ``grad_and_note`` and
    ``flags_of``, and each call's ``saved_lines``; they are asked only for boxes that will be seen.
    """

    now = ()  # keys of what happens at the moment

    def rule(self, key):
        """How a call turned gradients of its outputs into those of its inputs, with the numbers put in."""
        return ""

    def __init__(self, values):
        self.with_values = values  # whether boxes show them
        self.scene = Scene()
        self.keys = {}  # (node, output number) -> key of that value
        self.troubles, self.notes, self.freed = {}, {}, set()

    def finish(self):
        """Of a large graph only values with a name get a box."""
        self.scene.names = {key: self.name(key) for key, kind in self.scene.values.items() if kind == "leaf"}
        self.is_small = len(self.scene.calls) <= FEW and len(self.scene.values) <= MANY
        if not self.is_small:
            values = self.scene.values.items()
            self.scene.hidden = {key for key, kind in values if kind == "tensor" and not self.name(key)}

    def describe(self, key):
        if key in self.scene.calls:
            told = {"lines": list(self.saved_lines(key)), "hint": self.rule(key)} if self.is_small else {}
            return told | {"freed": key in self.freed, "error": self.troubles.get(key, ""), "current": key in self.now}
        if key not in self.scene.values:
            return {"current": key in self.now}  # where a leaf's gradient is added up
        parts = {"title": self.title(key), "kind": self.scene.values[key], "error": self.troubles.get(key, "")}
        parts |= box_of(self.value_of(key), self.with_values, parts["title"])
        grad, note = self.grad_and_note(key)
        notes = [*parts.get("notes", []), *self.notes.get(key, []), *([note] if note and grad is None else [])]
        if grad is not None:
            lines, grid, _ = lines_grid_notes(grad)
            hint = f"{parts.get('hint', '')}\n{words.GRAD} {precise(grad)}".lstrip()
            parts |= {"grad": " ".join(lines), "grad_grid": grid, "hint": hint}
        return parts | {"notes": notes, "flags": self.flags_of(key)}


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
