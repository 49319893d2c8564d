"""Chooses the reason that fits from the table of reasons, `words/en/why.toml`.

A row names a detector: a function in one of the files that are imported here.  It takes a :class:`Case` or
:class:`Whole` and the row's values.  It returns facts that the words name, or a place, whose line the words name as
*at*, or True; it returns None or False if this is not the reason.  Words may also name anything else that the case
knows.
"""

import re
from operator import attrgetter
from typing import NamedTuple

from ..microscope.readings import TooLarge
from ..words import of
from . import account, cuts, errors, lost, missing, origins, training
from .nodes import EDGES

WORDS = of("why")


class Reason(NamedTuple):
    about: str
    finds: str
    words: str = ""
    chapter: str = ""
    usual: bool = False
    once: bool = False
    given: dict = {}


def reasons_of(row):
    """The reason of a row, or one for each line of its table."""
    table, lines = next(((key, each) for key, each in row.items() if isinstance(each, dict)), ("", {"": {}}))
    for key, line in lines.items():
        values = row | {table: key} | (line if isinstance(line, dict) else {"words": line})
        given = {name: values.pop(name) for name in values.keys() - Reason._fields}
        yield Reason(given={name: value for name, value in given.items() if name}, **values)


ROWS = [reason for row in WORDS["row"] for reason in reasons_of(row)]
UNKNOWN, TOO_LARGE = ROWS[-2:]


def has(case, **facts):
    """Whether facts that the case knows, by their dotted names, have these values."""
    return all(attrgetter(name)(case) == value for name, value in facts.items())


DETECTORS = {"always": has, "has": has}
for file in account, cuts, errors, lost, missing, origins, training:
    DETECTORS |= vars(file)


def first_fitting(case):
    """``(row, text)``: the first row that fits, and its sentences.

    A row that fails does not fit: a fault of ours must not end the learner's program.
    """
    last = UNKNOWN
    for row in ROWS:
        try:
            if case.about in row.about.split() and (found := DETECTORS[row.finds](case, **row.given)):
                return row, sentences(case, row, found)
        except TooLarge:
            last = TOO_LARGE
            break
        except Exception:
            continue
    case.about = last.about  # finding out the kind of question may fail, too
    return last, sentences(case, last, True)


class Facts(dict):
    """The facts that a detector found, and everything else that the case knows."""

    def __missing__(self, name):
        return getattr(self["case"], name)


def sentences(case, row, found):
    facts = Facts(found if isinstance(found, dict) else {"at": None if found is True else found}, case=case)
    at, remedy = facts.get("at"), facts.get("remedy") or EDGES.get(facts.get("op"))
    facts["at"] = f" ({case.code.at(at)})" if at else ""
    remedy = remedy and cured(case, remedy).format_map(facts)
    facts["remedy"] = f" {remedy[0].upper()}{remedy[1:]}." if remedy else ""
    return cured(case, row.words).format_map(facts)


def cured(case, text):
    """A text that names, of [one|another] cure, those that do not stand on the path already, and the last."""
    for choice in re.findall(r"\[([^][]*\|[^][]*)\]", text):
        there = [word for word, signs in WORDS["cures"].items() if not case.standing.isdisjoint(signs.split())]
        *cures, last = choice.split("|")
        left = [cure for cure in cures if not any(word in cure for word in there)]
        text = text.replace(f"[{choice}]", " or ".join([*left, last]))
    return text
