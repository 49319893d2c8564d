"""Runs the program of a bench line by line, under a recording, and notes what each line printed, warned and raised."""

import linecache
import sys
import sysconfig
import warnings
from collections import namedtuple
from contextlib import contextmanager
from pathlib import Path

import autograd_nb as torch

from ..engine.tensor import Tensor
from ..replay.readings import grad_of, value_of
from . import words

FILE = "bench"  # what the trace calls the program
BUDGET = 1_000_000  # steps of a learner's function
# What is not a learner's code: this package, Python's own modules, installed packages.
ELSEWHERE = (str(Path(__file__).parents[1]), "<frozen",
             *(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib")))  # fmt: skip

Said = namedtuple("Said", "kind text")  # kind: "print", "warning" or "error"


class Outcome:
    """What came of a program.

    ``says[i]`` and ``states[i]`` ("ran", "failed", "not reached") belong to line *i*; ``grads[i]`` is
    ``{name: Value or None}`` of every .grad after it, None where it did not run; ``tensors`` are those at the end.
    """

    def __init__(self, lines):
        self.lines = lines
        self.says = [[] for _ in lines]
        self.states = ["not reached"] * len(lines)
        self.grads = [None] * len(lines)
        self.tensors = {}
        self.trace = None

    @property
    def error(self):
        """``(place of the line, text)`` of the error that ended the run, or None."""
        place = self.states.index("failed") if "failed" in self.states else None
        return None if place is None else (place, self.says[place][-1].text)

    def told(self):
        return [
            {"code": line.code, "part": line.part, "place": line.place, "state": state,
             "says": [said._asdict() for said in says]}
            for line, state, says in zip(self.lines, self.states, self.says, strict=True)
        ]  # fmt: skip

    @property
    def last_grads(self):
        return next((each for each in reversed(self.grads) if each is not None), {})


class Endless(BaseException):
    """A learner's function used up its budget; no ``except Exception`` on the way catches this."""


def execute(lines, names, namespace=(), budget=False):
    """Run *lines* with the engine as ``torch``; gives an `Outcome`.  *budget*: stop code that loops long."""
    outcome = Outcome(lines)
    text = [line.code + "\n" for line in lines]
    linecache.cache[FILE] = sum(map(len, text)), None, text, FILE
    running = 0
    # a trace names tensors after the variables and dicts it sees, but for those with an underscore
    _scope = dict(namespace) | {
        "torch": torch,
        "print": lambda *what: outcome.says[running].append(Said("print", " ".join(map(str, what)))),
    }
    try:
        with warnings.catch_warnings(), torch.enable_grad(), torch.record() as outcome.trace, limited(budget):
            warnings.simplefilter("always")
            warnings.showwarning = lambda message, *_, **__: outcome.says[running].append(
                Said("warning", f"{type(message).__name__}: {message}"))  # fmt: skip
            for running, line in enumerate(lines):  # noqa: B007 - what is printed meanwhile belongs to this line
                outcome.states[running] = "failed"
                exec(compile("\n" * running + line.code, FILE, "exec"), _scope)
                outcome.states[running] = "ran"
                note(outcome, running, _scope, names)
    except Endless as endless:
        outcome.says[running].append(Said("error", str(endless)))
    except (Exception, SystemExit) as error:
        outcome.says[running].append(Said("error", f"{type(error).__name__}: {error}"))
        note(outcome, running, _scope, names)
    return outcome


def note(outcome, place, scope, names):
    """Note what every .grad is now, read without a warning."""
    outcome.tensors = {name: scope[name] for name in names if isinstance(scope.get(name), Tensor)}
    grads = {name: grad_of(tensor) for name, tensor in outcome.tensors.items()}
    outcome.grads[place] = {name: None if grad is None else value_of(grad) for name, grad in grads.items()}


@contextmanager
def limited(budget):
    """Raise Endless when a learner's code runs more than BUDGET steps, single instructions of Python's machine.

    Lines would not do: `while True: pass` begins no second one.
    """
    if not budget:
        yield
        return
    left = BUDGET

    def count(frame, event, _):
        nonlocal left
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            left -= 1
            if left < 0:
                raise Endless(words.BENCH["endless"].format(steps=f"{BUDGET:,}"))
        return count

    before = sys.gettrace()
    sys.settrace(lambda frame, event, _: None if frame.f_code.co_filename.startswith(ELSEWHERE) else count)
    try:
        yield
    finally:
        sys.settrace(before)
