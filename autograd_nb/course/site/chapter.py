"""A chapter as JupyterLite has it: before its first code stands a cell that installs the course, and knows its edition.

A browser keeps a notebook for good once its reader changed it, but this cell installs the site's newest course. So the
cell compares the two, and puts a new edition of the chapter beside the kept one.
"""

import json
import sys
from itertools import count
from pathlib import Path

from ... import words
from ...microscope.files import write_whole
from .. import kernel, library

# Only JupyterLite has piplite: copied elsewhere, this cell asks no index for a name that is not there.
INSTALL = """import piplite
await piplite.install("autograd-nb[course]")
from autograd_nb.course.site.chapter import renew
renew("{name}", "{edition}")"""
EDITION = 12  # digits of a hash


def in_lite(path, language):
    """A chapter as a notebook for JupyterLite, in bytes, in a language."""
    notebook, said = json.loads(library.for_a_learner(path, language)), words.of("course", language)["site"]
    cells = notebook["cells"]
    fails = any("raises-exception" in cell["metadata"].get("tags", ()) for cell in cells)
    told = " ".join([said["first"], *([said["stops"]] if fails else []), said["kept"]])
    name, edition = library.place_of(path, language).as_posix(), library.edition(path, language)
    begins = INSTALL.format(name=name, edition=edition[:EDITION])
    place = next(number for number, cell in enumerate(cells) if cell["cell_type"] == "code")
    code = {"cell_type": "code", "execution_count": None, "outputs": []}
    cells[place:place] = [
        {"cell_type": "markdown", "id": "first", "metadata": {}, "source": told},
        code | {"id": "install", "metadata": {}, "source": begins},
    ]
    notebook["metadata"]["kernelspec"] = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode()


def renew(name, edition):
    """If the course has another edition of a chapter than this one, say so, and put it beside, once.

    Each chapter begins with this call, so it limits recursion too: IPython allows 3,000 calls, but a browser's stack
    ends Python before that, and then the kernel is dead.
    """
    sys.setrecursionlimit(1000)
    here, language = Path(Path(name).name), Path(name).parent.name or "en"
    path = library.course_source() / here
    if (shell := kernel.shell()) and (cells := kernel.code_cells(here)[1:]):  # the first cell calls this
        kernel.run_imports(shell, cells[0]["source"])
    # a chapter that was removed is not newer
    new = library.edition(path, language)[:EDITION] if path.is_file() else edition
    if new == edition:
        return
    for number in count(1):
        beside = here.with_suffix(f".new{number if number > 1 else ''}.ipynb")
        if not beside.exists():
            write_whole(beside, in_lite(path, language))
        if new in beside.read_text("utf-8", "replace"):
            print(words.say("chapter_beside", name=here.name, new=beside.name))
            return
