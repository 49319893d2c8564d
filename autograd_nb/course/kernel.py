"""A notebook's kernel beside its cells: the cards it shows, the imports it begins with, errors and their explanations.

*Cards* are the answers of exercises and of the course: HTML in a notebook, plain text elsewhere.

*The start.* Kernels that the launcher starts, and those of Binder, run jupyter/startup.py. It runs the imports of the
notebook's first code cell, so that a learner may go on at any cell that needs nothing else. If a cell needs an earlier
one, a sentence below its NameError says what to run, and the stored picture follows. If a learner runs a backward cell
again, it fails for a reason that only the notebook knows, and the kernel says so.

*Errors* end at the learner's line, as PyTorch's do: the frames of autograd_nb below it are left out. IPython offers two
ways. A local variable `__tracebackhide__` in every function would slow down each operation, and still show the frame
that raises. So this module takes the other way: a handler in the shell, set when a notebook imports the course. It
changes the display only: the exception keeps its frames, `%tb` shows them all, and after `course.tracebacks("full")`
nothing is left out.
"""

import ast
import contextlib
import html
import importlib.util
import json
import os
import re
import sys
from functools import partial
from pathlib import Path
from types import TracebackType

from .. import words
from ..learner.needed import cell_names
from ..microscope.labels import legible

# -- cards -------------------------------------------------------------------------------------------------------------

# Okabe-Ito; the heading says in words what the edge says in colour.
EDGES = {"right": "#009E73", "wrong": "#D55E00", "unattempted": "#6B7280", "hint": "#0072B2", "solution": "#AA4499"}
CARD = '<div role="status" style="border-left:4px solid {edge};padding:.2em .8em">{body}</div>'


class Card:
    """A heading and paragraphs; `kind` is one of EDGES. A paragraph that ends in a line break appears as code."""

    def __init__(self, kind, heading, paragraphs=()):
        self.kind, self.heading = kind, heading
        self.paragraphs = [legible(text) for text in paragraphs if text]

    @property
    def text(self):
        return "\n".join(part.rstrip("\n") for part in (legible(self.heading), *self.paragraphs))

    @property
    def html(self):
        body = f"<p><strong>{html.escape(self.heading)}</strong></p>" + "".join(map(_paragraph, self.paragraphs))
        return CARD.format(edge=EDGES[self.kind], body=body)

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self.html, "text/plain": self.text}


def shell():
    """IPython's shell, or None."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def in_kernel():
    """Whether this runs in a notebook's kernel that has the packages for widgets."""
    return hasattr(shell(), "kernel") and importlib.util.find_spec("anywidget") is not None


def _paragraph(text):
    if text.endswith("\n"):
        return f"<pre>{html.escape(text.rstrip())}</pre>"
    return "<p>" + re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False)) + "</p>"


# -- a kernel that starts, and errors that another cell explains -------------------------------------------------------

NAMES = {"torch", "course", "widgets", "figures"}  # what first cells import


def run_first_imports(shell):
    """Run the imports of the first code cell of this kernel's notebook, if it imports autograd_nb."""
    for cell in code_cells(notebook_path(shell))[:1]:
        run_imports(shell, cell["source"])


def run_imports(shell, source):
    with contextlib.suppress(SyntaxError):
        for each in ast.parse(shell.transform_cell(source)).body if "autograd_nb" in source else ():
            if isinstance(each, ast.Import | ast.ImportFrom | ast.Try):
                with contextlib.suppress(Exception):  # the cell itself will show the error
                    exec(compile(ast.Module([each], []), "<first cell>", "exec"), shell.user_ns)


def notebook_path(shell):
    """The path of this kernel's notebook, None if no front end gave it."""
    path = os.environ.get("JPY_SESSION_NAME") or shell.user_ns.get("__vsc_ipynb_file__")
    return Path(path) if path and Path(path).is_file() else None


def code_cells(path):
    """The code cells of a notebook as last saved, {"id", "source", "outputs"}; none if the file is no notebook."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [{"id": cell.get("id"), "source": "".join(cell["source"]), "outputs": cell["outputs"]}
                for cell in cells if cell["cell_type"] == "code"]  # fmt: skip
    return []


_ended_well = set()  # the texts of cells that ran to the end


def after_cell(shell, result):
    """Explain, after every cell, an error whose cause is that another cell ran before, or did not run."""
    error, cell = result.error_in_exec, getattr(result.info, "raw_cell", "")
    if result.success:
        _ended_well.add(cell)
    elif isinstance(error, NameError):
        explain(shell, error.name)
    elif cell in _ended_well and "backward through the graph a second time" in str(error):
        heading, reason = words.of("course")["cell_twice"]
        shell.display_pub.publish(Card("hint", heading, [reason])._repr_mimebundle_())


def explain(shell, name):
    """Say what to run first for a missing name, if the notebook shows that, and show the cell's stored picture."""
    cells = code_cells(notebook_path(shell))
    parent = getattr(shell, "parent_header", None) or {}
    cell = parent.get("metadata", {}).get("cellId")
    place = next((number for number, each in enumerate(cells) if each["id"] == cell), len(cells))
    makers = [number for number, each in enumerate(cells[:place])
              if name in cell_names(shell.transform_cell(each["source"]))[1]]  # fmt: skip
    if not makers and (cells or name not in NAMES):
        return
    heading, reason = words.of("course")["first_cell" if makers[:1] in ([], [0]) else "cells_above"]
    card = Card("hint", heading, [words.fill(reason, name=name)])
    shell.display_pub.publish(card._repr_mimebundle_())
    for output in cells[place]["outputs"] if place < len(cells) else ():
        stored = {kind: "".join(text) for kind, text in output.get("data", {}).items() if kind.startswith("text/")}
        if "text/html" in stored and stored.get("text/plain") != card.text:
            shell.display_pub.publish(stored)


# -- errors end at the learner's line ----------------------------------------------------------------------------------

KINDS = ("short", "full")
_wanted = "short"
_told = False  # a sentence says once that %tb shows more


def tracebacks(kind):
    """From now on show errors "short", without the frames of autograd_nb, or "full".

    >>> from autograd_nb import course
    >>> course.tracebacks("short")
    """
    global _wanted
    if kind not in KINDS:
        raise ValueError(f"tracebacks(): got {kind!r}, expected one of {KINDS}")
    _wanted = kind


def take_over_errors():
    """Decide how the running shell shows errors, unless another library does so; outside IPython do nothing."""
    running = shell()
    if running is None:
        return
    running.events.register("post_run_cell", partial(after_cell, running))
    if not running.custom_exceptions:
        running.set_custom_exc((Exception, KeyboardInterrupt), _show)


def _show(shell, kind, error, trace, tb_offset=None):
    with _shortened(error) if _wanted == "short" else contextlib.nullcontext():
        shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset)
    sys.last_traceback = trace  # for %tb and %debug


@contextlib.contextmanager
def _shortened(error):
    """Inside, an exception and its causes have no hidden frames; afterwards they have them again."""
    global _told
    before, chain = [], error
    while chain is not None and all(chain is not each for each, *_ in before):
        before.append((chain, chain.__traceback__, chain.__suppress_context__))
        chain = chain.__cause__ or chain.__context__
    own = dict(vars(error))
    try:
        for each, trace, _ in before:
            each.__traceback__ = without_hidden(trace)
            # the engine put this error into better words, so it is hidden as a whole
            inner = each.__context__
            if each.__cause__ is None and inner is not None and without_hidden(inner.__traceback__) is None:
                each.__suppress_context__ = True
        if not _told and any(each.__traceback__ is not trace for each, trace, _ in before):
            _told = True
            error.__notes__ = [*own.get("__notes__", ()), words.say("frames_hidden")]
        yield
    finally:
        for each, trace, suppressed in before:
            each.__traceback__, each.__suppress_context__ = trace, suppressed
        vars(error).clear()
        vars(error).update(own)


def without_hidden(trace):
    """A traceback without autograd_nb, PyTorch and code that they called, except a learner's hooks and Functions."""
    from ..learner.executing import ELSEWHERE, is_learners
    from ..microscope import presence

    kept, below, link, shown = [], [False], trace, None
    while link is not None:
        code = link.tb_frame.f_code
        hidden = code.co_filename.startswith((ELSEWHERE[0], *presence.folder()))
        below.append(hidden or (below[-1] and not is_learners(code)))
        kept += [] if below[-1] else [link]
        link = link.tb_next
    for link in reversed(kept):
        shown = TracebackType(shown, link.tb_frame, link.tb_lasti, link.tb_lineno)
    return shown if any(below) else trace
