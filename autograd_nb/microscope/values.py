"""Short texts for numbers and snapshots: four significant digits, small arrays whole, larger ones summed up."""

import math
from functools import partial

import numpy as np

from ..words import of
from .events import Value, statistics

SAY = of("microscope")["values"]
ROWS, COLUMNS, CELLS = 5, 5, 16  # a larger array is not shown whole
IN_LINE = 4  # numbers that still fit into a line
DIGITS = {"float64": 12, "float32": 6}  # shown on pointing; further ones depend on the processor
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
        return SAY["none"]
    if value.is_whole and 0 < value.size <= IN_LINE and len(value.shape) <= 2:
        return nested(value.data)
    return shape_of(value)


def nested(data, write=short):
    return f"[{', '.join([nested(each, write) for each in data])}]" if isinstance(data, list) else write(data)


def shape_of(value):
    return "(" + ", ".join(map(str, value.shape)) + ("," if len(value.shape) == 1 else "") + ")"


def statistics_lines(value):
    """The range of many elements and, if a snapshot does not keep them all, how they are spread; as lines."""
    whole = value.is_whole
    if whole:
        with np.errstate(all="ignore"):
            value = Value((), "", b"", None, *statistics(value.array))
    lines = [f"{SAY['low']} {short(value.low)} {SAY['mean']} {short(value.mean)} {SAY['high']} {short(value.high)}"]
    if not whole:
        most = max(value.histogram, default=0)
        bars = "".join(BARS[-(-each * (len(BARS) - 1) // most)] for each in value.histogram)
        zeros = SAY["zeros"].format(round(100 * value.zeros)) if value.zeros else ""
        lines.append(" ".join(part for part in (f"{SAY['norm']} {short(value.norm)}", zeros, bars) if part))
    return lines + [f"{name} × {count}" for name, count in (("NaN", value.nans), ("inf", value.infs)) if count]


def precise(value):
    """The text that pointing at a value shows."""
    if value.is_whole and value.size <= ROWS * COLUMNS:
        return nested(value.data, partial(short, digits=DIGITS.get(value.dtype, 4)))
    told = ", ".join(statistics_lines(value)) if value.is_readable else SAY["unread"]
    return f"{shape_of(value)} {value.dtype}: {told}"
