"""Runs the program of a bench line by line, under a recording, and notes what each line printed, warned and raised."""

import io
import linecache
import math
import signal
import sys
import sysconfig
import threading
import warnings
from collections import namedtuple
from contextlib import suppress
from pathlib import Path

import autograd_nb

from ..microscope import presence
from ..microscope.labels import LONGEST, legible, message_of
from ..microscope.readings import grad_of, hooks_of, is_tensor, value_of
from ..words import of

FILE = "bench"  # the name of the program in the trace
BUDGET = 1_000_000  # steps of a learner's code
OF_A_BENCH = 7_000  # of a function on a bench, so that recursion comes to its end
RECORDED = 10  # steps that an event counts as there, since recording it takes so long: a bench follows a hand, 0.1 s
# Not a learner's code: this package, Python's own modules, installed packages.
ELSEWHERE = (str(Path(__file__).parents[1]), "<frozen", sysconfig.get_path("stdlib"),
             *(path for path in sys.path if path.endswith(("site-packages", "dist-packages"))))  # fmt: skip

# kind: "print", "warning" or "error"; origin: the place of the line whose code or hook printed it
Said = namedtuple("Said", "kind text origin", defaults=(None,))


class Outcome:
    """The outcome of a program: its ``lines``, the ``tensors`` at the end, and the ``trace``."""

    def __init__(self, lines):
        self.lines, self.tensors, self.trace = lines, {}, None

    @property
    def error(self):
        """``(place of the line, text)`` of the error that ended the run, or None."""
        failed = ((place, line.says[-1].text) for place, line in enumerate(self.lines) if line.state == "failed")
        return next(failed, None)

    @property
    def last_grads(self):
        return next((line.grads for line in reversed(self.lines) if line.grads is not None), {})


def say(line, kind, text, origin=None):
    """Note a text of a line, unless the line has said too much already."""
    if sum(len(said.text) for said in line.says) < LONGEST:
        line.says.append(Said(kind, legible(text[:LONGEST]), origin))


class Endless(BaseException):
    """A learner's function used up its budget; no ``except Exception`` on the way catches this.

    late: the seconds after which a clock ended it, or None.  Raising it in a trace function ends the tracing, so code
    that drops it is traced, and interrupted, again.
    """

    def __init__(self, count):
        super().__init__()
        self.count, self.late = count, count.late

    def __str__(self):
        return of("widgets")["bench"]("endless", steps=f"{self.count.most:,}")

    def __del__(self):
        with suppress(Endless):  # a clock raised this one, and will raise another
            self.count.again()


class Paper(io.TextIOBase):
    """A stream that takes this many characters and no more: *send* gets each text, and *end* once there are more."""

    def __init__(self, send, left, end="…\n"):
        self.send, self.left, self.end = send, left, end

    def write(self, text):
        if self.left >= 0:
            self.send(text[: self.left] + self.end * (len(text) > self.left))
        self.left -= len(text)
        return len(text)


def execute(lines, names, namespace=(), budget=False):
    """Run *lines* with the engine as ``torch``; returns an `Outcome`.  With *budget*, code that loops long is stopped.

    If *namespace* has real PyTorch as ``torch``, the lines run on that.
    """
    torch = library_of(namespace)
    outcome = Outcome(lines)
    text = [line.code + "\n" for line in lines]
    linecache.cache[FILE] = sum(map(len, text)), None, text, FILE
    running = lines[0]

    def printer(home):
        def said(*what):
            caller = sys._getframe(1)  # a lambda or statement; not of the program if print itself is the hook
            origin = caller.f_lineno - 1 if caller.f_code.co_filename == FILE else home
            say(running, "print", " ".join(map(str, what)), origin)

        said.__name__ = "print"  # a hook is shown by its name
        return said

    # A trace names tensors after the variables and dicts that it sees, except names with an underscore.  The learner's
    # own tensors that have the name of a tensor of the program are left out.
    _scope = {name: value for name, value in dict(namespace).items() if name not in names} | {"torch": torch}

    def all_lines():
        nonlocal running
        for place, running in enumerate(lines):  # output that is printed meanwhile belongs to this line
            running.state = "failed"
            _scope["print"] = printer(place)
            exec(compile("\n" * place + running.code, FILE, "exec"), _scope)
            running.state = "ran"
            note(outcome, running, _scope, names)

    def recorded():
        return RECORDED * len(outcome.trace.running.events)

    try:
        with warnings.catch_warnings(), torch.enable_grad(), autograd_nb.record() as outcome.trace:
            warnings.simplefilter("always")
            warnings.showwarning = lambda message, *_, **__: say(
                running, "warning", f"{type(message).__name__}: {message_of(message)}")  # fmt: skip
            limited(all_lines, instructions=OF_A_BENCH, besides=recorded) if budget else all_lines()
    except Endless as endless:
        running.says.append(Said("error", str(endless)))
    except (Exception, SystemExit) as error:
        running.says.append(Said("error", legible(f"{type(error).__name__}: {message_of(error)}")))
        note(outcome, running, _scope, names)
    return outcome


def library_of(namespace):
    """Real PyTorch if a learner's names have it, else this engine."""
    torch = dict(namespace).get("torch")
    return torch if torch is not None and torch is presence.loaded() else autograd_nb


def note(outcome, line, scope, names):
    """Note every .grad, read without a warning, and how many events the recording has."""
    outcome.tensors = {name: scope[name] for name in names if is_tensor(scope.get(name))}
    grads = {name: grad_of(tensor) for name, tensor in outcome.tensors.items()}
    line.grads = {name: None if grad is None else value_of(grad) for name, grad in grads.items()}
    line.hooks = {name: hooks_of(tensor) for name, tensor in outcome.tensors.items()}
    recorder = outcome.trace.running
    line.end = len((recorder or outcome.trace).events)
    if recorder is not None:
        for name, tensor in outcome.tensors.items():  # so that unused tensors are recorded too
            known = recorder.names.tensor_names(tensor)
            known.pop("", None)
            known.setdefault(name, (False, False, outcome.lines.index(line) + 1))
            recorder.tensor(tensor)


class _Count:
    """The steps that a learner's code may still run; `over` once these or the seconds (`late`) are used up."""

    def __init__(self, lines, instructions, seconds, besides):
        self.besides = besides
        self.lines, self.instructions, self.most, self.armed, self.over = lines, instructions, instructions, True, False
        self.seconds, self.late = seconds, None

    def begin(self, frame, event, _):
        return self.count_step if runs_for_a_learner(frame) else None

    def count_step(self, frame, event, _):
        frame.f_trace_opcodes = True  # `while True: pass` never begins another line
        self.lines -= event == "line"
        self.instructions -= event == "opcode"
        self.over = self.over or self.lines < 0 or self.instructions < self.besides()
        if self.armed and self.over and event in ("line", "opcode"):
            raise Endless(self)
        return self.count_step

    def again(self):
        """Trace all of a learner's code that runs now."""
        if self.armed and self.over:
            sys.settrace(self.begin)
            frame = sys._getframe(1)
            while frame is not None:
                if runs_for_a_learner(frame):
                    frame.f_trace, frame.f_trace_opcodes = self.count_step, True
                frame = frame.f_back


_counts = []  # the counts of the calls under way, the innermost last
CLOCKS = {}  # {signal: (clock, seconds between ticks, enough to handle the first even on a busy machine)}
if hasattr(signal, "setitimer"):
    CLOCKS = {signal.SIGPROF: (signal.ITIMER_PROF, 0.06), signal.SIGALRM: (signal.ITIMER_REAL, 0.5)}


def limited(function, lines=math.inf, instructions=BUDGET, seconds=(), besides=int):
    """Call function(); raise Endless if a learner's code in it runs more lines, instructions or seconds than these.

    besides: a function that gives the instructions that other work counts as, so far. seconds: of processor time, and
    of real time, which on a busy machine passes while the code waits. Code that catches everything does not get past
    this: it is interrupted again when it swallows an Endless, and at each tick of a clock. Clocks need the signals of
    Linux or macOS, and the main thread; a call within another starts none.
    """
    timed = threading.current_thread() is threading.main_thread() and not any(each.seconds for each in _counts)
    clocks = dict(zip(CLOCKS, seconds, strict=False)) if timed else {}
    count, place, before = _Count(lines, instructions, clocks, besides), len(_counts), []
    trace, profile, outcome = sys.gettrace(), sys.getprofile(), outcome_of(function)
    _counts.append(count)
    try:
        for kind, most in clocks.items():
            clock, tick = CLOCKS[kind]
            before.append((kind, signal.signal(kind, _late), signal.setitimer(clock, most, tick)))
        sys.settrace(count.begin)
        result, error = next(outcome)
    finally:
        count.armed = False  # before any call: a signal can come in only there
        sys.settrace(trace)
        if sys.getprofile() is not profile:  # cProfile's own cannot be set again
            sys.setprofile(profile)
        del _counts[place:]
        for kind, handler, left in before:
            signal.setitimer(CLOCKS[kind][0], *left)
            signal.signal(kind, handler)
    if error is None:
        return result
    try:
        raise error
    finally:
        del error  # it refers to this frame


def outcome_of(function):
    """Yield what function() returned and what it raised, one of them None.

    It is a generator because Python may lose the end of an ``except`` block in which a trace function raises: the error
    handled there would become the ``__context__`` of every later one.
    """
    result = error = None
    try:
        result = function()
    except BaseException as raised:
        error = raised
    yield result, error


def _late(kind, _):
    if _counts and _counts[0].armed:
        late = next(count.seconds[kind] for count in _counts if count.seconds)
        for count in _counts:
            count.over, count.late = True, late
        _counts[-1].again()
        raise Endless(_counts[-1])


def is_learners(code):
    """Whether code belongs neither to autograd_nb nor to Python or an installed package."""
    return not code.co_filename.startswith(ELSEWHERE)


def runs_for_a_learner(frame):
    """Whether a frame runs a learner's code; generated code, such as a namedtuple's methods, counts as its caller's."""
    while frame is not None and frame.f_code.co_filename == "<string>":
        frame = frame.f_back
    return frame is None or is_learners(frame.f_code)
