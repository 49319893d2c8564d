"""Chooses the reason that fits from the table of reasons, `words/en/why.toml`.

A row names a detector: a function in one of the files that are imported here.  It takes a :class:`Case` or
:class:`Whole` and the row's values.  It returns facts that the words name, or a place, whose line the words name as
*at*, or True; it returns None if this is not the reason, and False if that depends on the row's values.  Words may also
name anything else that the case knows.
"""

from operator import attrgetter
from typing import NamedTuple

from ..microscope.readings import TooLarge
from ..words import of, with_particles
from . import account, cuts, errors, lost, missing, origins, training
from .code import SAY
from .nodes import EDGES

WORDS = of("why")


class Reason(NamedTuple):
    about: list
    finds: str
    words: str = ""
    chapter: str = ""
    usual: bool = False
    guess: bool = False
    once: bool = False
    given: dict = {}


def reasons_of(about, finds, chapter, words, options=()):
    """The reason of a row, or one for each line of its table."""
    for kind, line in WORDS[words].items() if words in WORDS else [("", words)]:
        values = {"chapter": chapter, **dict(options), **({"kind": kind} if kind else {})}
        values |= {"words": line} if isinstance(line, str) else line
        given = {name: values.pop(name) for name in [*values] if name not in Reason._fields}
        yield Reason(about.split("|"), finds, given=given, **values)


ROWS = [reason for row in WORDS["row"] for reason in reasons_of(*row)]
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
    last, nothing = UNKNOWN, set()  # detectors that found nothing
    for row in ROWS:
        try:
            if row.finds in nothing or case.about not in row.about:
                continue
            if found := DETECTORS[row.finds](case, **row.given):
                return row, sentences(case, row, found)
            if found is None:
                nothing.add(row.finds)
        except TooLarge:
            last = TOO_LARGE
            break
        except Exception:
            continue
    case.about = ""  # finding out the kind of question may fail, too
    return last, sentences(case, last, True)


class Facts(dict):
    """The facts that a detector found, and everything else that the case knows."""

    def __missing__(self, name):
        return getattr(self["case"], name)


def sentences(case, row, found):
    facts = Facts(found if isinstance(found, dict) else {"at": None if found is True else found}, case=case)
    facts["at"], remedy = case.code.at(facts.get("at")), facts.get("remedy") or EDGES.get(facts.get("op"))
    remedy = remedy and remedy.format_map(facts)
    facts["remedy"] = f" {remedy[0].upper()}{remedy[1:]}." if remedy else ""
    more = SAY["more"] * (row.guess and not case.recorded)
    return with_particles((row.words + more).format_map(facts))
