"""Runs a program that somebody typed into the site's page `play`, and gives its results as plain data.

The page runs in the reader's browser, and this module in the Python there, with only NumPy beside it.
"""

import ast
import linecache
import sys
import traceback
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from itertools import islice

import autograd_nb

from ..engine.events import Finished, Operation
from ..engine.modes import add_listener, remove_listener
from ..learner.executing import Paper
from ..microscope.labels import legible, short_repr
from ..microscope.trace import Recording
from ..why import explain
from ..widgets.walk import TextStepper

FILE = "play.py"
MOST = 50_000  # characters of a program's output on the page
FULL = f"\n… (the page shows the first {MOST:,} characters)\n"
LONG = 200  # events of a recording that holds several passes
TURNS = 3  # passes that one line begins in a recording that holds several passes; with more of them it is a loop
LEAVES = 12  # whose gradients the page lists
ABSENT = "This page has Python's own modules, NumPy, and torch, which is autograd_nb here; {name} is not among them."
WAITS = "Here a program runs from top to bottom without a pause, so asyncio.run() cannot wait. Leave it out."
NO_INPUT = "this page has no input for a program: write the value into the program"


class LastPass:
    """Records a program; of a long one or of a loop, only the last backward pass, or the last that *line* begins.

    `trace` is the recording, `passes` says which of the `count` passes it holds, the first and the last.
    """

    def __init__(self, frame, line):
        self.frame, self.line, self.trace = frame, line, None
        self.count, self.alone, self.passes = 0, False, (1, 0)

    def __enter__(self):
        self.recording, self.first, self.over = Recording(self.frame), self.count + 1, False
        add_listener(self)  # before the recording, which then need not see the next turn
        self.recording.__enter__()
        return self

    def __call__(self, event):
        recorder = self.recording.trace.running
        if type(event) is Operation and event.node is not None and self.over:  # the next turn begins
            self.__exit__()
            self.__enter__()
            self.recording.trace.running(event)
        elif type(event) is Finished and len(recorder.passes) == 2:  # the outermost one ends
            self.count += 1
            begun = Counter(each.line for each in recorder.events if each.kind == "Started")
            self.alone = self.alone or len(recorder.events) >= LONG or max(begun.values()) > TURNS
            self.over = self.alone

    def __exit__(self, kind=None, error=None, _=None):
        remove_listener(self)
        self.recording.__exit__(kind, error, _)
        trace = self.recording.trace
        if self.trace is None or self.worth(trace) >= self.worth(self.trace):
            self.trace, self.passes = trace, (self.first, self.count)

    def worth(self, trace):
        lines = {event.line for event in trace if event.kind == "Started"}
        return bool(lines) + (self.line in lines)


def run(code, line=0, say=None):
    """A program's output and error, the reason for the error, its gradients, and the stepper of one of its passes.

    *line* is the cursor's: the stepper begins at the backward pass of this line, else at the last one. *say* is called
    with each text that the program prints. As in a notebook, the page shows the value of a last expression; if that is
    a stepper, the page shows this stepper.
    """
    told, done = [], {"error": "", "why": "", "stepper": None, "gradients": []}
    printed = Paper(lambda text: (told.append(text), say and say(text)), MOST, FULL)
    linecache.cache[FILE] = len(code), None, code.splitlines(keepends=True), FILE
    _names = {"__name__": "__main__", "__file__": FILE, "input": no_input}  # a recording leaves out names with a bar
    raised = value = None
    with autograd_nb.as_torch(), redirect_stdout(printed), redirect_stderr(printed):
        with LastPass(sys._getframe(), line) as recorded:
            try:
                value = value_of(code, _names)
                if value is not None and not isinstance(value, TextStepper):
                    print(repr(value))
            except SystemExit:
                pass
            except BaseException as error:  # the page shows every error of a learner's program
                raised = error
    trace = recorded.trace
    if raised is not None:
        done["error"] = legible(error_text(raised))
        done["why"] = reason_for(raised, trace)
    if isinstance(value, TextStepper):
        done["stepper"] = value.as_state()
    elif trace.steps():
        shown = autograd_nb.step(trace)
        state = shown.as_state()
        done["stepper"] = state | {"step": opening_step(shown.trace, line, state["step"])}
        done["gradients"] = [*islice(gradients(_names, trace, raised is not None), LEAVES)]
    return done | {"passes": [*recorded.passes, recorded.count], "printed": "".join(told)}


def reason_for(error, trace):
    if isinstance(error, ModuleNotFoundError):
        return ABSENT.format(name=error.name)
    if "stack switch" in str(error):
        return WAITS
    return str(explain(error, trace) or "")


def gradients(names, trace, failed):
    """For each leaf of a program its name, its .grad and, unless the program *failed*, why that is None, 0 or NaN."""
    asked = names | {"__why": autograd_nb.why, "__trace": trace}  # why() looks for names where it is called
    for name, leaf in leaves(names):
        if trace.key_of(leaf):
            usual = failed or leaf.grad is not None and bool(leaf.grad.isfinite().all() and leaf.grad.any())
            why = "" if usual else str(eval("__why(__leaf, __trace)", asked | {"__leaf": leaf}))
            yield [name, short_repr(leaf.grad), why]


def leaves(names):
    """The (name, tensor) pairs of leaves that require grad, in variables and in modules."""
    for name, value in names.items():
        if isinstance(value, autograd_nb.Tensor):
            if value.is_leaf and value.requires_grad:
                yield name, value
        elif isinstance(value, autograd_nb.nn.Module):
            yield from ((f"{name}.{path}", each) for path, each in value.named_parameters() if each.requires_grad)


def value_of(code, names):
    """Run a program with its variables in *names*; the value of the expression at its end, if it has one."""
    tree = ast.parse(code, FILE)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
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
