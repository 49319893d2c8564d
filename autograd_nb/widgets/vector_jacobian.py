"""The Jacobian as a grid, a vector on sliders, and their product row by row: what a vector backward computes.

The product is what one `backward(v)` leaves in x.grad and the rows are gradients of single outputs; recordings count
the passes of both, and how often nodes were called.
"""

import math
from collections import Counter

from traitlets import Int, List

import autograd_nb as torch

from ..drawing.shapes import COLOURS, Group, Text
from ..learner.programs import Refused, name_of, written
from ..microscope.values import nested, short
from ..words import of
from .chart import BLANK, MARGIN, Picture, Table, boxed, head, small
from .kit import Finite, called, setting
from .lesson import STATUS, Lesson, box, button, chart, code, control, note, row, stack, table

SAY = of("widgets")["vector_jacobian"]

MOST = 5  # numbers in x, and in f(x)
NARROW = 3  # numbers in x whose picture fits beside the sliders
GREEN = COLOURS["grad"]


class VectorJacobian(Lesson):
    """The widget that `vector_jacobian` makes; ``found`` holds the numbers of the last good run."""

    name, own_words = "vector_jacobian", SAY
    x, v = control(List(Finite()), "sliders"), control(List(Finite()), "sliders")
    row = setting(Int(-1))  # the row that is looked at; -1: all of them

    def __init__(self, f, x, v):
        self.f, self.called, self.shape, self.dtype = f, name_of(f), x.shape, x.dtype
        super().__init__(x=x.detach().flatten().tolist(), v=v)

    @property
    def page(self):
        size = len(self.v)
        set_v = [button("ones", "set", v=[1.0] * size), *(
            button("only", "set", v=[float(at == place) for at in range(size)]) | {"label": SAY("only", place=place)}
            for place in range(size))]  # fmt: skip
        rows = [button("before", "move", by=-1), button("after", "move", by=1), button("all", "set", row=-1)]
        inputs = stack("v", row(*set_v), "x")
        shown = stack(row(*rows), chart("board", choose="row"), STATUS, code("program", label=""),
                      table("passes", columns=SAY["pass_columns"]), note("calls"), note("scalar"))  # fmt: skip
        return (box("columns" if len(self.x) <= NARROW else "stack", inputs, shown),)

    def written(self, part):
        """For sliders also how far they go."""
        ranges = {"ranges": list(map(reached, getattr(self, part)))} if part in ("x", "v") else {}
        return super().written(part) | ranges

    def do_set(self, **settings):
        for name, value in settings.items():
            setattr(self, name, value)

    def do_move(self, by):
        self.row = min(len(self.v) - 1, max(0, self.row + by))

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
        place = min(self.row, size - 1)
        text, status = SAY("text", name=self.called, **facts), self.sentence(place)
        return {
            "status": status, "text": text, "board": self.drawn(place, text if place < 0 else status),
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

    def sentence(self, row):
        if row < 0:
            return SAY("status", product=nested(self.found["product"]))
        facts = {name: nested(self.found[name][row]) for name in ("jacobian", "weighted", "so_far")}
        return SAY("row_status", place=row, weight=short(self.found["v"][row]), **facts)

    def drawn(self, row, text):
        """The picture for a row, or for all of them (-1)."""
        found = self.found
        names = [small(f"x[{place}]") for place in range(len(found["product"]))]
        blank = [BLANK] * len(names)
        label, total = (SAY["sum"], found["product"]) if row < 0 else (SAY("so_far", row=row), found["so_far"][row])
        rows = zip(cells([[one] for one in found["v"]]), cells(found["jacobian"]), cells(found["weighted"]),
                   strict=True)  # fmt: skip
        grid = Table([
            [BLANK, head(SAY["times"]), BLANK, head(SAY["jacobian"]), *blank, head(SAY["weighted"])],
            [BLANK] * 3 + names + [BLANK] + names,
            *([small(f"y[{place}]"), *v, small("·"), *jacobian, small("="), *weighted]
              for place, (v, jacobian, weighted) in enumerate(rows)), [],
            [BLANK] * 3 + blank + [Text(0, 0, f"{label} =", 12, GREEN.text, "end", True), *cells([total])[0]]
        ])  # fmt: skip
        lines = grid.shapes()
        shapes = [Group("heads", lines[0] + lines[1]),
                  *(Group(f"row {place}", line) for place, line in enumerate(lines[2:-2])),
                  Group("chosen", (grid.frame(row + 2, 1, COLOURS["gradient"], 3),) if row >= 0 else ()),
                  Group("sum", (*lines[-1], grid.frame(len(lines) - 1, 4 + len(names), GREEN, 2)))]  # fmt: skip
        return Picture(shapes, (grid.right + 2 * MARGIN, grid.bottom + MARGIN), SAY["title"], text)

    def as_code(self):
        data = torch.tensor(self.x, dtype=self.dtype).reshape(self.shape).tolist()
        return called(vector_jacobian, written(self.f), repr(data), v=self.v)


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
