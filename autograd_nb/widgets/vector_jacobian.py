"""The Jacobian as a grid, a vector on sliders, and their product row by row: what a vector backward computes.

The product is what one `backward(v)` leaves in x.grad and the rows are gradients of single outputs; recordings count
the passes of both, and how often nodes were called.  What each row adds is sent along, so that going through the rows
needs no kernel.
"""

import math
from collections import Counter

from traitlets import Dict, Int, List, Unicode

import autograd_nb as torch

from ..drawing.shapes import COLOURS, Group, Text
from ..drawing.svg import to_svg, write
from ..learner.programs import Refused, name_of, written
from ..microscope.values import nested, short
from ..words import of
from .chart import BLANK, MARGIN, Table, boxed, head, small
from .kit import Finite, Live, called, picture, seen, setting

SAY = of("widgets")["vector_jacobian"]

MOST = 5  # numbers in x, and in f(x)
GREEN = COLOURS["grad"]


class VectorJacobian(Live):
    """The widget that `vector_jacobian` makes; ``last`` holds the numbers of the last good run."""

    files = "vector_jacobian"
    own_words = SAY
    x = setting(List(Finite()))
    v = setting(List(Finite()))
    row = setting(Int(-1), in_page=True)  # the row that is looked at; -1: all of them
    board, board_change = picture()
    steps = seen(List())  # for all rows, then for each: the groups of the picture that differ, the sentence
    reach = seen(Dict())  # of the sliders of v and x: how far each goes to either side of 0, and its step
    counts = seen(List())  # of the product, of the whole Jacobian: passes, calls of nodes
    code = seen(Unicode())

    def __init__(self, f, x, v):
        self.f, self.name, self.shape, self.dtype = f, name_of(f), x.shape, x.dtype
        super().__init__(x=x.detach().flatten().tolist(), v=v)
        self.begin()
        self.reach = {"v": list(map(reached, self.v)), "x": list(map(reached, self.x))}

    def find(self):
        """The gradient that backward is given; what comes of it is in `last`."""
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
            raise Refused(SAY("constant", name=self.name))
        jacobian = torch.stack(rows)
        if not all(map(math.isfinite, jacobian.flatten().tolist())):
            raise Refused(SAY("no_row", values=nested(jacobian.tolist())))
        weighted = v.unsqueeze(1) * jacobian + 0.0  # no -0.
        found = {"jacobian": jacobian, "v": v, "weighted": weighted, "product": x.grad.flatten(),
                 "so_far": weighted.cumsum(0)}  # fmt: skip
        self.last = {name: each.tolist() for name, each in found.items()}
        kinds = [Counter(event.kind for event in trace) for trace in (once, many)]
        self.counts = [[each["Started"], each["Ran"] + each["Accumulated"]] for each in kinds]
        return (v.reshape(y.shape),)

    def check(self, x, y):
        """Raise Refused for a result without a Jacobian, or one that is too large to show."""
        if not isinstance(y, torch.Tensor):
            raise Refused(SAY("not_a_tensor", name=self.name, kind=type(y).__name__))
        if not y.requires_grad:
            raise Refused(SAY("constant", name=self.name))
        if not (0 < x.numel() <= MOST and 0 < y.numel() <= MOST):
            raise Refused(SAY("too_large", name=self.name, most=MOST, inputs=x.numel(), outputs=y.numel()))

    def tell(self, v):
        self.code = SAY("code", name=self.name, v=nested(v.tolist()))
        self.steps = [{"groups": self.changing(row), "status": self.sentence(row)} for row in range(-1, len(self.v))]
        self.draw(board=self.drawn(-1))

    def sentence(self, row):
        found = self.last
        if row < 0:
            return SAY("status", product=nested(found["product"]))
        facts = {name: nested(found[name][row]) for name in ("jacobian", "weighted", "so_far")}
        return SAY("row_status", place=row, weight=short(found["v"][row]), **facts)

    def changing(self, row):
        """The groups that are others for each row, as a page exchanges them: by their places."""
        shapes, *_ = self.drawn(row)
        return {str(place): write(shapes[place], True) for place in range(len(shapes) - 2, len(shapes))}

    def drawn(self, row):
        """The picture for a row, or for all of them (-1)."""
        found = self.last
        names = [small(f"x[{place}]") for place in range(len(found["product"]))]
        blank = [BLANK] * len(names)
        label, total = (SAY["sum"], found["product"]) if row < 0 else (SAY("so_far", row=row), found["so_far"][row])
        rows = zip(cells([[one] for one in found["v"]]), cells(found["jacobian"]), cells(found["weighted"]),
                   strict=True)  # fmt: skip
        table = Table([
            [BLANK, head(SAY["times"]), BLANK, head(SAY["jacobian"]), *blank, head(SAY["weighted"])],
            [BLANK] * 3 + names + [BLANK] + names,
            *([small(f"y[{place}]"), *v, small("·"), *jacobian, small("="), *weighted]
              for place, (v, jacobian, weighted) in enumerate(rows)), [],
            [BLANK] * 3 + blank + [Text(0, 0, f"{label} =", 12, GREEN.text, "end", True), *cells([total])[0]]
        ])  # fmt: skip
        lines = table.shapes()
        shapes = [Group("heads", lines[0] + lines[1]),
                  *(Group(f"row {place}", line) for place, line in enumerate(lines[2:-2])),
                  Group("chosen", (table.frame(row + 2, 1, COLOURS["gradient"], 3),) if row >= 0 else ()),
                  Group("sum", (*lines[-1], table.frame(len(lines) - 1, 4 + len(names), GREEN, 2)))]  # fmt: skip
        return shapes, (table.right + 2 * MARGIN, table.bottom + MARGIN), SAY["title"], self.sentence(row)

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        data = torch.tensor(self.x, dtype=self.dtype).reshape(self.shape).tolist()
        return called(vector_jacobian, written(self.f), repr(data), v=self.v)

    def as_text(self):
        facts = {name: nested(self.last[name]) for name in ("v", "product", "jacobian")}
        return SAY("text", name=self.name, **facts)

    def as_svg(self):
        shapes, size, title, _ = self.drawn(min(self.row, len(self.v) - 1))
        return to_svg(shapes, *size, title, self.as_text())


def cells(rows):
    return boxed(rows, [list(map(fitting, row)) for row in rows])


def reached(value):
    """How far a slider goes that starts at a value, and its step."""
    far = max(5.0, 2 * abs(value))
    return [far, 0.1 if far <= 10 else far / 100]


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
