"""Predictions: the card of a question, and what was answered kept in the learner's progress."""

import hashlib
from functools import partial

from .. import widgets
from . import progress_file


def predict(question, choices, *, answer, tolerance=1e-4, name=None):
    """Ask for a prediction before a cell runs: right is told why, wrong what that answer would have meant.

    choices: a dict from each answer to its reason. A text is chosen; a number (right within `tolerance`) or a shape
    such as (2, 3) is written, and other keys are mistakes that are recognised. name: what the answer is kept under in
    the progress; by default a name made of the question.

    >>> import autograd_nb
    >>> autograd_nb.predict("Is 5. a leaf?", {"yes": "Nothing made it.", "no": "A result is none."}, answer="yes")
    Predict: Is 5. a leaf?
      - yes
      - no
    Answer (find your own first): yes: Nothing made it.
    no: A result is none.
    """
    name = name or f"predict.{hashlib.sha256(question.encode()).hexdigest()[:12]}"
    return widgets.predict(question, choices, answer=answer, tolerance=tolerance, **kept_as(name))


def kept_as(name):
    """How a card keeps an answer under a name, and what was kept there."""
    return {"keep": partial(progress_file.predicted, name), "earlier": progress_file.read()["predictions"].get(name)}
