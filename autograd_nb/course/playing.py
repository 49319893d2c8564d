"""Runs a program that somebody typed into the site's page `play`, and says in plain data what came of it.

The page lives in the reader's browser, and this module in the Python that runs there: only NumPy is beside it.
"""

import io
import linecache
import traceback
from contextlib import redirect_stderr, redirect_stdout

import autograd_nb

from ..microscope.labels import legible

FILE = "play.py"
MOST = 50_000  # characters that are shown of what a program printed
FULL = f"\n… (the page shows the first {MOST:,} characters)\n"


class Printed(io.StringIO):
    """What a program prints, as far as it is shown; what is beyond that is dropped, so that no memory fills up."""

    cut = False

    def write(self, text):
        room = max(0, MOST - self.tell())
        super().write(text[:room])
        self.cut = self.cut or len(text) > room
        return len(text)


def run(code, line=0):
    """What a program printed and raised, why it raised it, and the stepper of one of its backward passes.

    *line* is that of the cursor: the stepper begins at the backward pass of this line, else at the last one.
    """
    printed, done = Printed(), {"error": "", "why": "", "stepper": None}
    lines = code.splitlines(keepends=True)
    linecache.cache[FILE] = len(code), None, lines, FILE
    with autograd_nb.as_torch(), redirect_stdout(printed), redirect_stderr(printed), autograd_nb.record() as trace:
        try:
            exec(compile(code, FILE, "exec"), {"__name__": "__main__", "__file__": FILE})
        except SystemExit:
            pass
        except BaseException as error:  # whatever a learner's program raises is shown
            done["error"] = legible(told(error))
            raised = error
    if done["error"] and len(trace):
        done["why"] = str(autograd_nb.why(raised, trace))
    if trace.steps():
        stepper = autograd_nb.step(trace)
        state = stepper.as_state()
        done["stepper"] = state | {"step": chosen(trace, line, state["step"]), "words": stepper.page_words()}
    return done | {"printed": printed.getvalue() + FULL * printed.cut}


def told(error):
    """An error as Python tells it, with the program's own lines only."""
    whole = traceback.TracebackException.from_exception(error)
    whole.stack = traceback.StackSummary.from_list([frame for frame in whole.stack if frame.filename == FILE])
    return "".join(whole.format())


def chosen(trace, line, otherwise):
    """The step at which a stepper opens: where the backward pass of a line begins, or the last one."""
    starts = {step.line: place for place, step in enumerate(trace.steps()) if step.kind == "Started"}
    return starts.get(line, max(starts.values(), default=otherwise))


