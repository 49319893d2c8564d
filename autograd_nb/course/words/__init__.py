"""Every word that the course's exercises and predictions say, apart from their logic: a TOML file a chapter.

A text may hold facts of the moment as `$name`, and code between backticks. A folder is a language: files and keys as
in English, as far as it is translated, and beside them what other folders of the package say, under the same keys:
widgets.toml (../../widgets/words.toml), replay.toml (../../replay/words.toml), drawing.toml (../../drawing/words.toml)
and legend.toml (../../drawing/legend.toml). ../../replay/language.py chooses the folder.
"""

from functools import cache
from string import Template

from ...replay import language


@cache
def of(name, spoken=None):
    """The words of a chapter ("ch04"), or of the course as a whole ("course"), as nested dicts."""
    return language.translated(language.WORDS / "en" / f"{name}.toml", name, spoken)


def say(key, /, **facts):
    """A text of the course as a whole, with its facts filled in."""
    return fill(of("course")[key], **facts)


def fill(text, /, **facts):
    """Facts put into a text; KeyError for one that is missing."""
    return language.with_particles(Template(text.strip()).substitute(facts))
