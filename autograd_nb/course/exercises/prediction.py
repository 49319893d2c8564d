"""A prediction in a chapter: as the last line of a cell it shows a card with a question about the cells that follow.

Making a prediction is what counts: the learner's progress notes that it was made, right or wrong. tests/data/shown
has what the cells after a card show of the right answer, and would show of the others.
"""

from hashlib import sha256

from .. import progress_file
from .item import Item


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

    answer: a number or a shape (a tuple of sizes), which the learner writes, or the key of one of the texts to choose
    from (in words). wrong: recognised mistakes in a number or a shape, by the key of the sentence that says why.
    tolerance: of a number, relative and absolute. TypeError for another answer.

    >>> from autograd_nb import course
    >>> course.ch04.p1.answer, course.ch04.p2.answer
    (1.8, 'zeros')
    """

    def __init__(self, answer, *, wrong=None, tolerance=1e-4):
        if not isinstance(answer, int | float | tuple if wrong else str):
            raise TypeError(f"Prediction(): expected a number or shape with wrong=, or a choice's key; got {answer!r}")
        super().__init__()
        self.answer = float(answer) if isinstance(answer, int) else answer
        self.wrong = wrong
        self.tolerance = tolerance

    @property
    def choices(self):
        """{key: (text, reason)} of the texts to choose from; None for a number or a shape."""
        return None if self.wrong else self.words["choices"]

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


def _shown(value):
    """An answer as a learner would write it: 120 and not 120.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
