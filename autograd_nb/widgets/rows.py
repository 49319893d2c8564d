"""The Jacobian as a grid, a vector on sliders, and their product row by row: what a vector backward computes.

The product is what one `backward(v)` leaves in x.grad, the rows are gradients of single outputs, and recordings of
both count how often nodes were called.
"""

import math

from traitlets import Dict, Int, List, Unicode

import autograd_nb as torch

from ..drawing.shapes import COLOURS, QUIET, Grid, Group, Rectangle, Text
from ..drawing.svg import to_svg
from ..drawing.values import nested, short
from .executing import BUDGET, Endless, limited
from .kit import Board, Widget, front_end
from .words import BENCH
from .words_lessons import PRODUCT as SAY

MOST = 5  # numbers in x, and in f(x)
WIDTH, HEIGHT = 74, 19  # of a cell


class Cells(Grid):
    """A grid whose cells keep their size while their numbers change."""

    __slots__ = ()
    cell = WIDTH, HEIGHT

    def rows(self, x, y):
        """The shapes of each row."""
        shapes, count = self.shapes(x, y), len(self.numbers[0])
        half = len(shapes) // 2  # first all boxes, then all texts
        return [shapes[r * count : (r + 1) * count] + shapes[half + r * count : half + (r + 1) * count]
                for r in range(len(self.numbers))]  # fmt: skip


class Trouble(ValueError):
    """What hinders a Jacobian, in words for a learner."""


class VectorJacobian(Widget):
    """The widget that `vector_jacobian` makes; ``found`` holds the numbers of the last good run."""

    _esm, _css = front_end("rows")
    own_words = SAY
    x = List().tag(sync=True, state=True)
    v = List().tag(sync=True, state=True)
    row = Int(-1).tag(sync=True, state=True)  # the row that is looked at; -1: all of them
    board, change = Dict().tag(sync=True), Dict().tag(sync=True)
    status, counts, code, problem = (Unicode().tag(sync=True) for _ in range(4))
    answered = Int().tag(sync=True)

    def __init__(self, f, x, v):
        self.f, self.name, self.shape, self.dtype = f, getattr(f, "__name__", "f"), x.shape, x.dtype
        self.name = self.name if self.name.isidentifier() else "f"
        self.drawer, self.found = Board(), None
        super().__init__(x=x.detach().flatten().tolist(), v=v or [])
        self.compute()
        if self.found is None:
            raise ValueError(f"vector_jacobian(): {self.problem}")
        self.observe(self.compute, ["x", "v", "row"])
        self.begin()

    def compute(self, _=None):
        """Everything anew; what hinders it is told, and the last good picture stays."""
        with self.hold_sync():
            cause = ""
            try:
                with limited(True):
                    self.find()
            except Endless:
                cause = BENCH["endless"].format(steps=f"{BUDGET:,}")
            except Trouble as trouble:
                cause = str(trouble)
            except Exception as error:
                cause = f"{type(error).__name__}: {error}"
            self.problem = SAY["kept"].format(cause=cause) if cause and self.found else cause
            self.answered += 1

    def find(self):
        """Compute and draw the state."""
        x = torch.tensor(self.x, dtype=self.dtype).reshape(self.shape).requires_grad_()
        with torch.enable_grad():
            y = self.f(x)
        self.check(x, y)
        size = y.numel()
        if len(self.v) != size:
            self.v = [1.0] * size
        rows = []
        with torch.record() as many:
            for one in torch.eye(size, dtype=y.dtype):
                (row,) = torch.autograd.grad(y, x, one.reshape(y.shape), retain_graph=True, materialize_grads=True)
                rows.append(row.flatten())
        v = torch.tensor(self.v, dtype=y.dtype)
        with torch.record() as once:
            y.backward(v.reshape(y.shape), retain_graph=True)
        jacobian = torch.stack(rows)
        if not all(map(math.isfinite, jacobian.flatten().tolist())):
            raise Trouble(SAY["no_row"].format(values=nested(jacobian.tolist())))
        weighted = v.unsqueeze(1) * jacobian + 0.0  # no -0.
        row = self.row if self.row < size else -1
        so_far = weighted[: row + 1].sum(0).tolist()
        self.found = {
            "jacobian": jacobian.tolist(), "v": v.tolist(), "weighted": weighted.tolist(),
            "product": x.grad.flatten().tolist(), "so_far": so_far, "row": row,
            "once": calls(once), "many": calls(many),
        }  # fmt: skip
        self.tell(v.reshape(y.shape))

    def check(self, x, y):
        """Raise Trouble for a result without a Jacobian, or one that is too large to show."""
        if not isinstance(y, torch.Tensor):
            raise Trouble(SAY["not_a_tensor"].format(name=self.name, kind=type(y).__name__))
        if not y.requires_grad:
            raise Trouble(SAY["constant"].format(name=self.name))
        if not (0 < x.numel() <= MOST and 0 < y.numel() <= MOST):
            facts = {"name": self.name, "most": MOST, "inputs": x.numel(), "outputs": y.numel()}
            raise Trouble(SAY["too_large"].format(**facts))

    def tell(self, v):
        """Say and draw what was found."""
        found, row = self.found, self.found["row"]
        self.code = SAY["code"].format(name=self.name, v=nested(v.tolist()))
        self.counts = SAY["counts"].format(once=found["once"], rows=len(found["v"]), many=found["many"])
        self.status = SAY["status"].format(product=nested(found["product"]))
        if row >= 0:
            self.status = SAY["row_status"].format(
                place=row, weight=short(found["v"][row]), row=nested(found["jacobian"][row]),
                weighted=nested(found["weighted"][row]), sum=nested(found["so_far"]))  # fmt: skip
        self.board, self.change = self.drawer.show(*self.drawn())

    def drawn(self):
        """The shapes of the picture, their size, its title and its text."""
        found, row = self.found, self.found["row"]
        count, size = len(found["v"]), len(found["product"])
        columns = 40, 40 + WIDTH + 34, 40 + WIDTH + 34 + size * WIDTH + 34  # of v, the Jacobian and the products
        top, width = 44, columns[2] + size * WIDTH + 14
        grids = [cells([[each] for each in found["v"]]), cells(found["jacobian"]), cells(found["weighted"])]
        heads = [Text(columns[0] + WIDTH / 2, 16, SAY["times"], 12, bold=True)]
        heads += [Text(columns[place], 16, SAY[name], 12, anchor="start", bold=True)
                  for place, name in ((1, "jacobian"), (2, "weighted"))]  # fmt: skip
        heads += [Text(columns[1] + (c + 0.5) * WIDTH, 36, f"x[{c}]", 11, QUIET, mono=True) for c in range(size)]
        for place, sign in ((1, "·"), (2, "=")):
            heads += [Text(columns[place] - 17, top + (r + 0.7) * HEIGHT, sign, 14) for r in range(count)]
        shapes = [Group("heads", tuple(heads))]
        parts = zip(*(grid.rows(x, top) for grid, x in zip(grids, columns, strict=True)), strict=True)
        for r, part in enumerate(parts):
            name = Text(34, top + (r + 0.7) * HEIGHT, f"y[{r}]", 11, QUIET, "end", mono=True)
            shapes.append(Group(f"row {r}", (name, *(shape for each in part for shape in each))))
        frame = Rectangle(38, top + row * HEIGHT, width - 50, HEIGHT, None, COLOURS["gradient"].edge, 3)
        shapes.append(Group("chosen", (frame,) if row >= 0 else ()))
        bottom = top + count * HEIGHT + 14
        total, label = (found["product"], SAY["sum"]) if row < 0 else (found["so_far"], SAY["so_far"])
        green = COLOURS["grad"]
        (row_of_sum,) = cells([total]).rows(columns[2], bottom)
        box = Rectangle(columns[2], bottom, size * WIDTH, HEIGHT, None, green.edge, 2)
        name = Text(columns[2] - 10, bottom + 0.7 * HEIGHT, f"{label} =", 12, green.text, "end", True)
        shapes.append(Group("sum", (*row_of_sum, box, name)))
        return shapes, (width, bottom + HEIGHT + 12), SAY["title"], self.status

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        data = torch.tensor(self.x, dtype=self.dtype).reshape(self.shape).tolist()
        return f"autograd_nb.widgets.vector_jacobian({self.name}, {data!r}, v={self.v!r})"

    def as_text(self):
        found = self.found
        return SAY["text"].format(name=self.name, v=nested(found["v"]), product=nested(found["product"]),
                                  rows=nested(found["jacobian"]))  # fmt: skip

    def as_svg(self):
        shapes, size, title, _ = self.drawn()
        return to_svg(shapes, *size, title, self.as_text())


def cells(rows):
    return Cells(tuple(map(tuple, rows)), tuple(tuple(map(short, row)) for row in rows))


def calls(trace):
    """How many nodes a backward pass called; leaves' AccumulateGrad nodes among them."""
    return sum(event.kind in ("Ran", "Accumulated") for event in trace)


def vector_jacobian(f, x, *, v=None):
    """The Jacobian of a function at x, a vector v on sliders, and their product row by row, which backward(v) gives.

    f: a function from a tensor to a tensor, of at most five elements each; x: a tensor of floats, or numbers for one;
    v: a list of numbers, one for each element of f(x) (default: ones). Errors: ValueError where there is no Jacobian.

    >>> from autograd_nb import widgets
    >>> widgets.vector_jacobian(lambda x: x**2, [1., 2.], v=[1., 10.])
    f: y.backward([1., 10.]) gives x.grad = [2., 40.], the sum of the Jacobian's rows [[2., 0.], [0., 4.]], weighted
    by v.
    """
    x = x if isinstance(x, torch.Tensor) else torch.tensor(x)
    x = x if x.is_floating_point() else x.to(torch.float32)
    return VectorJacobian(f, x, None if v is None else [float(each) for each in v])
