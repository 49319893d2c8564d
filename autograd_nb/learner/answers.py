"""Answers as people write them: numbers and shapes; and what is said of a number that is wrong, or none."""

import ast
import math
import re
from numbers import Real
from types import SimpleNamespace

from .programs import parsed, plain

# the functions and constants of a calculation; abs is Python's own
FUNCTIONS = {name: getattr(math, name, abs) for name in (
    "abs acos asin atan ceil cos cosh exp expm1 floor log log10 log1p log2 pow sin sinh sqrt tan tanh trunc pi e inf "
    "nan"
).split()}  # fmt: skip

TIMES = {"once": "1", "twice": "2", "thrice": "3"}
# What people write around a number: "z = 3", "input 2", "about 8", "8 times", "30%".
WORDS = "about|roughly|input|output|element|row|column|line|layer"
BEFORE = re.compile(rf"^(?:[^=<>!]*[^\W\d_][^=<>!]*=|(?:{WORDS})\b|[~≈=])\s*")
AFTER = re.compile(r"(?<=\d)\s*(?:times?|(%))$", re.IGNORECASE)
LETTERS = re.compile(r"^(?!.*[a-z]{2})(?=.*[a-z])(?=.*[\d+*/-])[\w\s.+*/()-]+$", re.IGNORECASE)  # a formula's


def number_in(text):
    """A number as people write or print it; ValueError for anything else.

    >>> [number_in(text) for text in ("0.6", "6/5", "1,2", "8,191", "2 · 0.6", '"8"', "ln(1)")]
    [0.6, 1.2, 1.2, 8191, 1.2, 8, 0.0]
    >>> [number_in(text) for text in ("tensor([0.6000], grad_fn=<MulBackward0>)", "np.float64(8.0)")]
    [0.6, 8.0]
    >>> [number_in(text) for text in ("dz/dx = 3", "input 2", "8 times", "once", "30%")]
    [3, 2, 8, 1, 0.3]
    """
    text = " ".join(plain(text).split()).strip("\"'`")
    text = re.sub(r"^(?:.*: )?[\w.]*(?:tensor|array|float\d+|int\d+)\(\[*([^=\]]*?)\]*(?:, \w+=.*)?\)$", r"\1", text)
    text = BEFORE.sub("", TIMES.get(text.lower(), text))
    text = AFTER.sub(lambda unit: "/100" if unit[1] else "", text)
    text = re.sub(r"\bln\b", "log", text)
    text = re.sub(r"(?<![\d.,])([1-9]\d{0,2}),(\d{3})(?![\d.,])", r"\1\2", text)  # 8,191; but 0,125 is a fraction
    text = re.sub(r"(?<![\d.,])(\d+),(\d+)(?![\d.,])", r"\1.\2", text)
    try:
        value = eval(ast.unparse(parsed(text, ())), {"__builtins__": {}, "torch": SimpleNamespace(**FUNCTIONS)})
        float(value)  # fails for a whole number that is too large
    except (ArithmeticError, AttributeError, TypeError) as error:
        raise ValueError(str(error)) from None
    if not isinstance(value, Real) or isinstance(value, bool):
        raise ValueError(f"{text} is no number")
    return value


def shape_in(text):
    """A shape as learners write it: "(2, 3)", "[2, 3]", "2, 3", "2 3", "2 x 3", "torch.Size([2, 3])", "()"."""
    inside = re.sub(r"^\s*(torch\.)?Size|[()\[\]]", " ", text.replace("×", "x")).strip().rstrip(",").strip()
    if not inside:
        return ()
    return tuple(int(size.encode("ascii")) for size in re.split(r"\s*[,x]\s*|\s+", inside))


def how_wrong(given, right):
    """The key of what can be said of a wrong number: its sign is wrong, or it is rounded too much; else "other".

    >>> [how_wrong(given, 1.2) for given in (-1.2, 1.19, 2.4, math.nan)], how_wrong(8190, 8191)
    (['sign', 'nearly', 'other', 'other'], 'other')
    """
    if given and math.isclose(given, -right, rel_tol=0.01):
        return "sign"
    return "nearly" if right % 1 and math.isclose(given, right, rel_tol=0.02) else "other"


def no_number(text):
    """The key of the sentence on a text that is no number: None, a formula with letters in it, or anything else.

    >>> [no_number(text) for text in ("None", "2*q*x", "many")]
    ['none', 'letters', 'no_number']
    """
    if text.strip().lower() == "none":
        return "none"
    return "letters" if LETTERS.match(plain(text)) else "no_number"
