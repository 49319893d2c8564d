"""The bench: change one input, one switch or one line of the plan and see what autograd makes of it."""

import math
from itertools import pairwise

from traitlets import Dict, List, Unicode

import autograd_nb

from ..drawing.display import Drawing, image
from ..drawing.draw import draw
from ..drawing.legend import legend_of
from ..drawing.render import arranged, render
from ..drawing.shapes import clean
from ..learner import programs
from ..learner.executing import execute, library_of
from ..microscope.labels import escape
from ..microscope.readings import value_of
from ..microscope.values import in_line, precise
from ..words import of, read
from .kit import KIT, Finite, Live, picture, seen, setting

SAY = of("widgets")["bench"]
MOST_ALT = 5000  # characters of the text of a picture
PRESETS = {name: tuple(parts.values()) for name, parts in read("examples")["bench"].items()}


class Bench(Live):
    """What `bench` shows.  `expression`, `tensors`, `plan` and every input, by its name, are traits to read and set.

    `trace` is the recording of the last run, `outcome` what its lines printed, warned, raised and left in .grad.
    """

    files = "bench"
    own_words = SAY

    expression = setting(Unicode())
    tensors = setting(Dict())
    plan = setting(List())
    inputs = seen(List())
    note = seen(Unicode())
    base, base_change = picture()
    shown = seen(Dict())
    refused = seen(Dict())  # the hook that could not be read: name, text and cause
    stepper = seen(Unicode())  # model of the stepper that shows the last run, while it does
    budget, steps = False, None  # `execute` has a budget of its own

    def __init__(self, what, values, tensors, plan, preset=None):
        super().__init__(note=SAY["presets"].get(preset, ""))
        for name in values:
            programs.check_name(name, hasattr(self, name))
        self.function = what if callable(what) else None
        self.add_traits(**{name: setting(Finite()) for name in values})
        for name, value in values.items():
            setattr(self, name, value)
        self.names = list(values)
        self.expression = programs.name_of(what) if self.function else what
        self.tensors, self.plan = dict(tensors), list(plan)
        self.inputs = [{"name": name, "min": self.lowest(name, reach(value)), "max": reach(value),
                        "step": reach(value) / 100} for name, value in values.items()]  # fmt: skip
        self.begin()

    def lowest(self, name, most):
        """Where an input's slider begins: just above 0 if an expression has no value below, as a logarithm has none."""
        if self.function or getattr(self, name) <= 0:
            return -most
        statements = programs.taken_apart(self.expression, self.names)
        values = {each: -most if each == name else getattr(self, each) for each in self.names}
        below = execute(programs.program(values, statements, {}, []), [statements[-1].name], {}).tensors.values()
        return most / 100 if any(each != each for each in below) else -most

    # -- a run -------------------------------------------------------------------------------------------------------

    def find(self):
        """What came of the program, its statements, the names of its tensors, the library that it ran on."""
        self.do_close_stepper()
        values = {name: getattr(self, name) for name in self.names}
        if self.function:
            statements, scope = programs.of_function(self.function, self.names)
        else:
            statements, scope = programs.taken_apart(self.expression, self.names), {}
        lines = programs.program(values, statements, self.tensors, self.plan)
        names = [*values, *dict.fromkeys(each.name for each in statements)]
        outcome = execute(lines, names, scope, budget=self.function is not None)
        return outcome, statements, names, library_of(scope)

    def tell(self, outcome, statements, names, library):
        self.outcome, self.trace = outcome, outcome.trace
        drawing = draw(self.trace)
        self.picture = drawing.picture
        self.picture.caption = ""  # errors stand at their lines
        whole = self.function and statements[0].code.startswith(f"{self.expression}(")
        called = [programs.definition(self.function)[0], "", ""] if whole else []
        start = SAY["cell_start"] if library is autograd_nb else "import torch"
        self.cell = "\n".join([start, "", *called, *(line.code for line in outcome.lines)])
        arrangement = arranged(self.picture, self.boards["base"].place)
        self.draw(base=(*render(self.picture, arrangement), self.picture.title or "", drawing.text))
        self.last = self.shown = {
            "lines": outcome.told(), "tensors": list(map(self.told_tensor, names)),
            "bars": list(self.told_bars(names)), "no_bars": self.told_no_bars(),
            "changed": list(self.told_changes()), "cell": self.cell,
            "links": self.links(), "legend": legend_of(self.picture),
            "result": statements[-1].name, "function": bool(self.function),
        }  # fmt: skip

    def links(self):
        """``{key of what is in the picture: name}`` of the tensor whose line of the program made it."""
        found = {key: record.name for key, record in self.trace.tensors.items() if record.name}
        for event in self.trace:
            if event.kind == "Operation" and event.node and event.outputs[:1] and event.outputs[0] in found:
                found[event.node] = found[event.outputs[0]]
        return found

    def told_tensor(self, name):
        value, grad = self.outcome.tensors.get(name), self.outcome.last_grads.get(name)
        options = programs.DEFAULTS | self.tensors.get(name, {})
        requires = options["requires_grad"] if name in self.names else value is not None and value.requires_grad
        value = None if value is None else value_of(value)
        return {
            "name": name, "input": name in self.names, **options, "requires": bool(requires),
            "value": SAY["not_reached"] if value is None else in_line(value), "precise": in_full(value),
            "grad": in_line(grad), "precise_grad": in_full(grad),
            "handles": [programs.handle_of(name, number) for number in range(1, len(options["hooks"]) + 1)],
        }  # fmt: skip

    def told_bars(self, names):
        """What every .grad was after each line of the plan that may change one; all heights have one scale."""
        pairs = enumerate(zip(self.outcome.grads, self.outcome.lines, strict=True), 1)
        steps = [(grads, number, line.code) for number, (grads, line) in pairs
                 if line.part == "plan" and not line.name and grads is not None]  # fmt: skip
        rows = {name: [grads.get(name) for grads, *_ in steps] for name in names}
        rows = {name: values for name, values in rows.items() if any(value is not None for value in values)}
        most = max((abs(height(value)) for values in rows.values() for value in values), default=0.0) or 1.0
        for name, values in rows.items():
            heights = [height(value) / most for value in values]
            kept = [min(before, now, key=abs) if before * now > 0 else 0.0 for before, now in pairwise([0.0, *heights])]
            yield {"name": name, "steps": [
                {"number": number, "code": code, "text": in_line(value), "now": now, "kept": old,
                 "precise": in_full(value, KIT["none"])}
                for (_, number, code), value, now, old in zip(steps, values, heights, kept, strict=True)]}  # fmt: skip

    def told_no_bars(self):
        """Why there is no bar: a line of the plan failed, or none has run."""
        failed = [line["code"] for line in self.outcome.told() if (line["part"], line["state"]) == ("plan", "failed")]
        return SAY("failed_bars", line=failed[0]) if failed else SAY["no_bars"]

    def told_changes(self):
        """What was switched away from PyTorch's default: a text, and what the switches are without it."""
        for name, given in self.tensors.items():
            said = {
                "requires_grad": "requires_grad = False", "retain_grad": "retain_grad()",
                "hooks": SAY("count_hooks", count=len(given.get("hooks", []))),
                "cut": SAY["cuts"].get(given.get("cut")),
            }  # fmt: skip
            for switch, value in given.items():
                if value != programs.DEFAULTS[switch]:
                    yield {"text": f"{name}: {said[switch]}", "name": name, "switch": switch}

    # -- what a view asks for ----------------------------------------------------------------------------------------

    def do_switch(self, name, switch, value):
        if switch == "hooks":
            try:
                for hook in value or ():
                    programs.hook_code(name, hook)
            except programs.Refused as refused:  # told where it was written, where it can be mended
                self.refused = {"name": name, "text": value[-1], "cause": str(refused)}
                return
        self.refused = {}
        options = self.tensors.get(name, {}) | {switch: value}
        given = {key: it for key, it in options.items() if it is not None and it != programs.DEFAULTS.get(key)}
        self.tensors = {key: it for key, it in (self.tensors | {name: given}).items() if it}

    def do_step_it(self):
        """Show the last run in a stepper."""
        self.do_close_stepper()
        self.steps = self.film()
        self.stepper = self.steps.model_id

    def film(self):
        """A stepper of the last run, from the first backward pass on."""
        from .step import Stepper

        steps = Stepper([self.trace], [self.expression], "bench.trace")
        started = (any(event.kind == "Started" for event in step.events) for step in self.trace.steps())
        steps.step = next((place for place, first in enumerate(started) if first), 0)
        return steps

    def do_close_stepper(self):
        """Take the stepper away, as every change does: what it shows is no longer so."""
        if self.steps is not None:
            self.stepper = ""
            self.steps.layout.close()
            self.steps.close()
            self.steps = None

    def close(self):
        self.do_close_stepper()
        super().close()

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        what = programs.written(self.function) if self.function else repr(self.expression)
        parts = [what, *(f"{name}={getattr(self, name)!r}" for name in self.names)]
        parts += [f"tensors={self.tensors!r}"] if self.tensors else []
        parts += [f"plan={self.plan!r}"] if self.plan else []
        return f"autograd_nb.bench({', '.join(parts)})"

    def as_text(self):
        outcome = self.outcome
        lines = [SAY["title"] + ": " + self.expression]
        for line in outcome.told():
            lines.append(f"  {line['code']}" + (f"  # {SAY['not_reached']}" if line["state"] == "not reached" else ""))
            lines += [f"    {said['text']}" for said in line["says"]]
        lines.append("  " + ", ".join(f"{name}.grad = {in_line(grad)}" for name, grad in outcome.last_grads.items()))
        return "\n".join(lines)

    def as_html(self):
        """The picture, and below it the program and what came of it."""
        lines = repr(self).split("\n")
        alt = lines[0] if len(repr(self)) > MOST_ALT else repr(self)
        below = "\n".join(escape(clean(line)) for line in lines)
        return f"{image(self.as_svg(), alt)}<pre>{below}</pre><br>{KIT['stored']}"

    def as_svg(self):
        return Drawing(self.picture).svg


def in_full(value, none=""):
    return none if value is None else precise(value)


def height(value):
    if value is None or not value.is_whole or value.size != 1:
        return 0.0
    number = float(value.array.reshape(-1)[0])
    return number if math.isfinite(number) else 0.0


def reach(value):
    return max(1.0, 2 * abs(float(value)))


def bench(what=None, /, *, preset=None, tensors=None, plan=None, **inputs):
    """A bench for an expression or a function of numbers: sliders, switches on every tensor, a plan of backward passes.

    *what*: an expression such as ``"log(x**3)"`` of the engine's functions, or a function; *inputs*: its arguments and
    their values, numbers.  *preset* instead: "accumulation", "retain_grad", "hooks", "two paths", "cuts", "in place"
    or "freed graph"; what is given besides replaces that part of it.  *tensors*: switches by tensor,
    ``{"y": {"retain_grad": True, "hooks": ["double", "grad + 1"], "cut": "detach"}}``; hooks are "print", "double",
    "clip", "zero", "before" and "after" its node, "accumulated" after a leaf's ``+=``, or an expression.  *plan*: lines
    of code such as ``"z.backward()"``, ``"x.grad = None"``, ``"y.add_(1)"``; "forward" computes everything again.

    >>> import autograd_nb as torch
    >>> print(torch.bench("log(x**3)", x=5., plan=["z.backward()"]))
    Bench: log(x**3)
      x = torch.tensor(5.0, requires_grad=True)
      y = x ** 3
      z = torch.log(y)
      z.backward()
      x.grad = 0.6, y.grad = None, z.grad = None
    """
    if preset is not None:
        if preset not in PRESETS:
            raise ValueError(f"bench(): preset must be one of {', '.join(map(repr, PRESETS))}, got {preset!r}")
        expression, values, *rest = PRESETS[preset]
        what = expression if what is None else what
        inputs = values | inputs
        tensors, plan = (old if new is None else new for new, old in zip((tensors, plan), rest, strict=True))
    if not (isinstance(what, str) or callable(what)) or not inputs:
        raise TypeError("bench() needs an expression or a function, and its inputs' values, such as x=5.; or preset=…")
    return Bench(what, inputs, tensors or {}, plan or [], preset)
