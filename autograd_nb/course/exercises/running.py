"""Runs a learner's function safely: within a budget, with kind words on its errors, and restores all settings.

Only steps of the learner's own code count: the engine below it runs untraced. The function's result may be as hostile
as its code, so the code that looks at the result runs under the same guard.
"""

import contextlib
import copy
import linecache
import os
import random
import re
import sys
import traceback
import warnings
from functools import partial
from types import SimpleNamespace

import numpy as np

import autograd_nb as torch

from ... import words
from ...engine import modes
from ...learner.executing import Endless, Paper, is_learners, limited
from ...microscope import presence
from ...microscope.readings import is_tensor
from ...microscope.recorder import Recorder
from ...torch_api import printing
from .. import kernel

STEPS = 100_000
INSTRUCTIONS = 10  # bytecode instructions for a line, at most on average
SECONDS = 1.2, 10  # for a whole check: of the processor, and on the clock
PRINTED = 10_000  # characters that an answer may print
DEEPEST = 1000  # nested calls: with more, which Jupyter allows, a recursion through C ends the kernel
ADDRESS = re.compile(r" object at 0x[0-9a-fA-F]+")


class Unfinished(Exception):
    """A learner's function stopped before its end.

    `reason` says where and why; `error` is the exception itself. text: the words of the exception. line: the line of
    the learner's code that raised it, or None.
    """

    def __init__(self, reason, error, line=None):
        super().__init__(reason)
        self.reason, self.error, self.line = reason, error, line

    @property
    def text(self):
        return _text(self.error)

    @property
    def cut_short(self):
        """Whether the clock or an interrupt ended it: then the machine is the reason, not the answer."""
        return isinstance(self.error, KeyboardInterrupt) or (isinstance(self.error, Endless) and bool(self.error.late))


def run(function, arguments, silent=False, names=(), steps=STEPS):
    """Run a function on a copy of its arguments and return its result: gradients recorded, no warnings, random seed 0.

    Afterwards all global state is as it was before. silent=True hides the printed text; names are those of the
    arguments, for the reason. Errors: Unfinished, for any exception in it and for more than `steps` lines.
    """
    called = partial(function, *copy.deepcopy(tuple(arguments)))

    with as_before():
        torch.manual_seed(0)
        sys.stdout, sys.stderr = (Paper(each.write, -1 if silent else PRINTED) for each in (sys.stdout, sys.stderr))
        try:
            return limited(called, steps, steps * INSTRUCTIONS)
        except BaseException as error:
            raise _told(error, show(arguments, names), steps) from None


def guarded(judge, answer):
    """The result of judge(answer); Unfinished if looking at the answer raised anything, or took too long.

    RuntimeError within another check, as when a checked function checks itself.
    """
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code is guarded.__code__:
            raise RuntimeError(words.say("nested"))
        frame = frame.f_back
    words.of("course")  # loads slowly the first time: the clock must not cut this short
    try:
        with as_before(), _no_commands(), _no_tensors():
            return limited(partial(judge, answer), STEPS, STEPS * INSTRUCTIONS, SECONDS)
    except Unfinished:
        raise
    except Endless as error:
        raise Unfinished(_endless(error, STEPS), error) from None
    except BaseException as error:
        facts = {"got": short(answer), "type": name_of(type(error)), "text": _text(error)}
        raise Unfinished(words.say("hostile", **facts), error) from None


@contextlib.contextmanager
def as_before():
    """Inside, gradients are recorded and warnings are off; afterwards every setting is restored, each by itself."""
    replaced = "stdin", "stdout", "stderr", "displayhook", "excepthook", "setrecursionlimit"
    replaced, real = {name: getattr(sys, name) for name in replaced}, presence.loaded()
    thread, listeners, always = dict(vars(modes.state)), [*modes.state.listeners], modes.always
    printed = dict(printing.options)
    try:  # a handle leads back to a folder even if it was deleted or renamed
        folder = os.open(".", getattr(os, "O_PATH", os.O_RDONLY)) if os.chdir in os.supports_fd else os.getcwd()
    except OSError:
        folder = "."

    def listening():
        vars(modes.state).update(thread)
        for each in [*modes.state.listeners]:
            if each not in listeners and isinstance(each, Recorder):
                each.leave()
        modes.state.listeners[:] = listeners
        modes.always = always
        modes.state.run(np.seterr, all="ignore")  # as the engine computes, and learners' formulas in it

    def printing_options():
        printing.options.clear()
        printing.options.update(printed)

    def working():
        with contextlib.suppress(OSError):
            os.chdir(folder)
        with contextlib.suppress(OSError, TypeError):  # it may be a path
            os.close(folder)

    with contextlib.ExitStack() as undo:  # the last one first
        undo.callback(printing_options)
        for library in filter(None, (torch, real)):
            undo.callback(library.set_rng_state, library.get_rng_state())
            undo.callback(library.set_default_dtype, library.get_default_dtype())
            undo.enter_context(library.inference_mode(False))
            undo.enter_context(library.enable_grad())
        if real:
            undo.callback(real.set_num_threads, real.get_num_threads())
            real.set_num_threads(1)  # several threads would wait for each other, and all their time counts
            undo.callback(real.set_printoptions, **vars(real._tensor_str.PRINT_OPTS))
            undo.callback(real.set_warn_always, real.is_warn_always_enabled())
            anomaly = real.is_anomaly_enabled(), real.is_anomaly_check_nan_enabled()
            undo.callback(real.autograd.set_detect_anomaly, *anomaly)
        undo.callback(random.setstate, random.getstate())
        undo.callback(np.random.set_state, np.random.get_state())
        undo.callback(np.set_printoptions, **np.get_printoptions())
        undo.callback(np.seterrcall, np.geterrcall())
        undo.callback(np.seterr, **np.geterr())
        undo.callback(listening)
        undo.callback(working)
        undo.callback(sys.setrecursionlimit, depth := sys.getrecursionlimit())
        undo.callback(vars(sys).update, replaced)
        undo.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        sys.setrecursionlimit = lambda most: replaced["setrecursionlimit"](min(most, DEEPEST))
        sys.setrecursionlimit(depth)
        yield


COMMANDS = "ask_exit", "reset", "run_cell", "run_line_magic", "run_cell_magic", "system", "getoutput"


@contextlib.contextmanager
def _no_commands():
    """Inside, IPython takes no commands: exit() and %reset would end or empty the kernel."""
    own = vars(kernel.shell() or SimpleNamespace())
    before = {name: own[name] for name in COMMANDS if name in own}

    def refuse(*_, **__):
        raise RuntimeError(words.say("command"))

    try:
        own.update(dict.fromkeys(COMMANDS, refuse))
        yield
    finally:
        for name in COMMANDS:
            own.pop(name, None)
        own.update(before)


@contextlib.contextmanager
def _no_tensors():
    """Inside, the notebook's own tensors have no names: an answer computes with its arguments."""
    names = getattr(kernel.shell(), "user_ns", {})
    hidden = {name: value for name, value in names.items() if is_tensor(value)}
    try:
        for name in hidden:
            del names[name]
        yield
    finally:
        names.update(hidden)


def _told(error, inputs, steps):
    """The Unfinished for an exception: a sentence, with the learner's line that raised it."""
    kind, trace = type(error), BaseException.__traceback__.__get__(error)
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(trace)]
    own = [(code.co_filename, line or code.co_firstlineno) for code, line in frames if is_learners(code)]
    file, line = own[-1] if own else (None, None)
    place = {"line": line, "source": linecache.getline(file, line).strip()} if own else {}
    facts = {"inputs": inputs, "type": name_of(kind), "text": _text(error)} | place
    if kind is Endless:
        said = _endless(error, steps, **place)
    elif not own:
        said = words.say("stopped_outside", **facts)
    elif issubclass(kind, RecursionError):
        said = words.say("recursion", **place)
    else:
        said = words.say("stopped", **facts)
        said += f" {words.say('caret')}" if "bitwise_xor" in said or "for ^" in said else ""
    return Unfinished(said, error, line)


def _endless(error, steps, **place):
    """The sentence on an Endless; its *place* is not known if it was raised outside the learner's lines."""
    keys = ("endless", "waits") if place else ("too_many", "too_long")
    return words.say(keys[bool(error.late)], steps=f"{steps:,}", seconds=error.late, **place)


def _text(error):
    """The words of an exception, even if its own methods fail."""
    try:
        return clean(str(error)) or words.say("no_text")
    except BaseException:
        return words.say("no_text")


def name_of(kind):
    """A class's name, even if its metaclass is hostile."""
    return type.__dict__["__name__"].__get__(kind)


def show(values, names=()):
    """Values as a learner would write them, short; with their names if there are as many.

    >>> show((torch.tensor(2.0, requires_grad=True), 1 / 3)), show((3,), ["n"])
    ('`tensor(2., requires_grad=True)`, `0.333333`', '`n = 3`')
    """
    named = [f"{name} = " for name in names] if len(names) == len(values) else [""] * len(values)
    shown = ", ".join(f"`{name}{short(value)}`" for name, value in zip(named, values, strict=True))
    return shown or words.say("no_inputs")


def short(value):
    """One value in a line of at most 200 characters; functions by their names, numbers with six digits."""
    try:
        text = getattr(value, "__name__", None) if callable(value) else _written(value)
        return clean(text or name_of(type(value)))
    except BaseException:
        return f"<{name_of(type(value))}>"


def _written(value):
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) is float:
        return repr(float(f"{value:.6g}"))
    if type(value) is set and len(value) < 100:
        return f"{{{', '.join(sorted(map(_written, value)))}}}" if value else "set()"
    if type(value) in (list, tuple) and len(value) < 100:
        inside = ", ".join(map(_written, value)) + "," * (type(value) is tuple and len(value) == 1)
        return f"[{inside}]" if type(value) is list else f"({inside})"
    return repr(value)


def clean(text):
    """A line of at most 200 characters that can be encoded, without addresses in memory."""
    text = " ".join(ADDRESS.sub("", text[:1000]).split()).encode(errors="replace").decode()
    return text if len(text) <= 200 else text[:197] + "..."
