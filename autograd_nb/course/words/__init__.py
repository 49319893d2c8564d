"""Every word that the course's exercises and predictions say, apart from their logic: a TOML file a chapter.

A text may hold facts of the moment as `$name`, and code between backticks. A folder is a language, and all that another
edition needs: the same files with the same keys, and in course.toml, as the table `card`, what cards say of their own
(../../widgets/words.toml, predict). AUTOGRAD_NB_LANGUAGE names the folder.
"""

import os
import tomllib
from functools import cache
from pathlib import Path
from string import Template

HERE = Path(__file__).parent


@cache
def of(name):
    """The words of a chapter ("ch04"), or of the course as a whole ("course"), as nested dicts."""
    return tomllib.loads((folder() / f"{name}.toml").read_text(encoding="utf-8"))


def folder():
    """The folder of the language; ValueError for one that is not there."""
    language = os.environ.get("AUTOGRAD_NB_LANGUAGE", "en")
    languages = sorted(path.parent.name for path in HERE.glob("*/course.toml"))
    if language not in languages:
        raise ValueError(f"AUTOGRAD_NB_LANGUAGE: got {language!r}, and there are words in {', '.join(languages)}")
    return HERE / language


def say(key, /, **facts):
    """A text of the course as a whole, with its facts filled in."""
    return fill(of("course")[key], **facts)


def fill(text, /, **facts):
    """Facts put into a text; KeyError for one that is missing."""
    return Template(text.strip()).substitute(facts)
