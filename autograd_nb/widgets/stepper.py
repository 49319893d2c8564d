"""The stepper: a recorded pass, forwards and backwards in time, step by step."""

import linecache
import sys

from traitlets import Bytes, Float, Int, List, Unicode, validate

from ..drawing.graphs import draw
from ..replay.trace import Recording, Trace
from . import words
from .kit import Widget, front_end
from .stories import packed, story_of

SAY = words.STEP
FEW = 40  # steps up to which the pictures of all are made before the widget is shown
MOST_LINES = 40  # of code above a call


class Stepper(Widget):
    """What `step` shows.  `step` (from 0), `detail` ("fast", "full") and `speed` are traits to read and set.

    `traces` are the recordings it shows, one or two; `count` says how many steps there are.
    """

    module, _css = front_end("stepper")
    own_words = words.STEP

    step = Int(0).tag(sync=True, state=True)
    detail = Unicode("fast").tag(sync=True, state=True)
    speed = Float(1.0).tag(sync=True, state=True)
    count = Int(0).tag(sync=True)
    titles = List().tag(sync=True)
    stories = List(Bytes()).tag(sync=True)

    def __init__(self, traces, titles, written):
        self.traces, self.written = traces, written
        self.told = {}
        super().__init__(titles=titles)
        self.count = self.length()
        if self.count <= FEW:
            self.tell()
        self.observe(self.tell, "detail")
        self.begin()

    def length(self):
        return max(len(trace.steps(self.detail)) for trace in self.traces)

    def tell(self, _=None):
        """Make the stories in the detail that is wanted."""
        if self.detail not in self.told:
            self.told[self.detail] = [packed(story_of(trace, self.detail)) for trace in self.traces]
        with self.hold_sync():
            self.count = self.length()
            self.step = min(self.step, max(0, self.count - 1))
            self.stories = self.told[self.detail]

    def do_tell(self):
        """A view asks for the stories, which are long."""
        self.tell()

    @validate("step")
    def _in_range(self, proposal):
        return max(0, min(proposal["value"], max(0, self.count - 1)))

    @validate("detail")
    def _known(self, proposal):
        if proposal["value"] not in SAY["details"]:
            raise ValueError(f"detail must be 'fast' or 'full', got {proposal['value']!r}")
        return proposal["value"]

    @property
    def trace(self):
        """The first of the traces."""
        return self.traces[0]

    def as_code(self):
        return f"autograd_nb.step({self.written})" + (f"  # {SAY['of'].format(step=self.step + 1, count=self.count)}")

    def as_text(self):
        return "\n".join([SAY["title"] + ": " + ", ".join(self.titles), *map(str, self.traces)])

    def as_svg(self):
        return draw(self.trace).svg


def step(what, /, *inputs, **options):
    """Step through what autograd did: a trace (or two, side by side), a function of inputs, or a backward call.

    *what*: a trace of `record`, and after it perhaps another to compare it with; or a function, which is called with
    *inputs* and *options* and recorded, as in ``step(f, x)`` or ``step(z.backward, retain_graph=True)``.  An error in
    it becomes the last step.  `.step`, `.detail` and `.speed` of the result can be read, set and linked.

    TypeError for anything else.

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
    if isinstance(what, Trace):
        traces = [what, *inputs]
        if len(traces) > 2 or not all(isinstance(each, Trace) for each in inputs) or options:
            raise TypeError("step(): after a trace only one other trace can come, to be shown beside it")
        names = [name_of(trace, frame) for trace in traces]
        written = ", ".join(name or other for name, other in zip(names, ("trace", "other"), strict=False))
        titles = names if len({*names, None}) == 3 else SAY["traces"]
        return Stepper(traces, titles if len(traces) == 2 else [title_of(what)], written)
    if not callable(what):
        raise TypeError(f"step(): expected a trace or a function, got {type(what).__name__}")
    recording = Recording(frame)
    name = called(what, frame)
    trace = recording.trace
    try:
        with recording:
            result = what(*inputs, **options)
        trace.result = result
    except Exception as error:  # it is the last step, and told there
        trace.error = error
    add_source(trace, frame)
    del frame
    arguments = ["…"] * len(inputs) + [f"{key}={value!r}" for key, value in options.items()]
    return Stepper([trace], [f"{name}({', '.join(arguments)})"], ", ".join([name, *arguments]))


def add_source(trace, frame):
    """Add the lines around the call, as far back as a cell or function goes: they say how everything came about."""
    code = frame.f_code
    files = {file for file, _ in trace.lines}
    if len(files) != 1:
        return
    lines = linecache.getlines(code.co_filename)
    start = code.co_firstlineno if code.co_name != "<module>" else 1
    for number in range(max(start, frame.f_lineno - MOST_LINES), frame.f_lineno + 1):
        if 1 <= number <= len(lines):
            trace.lines.setdefault((*files, number), lines[number - 1].rstrip())


def title_of(trace):
    """The line that began the last pass of a trace."""
    started = [event for event in trace if event.kind == "Started"] or list(trace)[:1]
    return trace.lines.get((started[-1].file, started[-1].line), "").strip() if started else SAY["empty"]


def called(function, frame):
    """What a function is called, with the learner's name of the tensor whose method it is."""
    name = getattr(function, "__name__", type(function).__name__)
    owner = getattr(function, "__self__", None)
    if owner is None or isinstance(owner, type):
        return name
    known = name_of(owner, frame)
    return f"{known}.{name}" if known else name


def name_of(value, frame):
    """What the caller calls a value, or None."""
    return next((key for key, each in frame.f_locals.items() if each is value and not key.startswith("_")), None)
