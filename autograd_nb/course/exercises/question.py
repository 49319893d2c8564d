"""One exercise: check(), hint() and solution(), and the three outcomes right, wrong with a reason, not attempted.

An answer is judged by what it does. A value is compared with the solution's value; a function runs on random inputs
beside the solution, and where they part, beside the typical wrong answers: if it does on every input what one of those
does, its reason is what the learner is told. So a new wrong answer is one more function and one more sentence.
"""

import ast
import contextlib
import dis
import inspect
import math
import os
import textwrap
from functools import partial

import numpy as np

import autograd_nb as torch

from ...widgets.answers import how_wrong, number_in
from ...widgets.words import PREDICT
from .. import launcher, progress_file, showing, words
from ..showing import Card
from .asked import Asked
from .running import Endless, Stopped, clean, guarded, name_of, run, short, show


class Outcome(Card):
    """What check() answers: `kind` is "right", "wrong" or "unattempted", `reason` the key of a recognised mistake."""

    def __init__(self, kind, paragraphs=(), reason=None):
        super().__init__(kind, words.say(kind), paragraphs)
        self.reason, self.of = reason, None  # of: the exercise and the answer

    def _repr_mimebundle_(self, **options):
        if self.of is None or not showing.in_kernel():
            return super()._repr_mimebundle_()
        from ...widgets.cards import Exercise  # the widgets load when the first is shown

        question, answer = self.of
        actions = partial(question.check, answer), question.hint, question.solution, question.cell
        return Exercise(self, *actions)._repr_mimebundle_(**options)

    def __bool__(self):
        return self.kind == "right"


class Question(Asked):
    """An exercise, named after its module and the name it is bound to there (`ch04.q2`).

    solution: the right answer, a value or a function; a function's source is what solution() shows.
    wrong: typical wrong answers of the same kind, by the key of the sentence that says why (../words, under `wrong`).
    samples: for a function: takes a numpy Generator, gives tuples of arguments. None for a value.
    calls: how an answer runs on a sample, of (answer, *arguments); by default answer(*arguments). For a class that
        derives from Function: `calls=lambda power, x: power.apply(x)`.
    looks_at: what counts, of (the returned value, *arguments); by default the returned value.
    rule: instead of samples: takes the answer, returns None when it is right, else the key of a reason, or a pair of
        it and the facts that its sentence needs; for questions with many right answers.
    ships: the function as it stands in the notebook, where that is more than `...`: handed in as it is, it counts as
        not attempted.
    """

    def __init__(self, solution, *, wrong, samples=None, calls=None, looks_at=None, rule=None, ships=None):
        super().__init__()
        self.right = solution
        self.wrong = wrong
        self.samples = samples
        self.calls = calls
        self.looks_at = looks_at
        self.rule = rule
        self.ships = ships
        self._hints_given = 0

    @property
    def takes_function(self):
        return callable(self.right)

    # What a learner calls

    def check(self, answer=...):
        """Judge an answer: a value, or a function by its name. Returns an Outcome, which a cell shows.

        >>> from autograd_nb import course
        >>> course.ch04.q1.check(...).kind
        'unattempted'
        """
        outcome = self.judge(answer)
        if outcome.kind != "unattempted":
            problem = progress_file.answered(self.name, outcome.kind)
            outcome.paragraphs += [problem] if problem else []
        outcome.of = self, answer
        return outcome

    def hint(self, number=None):
        """The next hint, or hint `number` (from 1). ValueError for one that is not there."""
        hints = self.words["hints"]
        if number is None:
            number = min(self._hints_given + 1, len(hints))
            self._hints_given = number
        if number not in range(1, len(hints) + 1):
            raise ValueError(f"hint(): got {number!r}, expected a number from 1 to {len(hints)}")
        after = words.say("more_hints" if number < len(hints) else "last_hint", name=self.name)
        return Card("hint", words.say("hint", number=number, of=len(hints)), [hints[number - 1].strip(), after])

    def solution(self):
        """The solution, and why it is one; AUTOGRAD_NB_SOLUTIONS=off hides it in a class."""
        if os.environ.get("AUTOGRAD_NB_SOLUTIONS") == "off":
            return Card("hint", words.say("solution"), [words.say("solutions_off", name=self.name)])
        shown = textwrap.dedent(inspect.getsource(self.right)) if self.takes_function else f"{short(self.right)}\n"
        return Card("solution", words.say("solution"), [shown, self.words["why"].strip()])

    def cell(self):
        """The cell of this exercise as its notebook came; the hints begin anew. None where there is no notebook."""
        self._hints_given = 0
        return next(iter(launcher.cells_with(f"course.{self.name}.check(")), None)

    def __repr__(self):
        how = words.say("how", name=self.name)
        return f"{self.name}: {self.words['title']}. {how}"

    # How an answer is judged

    def judge(self, answer):
        """The Outcome of an answer, whatever it is and does; nothing is written down."""
        try:
            return guarded(self._judge, answer)
        except Stopped as stopped:
            return Outcome("wrong", [stopped.reason])

    def _judge(self, answer):
        if answer is ... or _is_stub(answer) or (self.ships and _as_shipped(answer, self.ships)):
            return Outcome("unattempted", [words.say("how", name=self.name)])
        if callable(answer) != self.takes_function:
            expected = words.say("a_function" if self.takes_function else "a_value")
            return Outcome("wrong", [words.say("other_kind", expected=expected, got=short(answer))])
        if self.rule:
            return self._by_rule(answer)
        return self._by_running(answer) if self.takes_function else self._by_value(answer)

    def _right(self):
        return Outcome("right", [self.words["right"].strip()])

    def _wrong(self, key, **facts):
        facts = {name: clean(fact) if isinstance(fact, str) else fact for name, fact in facts.items()}
        return Outcome("wrong", [words.fill(self.words["wrong"][key], **facts)], key)

    def _by_value(self, answer):
        read = _as_meant(answer, self.right)
        outcome = self._judged(read)
        if read is not answer:
            outcome.paragraphs.append(words.say("taken_as", read=short(read)))
        return outcome

    def _judged(self, answer):
        if same(answer, self.right):
            return self._right()
        for key, value in self.wrong.items():
            if same(answer, value):
                return self._wrong(key, got=short(answer))
        key = how_wrong(answer, self.right) if _is_number(answer) and _is_number(self.right) else "other"
        said = PREDICT[key].replace("{got}", "$got")
        return Outcome("wrong", [words.fill(said, got=f"`{short(answer)}`"), words.say("stuck", name=self.name)])

    def _by_rule(self, answer):
        found = self.rule(answer)
        if found is None:
            return self._right()
        key, facts = (found, {}) if isinstance(found, str) else found
        return self._wrong(key, **facts)

    def _by_running(self, answer):
        samples = list(self.samples(np.random.default_rng(2013)))
        expected = [self._run(self.right, sample) for sample in samples]
        got = []
        for sample in samples:
            got.append(self._run(answer, sample, silent=bool(got)))
            if isinstance(got[-1], Stopped) and isinstance(got[-1].error, Endless):
                raise got[-1]
        pairs = zip(samples, got, expected, strict=True)
        parted = next((pair for pair in pairs if not _agree(*pair[1:])), None)
        if parted is None:
            return self._right()
        facts = _facts(*parted)
        for key, function in self.wrong.items():
            if all(_agree(a, self._run(function, sample)) for a, sample in zip(got, samples, strict=True)):
                return self._wrong(key, **facts)
        _, gotten, wanted = parted
        if isinstance(gotten, Stopped):
            return Outcome("wrong", [gotten.reason])
        key = "should_raise" if isinstance(wanted, Stopped) else "other_result"
        return Outcome("wrong", [words.say(key, **facts)])

    def _run(self, function, sample, silent=True):
        called = partial(self.calls, function) if self.calls else function
        try:
            return run(called, sample, self.looks_at, silent)
        except Stopped as stopped:
            return stopped


def same(answer, expected, tolerance=1e-4):
    """Whether two answers are the same: numbers within a tolerance, tensors and sequences by what they hold.

    >>> same(torch.tensor([0.6, 2.0]), (0.60000002, 2)), same(True, 1), same([1.0], 1.0), same("Leaf ", "leaf")
    (True, False, False, True)
    """
    answer, expected = _plain(answer), _plain(expected)
    if isinstance(answer, list) and isinstance(expected, list):
        return len(answer) == len(expected) and all(map(same, answer, expected))
    if isinstance(answer, str) and isinstance(expected, str):
        return answer.strip().lower() == expected.strip().lower()
    if _is_number(answer) and _is_number(expected):
        close = math.isclose(answer, expected, rel_tol=tolerance, abs_tol=1e-6)
        return close or (math.isnan(answer) and math.isnan(expected))
    return type(answer) is type(expected) and bool(answer == expected)


def _as_meant(answer, right):
    """A number where Python reads something else: "8" is a text to it, and 1,2 a pair."""
    if _is_number(right) and isinstance(answer, str):
        with contextlib.suppress(ValueError):
            return number_in(answer)
    pair = isinstance(answer, tuple) and len(answer) == 2 and all(type(each) is int for each in answer)
    return float("{}.{}".format(*answer)) if _is_number(right) and pair and answer[1] >= 0 else answer


def _plain(value):
    if isinstance(value, torch.Tensor):
        value = value.detach()
    if isinstance(value, (torch.Tensor, np.ndarray, np.generic)):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _agree(a, b):
    if isinstance(a, Stopped) or isinstance(b, Stopped):
        return isinstance(a, Stopped) and isinstance(b, Stopped) and type(a.error) is type(b.error)
    return same(a, b)


def _facts(sample, got, expected):
    shown = {"inputs": show(sample)}
    for name, value in (("got", got), ("expected", expected)):
        shown[name] = name_of(type(value.error)) if isinstance(value, Stopped) else short(value)
    return shown


# As shipped


def _functions(answer):
    """A function, or the functions in a class (its methods), by name; nothing for anything else."""
    if inspect.isfunction(answer):
        return {"": answer}
    members = vars(answer).items() if inspect.isclass(answer) else ()
    functions = {name: inspect.unwrap(getattr(member, "__func__", member)) for name, member in members}
    return {name: function for name, function in functions.items() if inspect.isfunction(function)}


def _is_stub(answer):
    """Whether there is nothing but `...`, `pass` and docstrings in a function, or in every method of a class."""
    functions = _functions(answer).values()
    return bool(functions) and all(
        operation.opname in ("RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST")
        and (not operation.opname.endswith("CONST") or operation.argval in (None, ...))
        for function in functions for operation in dis.get_instructions(function)
    )  # fmt: skip


def _as_shipped(answer, shipped):
    ours, theirs = _functions(answer), _functions(shipped)
    return ours.keys() == theirs.keys() and all(_tree(ours[name]) == _tree(theirs[name]) for name in theirs)


def _tree(function):
    """What a function's source says, whatever its comments, its place and its name."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, SyntaxError):  # no source, or a piece of a longer expression
        return function
    tree.name = ""
    return ast.dump(tree)
