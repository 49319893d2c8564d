"""A nudge that travels through y = x³ and z = ln(y): three lines of numbers, and how far each number moves.

Backward, the bars are gradients: how many times as far as each number z moves, for a tiny step.
"""

import autograd_nb as torch

from ..drawing.shapes import COLOURS
from ..learner.programs import Refused
from ..microscope.values import short
from ..words import of
from .chart import Chart, room
from .kit import Finite, setting
from .lesson import ACROSS, STATUS, Lesson, chart, choice, row, slider

SAY = of("widgets")["nudge"]

MOST = 0.05  # of the nudge
LINES = {name: f"{name}_line" for name in "xyz"}


class Nudge(Lesson):
    """The widget that `nudge` makes."""

    name, own_words, budget, stored = "nudge", SAY, False, len(LINES)
    x = setting(Finite())
    dx, way = slider(-MOST, MOST, 0.001), choice(SAY["ways"])
    page = row("way", "dx"), STATUS, *(chart(line, label=SAY("line", name=name)) for name, line in LINES.items())

    def run(self):
        if self.x <= 0 or self.x + self.dx <= 0:
            raise Refused(SAY["no_logarithm"])
        tensors = chain(self.x)
        for each in tensors:
            each.retain_grad()
        tensors[2].backward()
        values, slopes = ([each.item() for each in them] for them in (tensors, (each.grad for each in tensors)))
        least, moved, most, far = ([each.item() for each in chain(self.x + by)] for by in (-MOST, self.dx, MOST, 1))
        facts = {"d" + name: there - here for name, here, there in zip("xyz", values, moved, strict=True)}
        facts |= {"first": slopes[0] / slopes[1], "second": slopes[1], "whole": slopes[0], "far": far[2] - values[2]}
        facts = {name: short(each).removesuffix(".") for name, each in facts.items()}
        lines = {}
        for place, (name, line) in enumerate(LINES.items()):
            if self.way == "forward":
                key, ends, bar = "moves", room([least[place], moved[place], most[place]]), (values[place], moved[place])
            else:
                key, ends, bar = "gradients", (0, 1.1 * max(slopes)), (0, slopes[place])
            axes, ink = Chart((*ends, ""), None, (ACROSS, 88)), COLOURS["gradient" if key == "moves" else "grad"]
            label = SAY[key][place].format(**facts)
            series = axes.series("bar", ink, [(each, 0.5) for each in bar], label=label, width=10)
            lines[line] = axes.picture(f"{name} = {short(values[place]).removesuffix('.')}", series)
        off = {} if self.way == "forward" else {"dx": SAY["no_step"]}
        return {"status": SAY(self.way, **facts), "off": off, **lines}


def chain(x):
    x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    y = x**3
    return x, y, torch.log(y)


def nudge(x=5.0, *, dx=MOST, way="forward"):
    """A nudge dx of x that moves y = x³ and z = ln(y), on three lines of numbers; and the same backward.

    x: a positive number; dx: how far it is moved; way: "forward", or "backward" for the gradients of z at each of them.

    >>> from autograd_nb import widgets
    >>> widgets.nudge(5.0, dx=0.01)
    A nudge that travels. x moves by 0.01, y by 0.7515, about 75 times as far, and z by 0.005994, about 0.008 times as
    far as y.
    """
    return Nudge(x=float(x), dx=float(dx), way=way)
