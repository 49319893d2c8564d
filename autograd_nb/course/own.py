"""A teacher's own chapters in a folder: notebooks, with their questions (chNN.py) and words (chNN.toml).

The course treats them as ours: it also looks in this folder for notebooks, exercises and words. AUTOGRAD_NB_WITH names
it to the kernels; `use` first says if something is wrong with it.
"""

import importlib
import os
import re
from pathlib import Path

from .. import words
from . import exercises, library
from .exercises import Question
from .exercises.filling import Filling
from .library import CourseError
from .overview import items


def use(folder):
    """Take a folder's chapters into the course, here and in kernels that start from here.

    CourseError says what is wrong: a bad folder, a number of ours, bad code, missing words.
    """
    folder = Path(folder).expanduser().resolve()
    try:
        os.listdir(folder)
    except OSError as error:
        raise CourseError(f"--with: {folder} is no folder that can be read ({error.strerror})") from None
    notebooks, codes = library.notebooks_of(folder), sorted(folder.glob("ch[0-9][0-9].py"))
    if not notebooks + codes:
        raise CourseError(f"--with: in {folder} there is neither a chapter, as 30_name.ipynb, nor a ch30.py")
    for path in notebooks + codes:
        check_number(path)
    for notebook in notebooks:
        library.cells(notebook)
    words.own = folder
    os.environ[words.OWN] = str(folder)
    exercises.look_into(folder)
    for code in codes:
        check(code)


def check_number(path):
    """Raise CourseError if a file has the name or the number of a chapter of ours."""
    ours = {each.name for each in library.notebooks_of(library.course_source())}
    taken = {name[:2] for name in ours}
    number = path.name.removeprefix("ch")[:2]
    if path.name in ours or number in taken:
        free = next(f"{each:02}" for each in range(30, 100) if f"{each:02}" not in taken)
        raise CourseError(f"--with: {path} clashes with one of ours; a number that is free is {free}")


def check(code):
    """Raise CourseError if a chapter's questions do not run, are missing, are misnamed or lack words."""
    chapter, toml = code.stem, code.with_suffix(".toml")
    try:
        importlib.import_module(f"{exercises.__name__}.{chapter}")
    except (Exception, SystemExit) as error:
        raise CourseError(f"--with: {code} cannot be run: {type(error).__name__}: {error}") from None
    try:
        said = words.of(chapter)
    except OSError as error:
        raise CourseError(f"--with: the words of {code.name} cannot be read: {toml} ({error.strerror})") from None
    except ValueError as error:
        raise CourseError(f"--with: {toml} cannot be read: {error}") from None
    there = items(chapter)
    if not there:
        raise CourseError(f"--with: {code} asks nothing: it has no Question and no Prediction")
    for name, each in there.items():
        letter = "q" if isinstance(each, Question) else "p"
        if not re.fullmatch(rf"ch\d\d\.{letter}\d+", name):
            raise CourseError(f"--with: {code}: {name} should be called {letter}1, {letter}2 or so on")
    missing = [key for key in ("title",) if not isinstance(said.get(key), str)]
    missing += [f"{name.partition('.')[2]}.{key}" for name, each in there.items() for key in lacking(each, said, name)]
    if missing:
        raise CourseError(f"--with: {toml} lacks {', '.join(missing)}")


def lacking(each, said, name):
    """The keys of the words that an exercise or a prediction lacks, "wrong.replaced"."""
    table = said.get(name.partition(".")[2], {})
    kinds = {"question": str}
    if isinstance(each, Question):
        kinds = {"title": str, "hints": list, "right": str, "why": str}
    elif each.wrong:
        kinds |= {"right": str}
    elif not isinstance(each, Filling):
        kinds |= {f"choices.{key}": list for key in (each.answer, *table.get("choices", ()))}
    kinds |= {f"wrong.{key}": str for key in each.wrong or ()}
    for key, kind in kinds.items():
        first, _, second = key.partition(".")
        found = table.get(first)
        found = found.get(second) if second and isinstance(found, dict) else found
        if not isinstance(found, kind) or not found or (first == "choices" and len(found) != 2):
            yield key
