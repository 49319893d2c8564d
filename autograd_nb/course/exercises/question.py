"""One exercise: check(), hint() and solution(), and the three outcomes right, wrong with a reason, not attempted.

A check judges an answer by its results. It compares a value with the solution's value. It runs a function on random
inputs beside the solution and, where they differ, beside the typical wrong answers: if the function agrees with one of
these on every input, down to the words of an error, the learner reads that one's reason. So a new wrong answer is one
more function and one more sentence. Where a task asks for a method, the check also looks at how the answer worked.
"""

import ast
import contextlib
import dis
import inspect
import math
import os
import re
import textwrap
from collections.abc import Set
from decimal import Decimal
from functools import partial
from numbers import Real

import numpy as np

import autograd_nb as torch

from ... import words
from ...learner.answers import how_wrong, number_in
from ...microscope.readings import is_tensor
from .. import kernel, library, progress_file
from ..kernel import Card
from .doing import Did, functions_of, mentions, names_in, returns_nothing
from .item import Item
from .running import Endless, Unfinished, clean, guarded, run, short, show

AS_SHIPPED = "as_shipped"  # the reason for an answer that does what the notebook's function does
MOST_NUMBERS = 100_000  # that a check looks at in an answer
OWN_NAME = re.compile(r"(?<=function )\w+(?=Backward)")  # the name of a learner's Function in errors


class Verdict(Card):
    """The answer of check(): `kind` is "right", "wrong" or "unattempted", `reason` the key of a recognised mistake."""

    def __init__(self, kind, paragraphs=(), reason=None):
        super().__init__(kind, words.say(kind), paragraphs)
        self.reason, self.of = reason, None  # of: the exercise and the answer
        self.given = reason or ""  # the answer in a few letters; for a function, the recognised mistake
        self.counts = kind != "unattempted"  # whether the progress notes it

    def _repr_mimebundle_(self, **options):
        if self.of is None or not kernel.in_kernel():
            return super()._repr_mimebundle_()
        return self.buttons()._repr_mimebundle_(**options)

    def buttons(self):
        """The widget with this verdict and buttons for the next steps."""
        from ...widgets.predict import Exercise  # widgets load when the first is shown

        question, answer = self.of
        actions = partial(question.check, answer), question.hint, question.solution, question.cell
        return Exercise(self, *actions)

    def __bool__(self):
        return self.kind == "right"


class Question(Item):
    """An exercise, named after its module and its name there (`ch04.q2`).

    solution: the right answer, a value or a function; a function's source is what solution() shows.
    wrong: typical wrong answers of the same kind, by the key of the sentence that says why (words, under `wrong`).
    samples: for a function: takes a numpy Generator, gives tuples of arguments. None for a value.
    calls: how an answer runs on a sample, of (answer, *arguments); by default answer(*arguments). For a class that
        derives from Function: `calls=lambda power, x: power.apply(x)`.
    looks_at: takes (the returned value, *arguments), gives the value that counts; by default the returned value. A dict
    has further values beside the returned one ("") under their names in code ("x.grad"). way: for a task that asks for
    a method: takes (what the answer did, the answer, *arguments), gives the key of a reason if it took another one,
    else None. Runs only for answers that are right otherwise. rule: instead of samples: takes the answer, returns None
    if it is right, else the key of a reason, or a pair of it and the facts that its sentence needs; for questions with
    many right answers. ships: the function in the notebook, if it is more than `...`: unchanged, it counts as not
    attempted.
    """

    def __init__(self, solution, *, wrong, samples=None, calls=None, looks_at=None, way=None, rule=None, ships=None):
        super().__init__()
        self.right = solution
        self.wrong = wrong
        self.samples = samples
        self.calls = calls
        self.looks_at = looks_at
        self.way = way
        self.rule = rule
        self.ships = ships
        self._hints_given = 0

    @property
    def takes_function(self):
        return callable(self.right)

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
        shown = textwrap.dedent(inspect.getsource(self.right)) if self.takes_function else f"{short(self.right)}\n"
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
            return guarded(partial(judged, self), answer)
        except Unfinished as stopped:
            outcome = Verdict("wrong", [stopped.reason])
            outcome.counts = not stopped.cut_short
            return outcome

    def _judge(self, answer):
        if answer is ... or _is_stub(answer) or (self.ships and _as_shipped(answer, self.ships)):
            return Verdict("unattempted", [words.say("how", name=self.name)])
        if callable(answer) != self.takes_function:
            return of_another_form(self, answer)
        if inspect.isclass(self.right) and not inspect.isclass(answer):
            return Verdict("wrong", [words.say("a_class")])
        if self.rule:
            return self._by_rule(answer)
        return self._by_running(answer) if self.takes_function else self._by_value(answer)

    def _right(self):
        return Verdict("right", [self.words["right"].strip()])

    def _wrong(self, key, **facts):
        facts = {name: clean(fact) if isinstance(fact, str) else fact for name, fact in facts.items()}
        return Verdict("wrong", [words.fill(self.words["wrong"][key], **facts)], key)

    def _by_value(self, answer):
        read = as_meant(answer, self.right, self.wrong.values())
        outcome = self._judged(read)
        if isinstance(answer, (str, tuple)) and _is_number(read):
            outcome.paragraphs.append(words.say("taken_as", read=short(read)))
        elif isinstance(read, list) and _has_texts(answer) and not _has_texts(read):
            outcome.paragraphs.append(words.say("taken_as_list", read=short(read)))
        return outcome

    def _judged(self, answer):
        if same(answer, self.right):
            return self._right()
        for key, value in self.wrong.items():
            if same(answer, value):
                return self._wrong(key, got=short(answer))
        if form_of(answer) != form_of(self.right) and not (isinstance(self.right, set) and _has_texts(answer)):
            return of_another_form(self, answer)
        return Verdict("wrong", [how_different(answer, self.right)])

    def _by_rule(self, answer):
        found = self.rule(answer)
        if found is None:
            return self._right()
        if (nothing := without_return(self.right, answer)) is not None:
            return nothing
        key, facts = (found, {}) if isinstance(found, str) else found
        return self._wrong(key, **facts)

    def _by_running(self, answer):
        samples = list(self.samples(np.random.default_rng(2013)))
        expected = [self.run(self.right, sample) for sample in samples]
        if any(each.error for each in expected):
            raise AssertionError(f"{self.name}: its own solution fails")
        got = []
        for sample in samples:
            got.append(self.run(answer, sample, silent=bool(got)))
            if got[-1].error and isinstance(got[-1].error.error, Endless):
                raise got[-1].error
        places = [place for place, pair in enumerate(zip(got, expected, strict=True)) if not _agree(*pair)]
        if not places:
            ways = (self.way(each.did, answer, *sample) for each, sample in zip(got, samples, strict=True) if self.way)
            key = next(filter(None, ways), None)
            return self._wrong(key) if key else self._right()
        gotten, facts = got[places[0]], self._facts(samples[places[0]], got[places[0]], expected[places[0]])
        kinds = [type(each.returned) for each in (gotten, expected[places[0]])]
        failed = gotten.error and not (gotten.unlike and kinds[0] is not kinds[1])
        inside = failed and gotten.error.line is not None
        nothing = None if inside else without_return(self.right, answer)
        if nothing is not None:
            return nothing
        key = mistake_in(self, answer, got, samples)
        if key == AS_SHIPPED and not failed:
            return Verdict("wrong", [words.say(AS_SHIPPED)], AS_SHIPPED)
        if key in self.wrong:
            return self._wrong(key, **facts)
        if failed:
            asked = "autograd" in self.wrong and any(mentions(answer, name) for name in ("backward", "grad"))
            return Verdict("wrong", [gotten.error.reason, words.say("without_autograd") if asked else ""])
        return Verdict("wrong", [differs(facts, gotten.returned, expected[places[0]].returned)])

    def run(self, function, sample, silent=True):
        """Run an answer on a sample and return the AnswerRun."""
        called = partial(self.calls, function) if self.calls else function
        ran = AnswerRun()

        def whole(*arguments):
            with ran.did.listening():
                ran.returned = called(*arguments)
            ran.came_back = True
            return self.looks_at(ran.returned, *arguments) if self.looks_at else ran.returned

        try:
            ran.value = run(whole, sample, silent, self._names(len(sample)))
        except Unfinished as stopped:
            if stopped.cut_short:
                raise
            ran.error = stopped
        return ran

    def _names(self, count):
        """The names that the task gives to a sample's values; fewer if it names fewer."""
        parameters = list(inspect.signature(self.calls or self.right).parameters.values())[bool(self.calls) :]
        return [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD][:count]

    def _facts(self, sample, got, expected):
        facts = {"inputs": show(sample, self._names(len(sample)))}
        pair = [got.returned, expected.returned]
        both = [each.value for each in (got, expected) if isinstance(each.value, dict)]
        if len(both) == 2 and got.came_back and same(both[0].get(""), both[1].get("")):
            facts["part"] = next(part for part in both[1] if not same(both[0].get(part), both[1][part]))
            pair = [each.get(facts["part"]) for each in both]
        facts |= dict(zip(("got", "expected"), apart(*pair), strict=True))
        return facts


def judged(question, answer):
    """The Verdict on an answer, with the answer in a few letters."""
    if (count := numbers_in(answer)) > MOST_NUMBERS:
        return Verdict("wrong", [words.say("too_large", count=f"{count:,}", most=f"{MOST_NUMBERS:,}")])
    outcome = question._judge(answer)
    outcome.given = outcome.given if callable(answer) else clean(short(answer))
    return outcome


def mistake_in(question, answer, got, samples):
    """The key of the typical mistake that gives all these results; of several, of the one that works most similarly."""
    alike, shipped = {}, {AS_SHIPPED: question.ships} if question.ships else {}
    for key, function in (question.wrong | shipped).items():
        theirs = [question.run(function, sample) for sample in samples]
        if all(map(_agree, got, theirs)):
            alike[key] = got[0].did.likeness(theirs[0].did), -len(names_in(answer) ^ names_in(function))
    return max(alike, key=alike.get, default=None)


def how_different(answer, right):
    """The sentence on a wrong value that has the right form and is no typical mistake."""
    if isinstance(answer, list) and isinstance(right, list) and len(answer) == len(right):
        count = sum(map(same, answer, right))
        return words.say("some_right", got=short(answer), count=count, all=len(answer))
    key = how_wrong(answer, right) if _is_number(answer) and _is_number(right) else "other"
    return words.of("widgets")["predict"](key, got=f"`{short(answer)}`")


def apart(got, expected):
    """Two different values as texts, with as many digits as it takes to see that they differ.

    >>> apart([0.16738], [0.16742]), apart(torch.tensor([0.16738]), torch.tensor([0.1673801]))
    (('[0.16738]', '[0.16742]'), ('[0.16738000512123108]', '[0.16738009452819824]'))
    """
    texts = short(got), short(expected)
    return texts if texts[0] != texts[1] else tuple(clean(repr(_plain(each))) for each in (got, expected))


def differs(facts, returned, expected):
    """The sentence on an answer that gives another result, for no known reason."""
    if "part" in facts:
        own = words.of("course")["parts"].get(facts["part"])
        return words.fill(own, **facts) if own else words.say("other_part", **facts)
    one = isinstance(returned, tuple) and len(returned) == 1 and same(returned[0], expected)
    return words.say("tuple_of_one" if one else "other_result", **facts)


def of_another_form(question, answer):
    """The Verdict on an answer of the wrong kind, such as a number in place of a function."""
    form, count = ("function", 0) if question.takes_function else form_of(question.right)
    form = "value" if question.rule and not question.takes_function else form
    expected = words.fill(words.of("course")["forms"][form], count=count)
    return Verdict("wrong", [words.say("other_kind", expected=expected, got=short(answer))])


def without_return(right, answer):
    """The Verdict if the function or a method forgot its `return`, else None."""
    theirs = functions_of(right)
    for name, function in functions_of(answer).items():
        if name in theirs and returns_nothing(function) and not returns_nothing(theirs[name]):
            return Verdict("wrong", [words.say("nothing_of" if name else "nothing", name=name)])
    return None


class Formula:
    """A function of a sample; learners see it as it is written here.

    >>> short(Formula("x**2 + 1")), Formula("a * b", "a, b")(2, 3)
    ('x**2 + 1', 6)
    """

    def __init__(self, text, of="x"):
        self.__name__, self._of = text, of

    def __call__(self, *arguments):
        return eval(compile(f"lambda {self._of}: {self.__name__}", __file__, "eval"), {"torch": torch})(*arguments)


class AnswerRun:
    """One run of an answer: the `returned` value, the `value` that counts, its actions, the error (an Unfinished)."""

    def __init__(self):
        self.returned = self.value = self.error = None
        self.came_back, self.did = False, Did()

    @property
    def unlike(self):
        """Whether the part that counts could not be read from its result, through no fault of the learner's code."""
        return self.came_back and self.error is not None and self.error.line is None


def same(answer, expected, tolerance=1e-4):
    """Whether two answers are the same: numbers within a tolerance, tensors and sequences by their contents.

    >>> same(torch.tensor([0.6, 2.0]), (0.60000002, 2)), same(True, 1), same([1.0], 1.0), same("Leaf ", "leaf")
    (True, False, False, True)
    """
    answer, expected = _plain(answer), _plain(expected)
    if isinstance(answer, dict) and isinstance(expected, dict):
        return answer.keys() == expected.keys() and all(same(answer[key], expected[key]) for key in expected)
    if isinstance(answer, list) and isinstance(expected, list):
        return len(answer) == len(expected) and all(map(same, answer, expected))
    if isinstance(answer, str) and isinstance(expected, str):
        return answer.strip().lower() == expected.strip().lower()
    if _is_number(answer) and _is_number(expected):
        close = math.isclose(answer, expected, rel_tol=tolerance, abs_tol=1e-6)
        return close or (math.isnan(answer) and math.isnan(expected))
    return type(answer) is type(expected) and bool(answer == expected)


def as_meant(answer, right, others=()):
    """An answer as the kind of value that the task asks for: "8" is a text to Python, 1,2 a pair, [0.6] a list.

    others: further answers; if a task asks for letters, these and the right answer have all letters to choose from.

    >>> as_meant("9/5", 1.8), as_meant(1, True), as_meant("<AddBackward0>", "AddBackward0"), as_meant("(d)", {"d"})
    (1.8, True, 'AddBackward0', {'d'})
    """
    answer = answer if isinstance(answer, tuple) else _plain(answer)
    if isinstance(right, set):
        texts = [answer] if isinstance(answer, str) else answer if isinstance(answer, (list, tuple, set)) else []
        found = [re.findall(r"\b[a-z]\b", each.lower()) or [*each.strip().lower()] for each in texts]
        letters = {letter for each in found for letter in each}
        last = max(right.union(*others))
        return letters if letters and max(letters) <= last and min(letters) >= "a" else answer
    if isinstance(answer, str) and isinstance(right, (bool, list)):
        with contextlib.suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            answer = ast.literal_eval(answer.strip())
    if isinstance(right, list) and isinstance(answer, (list, tuple)) and len(answer) == len(right):
        return [as_meant(each, wanted) for each, wanted in zip(answer, right, strict=True)]
    if isinstance(right, bool) and _is_number(answer) and answer in (0, 1):
        return bool(answer)
    if isinstance(right, str) and isinstance(answer, str):
        return re.sub(r" object\b.*", "", answer.strip().strip("<>"))
    if _is_number(right):
        if isinstance(answer, str):
            with contextlib.suppress(ValueError):
                return number_in(answer)
        if isinstance(answer, tuple) and len(answer) == 2 and all(type(each) is int for each in answer):
            return float("{}.{}".format(*answer)) if answer[1] >= 0 else answer
        if isinstance(answer, (list, tuple)) and len(answer) == 1:
            return as_meant(answer[0], right)
    return answer


def form_of(value):
    """The kind of an answer, and its number of parts; sentences describe in these words what a task asks for.

    >>> form_of(0.6), form_of((True, False)), form_of(torch.ones(2)), form_of([[1], [2]]), form_of({1: 2})
    (('number', 1), ('truths', 2), ('numbers', 0), ('table', 0), ('other', 0))
    """
    value = _plain(value)
    if _is_number(value):
        return "number", 1
    if isinstance(value, list) and value:
        if all(isinstance(each, bool) for each in value):
            return "truths", len(value)
        if all(map(_is_number, value)):
            return "numbers", 0
        return "table" if form_of(value[0])[0] == "numbers" else "other", 0
    return {str: "name", set: "letters"}.get(type(value), "other"), 0


def numbers_in(value):
    """How many numbers a tensor, an array or a list with its lists has; 1 for anything else."""
    if type(value) in (list, tuple):
        return sum(map(numbers_in, value)) if any(type(each) in (list, tuple) for each in value) else len(value)
    if isinstance(value, (torch.Tensor, np.ndarray)) or is_tensor(value):
        return math.prod(value.shape)
    return 1


def _has_texts(answer):
    return isinstance(answer, str) or isinstance(answer, (list, tuple)) and any(map(_has_texts, answer))


def _plain(value):
    if isinstance(value, torch.Tensor) or is_tensor(value):
        value = value.detach()
    if isinstance(value, (torch.Tensor, np.ndarray, np.generic)) or is_tensor(value):
        return value.tolist()
    if isinstance(value, (Real, Decimal)) and not isinstance(value, (int, float)):
        return float(value)
    return list(value) if isinstance(value, tuple) else set(value) if isinstance(value, Set) else value


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _agree(a, b):
    if a.error or b.error:
        both = [each.error and (type(each.error.error), OWN_NAME.sub("", each.error.text)) for each in (a, b)]
        return both[0] == both[1]
    return same(a.value, b.value)


# As shipped


def _is_stub(answer):
    """Whether a function, or every method of a class, has only `...`, `pass` and docstrings."""
    functions = functions_of(answer).values()
    return bool(functions) and all(
        operation.opname in ("RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST")
        and (not operation.opname.endswith("CONST") or operation.argval in (None, ...))
        for function in functions for operation in dis.get_instructions(function)
    )  # fmt: skip


def _as_shipped(answer, shipped):
    ours, theirs = functions_of(answer), functions_of(shipped)
    return ours.keys() == theirs.keys() and all(_tree(ours[name]) == _tree(theirs[name]) for name in theirs)


def _tree(function):
    """A function's source without its comments, its place and its name."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, SyntaxError):  # it has no source, or is a piece of a longer expression
        return function
    tree.name = ""
    return ast.dump(tree)
