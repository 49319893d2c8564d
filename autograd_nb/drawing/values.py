"""Numbers and snapshots in short: four significant digits, small arrays whole as grids, larger ones summed up."""

import math

import numpy as np

from ..replay.events import statistics, thumbnail
from . import words
from .shapes import Grid

ROWS, COLUMNS, CELLS = 5, 5, 16  # up to which an array is shown whole
IN_LINE = 4  # numbers that still fit into a line
DIGITS = {"float64": 12, "float32": 6}  # of numbers pointed at; the last ones depend on the processor
BARS = " ▁▂▃▄▅▆▇█"


def short(number, digits=4):
    """A number to four significant digits, floats with their point: "5.", "0.008", "3"."""
    if not isinstance(number, float) or not math.isfinite(number):
        return str(number)
    if number.is_integer() and abs(number) < 1e6:
        return f"{number:.0f}."
    text = f"{number:.{digits}g}"
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


def nested(data, digits=4):
    return f"[{', '.join([nested(each, digits) for each in data])}]" if isinstance(data, list) else short(data, digits)


def shape_of(value):
    return "(" + ", ".join(map(str, value.shape)) + ("," if len(value.shape) == 1 else "") + ")"


def lines_grid_notes(value):
    """How a box shows a value: large lines, a grid or None, small lines below it."""
    kind = "" if value.dtype == "float32" else f" {value.dtype}"
    if value.is_whole and value.shape == ():
        return [short(value.data) + kind], None, []
    if not math.prod(value.shape):
        return [f"{shape_of(value)}{kind}", words.NO_ELEMENT], None, []
    if not value.is_readable:
        return [f"{shape_of(value)}{kind}"], None, [words.UNREAD]
    array = value.array.reshape(-1, value.array.shape[-1])
    rows = array.tolist()
    small = len(rows) <= ROWS and len(rows[0]) <= COLUMNS and len(rows) * len(rows[0]) <= CELLS
    if value.is_whole and len(value.shape) <= 2 and small:
        return [shape_of(value) + kind], Grid(_floats(rows), tuple(tuple(map(short, row)) for row in rows)), []
    return [shape_of(value) + kind], Grid(_floats(thumbnail(array).tolist())), statistics_lines(value)


def statistics_lines(value):
    """What there is to say of many elements: their extent, and of more than are kept also how they are spread."""
    with np.errstate(all="ignore"):
        low, high, mean, *_ = statistics(value.array) if value.is_whole else (value.low, value.high, value.mean)
    lines = [f"{words.LOW} {short(low)} {words.MEAN} {short(mean)} {words.HIGH} {short(high)}"]
    if not value.is_whole:
        most = max(value.histogram, default=0)
        bars = "".join(BARS[-(-each * (len(BARS) - 1) // most)] for each in value.histogram)
        zeros = words.ZEROS.format(round(100 * value.zeros)) if value.zeros else ""
        lines.append(" ".join(part for part in (f"{words.NORM} {short(value.norm)}", zeros, bars) if part))
    return lines + [f"{name} × {count}" for name, count in (("NaN", value.nans), ("inf", value.infs)) if count]


def _floats(rows):
    return tuple(tuple(float(abs(each) if isinstance(each, complex) else each) for each in row) for row in rows)


def precise(value):
    """What pointing at a value shows."""
    if value.is_whole and value.size <= ROWS * COLUMNS:
        return nested(value.data, DIGITS.get(value.dtype, 4))
    told = ", ".join(statistics_lines(value)) if value.is_readable else words.UNREAD
    return f"{shape_of(value)} {value.dtype}: {told}"
