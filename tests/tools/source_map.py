"""The map of the sources: for each of their experiments, the chapters and cells of the course that show it.

Nothing of it is written down: it is read from the tags of the notebooks' cells. A cell tagged "A9" stands for program 9
of source A and for its further programs A9b, …; one tagged "A9b" for that one alone.

    python tests/tools/source_map.py        prints it; the exit code is 1 when an experiment is nowhere
"""

import ast
import json
import re
import sys
from itertools import groupby
from typing import NamedTuple

from autograd_nb.course import launcher, recorded

TAG = re.compile(r"[A-Z]\d+[a-z]?")


class Place(NamedTuple):
    """A cell of a notebook: the notebook's name, the cell's number (from 1) and the heading that it stands under."""

    notebook: str
    cell: int
    heading: str


def source_map(folder=None):
    """The places of every experiment, in the order of the course, by its full name: {"A00": [Place, …], …}.

    *folder* holds the notebooks: the course's own by default. ValueError for a tag that names no experiment.

    >>> source_map()["A07"][0].notebook
    '04_accumulation'
    """
    found = {name: [] for name in recorded.names()}
    for notebook in launcher.notebooks_of(folder or launcher.course_source()):
        heading = ""
        for number, cell in enumerate(json.loads(notebook.read_text(encoding="utf-8"))["cells"], 1):
            if cell["cell_type"] == "markdown":
                heading = next(iter(re.findall(r"^#+ (.*)", "".join(cell["source"]), re.MULTILINE)), heading)
            tags = [tag for tag in cell["metadata"].get("tags", []) if TAG.fullmatch(tag)]
            for name in sorted({name for tag in tags for name in meant(tag)}):
                found[name].append(Place(notebook.stem, number, heading))
    return found


def meant(tag):
    """The full names of the experiments that a tag stands for; ValueError for none.

    >>> meant("A9"), meant("A9b")
    (['A09', 'A09b'], ['A09b'])
    """
    name = recorded.find(tag)
    return [each for each in recorded.names() if each == name or (name[-1].isdigit() and each[:-1] == name)]


def text(found):
    """A map as text: each experiment with its idea, and under it its notebooks with the headings and cells."""
    lines = []
    for name, places in found.items():
        lines.append(f"{name:5} {ast.get_docstring(ast.parse(recorded.source(name))).splitlines()[0]}")
        for (notebook, heading), cells in groupby(places, lambda place: (place.notebook, place.heading)):
            numbers = [str(place.cell) for place in cells]
            lines.append(f"      {notebook}, {heading}: cell{'s' * (len(numbers) > 1)} {', '.join(numbers)}")
        lines += [] if places else ["      nowhere"]
    return "\n".join(lines)


if __name__ == "__main__":
    everything = source_map()
    print(text(everything))
    sys.exit(not all(everything.values()))
