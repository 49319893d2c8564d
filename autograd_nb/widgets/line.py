"""Points, and a line w · x + b that a learner turns and lifts by hand until its loss is low."""

from traitlets import List

import autograd_nb as torch

from ..drawing.shapes import COLOURS
from ..microscope.values import short
from ..words import of
from .chart import Chart, room
from .kit import setting
from .lesson import STATUS, Lesson, chart, row, slider

SAY = of("widgets")["line"]


class Line(Lesson):
    """The widget that `line` makes."""

    name, own_words, budget = "line", SAY, False
    x, y = setting(List()), setting(List())
    w, b = slider(-1, 2, 0.01), slider(-2, 4, 0.01)
    page = row("w", "b"), STATUS, chart("points")
    lowest = float("inf")

    def run(self):
        x, y = torch.tensor(self.x), torch.tensor(self.y)
        loss = ((self.w * x + self.b - y) ** 2).mean().item()
        self.lowest = min(self.lowest, loss)
        ends = min(self.x), max(self.x)
        axes = Chart((*room(self.x), "x"), (*room([0, *self.y]), "y"), (480, 280))
        dots = list(zip(self.x, self.y, strict=True))
        given = axes.series("given", COLOURS["constant"], dots=dots, label=SAY["given"])
        drawn = [(each, self.w * each + self.b) for each in ends]
        line = axes.series("line", COLOURS["gradient"], drawn, label=f"{short(self.w)} x + {short(self.b)}")
        status = SAY("status", **{name: f"{each:.4g}" for name, each in (("loss", loss), ("lowest", self.lowest))})
        return {"status": status, "points": axes.picture(SAY["title"], given, line)}


def line(x, y, *, w=0.0, b=0.0):
    """Points and the line w · x + b, to be turned and lifted by hand; its loss is the mean of the squared distances.

    x, y: n numbers each, lists or tensors.

    >>> from autograd_nb import widgets
    >>> widgets.line([0., 1.], [1., 3.], w=2.0)
    A line through points. The loss is 1. The lowest that you have found is 1.
    """
    x, y = (list(map(float, each)) for each in (x, y))
    if len(x) != len(y) or not x:
        raise ValueError(f"line(): got {len(x)} numbers x and {len(y)} numbers y, expected as many of both")
    return Line(x=x, y=y, w=float(w), b=float(b))
