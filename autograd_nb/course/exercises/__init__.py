"""Exercises and predictions, a module a chapter: chNN.py holds what is asked, solved and typically got wrong, no words.

The words stand in ../../words, under the same names, so that an edition in another language changes no logic.
"""

from functools import cache
from pathlib import Path

from .prediction import Prediction
from .question import Question

__all__ = ["Prediction", "Question", "chapters"]


@cache
def chapters():
    """The names of the chapters that have exercises, in order.

    >>> chapters()[0]
    'ch00'
    """
    return tuple(sorted(path.stem for path in Path(__file__).parent.glob("ch[0-9][0-9].py")))
