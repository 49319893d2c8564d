"""A prediction in a chapter: as the last line of a cell it shows a card with a question about the cells that follow.

Wherever possible the engine computes the right answer, so that a card and its chapter always agree. Making a prediction
is what counts: the learner's progress notes that it was made, right or wrong.
"""

from functools import cached_property
from hashlib import sha256

import autograd_nb as torch

from .. import progress_file
from .item import Item
from .question import same
from .running import Unfinished, run


def predict(question, choices, *, answer, tolerance=1e-4, name=None):
    """Ask for a prediction before a cell runs; the card explains a right answer, and what a wrong one would mean.

    choices: a dict from each answer to its reason. The learner chooses a text, but writes a number (right within
    `tolerance`) or a shape such as (2, 3); then other keys are recognised mistakes. name: the answer's name in the
    progress; by default made from the question.

    >>> import autograd_nb
    >>> autograd_nb.predict("Is 5. a leaf?", {"yes": "Nothing made it.", "no": "A result is none."}, answer="yes")
    Predict: Is 5. a leaf?
      - yes
      - no
    Answer (find your own first): yes: Nothing made it.
    no: A result is none.
    """
    from ... import widgets  # widgets load with the first card, not with the chapter

    name = name or f"predict.{sha256(question.encode()).hexdigest()[:12]}"
    return widgets.predict(question, choices, answer=answer, tolerance=tolerance, **progress_file.kept_prediction(name))


class Prediction(Item):
    """A question with a card, named after its module and its name there (`ch04.p1`).

    answer: a number or a shape (a tuple of sizes), which the learner writes; with `choices`, the value that picks the
    right one. Or a function without arguments that finds it; if it raises, the answer is the error's type. wrong: for a
    number or a shape: recognised mistakes, by the key of the sentence that says why (in words). choices: instead of
    wrong: the keys of the texts to choose from, and the answer is one of them. Or a dict from key to value: the right
    key is the one whose value equals the answer. tolerance: of a number, relative and absolute.

    >>> from autograd_nb import course
    >>> course.ch04.p1.answer, course.ch04.p2.answer
    (1.8, 'zeros')
    """

    def __init__(self, answer, *, wrong=None, choices=None, tolerance=1e-4):
        if (wrong is None) == (choices is None):
            raise TypeError("Prediction(): expected either wrong= (for a number or a shape) or choices=")
        super().__init__()
        self._answer = answer
        self.wrong = wrong
        self.choices = choices
        self.tolerance = tolerance

    @cached_property
    def answer(self):
        """The right answer: a number (six digits of it), a shape, or the key of a choice; ValueError when none is."""
        found = _found(self._answer)
        if self.choices is None:
            return tuple(found) if isinstance(found, tuple) else float(f"{float(found):.6g}")
        if not isinstance(self.choices, dict):
            right = [key for key in self.choices if key == found]
        else:
            right = [key for key, value in self.choices.items() if _is(found, value)]
        if len(right) != 1:
            raise ValueError(f"{self.name}: {found!r} is the answer of {len(right)} choices, expected 1")
        return right[0]

    def card(self, turn=""):
        """A new card, as `autograd_nb.predict` makes them; its choices stand in an order that every `turn` shuffles."""
        said = self.words
        if self.choices is None:
            reasons = {_shown(self.answer): said["right"]}
            reasons |= {_shown(value): said["wrong"][key] for key, value in self.wrong.items()}
            answer = _shown(self.answer)
        else:
            shuffled = sorted(self.choices, key=lambda key: sha256(f"{turn}{self.name}.{key}".encode()).digest())
            reasons = dict(said["choices"][key] for key in shuffled)
            answer = said["choices"][self.answer][0]
        return predict(said["question"], reasons, answer=answer, tolerance=self.tolerance, name=self.name)

    def save(self, path, overwrite=False):
        """Write a card, ``"card.mjs"``, as a module for other people's pages, such as MyST's ``{anywidget}``.

        FileExistsError if the file exists and save() did not write it, unless *overwrite* is true.
        """
        self.card().save(path, overwrite)

    def __repr__(self):
        return f"{self.name}: {self.words['question']}"

    def _repr_mimebundle_(self, **options):
        return self.card()._repr_mimebundle_(**options)


def _found(answer):
    """An answer, or the result of a function that computes it."""
    if callable(answer) and not isinstance(answer, type):
        try:
            answer = run(answer, (), silent=True)
        except Unfinished as stopped:
            answer = type(stopped.error)
    return answer.tolist() if isinstance(answer, torch.Tensor) else answer


def _is(found, value):
    if isinstance(found, type) or isinstance(value, type):
        return found is value
    return same(found, value)


def _shown(value):
    """An answer as a learner would write it: 120 and not 120.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
