"""The map of a loss of two parameters: its contours, and a ball that an optimizer rolls down, step by step.

Every step is a real one of the engine: zero_grad unless it is forgotten, the loss, backward, the optimizer's step; or
Newton's, with the Hessian from two backward passes.  All steps are taken anew from the ball's place when something is
changed, so that a slider shows at once what becomes of the whole way.
"""

import math
from functools import lru_cache

import numpy as np
from traitlets import Bool, Enum, Int, List, Unicode

import autograd_nb as torch

from ..drawing.shapes import COLOURS, NEGATIVE, Ink, clean
from ..learner.programs import Refused, compiled
from ..microscope.values import nested, short
from ..words import of
from .chart import Chart, Series, contour, room
from .kit import Finite, Live, called, picture, seen, setting

SAY = of("widgets")["landscape"]

CELLS, LEVELS = 41, 12  # places at which the loss is computed, across and up; contours
MOST = 100  # steps
REACH = 3.0  # how far the map goes to either side of 0
WIDTH = 420  # of the map
MAP = Chart((-REACH, REACH, "a"), (-REACH, REACH, "↑ b"), (WIDTH, None))
LONGEST, HEAD = 0.75, 0.12 + 0.06j  # of an arrow on it, and how far its barbs go back and aside
BLUE, ORANGE, INK = (COLOURS[each] for each in ("leaf", "gradient", "root"))
LINES = Ink(NEGATIVE, "", "")


class Landscape(Live):
    """The widget that `landscape` makes; ``way`` has a, b, the loss, its gradient and .grad before each step."""

    files = "landscape"
    own_words = SAY
    budget = False
    loss = setting(Unicode())
    a = setting(Finite())
    b = setting(Finite())
    lr = setting(Finite())
    momentum = setting(Finite())
    forget = setting(Bool())
    method = setting(Enum([*SAY["methods"]]))
    steps = setting(Int())
    reach = seen(Finite(REACH))
    axis = seen(List(MAP.sides))
    map, map_change = picture()
    curve, curve_change = picture()
    code = seen(Unicode())

    def __init__(self, **traits):
        self.contours = lru_cache(1)(contours)
        super().__init__(**traits)
        self.begin()

    def do_step(self, count=1):
        self.steps = max(0, min(MOST, self.steps + int(count)))

    def find(self):
        f = compiled(self.loss, ("a", "b"))
        with torch.enable_grad():
            return self.contours(f), *self.walk(f)

    def walk(self, f):
        """``(way, trouble)``: what was so before each step and at the end; why it ended early, or ""."""
        parameters = [torch.tensor(each, dtype=torch.float64, requires_grad=True) for each in (self.a, self.b)]
        optimizer = torch.optim.SGD(parameters, lr=self.lr, momentum=self.momentum)
        way = []
        for step in range(min(self.steps, MOST) + 1):
            loss = f(*parameters)
            if not isinstance(loss, torch.Tensor) or not loss.requires_grad:
                raise Refused(SAY("constant", loss=self.loss))
            own = [each.item() for each in torch.autograd.grad(
                loss, parameters, create_graph=True, materialize_grads=True)]  # fmt: skip
            place = [each.item() for each in parameters]
            if not all(map(math.isfinite, [*place, loss.item(), *own])):
                if not way:
                    raise Refused(SAY("not_finite", loss=short(loss.item())))
                return way, SAY("lost", step=step, loss=short(loss.item()))
            if not self.forget:
                optimizer.zero_grad()
            loss.backward()
            used = [0.0 if each.grad is None else each.grad.item() for each in parameters]
            way.append((*place, loss.item(), own, used))
            if step == self.steps:
                break
            if self.method == "gradient":
                optimizer.step()
            else:
                self.newton(f, parameters, own)
        return way, ""

    def newton(self, f, parameters, gradient):
        """A step to where the gradient would be zero if the curvature stayed as it is."""
        hessian = [[each.item() for each in row] for row in torch.autograd.functional.hessian(f, tuple(parameters))]
        try:
            step = np.linalg.solve(hessian, gradient)
        except np.linalg.LinAlgError:
            raise Refused(SAY("singular", rows=nested(hessian))) from None
        with torch.no_grad():
            for each, by in zip(parameters, step.tolist(), strict=True):
                each -= by

    # -- what is shown -----------------------------------------------------------------------------------------------

    def tell(self, contours, way, trouble):
        self.way = way
        a, b, loss, own, used = way[-1]
        when = SAY["when"][min(len(way) - 1, 2)].format(steps=len(way) - 1)
        self.last = {"a": short(a), "b": short(b), "loss": short(loss), "when": when, "grad": nested(own)}
        self.status = SAY("status", **self.last)
        if self.forget and len(way) > 1:
            self.status += " " + SAY("summed", count=len(way), grad=nested(used))
        self.status += f" {trouble}" if trouble else ""
        self.code = self.loop()
        self.draw(map=self.draw_map(contours), curve=self.draw_losses())

    def loop(self):
        newton = self.method == "newton"
        lines = [] if newton else [
            f"optimizer = torch.optim.SGD([a, b], lr={self.lr:g}, momentum={self.momentum:g})"]  # fmt: skip
        first = [SAY["forgotten"] if self.forget else "    optimizer.zero_grad()"] if not newton else []
        last = SAY["newton_lines"] if newton else "    loss.backward()\n    optimizer.step()"
        return "\n".join([*lines, f"for step in range({self.steps or 1}):", *first, f"    loss = {self.loss}", last])

    def draw_map(self, contours):
        points, most = [(a, b) for a, b, *_ in self.way], max(math.hypot(*own) for *_, own, _ in self.way)
        arrows = []
        for a, b, _, gradient, _ in self.way:
            if size := abs(down := -complex(*gradient)):
                ahead = down / size
                tip = complex(a, b) + ahead * LONGEST * max(0.3, size / most)
                arrows += [complex(a, b), tip, tip - ahead * HEAD, tip, tip - ahead * HEAD.conjugate(), math.nan]
        ball = MAP.series("ball", BLUE, (), points[-1:], radius=7)
        if not ball.group.shapes:
            ball = Series(ball.group, SAY["outside"], COLOURS["error"].text)
        return MAP.picture(
            SAY("map", loss=clean(self.loss, 40)), contours,
            MAP.series("arrows", ORANGE, arrows),
            MAP.series("way", INK, points, points[:-1], width=1.4, radius=2.5), ball, text=self.as_text())  # fmt: skip

    def draw_losses(self):
        losses = list(enumerate(loss for _, _, loss, *_ in self.way))
        chart = Chart((0, max(10, len(losses) - 1), SAY["step_axis"]), (*room([loss for _, loss in losses]), ""),
                      (0.8 * WIDTH, 0.7 * WIDTH))  # fmt: skip
        line = chart.series("losses", INK, losses, losses[-1:], radius=4)
        return chart.picture(SAY["losses"], line)

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        return called(landscape, **self.settings())

    def as_text(self):
        return SAY("text", loss=self.loss, status=self.status)


def contours(f):
    """The lines of equal loss."""
    side = torch.linspace(-REACH, REACH, CELLS)
    with torch.no_grad():
        found = torch.as_tensor(f(side.repeat(CELLS, 1), side.unsqueeze(1).repeat(1, CELLS)) + torch.zeros(1))
    heights = np.array(found.expand(CELLS, CELLS).tolist())
    finite = heights[np.isfinite(heights)]
    low, high = np.quantile(finite, (0, 0.97)) if finite.size else (0.0, 0.0)
    levels = (low + (high - low) * (level / LEVELS) ** 2 for level in range(1, LEVELS + 1))  # closer near the ground
    return MAP.series("contours", LINES, contour(heights, MAP.across, MAP.up, *levels), width=1.2)


def landscape(loss="a**2 + 6 * b**2", *, a=2.5, b=1.5, lr=0.05, momentum=0.0, forget=False, method="gradient",
              steps=0):  # fmt: skip
    """The map of a loss of two parameters, and the way that an optimizer takes over it, step by step.

    loss: an expression of a and b; a, b: where the ball lies at first; forget: whether zero_grad is forgotten; method:
    "gradient", which is SGD with lr and momentum, or "newton"; steps: how many are taken, at most 100.

    >>> from autograd_nb import widgets
    >>> widgets.landscape("a**2 + b**2", a=2., b=1., lr=0.5, steps=1)
    The map of the loss a**2 + b**2. After 1 step: a = 0., b = 0., loss 0., gradient [0., 0.].
    """
    return Landscape(loss=loss, a=a, b=b, lr=lr, momentum=momentum, forget=forget, method=method, steps=steps)
