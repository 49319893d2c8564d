"""Brings the catalogues of translations, such as autograd_nb/words/ko.po, up to the English texts.

`python -m tests.write translations` writes them: a translation whose English text changed stays, marked as fuzzy, until
somebody has read it, and the learner sees the English text meanwhile. It prints what each catalogue has and lacks.
A message is a cell of prose, with its notebook's name as its context, a paragraph, list or table of a document in docs,
or a text of words/en, with its place there.
"""

import difflib
import json
import re
import sys
import tomllib
from collections import Counter, defaultdict

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from autograd_nb import words
from autograd_nb.course import library

# in words/en, but code, names and rules, the same in every language
NO_PROSE = re.compile(r"clinic\.wordings|missing\.clauses|microscope\.rules\.\w+\.rows|why\.(cures|row\.)")


def english():
    """(context, text) of each message, in the course's order."""
    for path in library.notebooks_of(library.course_source()):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "markdown" and library.MADE not in cell["metadata"].get("tags", ()):
                yield path.stem, "".join(cell["source"])
    for path in sorted((library.CLONE / "docs").glob("*.md")):
        yield from ((context, text) for context, text in library.document(path) if context)
    for path in sorted((words.WORDS / "en").glob("*.toml")):
        for place, text in texts(tomllib.loads(path.read_text(encoding="utf-8")), path.stem):
            is_name = NO_PROSE.match(place) or re.match("why.(?!say)", place) and " " not in text
            if re.search("[A-Za-z]{2}", re.sub(r"\{.*?\}|`.*?`", "", text)) and not is_name:
                yield place, text


def texts(table, place):
    """(context, text) of each text in a table of words."""
    if isinstance(table, dict | list):
        for key, each in table.items() if isinstance(table, dict) else ((None, each) for each in table):
            yield from texts(each, place if key is None else f"{place}.{key}")
    elif isinstance(table, str):
        yield place, table


def stored(language):
    with open(words.WORDS / f"{language}.po", "rb") as file:
        catalogue = read_po(file)
    for message in catalogue:  # Babel takes a text's previous version for a comment, and adds flags
        told = " ".join(line.removeprefix("| ") for line in message.user_comments)  # wrapped at blanks of its texts
        parts = re.findall(r'"(?:\\.|[^"\\])*"', told)
        message.previous_id, message.user_comments = ["".join(map(json.loads, parts))] if parts else [], []
        message.flags &= {"fuzzy"}
    return catalogue


def updated(old, messages):
    """A catalogue of the messages with the translations of another one, fuzzy where the English text changed."""
    new = Catalog(old.locale, project="autograd_nb", creation_date=old.creation_date, revision_date=old.revision_date,
                  last_translator=old.last_translator, language_team=old.language_team, fuzzy=False)  # fmt: skip
    messages, known = list(dict.fromkeys(messages)), {(each.context, each.id): each for each in old if each.id}
    left = defaultdict(list)
    for key in known.keys() - set(messages):
        left[key[0]] += [known[key]] * bool(known[key].string)
    for context, text in messages:
        there, before = known.get((context, text)), []
        if there is None and (close := difflib.get_close_matches(text, [each.id for each in left[context]], 1, 0.5)):
            there = next(each for each in left[context] if each.id == close[0])
            before = list(there.previous_id) if there.fuzzy else close
        elif there is not None:
            before = list(there.previous_id)
        message = new.add(text, there.string if there else "", context=context, previous_id=before)
        message.flags = {"fuzzy"} if there and (before or there.fuzzy) else set()
    return new


def write(language, catalogue):
    with open(words.WORDS / f"{language}.po", "wb") as file:
        write_po(file, catalogue, width=100, include_previous=True)


def counts(catalogue):
    """{file: Counter of "translated", "fuzzy" and "missing"} of a catalogue's messages."""
    found = defaultdict(Counter)
    for each in catalogue:
        if each.id:
            state = "fuzzy" if each.fuzzy else "translated" if each.string else "missing"
            found[each.context.partition(".")[0]][state] += 1
    return found


def summary(language, catalogue):
    """A line about each file that is not translated whole, and one about all."""
    found = counts(catalogue)
    lines = [f"{name}: {count['missing']} missing, {count['fuzzy']} fuzzy of {count.total()}"
             for name, count in found.items() if count["translated"] < count.total()]  # fmt: skip
    whole = sum(found.values(), Counter())
    told = f"{language}: {whole['translated']} of {whole.total()} messages are translated, {whole['fuzzy']} are fuzzy"
    return "\n".join([*lines, told])


if __name__ == "__main__":
    for language in sys.argv[1:] or words.languages()[1:]:
        catalogue = updated(stored(language) if language in words.languages() else Catalog(language), english())
        write(language, catalogue)
        print(summary(language, catalogue))
