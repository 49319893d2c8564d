"""Names and numbers, snapshots, tensors and nodes in a few characters; foreign texts made safe to show."""

import re
import unicodedata
from functools import lru_cache

import numpy as np

from .values import nested

FEW = 6  # numbers of an array in a sentence, at most
NAMELESS = "a tensor without a name"
LONGEST, LONGEST_NAME = 2000, 80  # characters of a message, and of a name, at most


def number(value, digits=4):
    """A number with so many significant digits and a typographic minus."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, int) and abs(value) < 10**6:
        return str(value).replace("-", "−")
    return re.sub(r"e\+?(-?)0?", r"e\1", f"{value:.{digits}g}").replace("-", "−")


@lru_cache(maxsize=1024)  # one number stands in several sentences
def few(value):
    """A snapshot as text when it holds few numbers, else None."""
    return nested(value.data, number) if value is not None and value.is_whole and value.size <= FEW else None


def short(value):
    """A snapshot in a few words: its numbers, or its shape and extent."""
    if value is None:
        return "None"
    if few(value):
        return few(value)
    shape = "×".join(map(str, value.shape))
    if not value.is_readable:
        return f"{shape or 1} element{'s' * (value.size != 1)} of {value.dtype} that cannot be read"
    if not value.size:
        return f"no numbers ({shape})"
    kept = value.array.astype(np.float64)
    low, high = (kept.min(), kept.max()) if value.is_whole else (value.low, value.high)
    return f"{shape} numbers{f', all {number(low)}' if low == high else f' from {number(low)} to {number(high)}'}"


def tensor_name(trace, key):
    """The learner's name for a tensor, or the expression that made it."""
    return trace.titles.of(key) or NAMELESS


def node_name(trace, key):
    return trace.nodes[key].name if key in trace.nodes else "a node"


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
