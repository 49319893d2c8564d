"""Answers that are functions or classes. They run on random inputs beside the solution and the typical wrong answers.

If an answer agrees with a wrong one on every input, down to the words of an error, the learner reads its reason.
"""

import inspect
import linecache
import re
import sys
import textwrap
from functools import partial

import numpy as np

import autograd_nb as torch

from ... import words
from .doing import Did, functions_of, names_in, returns_nothing
from .kinds import Kind, Unexplained, plain, same
from .results import cause
from .running import Endless, Unfinished, clean, run, short, show

AS_SHIPPED = "as_shipped"  # the reason for an answer that does what the notebook's function does
OWN_NAME = re.compile(r"(?<=function )\w+(?=Backward)")  # the name of a learner's Function in errors


class Formula:
    """A function of a sample; learners see it as it is written here.

    >>> short(Formula("x**2 + 1")), Formula("a * b", "a, b")(2, 3)
    ('x**2 + 1', 6)
    """

    def __init__(self, text, of="x"):
        self.__name__, self._of = text, of

    def __call__(self, *arguments):
        return eval(compile(f"lambda {self._of}: {self.__name__}", __file__, "eval"), {"torch": torch})(*arguments)


def edited(function, *edits):
    """A function or a class with edits in its source: "old → new" puts *new* wherever *old* stands.

    ValueError if *old* stands nowhere.

    >>> edited(without_return, "return None → return []")(None, None)
    []
    """
    source = textwrap.dedent(inspect.getsource(function))
    for edit in edits:
        old, new = map(str.strip, edit.split("→"))
        if old not in source:
            raise ValueError(f"{function.__name__}: no {old!r} to edit")
        source = source.replace(old, new)
    place, made = f"{__file__}: {function.__name__}: {'; '.join(edits)}", {}
    linecache.cache[place] = len(source), None, source.splitlines(keepends=True), place
    exec(compile(source, place, "exec"), vars(sys.modules[function.__module__]), made)
    return made.popitem()[1]


class AnswerRun:
    """One run of an answer: the `returned` value, the `value` that counts, its actions, the error (an Unfinished)."""

    def __init__(self):
        self.returned = self.value = self.error = None
        self.came_back, self.did = False, Did()

    @property
    def unlike(self):
        """Whether the part that counts could not be read from its result, through no fault of the learner's code."""
        return self.came_back and self.error is not None and self.error.line is None

    def agrees(self, other):
        if self.error or other.error:
            return self.failure() == other.failure()
        return same(self.value, other.value)

    def failure(self):
        return self.error and (type(self.error.error), OWN_NAME.sub("", self.error.text))


class FunctionAnswer(Kind):
    """A function; *question* has its samples and how it runs on them."""

    form = "function", 0

    def __init__(self, question):
        shipped = {AS_SHIPPED: question.ships} if question.ships else {}
        super().__init__(question.right, question.wrong | shipped)
        self.question = question

    def refused(self, answer):
        return None if callable(answer) else self.other_kind(answer)

    def read(self, answer):
        return answer

    def judge(self, answer):
        samples = self.samples()
        expected = [self.run(self.right, sample) for sample in samples]
        if any(each.error for each in expected):
            raise AssertionError(f"{self.question.name}: its own solution fails")
        got = []
        for sample in samples:
            got.append(self.run(answer, sample, silent=bool(got)))
            if got[-1].error and isinstance(got[-1].error.error, Endless):
                raise got[-1].error
        differ = [three for three in zip(samples, got, expected, strict=True) if not three[1].agrees(three[2])]
        if not differ:
            ways = (self.question.way(each.did, answer, *sample) for sample, each in zip(samples, got, strict=True))
            return next(filter(None, ways), None)
        return self.why(answer, samples, got, *differ[0])

    def samples(self):
        """The tuples of arguments on which answers run: those of the question, or three of its tuples."""
        make, random = self.question.samples, np.random.default_rng(2013)
        made = make(random)
        return [made, make(random), make(random)] if isinstance(made, tuple) else made

    def why(self, answer, samples, runs, sample, got, expected):
        """What is said of an answer that differs at a sample."""
        failed = got.error and not (got.unlike and type(got.returned) is not type(expected.returned))
        inside = failed and got.error.line is not None
        if not inside and (nothing := without_return(self.right, answer)):
            return nothing
        key, facts = self.mistake(answer, runs, samples), self.facts(sample, got, expected)
        if key and not (failed and key == AS_SHIPPED):
            return key, facts
        if failed:
            asked = "autograd" in self.mistakes and not names_in(answer).isdisjoint(("backward", "grad"))
            return [got.error.reason, words.say("without_autograd") if asked else ""]
        if said := self.cause(runs, samples, facts.get("part")):
            return [said, words.say("figures", **facts)]
        if "part" in facts:
            course = words.of("course")
            return Unexplained([words.fill(course["parts"].get(facts["part"], course["other_part"]), **facts)])
        one = isinstance(got.returned, tuple) and len(got.returned) == 1 and same(got.returned[0], expected.returned)
        return [words.say("tuple_of_one", **facts)] if one else Unexplained([words.say("other_result", **facts)])

    def cause(self, runs, samples, part):
        """The sentence on what arithmetic finds in all results, or in the part of them that differs; else None."""
        if any(each.error for each in runs) or part in words.of("course")["parts"]:
            return None
        right = [self.run(self.right, sample) for sample in samples]
        pairs = [[each.returned if part is None else each.value.get(part) for each in both]
                 for both in zip(runs, right, strict=True)]  # fmt: skip
        said = cause(pairs, samples)
        return f"`{part}`: {said}" if said and part else said

    def mistake(self, answer, got, samples):
        """The key of the mistake that gives all these results; of several, of the one that works most similarly."""
        alike = {}
        for key, function in self.mistakes.items():
            if not self.has_done(answer, key, function):
                continue
            theirs = [self.run(function, sample) for sample in samples]
            if all(map(AnswerRun.agrees, got, theirs)):
                alike[key] = got[0].did.likeness(theirs[0].did), -len(names_in(answer) ^ names_in(function))
        return max(alike, key=alike.get, default=None)

    def has_done(self, answer, key, function):
        """Whether the answer's code has what the sentence on a mistake blames: a name from it, or one of its deeds."""
        said = {*re.findall(r"\w+", self.question.words["wrong"].get(key, ""))}
        named = (said & names_in(function)) - names_in(self.right)
        deeds = self.question.options.get("deeds", {}).get(key) or (said if named else set())
        return not deeds or bool(deeds & names_in(answer))

    def run(self, function, sample, silent=True):
        """Run an answer on a sample and return the AnswerRun."""
        question, ran = self.question, AnswerRun()
        called = partial(question.calls, function) if question.calls else function

        def whole(*arguments):
            with ran.did.listening():
                ran.returned = called(*arguments)
            ran.came_back = True
            return question.looks_at(ran.returned, *arguments) if question.looks_at else ran.returned

        try:
            ran.value = run(whole, sample, silent, self.names(sample))
        except Unfinished as stopped:
            if stopped.cut_short:
                raise
            ran.error = stopped
        return ran

    def names(self, sample):
        """The names that the task gives to a sample's values; fewer if it names fewer."""
        calls = self.question.calls
        parameters = list(inspect.signature(calls or self.right).parameters.values())[bool(calls) :]
        return [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD][: len(sample)]

    def facts(self, sample, got, expected):
        """What the sentence on a different result tells: the inputs, both results, and which part differs."""
        facts = {"inputs": show(sample, self.names(sample))}
        pair = [got.returned, expected.returned]
        both = [each.value for each in (got, expected) if isinstance(each.value, dict)]
        if len(both) == 2 and got.came_back and same(both[0].get(""), both[1].get("")):
            facts["part"] = next(part for part in both[1] if not same(both[0].get(part), both[1][part]))
            pair = [each.get(facts["part"]) for each in both]
        return facts | dict(zip(("got", "expected"), apart(*pair), strict=True))


class CodeAnswer(FunctionAnswer):
    """A class, such as one that derives from torch.autograd.Function."""

    def refused(self, answer):
        return super().refused(answer) or (None if inspect.isclass(answer) else [words.say("a_class")])


def without_return(right, answer):
    """What is said of a function, or a class with a method, that forgot its `return`; else None."""
    theirs = functions_of(right)
    for name, function in functions_of(answer).items():
        if name in theirs and returns_nothing(function) and not returns_nothing(theirs[name]):
            return [words.say("nothing_of" if name else "nothing", name=name)]
    return None


def apart(got, expected):
    """Two different values as texts, with as many digits as it takes to see that they differ.

    >>> apart([0.16738], [0.16742]), apart(torch.tensor([0.16738]), torch.tensor([0.1673801]))
    (('[0.16738]', '[0.16742]'), ('[0.16738000512123108]', '[0.16738009452819824]'))
    """
    texts = short(got), short(expected)
    return texts if texts[0] != texts[1] else tuple(clean(repr(plain(each))) for each in (got, expected))
