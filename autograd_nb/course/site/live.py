"""The steppers, benches and cards of a chapter in the form that a page's scripts make live.

The module makes each stepper again by running its chapter up to it, and turns a bench into a stepper of its run. All
else is as stored.
"""

import base64
import json
import os
import tempfile
import zlib
from pathlib import Path

import nbformat
from ipykernel.compiler import XCachingCompiler
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from ... import words
from ...widgets import links as programs
from ...widgets.bench import Bench
from ...widgets.predict import PredictionCard
from ...widgets.step import Stepper
from .. import exercises, library, overview

# the first words in the stored text of such an output
LIVE = tuple(f"{words.of('widgets', 'en')[kind]['title']}: " for kind in ("step", "bench"))


def made_live(path):
    """A notebook whose steppers, benches and cards have the form that a page's scripts make live."""
    notebook = nbformat.reads(json.dumps(library.content(path, words.current_language())), as_version=4)
    shown = {place: output for place, cell in enumerate(notebook.cells) if cell.cell_type == "code"
             for output in cell.outputs if "text/html" in output.get("data", {})}  # fmt: skip
    wanted = [place for place, output in shown.items() if output.data.get("text/plain", "").startswith(LIVE)]
    with tempfile.TemporaryDirectory() as elsewhere:
        os.environ["AUTOGRAD_NB_PROGRESS"] = str(Path(elsewhere, "progress.json"))
        shell = InteractiveShell.instance(compiler_class=XCachingCompiler)
        shell.reset()
        for place, cell in enumerate(notebook.cells[: max(wanted, default=-1) + 1]):
            if cell.cell_type == "code" and not library.CARD.search(cell.source):
                with capture_output():
                    result = shell.run_cell(cell.source).result
                if place in wanted and isinstance(result, Stepper | Bench):
                    insert_live(shown[place].data, result)
                if isinstance(result, Bench):
                    cell.metadata["play"] = programs.address_ending(result.shown["cell"])
    for place, output in shown.items():
        if card := library.CARD.search(notebook.cells[place].source):
            following = (cell for cell in notebook.cells[place + 1 :] if cell.cell_type == "code")
            next(cell for cell in following if not library.CARD.search(cell.source)).metadata["answer"] = True
            _, chapter, name = card[0].split(".")
            insert_live(output.data, overview.items(chapter, exercises.Prediction)[f"{chapter}.{name}"].card())
    for cell, code in programs_of(notebook):
        cell.metadata.setdefault("play", programs.address_ending(code))
    return notebook


def programs_of(notebook):
    """``(cell, program)`` of a notebook's cells that the page `play` can run."""
    before, failed = [], set()
    for cell in notebook.cells:
        if cell.cell_type == "code" and not library.CARD.search(cell.source):
            code, source = programs.program(before, cell.source), cell.source
            if any(output.output_type == "error" for output in cell.outputs):
                source = programs.caught(source)
                failed.add(source)
            elif "why(" in source and any(each in code for each in failed):
                code = ""  # the page shows this answer with the cell that fails
            before.append(source)
            if code:
                yield cell, code


def insert_live(data, widget):
    """Put a live form around the stored one. Without scripts the stored one stays, without a card's answer."""
    kind, note, stored = "step", "", data["text/html"]
    if isinstance(widget, PredictionCard):
        kind, stored = "ask", stored.partition("<details>")[0]
    if isinstance(widget, Bench):
        widget, note = widget.film(), f"<p>{words.of('course')['site']['bench']}</p>"
    state = {name: it for name, it in widget.as_state().items() if name != "words"}
    packed = base64.b64encode(zlib.compress(json.dumps(state).encode(), 9)).decode()
    data["text/html"] = f'{note}<div class="live" data-kind="{kind}" data-state="{packed}">{stored}</div>'
