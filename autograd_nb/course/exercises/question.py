"""One exercise: check(), hint() and solution(), and the three outcomes right, wrong with a reason, not attempted.

A check judges an answer by its results, as the kind of its solution says (kinds.py, functions.py). A new wrong answer
is one more value or function and one more sentence. Where a task asks for a method, the check also looks at how the
answer worked.
"""

import inspect
import os
import textwrap
from functools import cached_property

from ... import words
from .. import kernel, library, progress_file
from ..kernel import Card
from .doing import as_shipped, is_stub
from .functions import CodeAnswer, FunctionAnswer, edited, without_return
from .item import Item
from .kinds import Kind, Unexplained, kind_of, numbers_in, taken_as
from .running import Unfinished, clean, guarded, short

MOST_NUMBERS = 100_000  # that a check looks at in an answer


class Verdict(Card):
    """The answer of check(): `kind` is "right", "wrong" or "unattempted", `reason` the key of a recognised mistake."""

    def __init__(self, kind, paragraphs=(), reason=None):
        super().__init__(kind, words.say(kind), paragraphs)
        self.reason, self.of = reason, None  # of: the exercise and the answer
        self.given = reason or ""  # the answer in a few letters; for a function, the recognised mistake
        self.counts = kind != "unattempted"  # whether the progress notes it
        self.unexplained = False  # whether a hint follows, for the mistake is not known

    def _repr_mimebundle_(self, **options):
        if self.of is None or not kernel.in_kernel():
            return super()._repr_mimebundle_()
        return self.buttons()._repr_mimebundle_(**options)

    def buttons(self):
        """The widget with this verdict and buttons for the next steps."""
        from ...widgets.predict import Exercise  # widgets load when the first is shown

        return Exercise(self, *self.of)

    def __bool__(self):
        return self.kind == "right"


class Question(Item):
    """An exercise, named after its module and its name there (`ch04.q2`).

    solution: the right answer, a value or a function; a function's source is what solution() shows.
    wrong: typical wrong answers of the same kind, by the key of the sentence that says why (words, under `wrong`). For
        a function also edits of the solution, "- y → + y", or several in a tuple (functions.edited).
    samples: for a function: takes a numpy Generator, gives a list of tuples of arguments, or one tuple, of which a
        check makes three. None for a value.
    calls: how an answer runs on a sample, of (answer, *arguments); by default answer(*arguments). For a class that
        derives from Function: `calls=lambda power, x: power.apply(x)`.
    looks_at: takes (the returned value, *arguments), gives the value that counts; by default the returned value. A dict
        has further values beside the returned one ("") under their names in code ("x.grad").
    way: for a task that asks for a method: takes (what the answer did, the answer, *arguments), gives the key of a
        reason if it took another one, else None. Runs only for answers that are right otherwise. By default a backward
        pass has to run if "formula" is a wrong answer, and none may run if "autograd" is one.
    rule: instead of samples: takes the answer, returns None if it is right, else the key of a reason, or a pair of it
        and the facts that its sentence needs; for questions with many right answers.
    ships: the function in the notebook, or edits of the solution, if it is more than `...`: unchanged, it counts as not
        attempted.
    deeds: names in code, by the key of a sentence that blames a deed in other words: an answer's code must have one of
        them. names: for a list of truths: the names of what they are about, which are an answer too.
    """

    def __init__(self, solution, *, wrong, samples=None, calls=None, looks_at=None, way=None, rule=None, ships=None,
                 **options):  # fmt: skip
        super().__init__()
        self.right = solution
        self.samples = samples
        self.calls = calls
        self.looks_at = looks_at
        self.way = way or self._by_autograd
        self.rule = rule
        self._wrong, self._ships = wrong, ships
        self.options = options
        self._hints_given = 0

    @cached_property
    def kind(self):
        if callable(self.right):
            return CodeAnswer(self) if inspect.isclass(self.right) else FunctionAnswer(self)
        return Kind(self.right) if self.rule else kind_of(self.right, self.wrong, **self.options)

    @cached_property
    def wrong(self):
        """{key: wrong answer}"""
        return {key: self._made(each) for key, each in self._wrong.items()}

    @cached_property
    def ships(self):
        return self._made(self._ships)

    def _by_autograd(self, did, *_):
        key = "autograd" if did.passes else "formula"
        return key if key in self._wrong else None

    def _made(self, answer):
        """An answer, made of the solution if edits stand for it."""
        edits = (answer,) if isinstance(answer, str) else answer
        return edited(self.right, *edits) if callable(self.right) and isinstance(edits, tuple) else answer

    # Methods that a learner calls

    def check(self, answer=...):
        """Judge an answer: a value, or a function by its name. Returns a Verdict, which a cell shows.

        >>> from autograd_nb import course
        >>> course.ch04.q1.check(...).kind
        'unattempted'
        """
        outcome = self.judge(answer)
        if outcome.counts:
            given = {"given": outcome.given} if outcome.kind == "wrong" and outcome.given else {}
            problem = progress_file.answered(self.name, outcome.kind, **given)
            outcome.paragraphs += [problem] if problem else []
        if outcome.unexplained:
            hint = self.hint()
            outcome.paragraphs.append(f"{hint.heading}: {hint.paragraphs[0]}")
        outcome.of = self, answer
        return outcome

    def hint(self, number=None):
        """The next hint, or hint `number` (from 1). ValueError if there is no such hint."""
        hints = self.words["hints"]
        if number is None:
            number = min(self._hints_given + 1, len(hints))
            self._hints_given = number
        if number not in range(1, len(hints) + 1):
            raise ValueError(f"hint(): got {number!r}, expected a number from 1 to {len(hints)}")
        after = words.say("more_hints" if number < len(hints) else "last_hint", name=self.name)
        return Card("hint", words.say("hint", number=number, of=len(hints)), [hints[number - 1].strip(), after])

    def solution(self):
        """The solution, and why it is right; AUTOGRAD_NB_SOLUTIONS=off hides it in a class."""
        if os.environ.get("AUTOGRAD_NB_SOLUTIONS") == "off":
            return Card("hint", words.say("solution"), [words.say("solutions_off", name=self.name)])
        shown = textwrap.dedent(inspect.getsource(self.right)) if callable(self.right) else f"{short(self.right)}\n"
        return Card("solution", words.say("solution"), [shown, self.words["why"].strip()])

    def cell(self):
        """The original cell of this exercise; the hints begin again. None if there is no notebook."""
        self._hints_given = 0
        return next(iter(library.cells_with(f"course.{self.name}.check(")), None)

    def __repr__(self):
        how = words.say("how", name=self.name)
        return f"{self.name}: {self.words['title']}. {how}"

    # Judging an answer

    def judge(self, answer):
        """The Verdict on any answer; the progress stays as it is."""
        try:
            return guarded(self._judged, answer)
        except Unfinished as stopped:
            outcome = Verdict("wrong", [stopped.reason])
            outcome.counts = not stopped.cut_short
            return outcome

    def _judged(self, answer):
        """The Verdict on an answer, with the answer in a few letters."""
        if (count := numbers_in(answer)) > MOST_NUMBERS:
            return self._told([words.say("too_large", count=f"{count:,}", most=f"{MOST_NUMBERS:,}")])
        outcome = self._judge(answer)
        outcome.given = outcome.given if callable(answer) else clean(short(answer))
        return outcome

    def _judge(self, answer):
        if answer is ... or is_stub(answer) or (self.ships and as_shipped(answer, self.ships)):
            return Verdict("unattempted", [words.say("how", name=self.name)])
        if refused := self.kind.refused(answer):
            return self._told(refused)
        if self.rule:
            found = self.rule(answer)
            return self._told(found and (without_return(self.right, answer) or found))
        read = self.kind.read(answer)
        outcome = self._told(self.kind.judge(read))
        outcome.paragraphs += taken_as(answer, read)
        return outcome

    def _told(self, found):
        """The Verdict on what a kind or a rule found."""
        if found is None:
            return Verdict("right", [self.words["right"].strip()])
        if isinstance(found, list):
            outcome = Verdict("wrong", found)
            outcome.unexplained = isinstance(found, Unexplained)
            return outcome
        key, facts = (found, {}) if isinstance(found, str) else found
        facts = {name: clean(fact) if isinstance(fact, str) else fact for name, fact in facts.items()}
        return Verdict("wrong", [words.fill(self.words["wrong"].get(key) or words.of("course")[key], **facts)], key)
