"""Points, and a line w · x + b that a learner turns and lifts by hand until its loss is low."""

import math

from traitlets import List

import autograd_nb as torch

from .chart import Plot, room
from .kit import setting
from .lesson import Lesson, row, slider


class Line(Lesson):
    """The widget that `line` makes."""

    x, y = setting(List()), setting(List())
    w, b = slider(-1, 2, 0.01), slider(-2, 4, 0.01)
    page = row("w", "b"), "status", "points"
    lowest = math.inf

    def run(self, x, y, w, b):
        loss = torch.nn.functional.mse_loss(w * torch.tensor(x) + b, torch.tensor(y)).item()
        lowest = self.lowest = min(self.lowest, loss)
        line = [(each, w * each + b) for each in (min(x), max(x))]
        points = Plot((480, 280), ("x", None, None), ("y", *room([0, *y])), 2,
                      given=("constant 0 3", list(zip(x, y, strict=True))), line=("gradient 2 0", line))  # fmt: skip
        return locals()


def line(x, y, *, w=0.0, b=0.0):
    """Points, and a line w · x + b to turn and lift by hand; its loss is the mean of the squared distances.

    x, y: n numbers each, lists or tensors.

    >>> from autograd_nb import widgets
    >>> widgets.line([0., 1.], [1., 3.], w=2.0)
    A line through points. The loss is 1. The lowest that you have found is 1.
    """
    x, y = (list(map(float, each)) for each in (x, y))
    if len(x) != len(y) or not x:
        raise ValueError(f"line(): got {len(x)} numbers x and {len(y)} numbers y, expected as many of both")
    return Line(x=x, y=y, w=w, b=b)
