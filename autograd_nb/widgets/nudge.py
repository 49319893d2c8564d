"""A nudge that travels through y = x³ and z = ln(y): three lines of numbers, and how far each number moves.

Backward, the bars are gradients: how many times as far as each number z moves, for a tiny step.
"""

import autograd_nb as torch

from .chart import Plot, room
from .kit import Finite, setting
from .lesson import STATUS, Lesson, chart, choice, row, slider

MOST = 0.05  # the largest nudge


def line(name):
    styles = {f"forward_{name}": "gradient 10 0", f"backward_{name}": "grad 10 0"}
    return Plot((640, 88), ("", None, None), ("", 0, 1, None), **styles)


class Nudge(Lesson):
    """The widget that `nudge` makes."""

    stored = 3
    x = setting(Finite())
    dx, way = slider(-MOST, MOST, 0.001), choice("forward", "backward")
    x_line, y_line, z_line = map(line, "xyz")
    page = row("way", "dx"), STATUS, chart("x_line"), chart("y_line"), chart("z_line")

    def run(self):
        if self.x <= 0 or self.x + self.dx <= 0:
            self.refuse("no_logarithm")
        x = torch.tensor([0, self.dx, -MOST, MOST, 1], dtype=torch.float64).add(self.x).requires_grad_()
        y = x**3
        z = torch.log(y)
        forward, slopes = self.way == "forward", [each[0].item() for each in torch.autograd.grad(z.sum(), (x, y, z))]
        found = dict(zip(("whole", "second", "start"), slopes, strict=True)) | {
            "status": [self.way], "first": slopes[0] / slopes[1], "far": (z[4] - z[0]).item(),
            "off": {} if forward else {"dx": "no_step"}}  # fmt: skip
        for name, each, slope in zip("xyz", (x, y, z), slopes, strict=True):
            here, moved, *reach, _ = each.tolist()
            ends = room([moved, *reach]) if forward else (0, 1.1 * max(slopes))
            bar = [(end, 0.5) for end in ((here, moved) if forward else (0, slope))]
            found |= {name: here, f"d{name}": moved - here,
                      f"{name}_line": {"across": ends, f"{self.way}_{name}": bar}}  # fmt: skip
        return found


def nudge(x=5.0, *, dx=MOST, way="forward"):
    """A nudge dx of x that moves y = x³ and z = ln(y), on three lines of numbers; and the same backward.

    x: a positive number; dx: how far x moves; way: "forward", or "backward" for the gradient of z at each number.

    >>> from autograd_nb import widgets
    >>> widgets.nudge(5.0, dx=0.01)
    A nudge that travels. x moves by 0.01, y by 0.7515, about 75 times as far, and z by 0.005994, about 0.008 times as
    far as y.
    """
    return Nudge(**locals())
