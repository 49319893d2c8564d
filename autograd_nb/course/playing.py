"""Runs a program that somebody typed into the site's page `play`, and gives its results as plain data.

The page runs in the reader's browser, and this module in the Python there, with only NumPy beside it.
"""

import ast
import io
import linecache
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout

import autograd_nb

from ..engine.events import Finished
from ..engine.modes import add_listener, remove_listener
from ..microscope.labels import legible
from ..microscope.trace import Recording
from ..widgets.walk import TextStepper

FILE = "play.py"
MOST = 50_000  # characters of a program's output on the page
FULL = f"\n… (the page shows the first {MOST:,} characters)\n"
LONG = 200  # events of a recording; in a longer program a new one begins when a backward pass ends
ABSENT = "This page has Python's own modules, NumPy, and torch, which is autograd_nb here; {name} is not among them."
NO_INPUT = "this page has no input for a program: write the value into the program"


class Printed(io.StringIO):
    """The first part of a program's output; the rest is dropped, so that it cannot fill the memory."""

    cut = False

    def write(self, text):
        if not self.cut:
            room = MOST - self.tell()
            super().write(text[:room])
            self.cut = len(text) > room
        return len(text)


class Recordings:
    """Records a program in pieces, so that its last backward passes are there even if it runs long.

    `trace` is the last piece with a pass that *line* began, else the last piece with a pass.
    """

    def __init__(self, frame, line):
        self.frame, self.line, self.trace = frame, line, None

    def __enter__(self):
        self.recording = Recording(self.frame)
        self.recording.__enter__()
        add_listener(self)  # after the recording, which then knows each event already
        return self

    def __call__(self, event):
        recorder = self.recording.trace.running
        if type(event) is Finished and len(recorder.passes) == 1 and len(recorder.events) >= LONG:
            self.__exit__()
            self.__enter__()

    def __exit__(self, kind=None, error=None, _=None):
        remove_listener(self)
        self.recording.__exit__(kind, error, _)
        trace = self.recording.trace
        if self.trace is None or self.worth(trace) >= self.worth(self.trace):
            self.trace = trace

    def worth(self, trace):
        lines = {event.line for event in trace if event.kind == "Started"}
        return bool(lines) + (self.line in lines)


def run(code, line=0):
    """A program's output and error, the reason for the error, and the stepper of one of its backward passes.

    *line* is the cursor's: the stepper begins at the backward pass of this line, else at the last one. As in a
    notebook, the page shows the value of a last expression; if that is a stepper, the page shows this stepper.
    """
    printed, done = Printed(), {"error": "", "why": "", "stepper": None}
    linecache.cache[FILE] = len(code), None, code.splitlines(keepends=True), FILE
    raised = value = None
    with autograd_nb.as_torch(), redirect_stdout(printed), redirect_stderr(printed):
        with Recordings(sys._getframe(), line) as recordings:
            try:
                value = value_of(code)
                if value is not None and not isinstance(value, TextStepper):
                    print(repr(value))
            except SystemExit:
                pass
            except BaseException as error:  # the page shows every error of a learner's program
                raised = error
    trace = recordings.trace
    if raised is not None:
        done["error"] = legible(error_text(raised))
        done["why"] = str(autograd_nb.why(raised, trace)) if len(trace) else ""
        if isinstance(raised, ModuleNotFoundError):
            done["why"] = ABSENT.format(name=raised.name)
    if isinstance(value, TextStepper):
        done["stepper"] = value.as_state()
    elif trace.steps():
        state = autograd_nb.step(trace).as_state()
        done["stepper"] = state | {"step": opening_step(trace, line, state["step"])}
    return done | {"printed": printed.getvalue() + FULL * printed.cut}


def value_of(code):
    """Run a program; the value of the expression at its end, if it has one."""
    tree = ast.parse(code, FILE)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    names = {"__name__": "__main__", "__file__": FILE, "input": no_input}
    exec(compile(tree, FILE, "exec"), names)
    return eval(compile(last, FILE, "eval"), names) if last else None


def no_input(prompt=""):
    raise EOFError(NO_INPUT)


def error_text(error):
    """An error as Python prints it, with the program's own lines only."""
    whole = traceback.TracebackException.from_exception(error)
    whole.stack = traceback.StackSummary.from_list([frame for frame in whole.stack if frame.filename == FILE])
    return "".join(whole.format())


def opening_step(trace, line, otherwise):
    """The step at which a stepper opens: where the backward pass of a line begins, or the last one."""
    starts = {step.line: place for place, step in enumerate(trace.steps()) if step.kind == "Started"}
    return starts.get(line, max(starts.values(), default=otherwise))
