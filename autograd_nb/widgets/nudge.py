"""A nudge that travels through y = x³ and z = ln(y): three lines of numbers, and how far each number moves.

Backward, the bars are gradients: how many times as far as each number z moves, for a tiny step.
"""

import autograd_nb as torch

from .chart import Plot, room
from .kit import Finite, setting
from .lesson import Lesson, choice, row, slider

MOST = 0.05  # the largest nudge


class Nudge(Lesson):
    """The widget that `nudge` makes."""

    stored = 3
    x = setting(Finite())
    dx, way = slider(-MOST, MOST, 0.001), choice("forward", "backward")
    page = row("way", "dx"), "status", "x_line", "y_line", "z_line"

    def run(self, x, dx, way):
        if x <= 0 or x + dx <= 0:
            self.refuse("no_logarithm")
        at = torch.tensor([x, x + dx, x - MOST, x + MOST, x + 1], dtype=torch.float64, requires_grad=True)
        cubes = at**3
        logs = torch.log(cubes)
        forward, found = way == "forward", {}
        style = "gradient 10 0" if forward else "grad 10 0"
        slopes = whole, second, start = [each[0].item() for each in torch.autograd.grad(logs.sum(), (at, cubes, logs))]
        for name, each, slope in zip("xyz", (at, cubes, logs), slopes, strict=True):
            here, moved, *reach, beyond = each.tolist()
            ends = room([moved, *reach]) if forward else (0, 1.1 * max(slopes))
            bar = [(end, 0.5) for end in ((here, moved) if forward else (0, slope))]
            line = Plot((640, 88), ("", *ends), ("", 0, 1, None), **{f"{way}_{name}": (style, bar)})
            found |= {name: here, f"d{name}": moved - here, f"{name}_line": line}
        first, far = whole / second, beyond - here  # how far z moves, if x moves by 1
        status, off = [way], {} if forward else {"dx": "no_step"}
        return locals() | found


def nudge(x=5.0, *, dx=MOST, way="forward"):
    """A nudge dx of x that moves y = x³ and z = ln(y), on three lines of numbers; and the same backward.

    x: a positive number; dx: how far x moves; way: "forward", or "backward" for the gradient of z at each number.

    >>> from autograd_nb import widgets
    >>> widgets.nudge(5.0, dx=0.01)
    A nudge that travels. x moves by 0.01, y by 0.7515, about 75 times as far, and z by 0.005994, about 0.008 times as
    far as y.
    """
    return Nudge(**locals())
