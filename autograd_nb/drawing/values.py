"""Numbers and snapshots in short: four significant digits, small arrays whole as grids, larger ones summed up."""

import math

import numpy as np

from ..replay.events import thumbnail
from . import words
from .shapes import Grid

ROWS, COLUMNS, CELLS = 5, 5, 16  # up to which an array is shown whole
IN_LINE = 4  # numbers that still fit into a line


def short(number):
    """A number to four significant digits, floats with their point: "5.", "0.008", "3"."""
    if not isinstance(number, float) or not math.isfinite(number):
        return str(number)
    if number.is_integer() and abs(number) < 1e6:
        return f"{number:.0f}."
    text = f"{number:.4g}"
    return text if "." in text or "e" in text else text + "."


def in_line(value):
    """A value in a few characters, for an edge or an argument: "0.6", "[4., 7., 9.]" or "(64, 20)"."""
    if value is None:
        return words.NONE
    if value.is_whole and value.shape == ():
        return short(value.data)
    if value.is_whole and 0 < math.prod(value.shape) <= IN_LINE and len(value.shape) <= 2:
        return nested(value.data)
    return shape_of(value)


def nested(data):
    return "[" + ", ".join(map(nested, data)) + "]" if isinstance(data, list) else short(data)


def shape_of(value):
    return "(" + ", ".join(map(str, value.shape)) + ("," if len(value.shape) == 1 else "") + ")"


def lines_grid_notes(value):
    """How a box shows a value: large lines, a grid or None, small lines below it."""
    kind = "" if value.dtype == "float32" else f" {value.dtype}"
    if value.is_whole and value.shape == ():
        return [short(value.data) + kind], None, []
    if not math.prod(value.shape):
        return [f"{shape_of(value)}{kind}", words.NO_ELEMENT], None, []
    rows = value.array.reshape(-1, value.shape[-1]).tolist() if value.is_whole else value.sample
    small = len(rows) <= ROWS and len(rows[0]) <= COLUMNS and len(rows) * len(rows[0]) <= CELLS
    if value.is_whole and len(value.shape) <= 2 and small:
        return [shape_of(value) + kind], Grid(_floats(rows), tuple(tuple(map(short, row)) for row in rows)), []
    sample, low, mean, high = _summed_up(rows) if value.is_whole else (value.sample, value.low, value.mean, value.high)
    numbers = (f"{name} {short(number)}" for name, number in
               ((words.LOW, low), (words.MEAN, mean), (words.HIGH, high)))  # fmt: skip
    return [shape_of(value) + kind], Grid(_floats(sample)), [" ".join(numbers)]


def _summed_up(rows):
    rows = np.array(rows, dtype=float)
    with np.errstate(all="ignore"):
        return thumbnail(rows).tolist(), *(float(measure(rows)) for measure in (np.min, np.mean, np.max))


def _floats(rows):
    return tuple(tuple(map(float, row)) for row in rows)


def exact(value):
    if value.is_whole:
        return str(value.data)
    numbers = f"{words.LOW} {value.low!r}, {words.MEAN} {value.mean!r}, {words.HIGH} {value.high!r}"
    return f"{shape_of(value)} {value.dtype}: {numbers}"
