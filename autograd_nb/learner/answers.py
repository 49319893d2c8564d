"""Answers as people write them, and sentences for a wrong number."""

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


def number_in(text):
    """A number as people write or print it; ValueError for anything else.

    >>> [number_in(text) for text in ("0.6", "6/5", "1,2", "8,191", "2 · 0.6", '"8"', "ln(1)")]
    [0.6, 1.2, 1.2, 8191, 1.2, 8, 0.0]
    >>> [number_in(text) for text in ("tensor([0.6000], grad_fn=<MulBackward0>)", "np.float64(8.0)")]
    [0.6, 8.0]
    """
    text = " ".join(plain(text).split()).strip("\"'`")
    text = re.sub(r"^(?:.*: )?[\w.]*(?:tensor|array|float\d+|int\d+)\(\[*([^=\]]*?)\]*(?:, \w+=.*)?\)$", r"\1", text)
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


def how_wrong(given, right):
    """The key of the sentence that says why a number is wrong: its sign, else a factor, else its size.

    >>> [how_wrong(given, 1.2) for given in (-1.2, -3.0, 2.4, 0.4, 1.19, 5.0, 0.7, math.nan)]
    ['sign', 'sign_too', 'multiple', 'part', 'nearly', 'too_large', 'too_small', 'other']
    >>> how_wrong(-7.1, -6.0), how_wrong(-1.1, -6.0)
    ('too_far_below', 'too_near_zero')
    """
    if not (math.isfinite(given) and math.isfinite(right)):
        return "other"
    if given * right < 0:
        return "sign" if math.isclose(given, -right, rel_tol=0.01) else "sign_too"
    if math.isclose(given, right, rel_tol=0.02):
        return "nearly"
    trivial = not given or not right or 1 in (abs(given), abs(right))  # every whole number is a multiple of 1
    for key, ratio in () if trivial else (("multiple", given / right), ("part", right / given)):
        if round(ratio) in (2, 3, 4) and math.isclose(ratio, round(ratio), rel_tol=1e-3):
            return key
    if given > right:
        return "too_large" if right >= 0 else "too_near_zero"
    return "too_small" if right > 0 else "too_far_below"
