"""A nudge that travels through y = x³ and z = ln(y): three number lines, and how far each number moves.

All three lines have one scale, so that a bar 75 times as long means 75 times as far.  Backward, the bars are gradients:
how far z moves for each step of 1 at that line, found from the last line to the first.
"""

from traitlets import Enum

import autograd_nb as torch

from ..drawing.shapes import COLOURS, QUIET, TEXT, Circle, Group, Path, Rectangle, Text
from ..learner.programs import Refused
from ..microscope.values import short
from ..words import of
from .kit import Finite, Lesson, called, picture, setting

SAY = of("widgets")["nudge"]

REACH = 4  # how far each line goes to either side of its value
MOST = 0.05  # of the nudge: y then moves by nearly REACH
UNIT, LEFT, TOP, BETWEEN = 70, 90, 40, 66  # pixels: a step of 1, where the lines begin, and their distance
WIDTH, HEIGHT = LEFT + 2 * REACH * UNIT + 20, TOP + 3 * BETWEEN


class Nudge(Lesson):
    """The widget that `nudge` makes; ``last`` holds the values, how far each moved, and the gradients of z."""

    files = "nudge"
    own_words = SAY
    budget = False
    x = setting(Finite())
    dx = setting(Finite())
    way = setting(Enum(["forward", "backward"]))
    chart, chart_change = picture()

    def __init__(self, x, dx, way):
        super().__init__(x=x, dx=dx, way=way)
        self.begin()

    def find(self):
        """Values, moves and gradients of x, y and z."""
        if self.x <= 0 or self.x + self.dx <= 0:
            raise Refused(SAY["no_logarithm"])
        tensors, moved = chain(self.x), chain(self.x + self.dx)
        for each in tensors:
            each.retain_grad()
        tensors[2].backward()
        return ([each.item() for each in tensors],
                [(there - here).item() for here, there in zip(tensors, moved, strict=True)],
                [each.grad.item() for each in tensors])  # fmt: skip

    def tell(self, values, moves, gradients):
        links = gradients[0] / gradients[1], gradients[1]  # dy/dx and dz/dy
        numbers = [*values, *moves, *links, gradients[0]]
        names = ("x", "y", "z", "dx", "dy", "dz", "first", "second", "whole")
        self.last = {name: short(each).removesuffix(".") for name, each in zip(names, numbers, strict=True)}
        self.status = SAY(self.way, **self.last)
        shapes = [shape for line in range(3) for shape in self.drawn(line, values[line], moves[line], gradients[line])]
        self.draw(chart=(shapes, (WIDTH, HEIGHT), SAY["title"], self.status))

    def drawn(self, line, value, move, gradient):
        """A number line with its bar, and what stands above it."""
        y, middle, name = TOP + line * BETWEEN, LEFT + REACH * UNIT, "xyz"[line]
        ticks = [(LEFT + step * UNIT, step - REACH) for step in range(2 * REACH + 1)]
        lines = [("M", LEFT, y), ("L", LEFT + 2 * REACH * UNIT, y)]
        for at, _ in ticks:
            lines += [("M", at, y - 4), ("L", at, y + 4)]
        numbers = [Text(at, y + 18, short(value + step).removesuffix("."), 11, QUIET) for at, step in ticks[::2]]
        forward = self.way == "forward"
        length, ink = (move, COLOURS["gradient"]) if forward else (gradient, COLOURS["grad"])
        end = middle + length * UNIT
        label = SAY["moves" if forward else "gradients"][line].format(**self.last)
        yield Group(f"line {name}", (Text(LEFT - 16, y + 4, f"{name} = {self.last[name]}", 12.5, TEXT, "end", True),
                                     Path(tuple(lines), "#9CA3AF"), *numbers))  # fmt: skip
        bar = Rectangle(min(middle, end), y - 5, max(abs(end - middle), 1), 10, ink.fill, ink.edge, 1.5)
        yield Group(f"bar {name}", (bar, Circle(middle, y, 4, COLOURS["leaf"].fill, COLOURS["leaf"].edge, 1.5),
                                    Text(middle, y - 12, label, 12, ink.text, bold=True)))  # fmt: skip

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        return called(nudge, **self.settings())

    def as_text(self):
        return f"{SAY['title']}. {self.status}"


def chain(x):
    x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    y = x**3
    return x, y, torch.log(y)


def nudge(x=5.0, *, dx=MOST, way="forward"):
    """A nudge dx of x that moves y = x³ and z = ln(y), on three number lines of one scale; and the same backward.

    x: a positive number; dx: how far it is moved; way: "forward", or "backward" for the gradients of z at each of them.

    >>> from autograd_nb import widgets
    >>> widgets.nudge(5.0, dx=0.01)
    A nudge that travels. x moves by 0.01, y by 0.7515, about 75 times as far, and z by 0.005994, about 0.008 times as
    far as y.
    """
    return Nudge(float(x), float(dx), way)
