"""What to call numbers, snapshots, tensors and nodes, in a few characters; and texts of others made safe to show."""

import re
import unicodedata
from functools import lru_cache
from math import isfinite

import numpy as np

FEW = 6  # numbers up to which an array stands in a sentence
NAMELESS = "a tensor without a name"
LONGEST, LONGEST_NAME = 2000, 80  # characters of a message, and of a name


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


@lru_cache(maxsize=1024)  # one number stands in several sentences
def few(value):
    """A snapshot as text when it holds few numbers, else None."""
    if value is None or not value.is_whole or value.size > FEW:
        return None
    return nested(value.array)


def nested(array):
    return "[" + ", ".join(map(nested, array)) + "]" if array.ndim else number(array[()])


def short(value):
    """A snapshot in a few words: its numbers, or its shape and extent."""
    if value is None:
        return "None"
    if few(value) is not None:
        return few(value)
    shape = "×".join(map(str, value.shape))
    if not value.size:
        return f"no numbers ({shape})"
    if not value.is_readable:
        return f"{shape or 1} element{'s' * (value.size > 1)} of {value.dtype} that cannot be read"
    kept = value.array.astype(np.float64)
    low, high = (kept.min(), kept.max()) if value.is_whole else (value.low, value.high)
    return f"{shape} numbers{f', all {number(low)}' if low == high else f' from {number(low)} to {number(high)}'}"


def tensor_name(trace, key):
    """What to call a tensor: the learner's name, or the expression that made it."""
    return trace.titles.of(key) or NAMELESS


def node_name(trace, key):
    return trace.nodes[key].name if key in trace.nodes else "a node"


def plain_name(name):
    """The name of a row without what tells it from its kin."""
    for ending in ("_in_place", "_with_number", "_with_tensor", "_of_number", "_number", "_tensor", "_tensors", "_all",
                   "_dim", "_dims", "_first", "_row", "_base", "_scaled", "_whole", "_numbers", "_decimals",
                   "_rounded", "_src", "_value"):  # fmt: skip
        name = name.removesuffix(ending)
    return name.strip("_")


# -- texts of others ---------------------------------------------------------------------------------------------------

# code of a character that is not shown as it is -> what stands for it
_SHOWN = {code: 0x2400 + code for code in range(32)} | {10: "⏎", 127: "␡"} | dict.fromkeys(
    [*range(0x80, 0xA0), 0x2028, 0x2029, *range(0xD800, 0xE000), *range(0xFFFE, 0x110000, 0x10000),
     *range(0xFFFF, 0x110000, 0x10000)], "\ufffd") | dict.fromkeys(
    [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)], "")  # fmt: skip
_harmless = re.compile("[ -~\u00a0-\u058f\u0900-\u200d\u2010-\u2027\u202f-\u2065\u206a-\ud7ff]*").fullmatch  # most
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"


def clean(text, limit=None):
    """A text made safe to show: one line, no control characters; with `limit`, its middle becomes "…" if it is longer.

    >>> clean("a\\x1b[31m"), clean("weight_of_the_first_layer", limit=11)
    ('a␛[31m', 'weigh…layer')
    """
    text = str(text)
    if _harmless(text) and not (limit and len(text) > limit):
        return text
    shown = text.translate(_SHOWN)
    if limit and len(shown) > limit:
        tail = (limit - 1) // 2
        shown = f"{shown[: limit - 1 - tail]}…{shown[len(shown) - tail :]}"
    if any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in shown):
        return FIRST_STRONG_ISOLATE + shown + POP_ISOLATE
    return shown


def legible(text):
    """A text of several lines made safe to show."""
    return "\n".join(map(clean, text.split("\n")))


def written(value):
    """A value as Python writes it, shortened; "…" where its own ``__repr__`` fails."""
    try:
        return clean(repr(value), LONGEST_NAME)
    except Exception:
        return "…"


def message_of(error):
    """What an error says; its ``__str__`` is a learner's code, which may fail too."""
    try:
        text = str(error)
    except Exception:
        text = "<exception str() failed>"  # as Python's own traceback has it
    return legible(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")


def escape(text):
    """Text as it may stand in XML, between tags or in a quoted attribute; see also `clean`."""
    return text.translate(ENTITIES)
