"""The stepper: a recorded pass, forwards and backwards in time, step by step."""

import json
import linecache
import sys
from base64 import b64encode
from bisect import bisect_left

from traitlets import Bytes, Enum, Float, Int, List, validate

from ..drawing.display import image
from ..drawing.draw import draw
from ..drawing.saving import page
from ..microscope.files import save
from ..microscope.labels import LONGEST_NAME, clean, escape
from ..microscope.labels import written as shortened
from ..microscope.names import line_of
from ..microscope.sentences import MOST_SHOWN
from ..microscope.trace import Recording, Trace
from ..words import of
from .kit import KIT, Widget, seen, setting
from .stories import Story, packed

SAY = of("widgets")["step"]
FEW = 40  # steps up to which the pictures of all are made before the widget is shown
MOST_LINES = 40  # of code above a call
# a film strip's frames, most boxes in each, and whether they have values: the first of these for which there is room
STRIPS = (6, None, True), (4, None, True), (4, 30, True), (4, 30, False), (4, 10, False), (2, 10, False)
ROOM = 60_000  # characters of a strip


class Stepper(Widget):
    """What `step` shows.  `step` (from 0), `detail` ("fast", "full") and `speed` are traits to read and set.

    `traces` are the recordings it shows, one or two, and `trace` is the first; `count` says how many steps there are.
    """

    files = "step"
    own_words, filled_by = SAY, "begin"  # filled_by: the function of page.js

    step = setting(Int(0))
    detail = setting(Enum([*SAY["details"]], "fast"))
    speed = setting(Float(1.0))
    count = seen(Int(0))
    titles = seen(List())
    stories = seen(List(Bytes()))

    def __init__(self, traces, titles, written):
        self.traces, self.written = traces, written
        self.trace, self.told = traces[0], {}
        super().__init__(titles=titles, count=max(len(trace.steps()) for trace in traces))
        if self.count <= FEW:
            self.do_tell()
        self.observe(self.do_tell, "detail")
        self.begin()

    def do_tell(self, change=None):
        """Make the stories in the detail that is wanted; a view asks for them where they are long."""
        with self.hold_sync():
            step = self.same_moment(change["old"]) if change else self.step
            self.count = len(self.longer(self.detail))
            self.step = step
            self.stories = self.stories_in(self.detail)

    def stories_in(self, detail):
        if detail not in self.told:
            self.told[detail] = [Story(trace, trace.steps(detail)) for trace in self.traces]
        return list(map(packed, self.told[detail]))

    def longer(self, detail):
        """The steps of the trace that has more of them."""
        return max((trace.steps(detail) for trace in self.traces), key=len)

    def same_moment(self, before):
        """The step at whose end as much has happened as at the end of this one, which is of another detail."""
        ends, old = ends_of(self.longer(self.detail)), self.longer(before)
        return bisect_left(ends, ends_of(old)[self.step]) if old else 0

    @validate("step")
    def _in_range(self, proposal):
        return max(0, min(proposal["value"], self.count - 1))

    def as_code(self):
        return f"autograd_nb.step({self.written})  # {SAY('of', step=self.step + 1, count=self.count)}"

    def as_text(self):
        return "\n".join([SAY["title"] + ": " + ", ".join(self.titles), *(trace.told() for trace in self.traces)])

    def as_svg(self):
        return draw(self.trace).svg

    def as_html(self):
        return f"{self.film(image)}{KIT['stored']}"

    def film(self, shown):
        """HTML of some steps of each trace, evenly apart, and all sentences; *shown* writes an SVG and its text."""
        for count, *size in STRIPS:
            few = max(2, count // len(self.traces))
            html = "".join(self.strip(place, few, *size, shown) for place in range(len(self.traces)))
            if len(html) <= ROOM:
                break
        return html

    def strip(self, place, count, most, values, shown):
        """Some steps of a trace, told and drawn with at *most* so many boxes if that is given; and all sentences."""
        trace, steps = self.traces[place], self.traces[place].steps()
        if not steps:
            return shown(draw(trace).svg, SAY["empty"])
        last, html = len(steps) - 1, ""
        chosen = [steps[number] for number in sorted({round(place * last / (count - 1)) for place in range(count)})]
        whole = self.told.get("fast") if most is None else None
        story = whole[place] if whole else Story(trace, chosen, most, values)
        for step, svg in zip(chosen, story.frames(chosen), strict=True):
            where, sentence = SAY("of", step=step.index + 1, count=len(steps)), clean(step.sentence)
            line = escape(clean(trace.lines.get((step.file, step.line), "").strip()))
            code = f" <code>{line}</code>" * bool(line)
            html += f"<p><strong>{where}</strong>:{code} {escape(sentence)}</p>{shown(svg, f'{where}: {sentence}')}"
        if len(steps) > count:
            items = "".join(f"<li>{escape(clean(step.sentence))}</li>" for step in steps[:MOST_SHOWN])
            html += f"<details><summary>{SAY['all']}</summary><ol>{items}</ol></details>"
        return html

    def save(self, path):
        """Write a page of its own, ``"walk.html"``, in which the stepper works without a kernel and without network.

        ``"walk.mjs"`` is a module for other people's pages, such as MyST's directive ``{anywidget}``.
        """
        save(path, {".html": self.as_page, ".mjs": self.as_module})

    def as_page(self):
        body = self.film(lambda svg, told: f'<div class="picture">{svg}</div>')
        script = f"{self.page_script()}followSystem();\nbegin(widget, JSON.parse(data.textContent));"
        title = f"{SAY['title']}: {', '.join(self.titles)}"
        return page(title, f'<div id="widget">{body}</div>', self.front_end("css"), script, json.dumps(self.as_state()))

    def as_state(self):
        """All that a page needs in which no Python answers, as plain data."""
        known = {name: getattr(self, name) for name in ("step", "detail", "speed", "titles")}
        return known | {"words": self.page_words(), "details": {detail: {
            "stories": [b64encode(story).decode() for story in self.stories_in(detail)],
            "count": len(self.longer(detail)), "ends": ends_of(self.longer(detail)),
        } for detail in SAY["details"]}}  # fmt: skip


def ends_of(steps):
    return [step.events[-1].index for step in steps]


def step(what, /, *inputs, **options):
    """Step through what autograd did: a trace (or two, side by side), a function of inputs, or a backward call.

    *what*: a trace of `record`, and after it perhaps another to compare it with; or a function, which is called with
    *inputs* and *options* and recorded, as in ``step(f, x)`` or ``step(z.backward, retain_graph=True)``.  An error in
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
    if isinstance(what, Trace):
        traces = [what, *inputs]
        if len(traces) > 2 or not all(isinstance(each, Trace) for each in inputs) or options:
            raise TypeError("step(): after a trace only one other trace can come, to be shown beside it")
        names = [name_of(trace, frame) for trace in traces]
        written = ", ".join(name or other for name, other in zip(names, ("trace", "other"), strict=False))
        titles = names if len({*names, None}) == 3 else SAY["traces"]
        return Stepper(traces, titles if len(traces) == 2 else [title_of(what)], written)
    if not callable(what):
        raise TypeError(f"step(): expected a trace or a function such as z.backward, got {type(what).__name__}")
    recording = Recording(frame)
    name, trace = called(what, frame), recording.trace
    try:
        with recording:
            trace.result = what(*inputs, **options)
    except Exception as error:  # it is the last step, and told there
        trace.error = error
    add_source(trace, frame)
    del frame
    arguments = ["…"] * len(inputs) + [f"{key}={shortened(value)}" for key, value in options.items()]
    return Stepper([trace], [f"{name}({', '.join(arguments)})"], ", ".join([name, *arguments]))


def add_source(trace, frame):
    """Add the lines around the call, as far back as a cell or function goes: they say how everything came about."""
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


def called(function, frame):
    """What a function is called, with the learner's name of the tensor whose method it is."""
    name, owner = getattr(function, "__name__", type(function).__name__), getattr(function, "__self__", None)
    name, known = clean(name, LONGEST_NAME), owner is not None and name_of(owner, frame)
    return f"{known}.{name}" if known else name


def name_of(value, frame):
    return next((key for key, each in frame.f_locals.items() if each is value and not key.startswith("_")), None)
