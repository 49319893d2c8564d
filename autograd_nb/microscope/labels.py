"""Numbers, snapshots, names of tensors and nodes in a few characters; foreign texts made safe to show."""

import math
import re
import unicodedata
from functools import lru_cache, partial

import numpy as np

from ..words import of
from .events import Value, statistics

SAY = of("microscope")["values"]
ROWS, COLUMNS, CELLS = 5, 5, 16  # a larger array is not shown whole
IN_LINE = 4  # numbers that still fit into a line
BARS = " ▁▂▃▄▅▆▇█"
FEW = 6  # numbers of an array in a sentence, at most
NAMELESS = SAY["nameless"]
LONGEST, LONGEST_NAME = 2000, 80  # characters of a message, and of a name, at most


def number(value, digits=4):
    """A number with so many significant digits and a typographic minus."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, int) and abs(value) < 10**6:
        return str(value).replace("-", "−")
    return re.sub(r"e\+?(-?)0?", r"e\1", f"{value:.{digits}g}").replace("-", "−")


@lru_cache(maxsize=1024)  # one snapshot stands in several sentences and pictures
def elements(value, write, most):
    """The elements of a snapshot as text, in which a function writes each; None if it has more, or lacks some."""
    return nested(value.data, write) if value.grid is None and value.size <= most else None


def few(value):
    """A snapshot as text when it holds few numbers, else None."""
    return value and elements(value, number, FEW)


def short(value):
    """A snapshot in a few words: its numbers, or its shape and extent."""
    if value is None:
        return "None"
    if told := few(value):
        return told
    shape = "×".join(map(str, value.shape))
    if not value.is_readable:
        return SAY("unread_elements", count=value.size, shape=shape or 1, dtype=value.dtype)
    kept = value.array.astype(np.float64)
    low, high = (kept.min(), kept.max()) if value.is_whole else (value.low, value.high)
    return SAY("equal_numbers" if low == high else "numbers", shape=shape, low=number(low), high=number(high))


# -- as pictures have them: floats with their point --------------------------------------------------------------------


def printed(number, digits=4):
    """A number to four significant digits, floats with their point: "5.", "0.008", "3"."""
    if not isinstance(number, float) or not math.isfinite(number):
        return str(number)
    if number.is_integer() and abs(number) < 1e6:
        return f"{number:.0f}."
    text = f"{number:.{digits}g}"
    return text if "." in text or "e" in text else text + "."


# how numbers are shown on pointing; further digits depend on the processor
PRECISELY = {"float64": partial(printed, digits=12), "float32": partial(printed, digits=6)}


def in_line(value):
    """A value in a few characters, for an edge or an argument: "0.6", "[4., 7., 9.]" or "(64, 20)"."""
    if value is None:
        return SAY["none"]
    is_flat = len(value.shape) <= 2 and 0 not in value.shape
    return is_flat and elements(value, printed, IN_LINE) or shape_of(value)


def nested(data, write=printed):
    return f"[{', '.join([nested(each, write) for each in data])}]" if isinstance(data, list) else write(data)


def shape_of(value):
    return "(" + ", ".join(map(str, value.shape)) + ("," if len(value.shape) == 1 else "") + ")"


def statistics_lines(value):
    """The range of many elements and, if a snapshot does not keep them all, how they are spread; as lines."""
    whole = value.is_whole
    if whole:
        with np.errstate(all="ignore"):
            value = Value((), "", b"", None, *statistics(value.array))
    lines = [f"{SAY['low']} {printed(value.low)} {SAY['mean']} {printed(value.mean)} "
             f"{SAY['high']} {printed(value.high)}"]
    if not whole:
        most = max(value.histogram, default=0)
        bars = "".join(BARS[-(-each * (len(BARS) - 1) // most)] for each in value.histogram)
        zeros = SAY["zeros"].format(round(100 * value.zeros)) if value.zeros else ""
        lines.append(" ".join(part for part in (f"{SAY['norm']} {printed(value.norm)}", zeros, bars) if part))
    return lines + [f"{name} × {count}" for name, count in (("NaN", value.nans), ("inf", value.infs)) if count]


def precise(value):
    """The text that pointing at a value shows."""
    if exact := elements(value, PRECISELY.get(value.dtype, printed), ROWS * COLUMNS):
        return exact
    told = ", ".join(statistics_lines(value)) if value.is_readable else SAY["unread"]
    return f"{shape_of(value)} {value.dtype}: {told}"


# -- names -------------------------------------------------------------------------------------------------------------


def tensor_name(trace, key):
    """The learner's name for a tensor, or the expression that made it."""
    return trace.titles[key] or NAMELESS


def node_name(trace, key):
    return trace.nodes[key].name if key in trace.nodes else SAY["node"]


@lru_cache
def plain_name(name):
    """The name of a row without its overload's, "sum" of "sum.dim_IntList"; ".data" stays."""
    return re.sub(r"(?<=\w)\..*", "", name).strip("_")


# -- texts of others ---------------------------------------------------------------------------------------------------

CONTROLS = {code: 0x2400 + code for code in range(32)} | {10: "⏎", 127: "␡"}  # shown by signs that stand for them
UNSHOWABLE = re.compile("[\x80-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # these turn the direction of a text
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
LEFTWARD = {"R", "AL", "AN"}
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"


@lru_cache(maxsize=1024)  # the same names and lines come again and again
def clean(text, limit=None):
    """A text made safe to show: one line, no control characters; with `limit`, its middle becomes "…" if it is longer.

    >>> clean("a\\x1b[31m"), clean("weight_of_the_first_layer", limit=11)
    ('a␛[31m', 'weigh…layer')
    """
    shown = str(text)
    if not (shown.isascii() and shown.isprintable()):
        shown = TURNING.sub("", UNSHOWABLE.sub("\ufffd", shown.translate(CONTROLS)))
    if limit and len(shown) > limit:
        tail = (limit - 1) // 2
        shown = f"{shown[: limit - 1 - tail]}…{shown[len(shown) - tail :]}"
    if shown.isascii() or not LEFTWARD.intersection(map(unicodedata.bidirectional, shown)):
        return shown
    return FIRST_STRONG_ISOLATE + shown + POP_ISOLATE


def legible(text):
    """A text of several lines made safe to show."""
    return "\n".join(map(clean, text.split("\n")))


def short_repr(value):
    """A value as Python writes it, shortened; "…" where its own ``__repr__`` fails."""
    try:
        return clean(repr(value), LONGEST_NAME)
    except Exception:
        return "…"


def message_of(error):
    """The message of an error, whose ``__str__`` may be a learner's code, and fail too."""
    try:
        text = str(error)
    except Exception:
        text = "<exception str() failed>"  # as Python's own traceback has it
    return legible(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")


def escape(text):
    """Text as it may stand in XML, between tags or in a quoted attribute; see also `clean`."""
    return text.translate(ENTITIES)
