"""The map of a loss of two parameters: its contours, and a ball that an optimizer rolls down, step by step.

Every step is a real one of the engine: zero_grad unless it is forgotten, the loss, backward, the optimizer's step; or
Newton's, with the Hessian from two backward passes.  All steps are taken anew from the ball's place when something is
changed, so that a slider shows at once what becomes of the whole way.
"""

import math
from functools import lru_cache

import numpy as np

import autograd_nb as torch

from ..drawing.shapes import COLOURS, NEGATIVE, Ink, clean
from ..learner.programs import Refused, compiled
from ..microscope.values import nested, short
from ..words import of
from .chart import Chart, Series, contour, room
from .lesson import STATUS, Lesson, beside, button, chart, choice, code, field, grid, row, slider, stack, toggle

SAY = of("widgets")["landscape"]

CELLS, LEVELS = 41, 12  # places at which the loss is computed, across and up; contours
MOST = 100  # steps
REACH = 3.0  # how far the map goes to either side of 0
WIDTH = 420  # of the map
MAP = Chart((-REACH, REACH, "a"), (-REACH, REACH, "↑ b"), (WIDTH, None))
LONGEST, HEAD = 0.75, 0.12 + 0.06j  # of an arrow on it, and how far its barbs go back and aside
BLUE, ORANGE, INK, QUIET = (COLOURS[each] for each in ("leaf", "gradient", "root", "constant"))
LINES = Ink(NEGATIVE, "", "")


class Landscape(Lesson):
    """The widget that `landscape` makes; ``way`` has a, b, the loss, its gradient and .grad before each step."""

    name, own_words, budget = "landscape", SAY, False
    loss = field()
    a, b = slider(-REACH, REACH, 0.05), slider(-REACH, REACH, 0.05)
    lr, momentum = slider(0.001, 1, log=True), slider(0, 0.99, 0.01)
    forget, method = toggle(), choice(SAY["methods"])
    steps = slider(0, MOST, 1, whole=True)
    page = (
        row("loss", "method", "forget"), grid("a", "b", "lr", "momentum", "steps"),
        row(*(button(name, "step", count=count)
              for name, count in (("step", 1), ("ten", 10), ("back", -1), ("again", -MOST)))), STATUS,
        beside(chart("map", drag=["a", "b"]), stack(chart("curve"), code("code"))),
    )  # fmt: skip

    def do_step(self, count=1):
        self.steps = max(0, min(MOST, self.steps + int(count)))

    def run(self):
        f, by_newton = compiled(self.loss, ("a", "b")), self.method == "newton"
        with torch.enable_grad():
            self.way, trouble = self.walk(f, self.forget)
            other = self.walk(f, False)[0] if self.forget and not by_newton else []
        a, b, loss, own, used = self.way[-1]
        count = len(self.way) - 1
        when = SAY["when"][min(count, 2)].format(steps=count)
        status = [SAY("status", a=short(a), b=short(b), loss=short(loss), when=when, grad=nested(own)), trouble]
        if self.forget and count and not by_newton:
            status.insert(1, SAY("summed", count=count + 1, grad=nested(used)))
        status = " ".join(filter(None, status))
        text = SAY("text", loss=self.loss, status=status)
        return {"status": status, "text": text, "code": self.loop(),
                "map": self.draw_map(contours(self.loss), other, text), "curve": self.draw_losses(),
                "off": {"lr": "", "momentum": "", "forget": SAY["newton_needs_none"]} if by_newton else {}}  # fmt: skip

    def walk(self, f, forget):
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
            if not forget:
                optimizer.zero_grad()
            loss.backward()
            used = [0.0 if each.grad is None else each.grad.item() for each in parameters]
            way.append((*place, loss.item(), own, used))
            if step == self.steps:
                break
            if self.method == "gradient":
                optimizer.step()
            else:
                newton(f, parameters, own)
        return way, ""

    def loop(self):
        lines = [f"for step in range({self.steps}):", f"    loss = {self.loss}"]
        if self.method == "newton":
            return "\n".join([*lines, SAY["newton_lines"]])
        first = SAY["forgotten"] if self.forget else "    optimizer.zero_grad()"
        lines.insert(0, f"optimizer = torch.optim.SGD([a, b], lr={self.lr:g}, momentum={self.momentum:g})")
        return "\n".join([*lines[:2], first, lines[2], "    loss.backward()\n    optimizer.step()"])

    def draw_map(self, lines, other, text):
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
        kept = [(a, b) for a, b, *_ in other]
        return MAP.picture(
            SAY("map_title", loss=clean(self.loss, 40)), lines,
            MAP.series("other", QUIET, kept, kept, SAY["other"] * bool(kept), 1.2, (4, 3), 2),
            MAP.series("arrows", ORANGE, arrows),
            MAP.series("way", INK, points, points[:-1], width=1.4, radius=2.5), ball, text=text)  # fmt: skip

    def draw_losses(self):
        losses = list(enumerate(loss for _, _, loss, *_ in self.way))
        axes = Chart((0, max(10, len(losses) - 1), SAY["steps"]), (*room([loss for _, loss in losses]), ""),
                     (0.8 * WIDTH, 0.7 * WIDTH))  # fmt: skip
        return axes.picture(SAY["curve"], axes.series("losses", INK, losses, losses[-1:], radius=4))


def newton(f, parameters, gradient):
    """A step to where the gradient would be zero if the curvature stayed as it is."""
    hessian = [[each.item() for each in row] for row in torch.autograd.functional.hessian(f, tuple(parameters))]
    try:
        step = np.linalg.solve(hessian, gradient)
    except np.linalg.LinAlgError:
        raise Refused(SAY("singular", rows=nested(hessian))) from None
    with torch.no_grad():
        for each, by in zip(parameters, step.tolist(), strict=True):
            each -= by


@lru_cache(4)
def contours(loss):
    """The lines of equal loss."""
    side = torch.linspace(-REACH, REACH, CELLS)
    f = compiled(loss, ("a", "b"))
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
