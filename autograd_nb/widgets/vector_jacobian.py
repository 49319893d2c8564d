"""The Jacobian as a grid, a vector on sliders, and their product row by row: what a vector backward computes.

The product is what one `backward(v)` leaves in x.grad and the rows are gradients of single outputs; recordings count
the passes of both, and how often nodes were called.  What each row adds is sent along, so that going through the rows
needs no kernel.
"""

import math
from collections import Counter

from traitlets import Dict, Int, List, Unicode

import autograd_nb as torch

from ..drawing.shapes import COLOURS, QUIET, Grid, Group, Rectangle, Text
from ..drawing.svg import to_svg, write
from ..learner.programs import Refused, name_of, written
from ..microscope.values import nested, short
from ..words import of
from .kit import Finite, Lesson, front_end

SAY = of("widgets")["vector_jacobian"]

MOST = 5  # numbers in x, and in f(x)
HEIGHT = 20  # of a cell
GAP = 30  # between the parts of the picture
HEADING = 165  # pixels for what is written above the Jacobian


class Cells(Grid):
    """A grid whose cells keep their size while their numbers change."""

    @property
    def cell(self):
        return width_of(len(self.numbers[0])), HEIGHT

    def rows(self, x, y):
        shapes, count = self.shapes(x, y), len(self.numbers[0])
        half = len(shapes) // 2  # first all boxes, then all texts
        return [shapes[r * count : (r + 1) * count] + shapes[half + r * count : half + (r + 1) * count]
                for r in range(len(self.numbers))]  # fmt: skip


class VectorJacobian(Lesson):
    """The widget that `vector_jacobian` makes; ``last`` holds the numbers of the last good run."""

    module, _css = front_end("vector_jacobian")
    own_words = SAY
    x = List(Finite()).tag(sync=True, state=True)
    v = List(Finite()).tag(sync=True, state=True)
    row = Int(-1).tag(sync=True, state=True, in_page=True)  # the row that is looked at; -1: all of them
    board, board_change = Dict().tag(sync=True), Dict().tag(sync=True)
    steps = List().tag(sync=True)  # for all rows, then for each: the groups of the picture that differ, the sentence
    reach = Dict().tag(sync=True)  # of the sliders of v and x: how far each goes to either side of 0, and its step
    counts = List().tag(sync=True)  # of the product, of the whole Jacobian: passes, calls of nodes
    code = Unicode().tag(sync=True)

    def __init__(self, f, x, v):
        self.f, self.name, self.shape, self.dtype = f, name_of(f), x.shape, x.dtype
        super().__init__(x=x.detach().flatten().tolist(), v=v or [])
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
        v, rows = torch.tensor(self.v, dtype=y.dtype), []
        with torch.record() as many:
            for one in torch.eye(size, dtype=y.dtype):
                (row,) = torch.autograd.grad(y, x, one.reshape(y.shape), retain_graph=True, materialize_grads=True)
                rows.append(row.flatten())
        with torch.record() as once:
            y.backward(v.reshape(y.shape), inputs=[x])  # not into .grad of what else the function uses
        if x.grad is None:
            raise Refused(SAY["constant"].format(name=self.name))
        jacobian = torch.stack(rows)
        if not all(map(math.isfinite, jacobian.flatten().tolist())):
            raise Refused(SAY["no_row"].format(values=nested(jacobian.tolist())))
        weighted = v.unsqueeze(1) * jacobian + 0.0  # no -0.
        self.last = {
            "jacobian": jacobian.tolist(), "v": v.tolist(), "weighted": weighted.tolist(),
            "product": x.grad.flatten().tolist(), "so_far": weighted.cumsum(0).tolist(),
        }  # fmt: skip
        kinds = [Counter(event.kind for event in trace) for trace in (once, many)]
        self.counts = [[each["Started"], each["Ran"] + each["Accumulated"]] for each in kinds]
        return (v.reshape(y.shape),)

    def check(self, x, y):
        """Raise Refused for a result without a Jacobian, or one that is too large to show."""
        if not isinstance(y, torch.Tensor):
            raise Refused(SAY["not_a_tensor"].format(name=self.name, kind=type(y).__name__))
        if not y.requires_grad:
            raise Refused(SAY["constant"].format(name=self.name))
        if not (0 < x.numel() <= MOST and 0 < y.numel() <= MOST):
            facts = {"name": self.name, "most": MOST, "inputs": x.numel(), "outputs": y.numel()}
            raise Refused(SAY["too_large"].format(**facts))

    def tell(self, v):
        self.code = SAY["code"].format(name=self.name, v=nested(v.tolist()))
        shapes, size = self.drawn()
        steps = [self.step(row, size) for row in range(-1, len(self.v))]
        places = range(len(shapes), len(shapes) + 2)
        self.steps = [
            {"groups": {str(place): write(group, True) for place, group in zip(places, groups, strict=True)},
             "status": status} for groups, status in steps
        ]  # fmt: skip
        groups, status = steps[0]
        self.draw(board=(shapes + groups, size, SAY["title"], status))

    @property
    def status(self):
        return self.steps[self.row + 1 if self.row < len(self.v) else 0]["status"]

    def drawn(self):
        """The shapes of the picture that are the same for every row, and its size."""
        found = self.last
        count, size = len(found["v"]), len(found["product"])
        width, columns, top = width_of(size), places(size), 44
        grids = [cells(each) for each in ([[one] for one in found["v"]], found["jacobian"], found["weighted"])]
        heads = [Text(columns[0] + width_of(1) / 2, 16, SAY["times"], 12.5, bold=True)]
        heads += [Text(columns[place], 16, SAY[name], 12.5, anchor="start", bold=True)
                  for place, name in ((1, "jacobian"), (2, "weighted"))]  # fmt: skip
        heads += [Text(columns[place] + (c + 0.5) * width, 36, f"x[{c}]", 11, QUIET, mono=True)
                  for place in (1, 2) for c in range(size)]  # fmt: skip
        for place, sign in ((1, "·"), (2, "=")):
            heads += [Text(columns[place] - GAP / 2, top + (r + 0.7) * HEIGHT, sign, 14) for r in range(count)]
        shapes = [Group("heads", tuple(heads))]
        parts = zip(*(grid.rows(x, top) for grid, x in zip(grids, columns, strict=True)), strict=True)
        for r, part in enumerate(parts):
            name = Text(34, top + (r + 0.7) * HEIGHT, f"y[{r}]", 11, QUIET, "end", mono=True)
            shapes.append(Group(f"row {r}", (name, *(shape for each in part for shape in each))))
        return shapes, (columns[2] + size * width + 14, top + (count + 1) * HEIGHT + 26)

    def step(self, row, size):
        """What shows a row, or all of them (-1): the frame around it and the sum up to it; and the sentence."""
        found, (width, height) = self.last, size
        orange, green = COLOURS["gradient"], COLOURS["grad"]
        frame = Rectangle(38, 44 + row * HEIGHT, width - 50, HEIGHT, None, orange.edge, 3)
        total = found["product"] if row < 0 else found["so_far"][row]
        x, y = places(len(total))[2], height - HEIGHT - 12
        label = SAY["sum"] if row < 0 else SAY["so_far"].format(row=row)
        grid = cells([total])
        box = Rectangle(x, y, grid.size[0], HEIGHT, None, green.edge, 2)
        name = Text(x - 10, y + 0.7 * HEIGHT, f"{label} =", 12, green.text, "end", True)
        groups = [Group("chosen", (frame,) if row >= 0 else ()), Group("sum", (*grid.shapes(x, y), box, name))]
        if row < 0:
            return groups, SAY["status"].format(product=nested(total))
        return groups, SAY["row_status"].format(
            place=row, weight=short(found["v"][row]), row=nested(found["jacobian"][row]),
            weighted=nested(found["weighted"][row]), sum=nested(total))  # fmt: skip

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        data = torch.tensor(self.x, dtype=self.dtype).reshape(self.shape).tolist()
        return f"autograd_nb.widgets.vector_jacobian({written(self.f)}, {data!r}, v={self.v!r})"

    def as_text(self):
        found = self.last
        return SAY["text"].format(name=self.name, v=nested(found["v"]), product=nested(found["product"]),
                                  rows=nested(found["jacobian"]))  # fmt: skip

    def as_svg(self):
        shapes, size = self.drawn()
        groups, _ = self.step(min(self.row, len(self.v) - 1), size)
        return to_svg(shapes + groups, *size, SAY["title"], self.as_text())


def width_of(columns):
    return 84 if columns <= 3 else 62


def cells(rows):
    return Cells(tuple(map(tuple, rows)), tuple(tuple(map(fitting, row)) for row in rows))


def places(size):
    """Where v, the Jacobian and the weighted rows begin, in pixels, for as many columns."""
    first = 40 + width_of(1) + GAP
    return 40, first, first + max(size * width_of(size), HEADING) + GAP


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
    x = x if isinstance(x, torch.Tensor) else torch.tensor(x)
    x = x if x.is_floating_point() else x.to(torch.float32)
    return VectorJacobian(f, x, None if v is None else [float(each) for each in v])
