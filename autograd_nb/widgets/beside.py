"""A bench in other forms: a stepper, a cell, a line of Python, a stored picture, and two benches side by side."""

import ipywidgets
from traitlets import link

import autograd_nb

from ..drawing.display import image
from ..drawing.shapes import clean
from ..learner import programs
from ..learner.executing import library_of
from ..microscope.labels import escape, in_line
from ..words import of
from .kit import note
from .run import Run
from .walk import TextStepper

SAY = of("widgets")["bench"]
MOST_ALT = 5000  # characters of a picture's text, at most


class Forms:
    """A `Bench` as text, as a picture, as a cell and as a line of Python, and its run in a stepper."""

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
        run = Run(self.outcome, self.moments.keys)
        return [*run.frames(run.steps[-1:])][-1]


class Beside(ipywidgets.HBox):
    """The two benches that `Bench.beside` shows, as ``children``."""

    def __init__(self, *benches):
        super().__init__(benches, layout={"flex_flow": "row wrap"})
        for name in benches[0].given:
            link(*((bench, name) for bench in benches))
        for bench in benches:
            bench.layout.flex, bench.layout.min_width = "1 1 400px", "min(100%, 400px)"
            bench.observe(self.compare, "shown")
        self.compare()
        note(self)

    def compare(self, _=None):
        """Mark in each bench the rows, tensors and switches that differ from the other."""
        for bench, other in (self.children, self.children[::-1]):
            rows, tensors = (unlike(told(bench), told(other)) for told in (rows_of, ends_of))
            bench.apart = {"rows": rows, "names": [bench.shown["tensors"][place]["name"] for place in tensors]}
            bench.shown = bench.shown | {"changed": list(bench.changed_switches(other.tensors)), "than": "differs"}

    def __repr__(self):
        return "\n".join(map(repr, self.children))

    def as_html(self):
        return "".join(each.as_html() for each in self.children)

    def _repr_mimebundle_(self, **options):
        data = super()._repr_mimebundle_(**options)
        return data | {"text/plain": repr(self), "text/html": self.as_html()}


def unlike(mine, theirs):
    """The places of the items that the other list lacks."""
    return [place for place, each in enumerate(mine) if each not in theirs]


def rows_of(bench):
    """The code, state, output and gradients of each row."""
    return [(row["code"], row["state"], row["says"], {name: cell["text"] for name, cell in row["cells"].items()})
            for row in bench.shown["rows"]]  # fmt: skip


def ends_of(bench):
    """The last value and the last .grad of each tensor."""
    return [(each["name"], each["value"], bench.outcome.last_grads.get(each["name"]))
            for each in bench.shown["tensors"]]  # fmt: skip
