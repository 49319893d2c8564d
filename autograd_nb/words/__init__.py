"""All texts for learners: a folder for each language, a TOML file for each room and each chapter.

AUTOGRAD_NB_LANGUAGE names the language, else the folder in which a notebook runs, else it is English; the English text
stands for a missing one. A kernel keeps the language of its first text. Facts of the moment stand in a text as {name};
`examples` is code in widgets, the same in every language.
"""

import os
import re
import tomllib
from functools import cache
from pathlib import Path

WORDS = Path(__file__).parent
# Korean particles that depend on the sound before them, both forms: "0.6을(를)" becomes "0.6을", "z을(를)" "z를".
PARTICLES = re.compile(r"(\w?)([^\w\s]*)(?:(은|이|을|과)\((는|가|를|와)\)|\(으\)로)")
OWN = "AUTOGRAD_NB_WITH"
own = Path(os.path.expanduser(os.environ[OWN])) if os.environ.get(OWN) else None  # where a teacher's own chapters are
CONSONANTS = dict.fromkeys("036mnMN²³", 1) | dict.fromkeys("178lL", 8)  # a sign's last sound, read aloud; 8 is an l


def languages():
    return sorted(path.parent.name for path in WORDS.glob("*/course.toml"))


def subfolder(language):
    """The folder of a language's chapters, below the English ones."""
    return "" if language == "en" else language


def of_folder():
    """The language of the folder where this runs, such as notebooks/ko; "" if no language has its name."""
    try:
        name = Path.cwd().name
    except OSError:
        name = ""  # the folder is gone
    return name if name in languages() else ""


def current_language():
    """The current language; ValueError for a language that is not there."""
    language = os.environ.get("AUTOGRAD_NB_LANGUAGE") or of_folder() or "en"
    if language not in languages():
        raise ValueError(f"AUTOGRAD_NB_LANGUAGE: got {language!r}, and there are words in {', '.join(languages())}")
    return language


class Words(dict):
    """Texts by their names; a call with a name and facts gives the text with the facts in it."""

    def __call__(self, key, /, **facts):
        return with_particles(self[key].format(**facts))


def worded(table):
    return Words({key: worded(each) if isinstance(each, dict) else each for key, each in table.items()})


def file_of(name, language):
    """The file of some words: ours, or a teacher's beside the chapter, a translation below it."""
    ours = WORDS / language / f"{name}.toml"
    return ours if own is None or ours.exists() else own / subfolder(language) / f"{name}.toml"


def read(path):
    return tomllib.loads(WORDS.joinpath(path).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def of(name, language=None):
    """The `Words` of a chapter ("ch04") or a room ("drawing"), nested; in the current language if none is named."""
    language = language or current_language()
    english, spoken = read(file_of(name, "en")), file_of(name, language)
    return worded(over(english, read(spoken)) if spoken.exists() else english)


def say(key, /, **facts):
    """A text of the course in general, with its facts in it."""
    return fill(of("course")[key], **facts)


def fill(text, /, **facts):
    """A text with facts in it; KeyError for a missing fact."""
    return with_particles(text.strip().format(**facts))


def over(table, news):
    """A table with another table's entries over its own, also in tables within."""
    return table | {key: over(table[key], value) if isinstance(value, dict) and key in table else value
                    for key, value in news.items()}  # fmt: skip


def with_particles(text):
    def fitting(match):
        last, between, closed, opened = match.groups()
        end = (ord(last) - ord("가")) % 28 if "가" <= last <= "힣" else CONSONANTS.get(last, 0)
        if closed is None:
            return last + between + ("로" if end in (0, 8) else "으로")
        return last + between + (closed if end else opened)

    return PARTICLES.sub(fitting, text)
