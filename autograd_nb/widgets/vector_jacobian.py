"""The Jacobian as a grid, a vector on sliders, and their product row by row: what a vector backward computes.

The product is what one `backward(v)` leaves in x.grad and the rows are gradients of single outputs; recordings count
the passes of both, and how often nodes were called.
"""

import math
from collections import Counter
from itertools import chain

from traitlets import List

import autograd_nb as torch

from ..drawing.shapes import COLOURS, Group, Text
from ..learner.programs import Refused, function_text, name_of
from ..microscope.values import nested, short
from ..words import of
from .chart import BLANK, MARGIN, ROW, ChartPicture, Table, boxed, head, small
from .kit import Finite, call_text
from .lesson import CHOOSER, STATUS, Lesson, box, button, chart, code, control, note, row, stack, table

SAY = of("widgets")["vector_jacobian"]

MOST = 5  # numbers in x, and in f(x)
NARROW = 3  # numbers in x whose picture fits beside the sliders
GREEN = COLOURS["grad"]


class VectorJacobian(Lesson):
    """The widget that `vector_jacobian` makes; ``found`` holds the numbers of the last good run."""

    name, own_words = "vector_jacobian", SAY
    x, v = control(List(Finite()), "sliders"), control(List(Finite()), "sliders")

    def __init__(self, f, x, v):
        self.f, self.called, self.shape, self.dtype = f, name_of(f), x.shape, x.dtype
        super().__init__(x=x.detach().flatten().tolist(), v=v)

    @property
    def page(self):
        size = len(self.v)
        set_v = [button("ones", "set", v=[1.0] * size), *(
            button("only", "set", v=[float(at == place) for at in range(size)]) | {"label": SAY("only", place=place)}
            for place in range(size))]  # fmt: skip
        inputs = stack("v", row(*set_v), "x")
        shown = stack(CHOOSER, chart("board", choose="row"), STATUS, code("program", label=""),
                      table("passes", columns=SAY["pass_columns"]), note("calls"), note("scalar"))  # fmt: skip
        return (box("columns" if len(self.x) <= NARROW else "stack", inputs, shown),)

    def part_data(self, part):
        """For sliders also how far they go."""
        ranges = {"ranges": list(map(reached, getattr(self, part)))} if part in ("x", "v") else {}
        return super().part_data(part) | ranges

    def do_set(self, v):
        self.v = v

    def run(self):
        x = torch.tensor(self.x, dtype=self.dtype).reshape(self.shape).requires_grad_()
        with torch.enable_grad():
            y = self.f(x)
        self.check(x, y)
        size = y.numel()
        if len(self.v) != size:
            self.v = [1.0] * size
        v = torch.tensor(self.v, dtype=y.dtype)
        with torch.record() as many:
            units = torch.eye(size, dtype=y.dtype).reshape(size, *y.shape)
            rows = [torch.autograd.grad(y, x, unit, retain_graph=True, materialize_grads=True)[0].flatten()
                    for unit in units]  # fmt: skip
        with torch.record() as once:
            y.backward(v.reshape(y.shape), inputs=[x])  # not into .grad of what else the function uses
        if x.grad is None:
            raise Refused(SAY("constant", name=self.called))
        jacobian = torch.stack(rows)
        if not all(map(math.isfinite, jacobian.flatten().tolist())):
            raise Refused(SAY("no_row", values=nested(jacobian.tolist())))
        weighted = v.unsqueeze(1) * jacobian + 0.0  # no -0.
        found = {"jacobian": jacobian, "v": v, "weighted": weighted, "product": x.grad.flatten(),
                 "so_far": weighted.cumsum(0)}  # fmt: skip
        self.found = {name: each.tolist() for name, each in found.items()}
        kinds = [Counter(event.kind for event in trace) for trace in (once, many)]
        counts = [[each["Started"], each["Ran"] + each["Accumulated"]] for each in kinds]
        facts = {name: nested(self.found[name]) for name in ("v", "product", "jacobian")}
        text = SAY("text", name=self.called, **facts)
        return {
            "status": SAY("status", product=facts["product"]), "text": text, "board": tuple(self.drawn(text)),
            "program": SAY("code", name=self.called, v=nested(v.reshape(y.shape).tolist())),
            "passes": [[name, *map(str, each)] for name, each in zip(SAY["pass_rows"], counts, strict=True)],
            "calls": SAY("told_calls", size=size, nodes=kinds[0]["Ran"], calls=counts[1][1]),
        }  # fmt: skip

    def check(self, x, y):
        """Raise Refused for a result without a Jacobian, or one that is too large to show."""
        if not isinstance(y, torch.Tensor):
            raise Refused(SAY("not_a_tensor", name=self.called, kind=type(y).__name__))
        if not y.requires_grad:
            raise Refused(SAY("constant", name=self.called))
        if not (0 < x.numel() <= MOST and 0 < y.numel() <= MOST):
            raise Refused(SAY("too_large", name=self.called, most=MOST, inputs=x.numel(), outputs=y.numel()))

    def drawn(self, text):
        """The picture of all rows, and one for each of them, with what the rows so far make together."""
        found = self.found
        names = [small(f"x[{place}]") for place in range(len(found["product"]))]
        blank = [BLANK] * len(names)
        rows = zip(cells([[one] for one in found["v"]]), cells(found["jacobian"]), cells(found["weighted"]),
                   strict=True)  # fmt: skip
        lines = [
            [BLANK, head(SAY["times"]), BLANK, head(SAY["jacobian"]), *blank, head(SAY["weighted"])],
            [BLANK] * 3 + names + [BLANK] + names,
            *([small(f"y[{place}]"), *v, small("·"), *jacobian, small("="), *weighted]
              for place, (v, jacobian, weighted) in enumerate(rows)), [],
        ]  # fmt: skip
        labels = [SAY["sum"], *(SAY("so_far", row=row) for row in range(len(found["v"])))]
        sums = [[BLANK] * 3 + blank + [Text(0, 0, f"{label} =", 12, GREEN.text, "end", True), *total]
                for label, total in zip(labels, cells([found["product"], *found["so_far"]]), strict=True)]  # fmt: skip
        grid, below = Table(lines + sums), len(lines)  # all sums have the same place
        drawn = [tuple(chain(*line)) for line in grid.shapes()]
        shapes = [Group("heads", drawn[0] + drawn[1]),
                  *(Group(f"row {place}", line) for place, line in enumerate(drawn[2 : below - 1]))]  # fmt: skip
        size = grid.right + 2 * MARGIN, grid.bottom + MARGIN - ROW * (len(sums) - 1)
        for place, total in enumerate(sums, -1):
            frame = grid.frame(below, 4 + len(names), GREEN, 2)
            chosen = Group("chosen", (grid.frame(place + 2, 1, COLOURS["gradient"], 3),) if place >= 0 else ())
            shown = [*shapes, chosen, Group("sum", (*chain(*grid.line(below, total)), frame))]
            yield ChartPicture(shown, size, SAY["title"], text if place < 0 else self.told_row(place))

    def told_row(self, place):
        facts = {name: nested(self.found[name][place]) for name in ("jacobian", "weighted", "so_far")}
        return SAY("row_status", place=place, weight=short(self.found["v"][place]), **facts)

    def as_code(self):
        data = torch.tensor(self.x, dtype=self.dtype).reshape(self.shape).tolist()
        return call_text(vector_jacobian, function_text(self.f), repr(data), v=self.v)


def cells(rows):
    return boxed(rows, [list(map(fitting, row)) for row in rows])


def reached(value):
    """How far a slider goes that starts at a value, and its step."""
    far = max(5.0, 2 * abs(value))
    return [-far, far, 0.1 if far <= 10 else far / 100]


def fitting(number):
    text = short(number)
    return text if len(text) <= 8 else f"{number:.2g}"


def vector_jacobian(f, x, *, v=None):
    """The Jacobian of a function at x, a vector v on sliders, and their product row by row, which backward(v) gives.

    f: a function from a tensor to a tensor, of at most five elements each; x: a tensor of floats, or numbers for one;
    v: a list of numbers, one for each element of f(x) (default: ones).

    >>> from autograd_nb import widgets
    >>> widgets.vector_jacobian(lambda x: x**2, [1., 2.], v=[1., 10.])
    f: y.backward([1., 10.]) gives x.grad = [2., 40.], the sum of the Jacobian's rows [[2., 0.], [0., 4.]], weighted
    by v.
    """
    x = torch.as_tensor(x)
    x = x if x.is_floating_point() else x.to(torch.float32)
    return VectorJacobian(f, x, [] if v is None else list(map(float, v)))
