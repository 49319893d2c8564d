"""The course's files: notebooks and handwritten digits.

*Notebooks*: where they are, their chapters, titles and cells, and a learner's copy of one.
"""

import contextlib
import hashlib
import json
import platform
import re
import sys
from functools import cache
from pathlib import Path

from .. import words

PACKAGE = Path(__file__).resolve().parents[1]
CLONE = PACKAGE.parent
FIRST_CHAPTER = "00_welcome.ipynb"
CARD = re.compile(r"^course\.ch\d\d\.p\d+$", re.MULTILINE)
MADE = "made"  # the tag of a cell that no text has: the header
HEADING = re.compile(r"^#+ (.*)", re.MULTILINE)
BLOCK = re.compile(r"(^```.*?^```$|\n{2,})", re.MULTILINE | re.DOTALL)  # of a document: code, or what parts its prose
PLACE = re.compile(r"(?<=\]\()([\w.]*)#([^)]+)")  # a link to a heading

# as ipykernel describes it
LANGUAGE = {
    "name": "python", "version": platform.python_version(), "mimetype": "text/x-python",
    "codemirror_mode": {"name": "ipython", "version": 3}, "pygments_lexer": "ipython3", "nbconvert_exporter": "python",
    "file_extension": ".py",
}  # fmt: skip


class CourseError(Exception):
    """An error that the learner can put right; its text is the one line that is printed."""


def course_source():
    """The folder that holds this edition's notebooks: the clone's, or the installed package's."""
    for folder in (CLONE / "notebooks", PACKAGE / "course" / "notebooks"):
        if (folder / FIRST_CHAPTER).is_file():
            return folder
    raise CourseError(f"the course's notebooks are missing beside {PACKAGE}: install autograd-nb again")


def sources():
    """The folders that hold notebooks: this edition's, and a teacher's own if there is one."""
    return [course_source(), *filter(None, [words.own])]


def notebooks_of(folder):
    return sorted(path for path in folder.glob("*.ipynb") if ".new" not in path.name)


def chapters():
    """This edition's notebooks and a teacher's own."""
    return sorted((path for source in sources() for path in notebooks_of(source)), key=lambda path: path.name)


def place_of(notebook, language=None):
    """The path of a notebook below a learner's folder, where each translation has a folder of its own."""
    source = next(source for source in sources() if notebook.is_relative_to(source))
    return words.subfolder(language or words.current_language()) / notebook.relative_to(source)


def title(notebook, language=None):
    said = words.catalogue(language or "en")
    prose = (said.get((notebook.stem, text), text).lstrip() for kind, text in cells(notebook) if kind == "markdown")
    return next((text.partition("\n")[0].lstrip("# ") for text in prose if text.startswith("#")), "")


def cells(notebook, language=None):
    """(cell type, source) of each cell; raises CourseError if the file is no notebook."""
    return [(cell["cell_type"], "".join(cell["source"])) for cell in content(notebook, language)["cells"]]


def content(notebook, language=None):
    """A notebook's content; in another language its prose is the translation, as far as there is one.

    CourseError if the file is no notebook.
    """
    try:
        there = json.loads(notebook.read_text(encoding="utf-8"))
        prose = [(cell, "".join(cell["source"])) for cell in there["cells"] if cell["cell_type"] == "markdown"]
    except (ValueError, TypeError, KeyError):
        raise CourseError(f"{notebook} cannot be read as a notebook") from None
    if language not in (None, "en"):
        from . import header

        said, to = words.catalogue(language), anchors(notebook.parent, language)
        for cell, source in prose:
            made = MADE in cell["metadata"].get("tags", ())
            source = header.source(notebook.stem, titles(notebook.parent, language), language) if made else source
            text = said.get((notebook.stem, source), source).replace("](images/", "](../images/")  # in its own folder
            cell["source"] = PLACE.sub(lambda link: to.get(f"{link[1] or notebook.name}#{link[2]}", link[0]), text)
    return there


def document(path, language=None):
    """The parts of a document in Markdown as ``[(context, text)]``, code and empty lines with an empty context.

    The text is the translation where there is one.
    """
    context, said = f"{path.parent.name}/{path.stem}", words.catalogue(language or "en")
    parts = [("" if BLOCK.match(part) else context, part) for part in BLOCK.split(path.read_text("utf-8")) if part]
    return [(name, said.get((name, part), part)) for name, part in parts]


@cache
def anchors(folder, language):
    """{link to an English heading: link to the translated one} of a folder's notebooks."""
    found, said = {}, words.catalogue(language)
    for path in notebooks_of(folder):
        for kind, text in cells(path):
            if kind == "markdown" and (translated := said.get((path.stem, text))):
                pairs = zip(HEADING.findall(text), HEADING.findall(translated), strict=True)
                found |= {f"{path.name}#{anchor(before)}": f"{path.name}#{anchor(after)}" for before, after in pairs}
    return found


def anchor(heading):
    """The place of a heading, as JupyterLab names it, for a link."""
    return re.sub("[`*]", "", heading).replace(" ", "-").replace("(", "%28").replace(")", "%29")


@cache
def titles(folder, language):
    """{name of a notebook: its title} of a folder."""
    return {path.stem: title(path, language) for path in notebooks_of(folder)}


def cells_with(text):
    """The sources of this edition's code cells that hold a text; none if the notebooks are missing."""
    with contextlib.suppress(CourseError):
        for notebook in (path for source in sources() for path in notebooks_of(source)):
            yield from (source for kind, source in cells(notebook) if kind == "code" and text in source)


def edition(notebook, language=None):
    """A hash of the cells that a learner may change. Empty cells do not count: running the last cell adds one."""
    filled = [cell for cell in cells(notebook, language) if cell[1].strip()]
    return hashlib.sha256(json.dumps(filled).encode()).hexdigest()


def for_a_learner(notebook, language=None):
    """A notebook as bytes; if it asks for predictions, without the outputs that would give the answers away.

    It already has the facts about this Python that its kernel would write: JupyterLab would count that as a change.
    """
    asks = any(CARD.search(source) for _, source in cells(notebook))
    there = content(notebook, language)
    for cell in there["cells"]:
        if asks and cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    there.setdefault("metadata", {})["language_info"] = LANGUAGE
    return (json.dumps(there, indent=1, ensure_ascii=False) + "\n").encode()


# -- handwritten digits ------------------------------------------------------------------------------------------------

# from scikit-learn: data/digits-licence.txt
DIGITS = Path(__file__).parent / "data" / "digits.npz"


def digits():
    """1,797 images of 8 by 8 pixels, (1797, 64), float32 from 0 (paper) to 1 (ink), and their digits, (1797,), int64.

    They are tensors of the library that the caller calls torch.

    >>> images, labels = digits()
    >>> images.shape, labels[:5]
    (torch.Size([1797, 64]), tensor([0, 1, 2, 3, 4]))
    """
    import numpy as np

    from ..learner.executing import library_of

    torch = library_of(sys._getframe(1).f_globals)
    with np.load(DIGITS) as file:
        images, labels = file["images"], file["labels"]
    return torch.from_numpy(images.reshape(-1, 64) / np.float32(16)), torch.from_numpy(labels.astype(np.int64))
