"""Which English text each translation was made from: a hash of it, in notebooks/ko/text/translated.json.

`python tests/tools/mark_translated.py ko 03_backward ch03` records that somebody has read these translations and
that they say what the English says now; without names, all of them.
"""

import hashlib
import json
import sys
import tomllib

import jupytext
from house import NOTEBOOKS

from autograd_nb.words import WORDS

COMMAND = "python tests/tools/mark_translated.py"


def chapters(language):
    return [path.stem for path in sorted((NOTEBOOKS / language / "text").glob("*.py"))]


def words(language):
    return [path.stem for path in sorted((WORDS / language).glob("*.toml"))]


def cells(text):
    return jupytext.reads(text.read_text(encoding="utf-8"), fmt="py:percent").cells


def english_words(name):
    """The English texts that a file of words translates, as nested dicts."""
    return tomllib.loads((WORDS / "en" / f"{name}.toml").read_text(encoding="utf-8"))


def flat(table, path=""):
    """{"p1.wrong.rise": its text} of nested tables."""
    found = {}
    for key, value in table.items():
        found |= flat(value, f"{path}{key}.") if isinstance(value, dict) else {path + key: value}
    return found


def hash_of(text):
    return hashlib.sha256(json.dumps(text).encode()).hexdigest()[:8]


def state(language, name):
    """{label of a text: its hash} of the English texts behind a translated chapter or file of words."""
    if name in words(language):
        translated = flat(tomllib.loads((WORDS / language / f"{name}.toml").read_text(encoding="utf-8")))
        return {key: hash_of(text) for key, text in flat(english_words(name)).items() if key in translated}
    prose = [cell.source for cell in cells(NOTEBOOKS / "text" / f"{name}.py") if cell.cell_type == "markdown"]
    return {f"{number}: {source.splitlines()[0][:60]}": hash_of(source) for number, source in enumerate(prose, 1)}


def kept(language):
    return json.loads((NOTEBOOKS / language / "text" / "translated.json").read_text(encoding="utf-8"))


def changed(language, name):
    """The English texts of a chapter, or of a file, that changed since they were translated."""
    before, now = kept(language).get(name, {}), state(language, name)
    return sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))


def main(language, *names):
    file = NOTEBOOKS / language / "text" / "translated.json"
    states = kept(language) if file.exists() else {}
    states |= {name: state(language, name) for name in names or chapters(language) + words(language)}
    file.write_text(json.dumps(states, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
