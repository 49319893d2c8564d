"""Answers to the exercises as learners give them, with the verdict on each: tests/data/answers/chNN.txt.

An answer begins with a line such as

    q2 wrong [does not require grad] ![freed; first row]

with the exercise, the verdict, the words that its sentence must have, and the words that it must not have. After " = "
comes a value; otherwise the indented lines below are the code of a function or class.
"""

import ast
import linecache
import math
import re
import textwrap
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np

import autograd_nb as torch
from autograd_nb import course

FOLDER = Path(__file__).parents[1] / "data" / "answers"
HEAD = re.compile(
    r"(?P<name>q\d+) (?P<verdict>right|wrong|unattempted)"
    r"(?: \[(?P<says>[^]]*)\])?(?: !\[(?P<never>[^]]*)\])?(?: = (?P<value>.*))?"
)


class Answer(NamedTuple):
    exercise: str
    verdict: str
    says: list
    never: list
    code: str
    place: str

    @property
    def value(self):
        """The answer; its source can be read, as in a notebook."""
        scope = {"torch": torch, "course": course, "np": np, "math": math, "Fraction": Fraction}
        scope |= {"loss_of": course.ch18.loss_of}  # that chapter defines it
        linecache.cache[self.place] = len(self.code), None, self.code.splitlines(True), self.place
        tree = ast.parse(self.code)
        (statement,) = tree.body
        if isinstance(statement, ast.Expr):
            return eval(self.code, scope)
        exec(compile(tree, self.place, "exec"), scope)
        name = statement.targets[0].id if isinstance(statement, ast.Assign) else statement.name
        return scope[name]


def answers():
    found = []
    for path in sorted(FOLDER.glob("ch*.txt")):
        head, body, number = None, [], 0
        for place, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), None], 1):
            if line is None or line[:1] not in ("", " "):
                if head:
                    found.append(_answer(path.stem, head, body, number))
                head, body, number = line, [], place
            else:
                body.append(line)
    return found


def _answer(chapter, head, body, number):
    match = HEAD.fullmatch(head)
    if match is None:
        raise ValueError(f"{chapter}.txt, line {number}: {head!r}")
    claims = [(match[key] or "").split(";") for key in ("says", "never")]
    says, never = ([each.strip() for each in some if each.strip()] for some in claims)
    code = match["value"] or textwrap.dedent("\n".join(body)) + "\n"
    return Answer(f"{chapter}.{match['name']}", match["verdict"], says, never, code, f"{chapter}.txt:{number}")
