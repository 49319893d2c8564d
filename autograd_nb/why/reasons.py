"""Chooses the reason that fits from the table of reasons, `words/en/why.toml`.

A row names a detector: a function in one of the files that are imported here.  It takes a :class:`Case` or
:class:`Whole` and the row's values.  It returns facts that the words name, or a place, whose line follows the words
(as a fact: *at*), or True; it returns None or False if this is not the reason.  Words may also name anything else
that the case knows.
"""

from operator import attrgetter
from typing import NamedTuple

from ..microscope.readings import TooLarge
from ..words import of
from . import account, changed, cuts, errors, freed, missing, nonfinite, training, zeros


class Reason(NamedTuple):
    about: str
    finds: str
    words: str = ""
    remedy: str = ""
    chapter: str = ""
    given: dict = {}
    usual: bool = False
    once: bool = False
    result: bool = False


ROWS = [Reason(**each) for each in of("why")["row"]]
UNKNOWN, TOO_LARGE = ROWS[-2:]


def has(case, **facts):
    """Whether facts that the case knows, by their dotted names, have these values."""
    return all(attrgetter(name)(case) == value for name, value in facts.items())


DETECTORS = {"always": has, "has": has}
for file in account, changed, cuts, errors, freed, missing, nonfinite, training, zeros:
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
    found = found if isinstance(found, dict) else {"at": None if found is True else found}
    facts = Facts({"at": None, "remedy": nonfinite.EDGES.get(found.get("op"), "")} | found, case=case)
    where = f" ({case.code.at(facts['at'])})" if facts["at"] else ""
    words, remedy = row.words.format_map(facts), row.remedy.format_map(facts)
    return f"{words}{where}.{remedy and ' '}{remedy}{'.' * bool(remedy)}"
