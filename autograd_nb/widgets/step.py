"""The stepper: a recorded pass, forwards and backwards in time, step by step."""

import linecache
import sys

from ..microscope.labels import LONGEST_NAME, clean, short_repr
from ..microscope.names import line_of
from ..microscope.trace import Recording, is_trace
from .links import of_running_cell
from .walk import SAY, TextStepper

try:
    from .stepper import Stepper
except ModuleNotFoundError:  # without a notebook's libraries it is text, and saves a page
    Stepper = TextStepper

MOST_LINES = 40  # lines of code above a call, at most


def step(what, /, *inputs, **options):
    """Step through what autograd did: a trace (or two, side by side), a function of inputs, or a backward call.

    *what*: a trace of `record`, and after it perhaps another to compare it with; or a function, which it calls with
    *inputs* and *options* and records, as in ``step(f, x)`` or ``step(z.backward, retain_graph=True)``.  An error in
    it becomes the last step.  `.step`, `.detail` and `.speed` of the result can be read, set and linked.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(5., requires_grad=True)
    >>> y = x ** 3
    >>> print(torch.step(y.backward))
    Stepper: y.backward()
    1. Backward pass starts at y with the gradient 1. PowBackward0 is ready: all gradients that lead to it have arrived.
    2. PowBackward0 turns ∂y/∂y into ∂y/∂x: grad_output · 3 · x² = 1 · 3 · 5² = 75.
    3. AccumulateGrad puts 75 into x.grad, which was None.
    4. The backward pass is done.
    """
    frame = sys._getframe(1)
    if is_trace(what):
        traces = [what, *inputs]
        if len(traces) > 2 or not all(is_trace(each) for each in inputs) or options:
            raise TypeError("step(): after a trace only one other trace can come, to be shown beside it")
        names = [name_of(trace, frame) for trace in traces]
        arguments = ", ".join(name or other for name, other in zip(names, ("trace", "other"), strict=False))
        titles = names if len({*names, None}) == 3 else SAY["traces"]
        return linked(traces, titles if len(traces) == 2 else [title_of(what)], arguments)
    if not callable(what):
        raise TypeError(f"step(): expected a trace or a function such as z.backward, got {type(what).__name__}")
    recording = Recording(frame)
    name, trace = name_of_call(what, frame), recording.trace
    try:
        with recording:
            trace.result = what(*inputs, **options)
    except Exception as error:  # the last step shows it
        trace.error = error
    add_source(trace, frame)
    del frame
    arguments = ["…"] * len(inputs) + [f"{key}={short_repr(value)}" for key, value in options.items()]
    return linked([trace], [f"{name}({', '.join(arguments)})"], ", ".join([name, *arguments]))


def linked(traces, titles, arguments):
    """A stepper with a link to itself, in a notebook of a course whose site has an address."""
    shown = Stepper(traces, titles, arguments)
    shown.link = of_running_cell()
    return shown


def add_source(trace, frame):
    """Add the lines above the call, back to the start of the cell or function: they show how its tensors were made."""
    code, files = frame.f_code, {file for file, _ in trace.lines}
    if len(files) != 1:
        return
    start = code.co_firstlineno if code.co_name != "<module>" else 1
    for number in range(max(start, frame.f_lineno - MOST_LINES), frame.f_lineno + 1):
        if linecache.getline(code.co_filename, number):
            trace.lines.setdefault((*files, number), line_of(code.co_filename, number))


def title_of(trace):
    started = [event for event in trace if event.kind == "Started"] or list(trace)[:1]
    return trace.lines.get((started[-1].file, started[-1].line), "").strip() if started else SAY["empty"]


def name_of_call(function, frame):
    """The name of a function; for a tensor's method, after the learner's name of that tensor."""
    name, owner = getattr(function, "__name__", type(function).__name__), getattr(function, "__self__", None)
    name, known = clean(name, LONGEST_NAME), owner is not None and name_of(owner, frame)
    return f"{known}.{name}" if known else name


def name_of(value, frame):
    return next((key for key, each in frame.f_locals.items() if each is value and not key.startswith("_")), None)
