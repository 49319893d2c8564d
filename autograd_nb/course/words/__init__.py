"""Every word that the course's exercises say, apart from their logic: a TOML file a chapter, a folder a language.

A text may hold facts of the moment as `$name`, and code between backticks.
"""

import tomllib
from functools import cache
from pathlib import Path
from string import Template

LANGUAGE = "en"


@cache
def of(name):
    """The words of a chapter ("ch04"), or of the course as a whole ("course"), as nested dicts.

    >>> of("ch04")["title"]
    'Accumulation'
    """
    path = Path(__file__).parent / LANGUAGE / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def say(key, /, **facts):
    """A text of the course as a whole, with its facts filled in.

    >>> say("hint", number=1, of=2)
    'Hint 1 of 2'
    """
    return fill(of("course")[key], **facts)


def fill(text, /, **facts):
    """Facts put into a text; KeyError for one that is missing.

    >>> fill("expected `$expected`", expected=0.6)
    'expected `0.6`'
    """
    return Template(text.strip()).substitute(facts)
