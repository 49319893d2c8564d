"""All texts for learners: the English ones in a TOML file for each room and each chapter, and their translations.

A translation is a catalogue of gettext's, such as ko.po: English text to translation, for these texts and for the prose
of the notebooks. AUTOGRAD_NB_LANGUAGE names the language, else the folder in which a notebook runs, else it is English;
the English text stands for a missing translation. A kernel keeps the language of its first text. Facts of the moment
stand in a text as {name}; `examples` is code in widgets, the same in every language.
"""

import json
import os
import re
import tomllib
from functools import cache, partial
from pathlib import Path

WORDS = Path(__file__).parent
# Korean particles that depend on the sound before them, both forms: "0.6을(를)" becomes "0.6을", "z을(를)" "z를".
PARTICLES = re.compile(r"(\w?)([^\w\s]*)(?:(은|이|을|과)\((는|가|를|와)\)|\(으\)로)")
FIELD = re.compile(r'^(msgctxt|msgid|msgstr) ((?:".*"\n?)+)', re.MULTILINE)  # of a PO file's entry
OWN, LANGUAGE = "AUTOGRAD_NB_WITH", "AUTOGRAD_NB_LANGUAGE"
own = Path(os.path.expanduser(os.environ[OWN])) if os.environ.get(OWN) else None  # where a teacher's own chapters are
CONSONANTS = dict.fromkeys("036mnMN²³", 1) | dict.fromkeys("178lL", 8)  # a sign's last sound, read aloud; 8 is an l


def languages():
    return ["en", *sorted(path.stem for path in WORDS.glob("*.po"))]


def subfolder(language):
    """The folder of a language's chapters, below the English ones."""
    return "" if language == "en" else language


def of_folder():
    """The language of the folder where this runs, such as ko; "" if no language has its name."""
    try:
        name = Path.cwd().name
    except OSError:
        name = ""  # the folder is gone
    return name if name in languages() else ""


def current_language():
    """The current language; ValueError for a language that is not there."""
    language = os.environ.get(LANGUAGE) or of_folder() or "en"
    if language not in (there := languages()):
        raise ValueError(f"language (--language, {LANGUAGE}): got {language!r}, expected one of {', '.join(there)}")
    return language


class Words(dict):
    """Texts by their names; a call with a name and facts gives the text with the facts in it.

    Of a list the first text is for one, the second for any other *count*.
    """

    def __call__(self, key, /, **facts):
        text = self[key]
        return with_particles((text if isinstance(text, str) else text[facts["count"] != 1]).format(**facts))


def worded(table):
    return Words({key: worded(each) if isinstance(each, dict) else each for key, each in table.items()})


def file_of(name):
    """The file of some English words: ours, or a teacher's beside the chapter."""
    ours = WORDS / "en" / f"{name}.toml"
    return ours if own is None or ours.exists() else own / f"{name}.toml"


def read(path):
    return tomllib.loads(WORDS.joinpath(path).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def of(name, language=None):
    """The `Words` of a chapter ("ch04") or a room ("drawing"), nested; in the current language if none is named."""
    return worded(translated(read(file_of(name)), name, catalogue(language or current_language())))


def catalogue(language):
    """{(context, English text): translation} of a language; a teacher's own has the same name beside the chapters.

    The context is a notebook's name, or a file of words and the text's place in it ("ch01.p1.wrong.rise").
    """
    return all_messages(*(folder / f"{language}.po" for folder in (WORDS, own) if folder))


@cache
def all_messages(*files):
    return {key: text for file in files if file.exists() for key, text in messages(file.read_text(encoding="utf-8"))}


def messages(text):
    """((context, English text), translation) of each entry of a PO file that has one, unless it is marked as fuzzy.

    >>> [*messages('msgctxt "01_derivative"\\nmsgid "slope"\\nmsgstr ""\\n"기울"\\n"기"')]
    [(('01_derivative', 'slope'), '기울기')]
    """
    for entry in text.split("\n\n"):
        if not re.search("^#,.*fuzzy", entry, re.MULTILINE):
            fields = {kind: "".join(map(json.loads, lines.splitlines())) for kind, lines in FIELD.findall(entry)}
            if fields.get("msgid") and fields["msgstr"]:
                yield (fields.get("msgctxt"), fields["msgid"]), fields["msgstr"]


def translated(text, context, said):
    """A text of a TOML file, or a table or list of them, in the language of a catalogue."""
    if isinstance(text, dict):
        return {key: translated(each, f"{context}.{key}", said) for key, each in text.items()}
    if isinstance(text, list):
        return [translated(each, context, said) for each in text]
    return said.get((context, text), text)


def say(key, /, **facts):
    """A text of the course in general, with its facts in it."""
    return fill(of("course")[key], **facts)


def fill(text, /, **facts):
    """A text with facts in it; KeyError for a missing fact."""
    return with_particles(text.strip().format(**facts))


def fitting(match):
    """A particle in the form that goes with the sound before it."""
    last, between, closed, opened = match.groups()
    end = (ord(last) - ord("가")) % 28 if "가" <= last <= "힣" else CONSONANTS.get(last, 0)
    if closed is None:
        return last + between + ("로" if end in (0, 8) else "으로")
    return last + between + (closed if end else opened)


with_particles = partial(PARTICLES.sub, fitting)
