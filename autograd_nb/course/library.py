"""The course's notebooks as files: where they are, their chapters, titles and cells, and a learner's copy of one."""

import contextlib
import hashlib
import json
import platform
import re
from pathlib import Path

from .. import words

PACKAGE = Path(__file__).resolve().parents[1]
CLONE = PACKAGE.parent
FIRST_CHAPTER = "00_welcome.ipynb"
CARD = re.compile(r"^course\.ch\d\d\.p\d+$", re.MULTILINE)

# as ipykernel tells it
LANGUAGE = {
    "name": "python", "version": platform.python_version(), "mimetype": "text/x-python",
    "codemirror_mode": {"name": "ipython", "version": 3}, "pygments_lexer": "ipython3", "nbconvert_exporter": "python",
    "file_extension": ".py",
}  # fmt: skip


class CourseError(Exception):
    """Something the learner can put right; its text is the one line that is printed."""


def course_source():
    """The folder that holds this edition's notebooks: the clone's, or the installed package's."""
    for folder in (CLONE / "notebooks", PACKAGE / "course" / "notebooks"):
        if (folder / FIRST_CHAPTER).is_file():
            return folder
    raise CourseError(f"the course's notebooks are missing beside {PACKAGE}: install autograd-nb again")


def sources():
    """The folders that hold notebooks: this edition's, and that of a teacher's own chapters where there is one."""
    return [course_source(), *filter(None, [words.own])]


def notebooks_of(folder):
    return sorted(path for path in folder.glob("*.ipynb") if ".new" not in path.name)


def chapters():
    """This edition's notebooks and a teacher's own, each in the language that is spoken where it is translated."""
    translated = {path.name: path for source in sources() for path in notebooks_of(source / words.chosen())}
    there = sorted((path for source in sources() for path in notebooks_of(source)), key=lambda path: path.name)
    return [translated.get(path.name, path) for path in there]


def place_of(notebook):
    """The path of a notebook below a learner's folder: as it is below the folder that it comes from."""
    return next(notebook.relative_to(source) for source in sources() if notebook.is_relative_to(source))


def title(notebook):
    headings = (source.lstrip().partition("\n")[0] for kind, source in cells(notebook) if kind == "markdown")
    return next((heading.lstrip("# ") for heading in headings if heading.startswith("#")), "")


def cells(notebook):
    """(cell type, source) of each cell; raises CourseError when the file is no notebook."""
    try:
        content = json.loads(notebook.read_text(encoding="utf-8"))
        return [(cell["cell_type"], "".join(cell["source"])) for cell in content["cells"]]
    except (ValueError, TypeError, KeyError):
        raise CourseError(f"{notebook} cannot be read as a notebook") from None


def cells_with(text):
    """The sources of this edition's code cells that hold a text; none where the notebooks are not to be had."""
    with contextlib.suppress(CourseError):
        for notebook in (path for source in sources() for path in notebooks_of(source)):
            yield from (source for kind, source in cells(notebook) if kind == "code" and text in source)


def edition(notebook):
    """A hash of what a learner may change in a notebook. Empty cells do not count: running the last cell adds one."""
    filled = [cell for cell in cells(notebook) if cell[1].strip()]
    return hashlib.sha256(json.dumps(filled).encode()).hexdigest()


def for_a_learner(notebook):
    """A notebook as bytes; where it asks for predictions, without the outputs that would give the answers away.

    It knows of this Python what its kernel would write into it: JupyterLab would count that as a change.
    """
    asks = any(CARD.search(source) for _, source in cells(notebook))
    content = json.loads(notebook.read_text(encoding="utf-8"))
    for cell in content["cells"]:
        if asks and cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    content.setdefault("metadata", {})["language_info"] = LANGUAGE
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()
