"""The kinds of values that a task may ask for: how each is read as people write it, and what is said of a wrong one.

A kind knows the right answer. A tensor, an array and a tuple count as the list of their numbers.
"""

import ast
import contextlib
import math
import re
from collections.abc import Set
from decimal import Decimal
from numbers import Real

import numpy as np

from ... import words
from ...learner.answers import how_wrong, no_number, number_in, shape_in
from ...microscope.readings import is_tensor
from .running import short


class Unexplained(list):
    """What is said of a wrong answer whose mistake is not known; a hint follows."""


class Kind:
    """Any value. right: the right answer. mistakes: typical wrong ones, by the keys of their sentences.

    form: the key of the words that say what the task asks for, and the count in them. What a kind finds is None if an
    answer is right, the key of a mistake, a pair of it and the facts of its sentence, or else a list of sentences.
    """

    form = "value", 0

    def __init__(self, right, mistakes=None):
        self.right, self.mistakes = right, mistakes or {}

    def refused(self, answer):
        """What is said of an answer that this kind cannot judge, else None."""
        return self.other_kind(answer) if callable(answer) else None

    def other_kind(self, answer):
        form, count = self.form
        expected = words.of("course")["forms"](form, count=count)
        return [words.say("other_kind", expected=expected, got=short(answer))]

    def read(self, answer):
        """The value that the answer means."""
        return self.meant(answer if isinstance(answer, tuple) else plain(answer))

    def meant(self, answer):
        return answer

    def judge(self, answer):
        if same(answer, self.right):
            return None
        for key, value in self.mistakes.items():
            if same(answer, value):
                return key, {"got": short(answer)}
        if not self.has_form(answer):
            return self.other_kind(answer)
        return self.difference(answer)

    def has_form(self, answer):
        return kind_of(answer).form == self.form

    def difference(self, answer):
        """What is said of a wrong value that has the right form and is no typical mistake."""
        return Unexplained([say("other", got=f"`{short(answer)}`")])


class Number(Kind):
    """
    >>> Number(1.8).read("9/5"), Number(1.8).read((1, 8))
    (1.8, 1.8)
    """

    form = "number", 0

    def meant(self, answer):
        if isinstance(answer, str):
            with contextlib.suppress(ValueError):
                return number_in(answer)
        if isinstance(answer, tuple) and len(answer) == 2 and all(type(each) is int for each in answer):
            return float("{}.{}".format(*answer)) if answer[1] >= 0 else answer
        return self.read(answer[0]) if isinstance(answer, (list, tuple)) and len(answer) == 1 else answer

    def other_kind(self, answer):
        key = "none" if answer is None else no_number(answer) if isinstance(answer, str) else "no_number"
        return super().other_kind(answer) if key == "no_number" else [say(key, text=short(answer).strip("'"))]

    def difference(self, answer):
        key = how_wrong(answer, self.right)
        return super().difference(answer) if key == "other" else [say(key, got=f"`{short(answer)}`")]


class Truth(Kind):
    """
    >>> Truth(True).read(1), Truth(True).read("False")
    (True, False)
    """

    def meant(self, answer):
        answer = in_python(answer)
        return bool(answer) if is_number(answer) and answer in (0, 1) else answer


class Name(Kind):
    """
    >>> Name("AddBackward0").read("<AddBackward0 object at 0x1>")
    'AddBackward0'
    """

    form = "name", 0

    def meant(self, answer):
        return re.sub(r" object\b.*", "", answer.strip().strip("<>")) if isinstance(answer, str) else answer


class Letters(Kind):
    """Some of the letters from a to the last one of the right answer and the mistakes.

    >>> Letters({"d"}).read("(d)") == Letters({"d"}).read(["D"]) == {"d"}
    True
    """

    form = "letters", 0

    def meant(self, answer):
        texts = [answer] if isinstance(answer, str) else answer if isinstance(answer, (list, tuple, set)) else []
        found = [re.findall(r"\b[a-z]\b", each.lower()) or [*each.strip().lower()] for each in texts]
        letters = {letter for each in found for letter in each}
        last = max(self.right.union(*self.mistakes.values()))
        return letters if letters and max(letters) <= last and min(letters) >= "a" else answer

    def has_form(self, answer):
        return has_texts(answer) or super().has_form(answer)


class List(Kind):
    """A list of truths, of numbers, or of lists of numbers. names: of the things of which they are the truths.

    >>> List([True, False]).read("1, 0"), List([4, 1]).form, List([[1], [2]]).form
    ([True, False], ('numbers', 0), ('table', 0))
    """

    def __init__(self, right, mistakes=None, names=()):
        super().__init__(right, mistakes)
        self.names = names

    @property
    def form(self):
        types = {*map(type, self.right)}
        form = next((form for form, of in FORMS if types <= of), "value")
        return form, len(self.right) if form == "truths" else 0

    def meant(self, answer):
        answer = self.named(in_python(answer))
        if isinstance(answer, str) and self.form[0] == "numbers":
            with contextlib.suppress(ValueError):
                return list(shape_in(answer))
        if not isinstance(answer, (list, tuple)) or len(answer) != len(self.right):
            return answer
        return [kind_of(right).read(each) for each, right in zip(answer, self.right, strict=True)]

    def named(self, answer):
        """Truths in the place of the names of what is true: [True, False] for "x", of x and y."""
        texts = [answer] if isinstance(answer, str) else answer if isinstance(answer, (list, tuple, set)) else ()
        if not self.names or not texts or not all(isinstance(each, str) for each in texts):
            return answer
        given = {re.sub(r"\s", "", part) for each in texts for part in re.split(r"[,;]|\band\b", each)}
        return [name in given for name in self.names] if given <= {*self.names} else answer

    def difference(self, answer):
        if len(answer) != len(self.right):
            return super().difference(answer)
        count = sum(map(same, answer, self.right))
        return Unexplained([words.say("some_right", got=short(answer), count=count, all=len(answer))])


def say(key, **facts):
    """A sentence that cards have as well."""
    return words.of("widgets")["predict"](key, **facts)


FORMS = ("truths", {bool}), ("numbers", {int, float}), ("table", {list})
KINDS = {bool: Truth, int: Number, float: Number, str: Name, set: Letters, list: List}


def kind_of(right, mistakes=None, **options):
    """The Kind of a value; `names` is an option of a list.

    >>> kind_of(np.ones(2)).form, kind_of(0.6).form, kind_of({"a"}).form
    (('numbers', 0), ('number', 0), ('letters', 0))
    """
    right = plain(right)
    return KINDS.get(type(right), Kind)(right, mistakes, **options)


def taken_as(answer, read):
    """The sentences that tell a learner how an answer in quotes, or with a comma in a number, was read."""
    if isinstance(answer, (str, tuple)) and is_number(read):
        return [words.say("taken_as", read=short(read))]
    if isinstance(read, list) and has_texts(answer) and not has_texts(read):
        return [words.say("taken_as_list", read=short(read))]
    return []


def same(answer, expected, tolerance=1e-4):
    """Whether two answers are the same: numbers within a tolerance, tensors and sequences by their contents.

    >>> import autograd_nb as torch
    >>> same(torch.tensor([0.6, 2.0]), (0.60000002, 2)), same(True, 1), same([1.0], 1.0), same("Leaf ", "leaf")
    (True, False, False, True)
    """
    answer, expected = plain(answer), plain(expected)
    if isinstance(answer, dict) and isinstance(expected, dict):
        return answer.keys() == expected.keys() and all(same(answer[key], expected[key]) for key in expected)
    if isinstance(answer, list) and isinstance(expected, list):
        return len(answer) == len(expected) and all(map(same, answer, expected))
    if isinstance(answer, str) and isinstance(expected, str):
        return answer.strip().lower() == expected.strip().lower()
    if is_number(answer) and is_number(expected):
        close = math.isclose(answer, expected, rel_tol=tolerance, abs_tol=1e-6)
        return close or (math.isnan(answer) and math.isnan(expected))
    return type(answer) is type(expected) and bool(answer == expected)


def plain(value):
    """A value in Python's types: a tensor or an array as its list or number."""
    if is_tensor(value):
        return value.detach().tolist()
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (Real, Decimal)) and not isinstance(value, (int, float)):
        return float(value)
    return list(value) if isinstance(value, tuple) else set(value) if isinstance(value, Set) else value


def in_python(answer):
    """The value of a text that is one in Python, such as ``"[1, 2]"``; another answer as it is."""
    if isinstance(answer, str):
        with contextlib.suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return ast.literal_eval(answer.strip())
    return answer


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def has_texts(answer):
    return isinstance(answer, str) or isinstance(answer, (list, tuple)) and any(map(has_texts, answer))


def numbers_in(value):
    """How many numbers a tensor, an array or a list with its lists has; 1 for anything else."""
    if type(value) in (list, tuple):
        return sum(map(numbers_in, value)) if any(type(each) in (list, tuple) for each in value) else len(value)
    return math.prod(value.shape) if isinstance(value, np.ndarray) or is_tensor(value) else 1
