"""A chapter that is opened again: its kernel begins with the chapter's imports, and a missing name is explained.

Kernels that the launcher starts, and those of Binder, run jupyter/startup.py. It runs the imports of the notebook's
first code cell, so that a learner may go on at any cell that needs nothing else. Where a cell needs an earlier one,
its NameError is followed by a sentence that says what to run, and by the picture that stood there before. A cell
whose backward ran, and which is run again, fails for a reason that only the notebook knows: that is said as well.
"""

import ast
import contextlib
import json
import os
import symtable
from pathlib import Path

from .. import words
from . import showing

NAMES = {"torch", "course", "widgets", "figures"}  # what first cells import


def begin(shell):
    """Run the imports of the first code cell of this kernel's notebook, if it imports autograd_nb."""
    sources = [cell["source"] for cell in code_cells(notebook(shell))][:1]
    run_imports(shell, sources[0] if sources else "")


def run_imports(shell, source):
    with contextlib.suppress(SyntaxError):
        statements = [each for each in ast.parse(shell.transform_cell(source)).body
                      if isinstance(each, ast.Import | ast.ImportFrom | ast.Try)]  # fmt: skip
        if "autograd_nb" in source:
            for each in statements:
                with contextlib.suppress(Exception):  # the cell itself will say what is the matter
                    exec(compile(ast.Module([each], []), "<first cell>", "exec"), shell.user_ns)


def notebook(shell):
    """The path of the notebook whose kernel this is, None where no front end has told it."""
    path = os.environ.get("JPY_SESSION_NAME") or shell.user_ns.get("__vsc_ipynb_file__")
    return Path(path) if path and Path(path).is_file() else None


def code_cells(path):
    """The code cells of a notebook as it was last saved, {"id", "source", "outputs"}; none of what is no notebook."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [{"id": cell.get("id"), "source": "".join(cell["source"]), "outputs": cell["outputs"]}
                for cell in cells if cell["cell_type"] == "code"]  # fmt: skip
    return []


_ended_well = set()  # the texts of cells that ran to their ends


def after(shell, result):
    """What IPython calls after every cell: explains errors whose cause is what was run before, or was not."""
    error, cell = result.error_in_exec, getattr(result.info, "raw_cell", "")
    if result.success:
        _ended_well.add(cell)
    elif isinstance(error, NameError):
        explain(shell, error.name)
    elif cell in _ended_well and "backward through the graph a second time" in str(error):
        heading, reason = words.of("course")["cell_twice"]
        shell.display_pub.publish(showing.Card("hint", heading, [reason])._repr_mimebundle_())


def explain(shell, name):
    """Show what to run first where a name is missing, if the notebook tells, and again the picture of the cell."""
    cells = code_cells(notebook(shell))
    parent = getattr(shell, "parent_header", None) or {}
    cell = parent.get("metadata", {}).get("cellId")
    place = next((number for number, each in enumerate(cells) if each["id"] == cell), len(cells))
    makers = [number for number, each in enumerate(cells[:place]) if name in made_by(shell, each["source"])]
    if not makers and (cells or name not in NAMES):
        return
    heading, reason = words.of("course")["first_cell" if makers[:1] in ([], [0]) else "cells_above"]
    card = showing.Card("hint", heading, [words.fill(reason, name=name)])
    shell.display_pub.publish(card._repr_mimebundle_())
    for output in cells[place]["outputs"] if place < len(cells) else ():
        stored = {kind: "".join(text) for kind, text in output.get("data", {}).items() if kind.startswith("text/")}
        if "text/html" in stored and stored.get("text/plain") != card.text:
            shell.display_pub.publish(stored)


def made_by(shell, source):
    """The names that a cell binds at its top level."""
    with contextlib.suppress(SyntaxError, ValueError):
        symbols = symtable.symtable(shell.transform_cell(source), "cell", "exec").get_symbols()
        return {each.get_name() for each in symbols if each.is_assigned() or each.is_imported()}
    return set()
