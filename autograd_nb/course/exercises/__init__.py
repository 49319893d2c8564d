"""Exercises and predictions, a module a chapter: chNN.py has questions, solutions and typical mistakes, no words.

The words stand in ../../words, under the same names, so that an edition in another language changes no logic. A
teacher's modules, in a folder of their own, are modules of this package too (../own.py).
"""

from functools import cache
from pathlib import Path

from ... import words
from .prediction import Prediction
from .question import Question

__all__ = ["Prediction", "Question", "chapters"]


@cache
def chapters():
    """The names of the chapters that have exercises, in order.

    >>> chapters()[0]
    'ch00'
    """
    return tuple(sorted({path.stem for folder in __path__ for path in Path(folder).glob("ch[0-9][0-9].py")}))


def look_into(folder):
    """Find a teacher's own chapters in a folder, after ours."""
    __path__[1:] = [str(folder)]
    chapters.cache_clear()
    words.of.cache_clear()


if words.own:
    look_into(words.own)
