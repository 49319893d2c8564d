"""Running a learner's function: with a budget of lines, so that an endless loop ends, and with errors told kindly.

Lines are counted through sys.settrace, in the learner's own code only: the engine below it runs untraced.
"""

import contextlib
import copy
import io
import linecache
import sys
import sysconfig
import traceback
import warnings
from pathlib import Path

import autograd_nb as torch

from .. import words

STEPS = 100_000
INSTRUCTIONS = 20  # of Python's machine, for a line, at most on average
# What is not a learner's code: this package, Python's own modules, installed packages.
_PACKAGE = str(Path(torch.__file__).parent)
_ELSEWHERE = (_PACKAGE, "<frozen",
              *(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib")))  # fmt: skip


class Stopped(Exception):
    """A learner's function did not come to its end. `reason` says where and why; `error` is the exception itself."""

    def __init__(self, reason, error):
        super().__init__(reason)
        self.reason = reason
        self.error = error


class _Endless(BaseException):
    """Ends a run that used up its budget; no `except Exception` on the way catches it."""


def run(function, arguments, looks_at=None, silent=False, steps=STEPS):
    """What a function returns for a copy of its arguments: gradients recorded, no warnings, random numbers fresh.

    looks_at(returned value, *arguments) may give something else of it. The state of everything global is afterwards as
    it was before. silent=True swallows what the function prints. Errors: Stopped, for any exception in it and for more
    than `steps` lines.
    """
    copies = copy.deepcopy(tuple(arguments))
    random_state = torch.get_rng_state()
    output = contextlib.redirect_stdout(io.StringIO()) if silent else contextlib.nullcontext()
    with torch.inference_mode(False), torch.enable_grad(), warnings.catch_warnings(), output:
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        try:
            with _counting(steps):
                result = function(*copies)
            return looks_at(result, *copies) if looks_at else result
        except (Exception, SystemExit, _Endless) as error:
            raise Stopped(_told(error, show(arguments), steps), error) from None
        finally:
            torch.set_rng_state(random_state)


@contextlib.contextmanager
def _counting(steps):
    left, instructions = steps, steps * INSTRUCTIONS

    def line(frame, event, _):
        nonlocal left, instructions
        frame.f_trace_opcodes = True  # a loop of one line, `while True: pass`, begins no second one
        left -= event == "line"
        instructions -= event == "opcode"
        if left < 0 or instructions < 0:
            raise _Endless
        return line

    before = sys.gettrace()
    sys.settrace(lambda frame, event, _: line if is_learners(frame.f_code) else None)
    try:
        yield
    finally:
        sys.settrace(before)


def is_ours(code):
    """Whether code is of autograd_nb."""
    return code.co_filename.startswith(_PACKAGE)


def is_learners(code):
    """Whether code is neither of autograd_nb, nor of Python or an installed package."""
    return not code.co_filename.startswith(_ELSEWHERE)


def _told(error, inputs, steps):
    """An exception in a sentence, with the learner's line that it came from."""
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    own = [(code.co_filename, line) for code, line in frames if is_learners(code)]
    text = str(error).strip() or words.say("no_text")
    if not own:
        return words.say("stopped_outside", inputs=inputs, type=type(error).__name__, text=text)
    file, line = own[-1]
    place = {"line": line, "source": linecache.getline(file, line).strip()}
    if isinstance(error, _Endless):
        return words.say("endless", steps=f"{steps:,}", **place)
    if isinstance(error, RecursionError):
        return words.say("recursion", **place)
    return words.say("stopped", inputs=inputs, type=type(error).__name__, text=text, **place)


def show(values):
    """Values as a learner would write them, short.

    >>> show((torch.tensor(2.0, requires_grad=True), 3))
    '`tensor(2., requires_grad=True)`, `3`'
    """
    return ", ".join(f"`{short(value)}`" for value in values) or words.say("no_inputs")


def short(value):
    """One value in a line of at most 200 characters; functions by their names."""
    text = getattr(value, "__name__", None) if callable(value) else repr(value)
    text = " ".join((text or type(value).__name__).split())
    return text if len(text) <= 200 else text[:197] + "..."
