"""The entry of the error clinic, chapter 92, that speaks of a message of PyTorch."""

import re

from ..words import current_language, of
from .library import cells, course_source

CHAPTER = "92_error_clinic"
ROW = re.compile(r"^\| (.+?) \| \[.*\]\(#(.+)\) \|$", re.MULTILINE)  # of the clinic's index
SECTION = re.compile(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
CAUSE = re.compile(r"\*\*[^*]+\*\*: (.+?)\n+\*\*[^*]+\*\*: (.+?)(?:\n+\*\*[^*]+\*\*|\Z)", re.DOTALL)  # of two labels


def entry_for(message):
    """``(title, cause, cure)`` of the entry with the longest words in common with a message, or None."""
    english, spoken = prose("en"), prose(current_language())
    sections = dict(zip(SECTION.findall(english), SECTION.findall(spoken), strict=True))
    entries = {title: entry for (title, _), entry in sections.items()}
    titles = {title.replace(" ", "-"): title for title in entries}
    wordings = [(words, titles[place]) for words, place in ROW.findall(english)]
    wordings += [(words, title) for title, each in of("clinic")["wordings"].items() for words in each]
    said = plain(message)
    found = max((pair for pair in wordings if plain(pair[0]) in said), key=lambda pair: len(pair[0]), default=None)
    if found:
        title, text = entries[found[1]]
        return title, *map(as_line, CAUSE.search(text).groups())
    return None


def prose(language):
    there = cells(course_source() / f"{CHAPTER}.ipynb", language)
    return "\n".join(source for kind, source in there if kind == "markdown")


def plain(text):
    """A text for comparison: in lower case, with single spaces, and each number a 0."""
    return re.sub(r"\d+", "0", " ".join(text.replace("`", "").lower().split()))


def as_line(text):
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(text.split()))


def answer(message):
    """What the clinic says about a message, and the chapters that explain it."""
    entry, say = entry_for(message), of("clinic")
    if entry is None:
        return say["unknown"], []
    title, cause, cure = entry
    return say("found", title=title, cause=cause, cure=cure), [CHAPTER]
