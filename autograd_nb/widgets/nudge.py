"""A nudge that travels through y = x³ and z = ln(y): three lines of numbers, and how far each number moves.

Backward, the bars are gradients: how many times as far as each number z moves, for a tiny step.
"""

import autograd_nb as torch

from .chart import Chart, room
from .kit import Finite, setting
from .lesson import ACROSS, STATUS, Lesson, chart, choice, row, slider

MOST = 0.05  # the largest nudge


class Nudge(Lesson):
    """The widget that `nudge` makes."""

    name, budget, stored = "nudge", False, 3
    x = setting(Finite())
    dx, way = slider(-MOST, MOST, 0.001), choice("forward", "backward")
    page = row("way", "dx"), STATUS, chart("x_line"), chart("y_line"), chart("z_line")

    def run(self):
        if self.x <= 0 or self.x + self.dx <= 0:
            self.refuse("no_logarithm")
        x = torch.tensor([0, self.dx, -MOST, MOST, 1], dtype=torch.float64).add(self.x).requires_grad_()
        y = x**3
        z = torch.log(y)
        here, moved, low, high, far = torch.stack([x, y, z], dim=1).detach().numpy()
        slopes = [each[0].item() for each in torch.autograd.grad(z.sum(), (x, y, z))]
        facts = dict(zip("x y z dx dy dz whole second start".split(), [*here, *moved - here, *slopes], strict=True))
        facts |= {"first": slopes[0] / slopes[1], "far": far[2] - here[2]}
        lines, off = {}, {}
        for place, name in enumerate("xyz"):
            if self.way == "forward":
                ends, bar, colour = room([low[place], moved[place], high[place]]), (here, moved), "gradient"
            else:
                ends, bar, colour = (0, 1.1 * max(slopes)), ([0] * 3, slopes), "grad"
                off = {"dx": self.own_words["no_step"]}
            series = f"{self.way}_{name}", f"{colour} 10 0", [(end[place], 0.5) for end in bar]
            lines[f"{name}_line"] = self.plot(f"{name}_line", Chart((*ends, ""), None, (ACROSS, 88)), series, **facts)
        return {"status": self.say(self.way, **facts), "off": off, **lines}


def nudge(x=5.0, *, dx=MOST, way="forward"):
    """A nudge dx of x that moves y = x³ and z = ln(y), on three lines of numbers; and the same backward.

    x: a positive number; dx: how far x moves; way: "forward", or "backward" for the gradient of z at each number.

    >>> from autograd_nb import widgets
    >>> widgets.nudge(5.0, dx=0.01)
    A nudge that travels. x moves by 0.01, y by 0.7515, about 75 times as far, and z by 0.005994, about 0.008 times as
    far as y.
    """
    return Nudge(**locals())
