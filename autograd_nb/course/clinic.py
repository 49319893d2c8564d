"""The entry of the error clinic, chapter 92, that speaks of a message of PyTorch."""

import re

from ..words import of
from .library import cells, course_source

CHAPTER = "92_error_clinic"
ROW = re.compile(r"^\| (.+?) \| \[.*\]\(#(.+)\) \|$", re.MULTILINE)  # of the clinic's index
CAUSE = re.compile(r"\*\*Cause\*\*: (.+?)\n+\*\*Cure\*\*: (.+?)(?:\n+\*\*More\*\*|\Z)", re.DOTALL)


def entry_for(message):
    """``(title, cause, cure)`` of the entry with the longest words in common with a message, or None."""
    texts = [source for kind, source in cells(course_source() / f"{CHAPTER}.ipynb") if kind == "markdown"]
    index = next(text for text in texts if text.startswith("| the message"))
    sections = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", "\n".join(texts), re.MULTILINE | re.DOTALL))
    titles = {title.replace(" ", "-"): title for title in sections}
    wordings = [(words, titles[place]) for words, place in ROW.findall(index)]
    wordings += [(words, title) for title, each in of("clinic")["wordings"].items() for words in each]
    said = plain(message)
    found = max((pair for pair in wordings if plain(pair[0]) in said), key=lambda pair: len(pair[0]), default=None)
    return found and (found[1], *map(as_line, CAUSE.search(sections[found[1]]).groups()))


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
