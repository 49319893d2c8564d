"""The bench: change an input, a switch or a line of the plan, and see what autograd does."""

import numpy as np
from traitlets import Bool, Dict, Int, List, Unicode

import autograd_nb

from ..drawing.display import image
from ..drawing.layout import PAGE
from ..learner import programs
from ..learner.executing import execute, library_of
from ..microscope import presence
from ..microscope.labels import clean, escape, in_line, precise
from ..microscope.readings import is_tensor, value_of
from ..words import of, read
from .beside import Beside
from .kit import ExpressionText, Finite, Live, seen, setting
from .run import WIDE, Run
from .stories import pictured
from .walk import TextStepper

SAY = of("widgets")["bench"]
PRESETS = read("examples")["bench"]
SWITCHES = {True: ("requires_grad", "hooks"), False: ("retain_grad", "hooks", "cut")}  # of an input, and of a result
EDITS = ("backward", "forward", "none", "zero", "optimizer", "change")  # of the plan
CONTROLS = *WIDE, "retain_graph", *EDITS
FEW = 5  # tensors that have all switches open, at most, if no lesson names any
MOST_ALT = 5000  # characters of a picture's text, at most
WIDTH, AROUND = 843, 22  # pixels of a bench in a notebook 1280 wide, and around its picture


class Numbers(Finite):
    """An input: a number, or a list or matrix of numbers."""

    def validate(self, obj, value):
        many = np.ndim(value) if isinstance(value, list | tuple | np.ndarray) else is_tensor(value)
        return programs.numbers(self.name, value) if many else super().validate(obj, value)


class Bench(Live):
    """The widget that `bench` makes.  The learner can set `expression`, `tensors`, `plan` and each input by name.

    `row` is the line whose moment the picture shows, from 0. `trace` is the recording of the last run; `outcome` has
    the output, warnings and error of its lines, and every .grad after each.
    """

    files = "bench"
    own_words = SAY

    expression = setting(ExpressionText())
    tensors = setting(Dict())
    plan = setting(List())
    inputs = seen(List())
    note = seen(Unicode())
    row = seen(Int(0))
    large, predict = seen(Bool(False)), seen(Bool(False))  # picture and sentence alone; numbers on a click
    apart = seen(Dict({"rows": [], "names": []}))  # its rows and tensors that differ from the bench beside it
    whole = seen(Bool(False))  # whether it shows all controls, not only those of the lesson
    width = seen(Int(WIDTH))  # of a view, in pixels
    story = seen(Dict())
    shown = seen(Dict())
    refused = seen(Dict())  # the hook that could not be read: name, text and cause
    stepper = seen(Unicode())  # the module of a stepper, while it shows the last run

    def __init__(self, what, values, tensors=None, plan=None, controls=None, preset=None, library=autograd_nb):
        super().__init__(note=SAY["presets"].get(preset, ""), whole=controls is None)
        self.function, self.controls = what if callable(what) else None, controls
        self.library = presence.loaded() if any(map(presence.is_tensor, values.values())) else library
        for name, value in values.items():
            self.add_input(name, value)
        self.given, self.rooms, self.codes, self.ranges = list(values), {}, None, {}
        self.expression = programs.name_of(what) if self.function else what
        self.tensors, self.plan = dict(tensors or {}), list(plan or [])
        self.observe(self.compute, ["whole", "width"])
        self.begin()

    def add_input(self, name, value):
        programs.check_name(name, name in dir(self))
        self.add_traits(**{name: setting(Numbers())})
        setattr(self, name, programs.numbers(name, value))

    def options(self):
        """Its present settings, without the inputs."""
        return {"tensors": self.tensors or None, "plan": self.plan or None, "controls": self.controls}

    def twin(self, **other):
        """A bench like this one, with other settings."""
        values = {name: getattr(self, name) for name in self.names}
        return Bench(self.function or self.expression, values, **self.options() | other, library=self.library)

    # -- the controls that it shows: those named in ``controls``, or all where ``whole`` is true --------------------

    def has(self, *controls):
        return self.whole or not {*controls}.isdisjoint(self.controls or ())

    def opened(self, names):
        """``{name: the switches that are open at it}``; all others come with a click on the tensor."""
        found = {name: SWITCHES[name in self.names] for name in names}
        if self.whole:
            return {name: kinds * (len(names) <= FEW) for name, kinds in found.items()}
        return {name: [kind for kind in kinds if self.has(kind, f"{name}.{kind}")] for name, kinds in found.items()}

    def lines(self, names):
        """Lines that a learner may add to the plan: a button each, and a menu of others; *names*: of all tensors."""
        first, *_, made, result = names[0], *names
        lines = {
            "backward": f"{result}.backward()", "forward": programs.FORWARD, "none": f"{first}.grad = None",
            "zero": f"{first}.grad.zero_()", "optimizer": programs.OPTIMIZED[0], "change": f"{made}.add_(1)",
        }  # fmt: skip
        buttons = [line for edit, line in lines.items() if self.has(edit)]
        others = [f"{name}.backward()" for name in names if self.whole and name not in self.names]
        others += [form.format(name=name) for name in names for form in SAY["changes"] if self.has("change")]
        return {"buttons": buttons, "others": [line for line in others if line not in buttons]}

    # -- a run -------------------------------------------------------------------------------------------------------

    def run(self, **_):
        self.do_close_stepper()
        inputs, scope = self.given, {"torch": self.library}
        if self.function:
            statements, names = programs.of_function(self.function, inputs)
            scope = names | (scope if self.library is not autograd_nb else {})
        else:
            if self._first:  # a learner typed it
                inputs = [*inputs, *programs.typed_inputs(self.expression, inputs)]
            statements = programs.taken_apart(self.expression, inputs, programs.OF_MANY)
        for name in inputs:
            if not isinstance(self.traits().get(name), Numbers):
                self.add_input(name, 1.0)
                self.observe(self.compute, [name])
                self.begin_settings({name: getattr(self, name)})
        names = [*inputs, *dict.fromkeys(each.name for each in statements)]

        def ran(tensors, plan, **values):
            values = {name: getattr(self, name) for name in inputs} | values
            known = {name: it for name, it in tensors.items() if name in names or not self._first}
            lines = programs.program(values, statements, known, plan)
            return execute(lines, names, scope, budget=self.function is not None)

        return ran, ran(self.tensors, self.plan), names, inputs, self.as_cell(statements, scope)

    def tell(self, found):
        run, outcome, names, inputs, start = found
        self.outcome, self.trace, self.names = outcome, outcome.trace, inputs
        graph = self.expression, *(line for line in self.plan if "grad" not in line and "backward" not in line)
        self.rooms = {graph: self.rooms.get(graph, {})}  # another graph's sizes do not help
        opened, causes, codes = self.opened(names), self.causes(run), [line.code for line in outcome.lines]
        self.moments = moments = Run(outcome, names, self.width - AROUND, opened, self.tensors, self.rooms[graph])
        columns = [name for name in names if name in inputs and name in outcome.tensors
                   or any((line.grads or {}).get(name) for line in outcome.lines)]  # fmt: skip
        self.story = pictured(moments)
        self.inputs = [self.ranges.get(name) or self.range(name, run) for name in inputs]
        self.last = self.shown = {
            "rows": [*moments.rows(columns)], "columns": columns, "lines": self.lines(names),
            "tensors": [self.tensor_state(name, opened[name], causes) for name in names],
            "down": moments.arrangement.down, "changed": list(self.changed_switches()), "than": "changed",
            "cell": "\n".join([start, *codes]), "function": bool(self.function),
            "edits": self.has(*EDITS), "retains": self.has("retain_graph"),
            "prints": any(said.kind == "print" for line in outcome.lines for said in line.says),
        }  # fmt: skip
        if codes != self.codes:  # a new program is shown at its end
            self.codes, self.row = codes, moments.steps[-1].place

    def causes(self, run):
        """``{name: {switch: the line that fails, and its error}}`` of changed switches whose change is the cause."""
        found, error = {}, self.outcome.error
        if error is not None and self.outcome.lines[error[0]].end is not None:  # no endless loop
            for change in self.changed_switches():
                tensors = self.switched(change["name"], change["switch"], change["value"])
                if run(tensors, self.plan).error is None:
                    told = {"line": error[0] + 1, "text": error[1]}
                    found.setdefault(change["name"], {})[change["switch"]] = told
        return found

    def switched(self, name, switch, value):
        """`tensors` with a switch set otherwise."""
        options = self.tensors.get(name, {}) | {switch: value}
        given = {key: it for key, it in options.items() if it != programs.DEFAULTS.get(key)}
        return {key: it for key, it in (self.tensors | {name: given}).items() if it}

    def tensor_state(self, name, opened, causes):
        value, is_input = self.outcome.tensors.get(name), name in self.names
        options = programs.DEFAULTS | self.tensors.get(name, {})
        value = None if value is None else value_of(value)
        return {
            "name": name, "input": is_input, **options, "open": list(opened), "at": self.moments.corners.get(name),
            "more": [each for each in SWITCHES[is_input] if each not in opened], "key": self.moments.keys.get(name, ""),
            "causes": causes.get(name, {}),
            "value": SAY["not_reached"] if value is None else in_line(value),
            "precise": "" if value is None else precise(value),
            "handles": [programs.handle_of(name, number) for number in range(1, len(options["hooks"]) + 1)],
        }  # fmt: skip

    def changed_switches(self, first=None):
        """The switches that differ from *first*, or from the first settings: a text, and the value that undoes it."""
        first = self._first.get("tensors", self.tensors) if first is None else first
        for name in dict.fromkeys([*first, *self.tensors]):
            now, then = (programs.DEFAULTS | each.get(name, {}) for each in (self.tensors, first))
            for switch, value in now.items():
                if value != then[switch]:
                    text = switch_in_words(name, switch, value)
                    yield {"text": text, "name": name, "switch": switch, "value": then[switch]}

    def range(self, name, run):
        """The slider of an input; it begins just above 0 if the expression has no value below, like a logarithm."""
        value = getattr(self, name)
        most, below = max(1.0, 2 * float(np.abs(value).max())), []
        if not self.function and np.min(value) > 0:
            below = [*run({}, [], **{name: np.negative(value).tolist()}).tensors.values()][-1:]
        least = most / 100 if any((each != each).any() for each in below) else -most
        self.ranges[name] = {"name": name, "shape": np.shape(value), "min": least, "max": most, "step": most / 100}
        return self.ranges[name]

    # -- requests of a view ------------------------------------------------------------------------------------------

    def do_switch(self, name, switch, value):
        if switch == "hooks":
            try:
                for hook in value or ():
                    programs.hook_code(name, hook)
            except programs.Refused as refused:  # the field where it was typed says so
                self.refused = {"name": name, "text": value[-1], "cause": str(refused)}
                return
        self.refused = {}
        self.tensors = self.switched(name, switch, value)

    # -- other forms: a stepper, a cell, a line of Python, text, a stored picture, two benches side by side ------------

    def do_step_it(self):
        """Show the last run in a stepper, until something changes."""
        self.stepper = self.film().as_module()

    def do_close_stepper(self):
        self.stepper = ""

    def film(self):
        """A stepper of the last run, from the first backward pass on."""
        steps = TextStepper([self.trace], [self.expression], "bench.trace")
        steps.step = next((step.index for step in self.trace.steps() if step.kind == "Started"), 0)
        return steps

    def as_cell(self, statements, scope):
        """The lines above the program in a cell that can run by itself."""
        whole = self.function and statements[0].code.startswith(f"{self.expression}(")
        start = SAY["cell_start"] if library_of(scope) is autograd_nb else "import torch"
        return "\n".join([start, "", *([programs.definition(self.function)[0], "", ""] if whole else [])])

    def beside(self, *, tensors=None, plan=None):
        """This bench twice, side by side, with the same inputs; it marks the differences.

        tensors, plan: those of the second bench, if they differ.

        >>> import autograd_nb as torch
        >>> bench = torch.bench("x ** 2", x=3., plan=["z.backward()"])
        >>> print(bench.beside(plan=["z.backward()", "x.grad = None"]))
        Bench: x ** 2
          x = torch.tensor(3.0, requires_grad=True)
          z = x ** 2
          z.backward()
          x.grad = 6., z.grad = None
        Bench: x ** 2
          x = torch.tensor(3.0, requires_grad=True)
          z = x ** 2
          z.backward()
          x.grad = None
          x.grad = None, z.grad = None
        """
        other = {name: it for name, it in (("tensors", tensors), ("plan", plan)) if it is not None}
        return Beside(self.twin(), self.twin(**other))

    def as_code(self):
        what = programs.function_text(self.function) if self.function else repr(self.expression)
        form = "{}={!r}" if self.library is autograd_nb else "{}=torch.tensor({!r})"
        parts = [what, *(form.format(name, getattr(self, name)) for name in self.names)]
        parts += [f"{name}={value!r}" for name, value in self.options().items() if value is not None]
        return f"autograd_nb.bench({', '.join(parts)})"

    def as_text(self):
        outcome = self.outcome
        lines = [SAY["title"] + ": " + self.expression]
        for line in outcome.lines:
            lines.append(f"  {line.code}" + (f"  # {SAY['not_reached']}" if line.state == "not reached" else ""))
            lines += [f"    {said.text}" for said in line.says]
        lines.append("  " + ", ".join(f"{name}.grad = {in_line(grad)}" for name, grad in outcome.last_grads.items()))
        return "\n".join(lines)

    def as_html(self):
        """The picture, and below it the program with its output."""
        lines = repr(self).split("\n")
        alt = lines[0] if len(repr(self)) > MOST_ALT else repr(self)
        lines += ["", SAY["left"], *self.line.split("\n")] if self._past else []
        below = "\n".join(escape(clean(line)) for line in lines)
        return f"{image(self.as_svg(), alt)}<pre>{below}</pre><br>{self.how_to_use()}"

    def as_svg(self):
        run = Run(self.outcome, self.moments.keys, PAGE, {}, {}, {})
        return [*run.frames(run.steps[-1:])][-1]


def switch_in_words(name, switch, value):
    """A switch and its value, as a learner reads them."""
    if switch == "hooks":
        return f"{name}: {SAY('count_hooks', count=len(value))}"
    if switch == "cut":
        return f"{name}: {SAY['cuts'][value]}"
    return f"{name}: {switch} = {value}" if switch == "requires_grad" else f"{name}: {SAY['retains'][str(value)]}"


def bench(what=None, /, *, preset=None, tensors=None, plan=None, controls=None, **inputs):
    """A bench for an expression or a function: sliders, switches on every tensor, a plan of backward passes.

    *what*: an expression such as ``"log(x**3)"`` or ``"(w*x).sum()"`` of the engine's functions, or a function;
    *inputs*: its arguments and their values, numbers, or up to 64 of them as a list, a matrix or a tensor (PyTorch's,
    too), whose numbers it takes.  *preset* instead: "accumulation", "retain_grad", "hooks", "two paths", "cuts",
    "in place" or "freed graph"; any other argument replaces that part of it.  *tensors*: switches by tensor,
    ``{"y": {"retain_grad": True, "hooks": ["double", "grad + 1"], "cut": "detach"}}``; hooks are "print", "double",
    "clip", "zero", "before" and "after" its node, "accumulated" after a leaf's ``+=``, or an expression.  *plan*: lines
    of code such as ``"z.backward()"``, ``"x.grad = None"``, ``"y.add_(1)"``, ``"optimizer.zero_grad()"``; "forward"
    computes everything again.
    *controls*: the switches that are open, of "requires_grad", "retain_grad", "hooks" and "cut", or of one tensor as
    in "y.cut", and the buttons for the plan, of "backward", "retain_graph", "forward", "none", "zero", "optimizer" and
    "change"; a preset has its own, else all are there.  `.beside()` shows it twice.  TypeError for an input that
    is no number, ValueError for a shape that a bench does not take.

    >>> import autograd_nb as torch
    >>> print(torch.bench("log(x**3)", x=5., plan=["z.backward()"]))
    Bench: log(x**3)
      x = torch.tensor(5.0, requires_grad=True)
      y = x ** 3
      z = torch.log(y)
      z.backward()
      x.grad = 0.6, y.grad = None, z.grad = None
    """
    if preset not in (None, *PRESETS):
        raise ValueError(f"bench(): preset must be one of {', '.join(map(repr, PRESETS))}, got {preset!r}")
    known, given = PRESETS.get(preset, {}), {"tensors": tensors, "plan": plan, "controls": controls}
    what, inputs = known.get("expression") if what is None else what, known.get("inputs", {}) | inputs
    given = {name: known.get(name) if value is None else value for name, value in given.items()}
    unknown = [each for each in given["controls"] or () if each.rpartition(".")[2] not in CONTROLS]
    if unknown:
        raise ValueError(f"bench(): controls are {', '.join(map(repr, CONTROLS))}, got {unknown[0]!r}")
    if not (isinstance(what, str) or callable(what)) or not inputs:
        raise TypeError("bench() needs an expression or a function, and its inputs' values, such as x=5.; or preset=…")
    return Bench(what, inputs, preset=preset, **given)
