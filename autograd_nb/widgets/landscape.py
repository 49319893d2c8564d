"""The map of a loss of two parameters: its contours, and a ball that an optimizer rolls down, step by step.

Every step is a real one of the engine: zero_grad unless it is forgotten, the loss, backward, the optimizer's step; or
Newton's, with the Hessian from two backward passes. When something changes, it takes all steps anew from the ball's
place, so that a slider shows the whole new way at once.
"""

import math

import numpy as np

import autograd_nb as torch

from ..drawing.shapes import NEGATIVE
from ..learner.programs import Refused, compiled, taken_apart
from ..microscope.labels import clean
from .chart import Chart, contour, room
from .lesson import STATUS, Lesson, beside, button, chart, choice, code, expression, grid, row, slider, stack, toggle

CELLS = 41  # places, across and up, at which it computes the loss
LEVELS = (np.arange(1, 13) / 12) ** 2  # of the contours, closer near the ground
MOST = 100  # steps, at most
REACH = 3.0  # how far the map goes to either side of 0
MAP = (-REACH, REACH, "a"), (-REACH, REACH, "↑ b"), (420, 472)  # its frame is a square
LONGEST, HEAD = 0.75, 0.12 + 0.06j  # of an arrow on it, and how far its barbs go back and aside


class Landscape(Lesson):
    """The widget that `landscape` makes; ``way`` has a row of numbers for each step.

    Its columns: a, b, the loss, its gradient (two), and the .grad of a and of b (two).
    """

    name, budget = "landscape", False
    loss = expression()
    a, b = slider(-REACH, REACH, 0.05), slider(-REACH, REACH, 0.05)
    lr, momentum = slider(0.001, 1, log=True), slider(0, 0.99, 0.01, closed=True)
    forget, method = toggle(), choice("gradient", "newton")
    steps = slider(0, MOST, 1, whole=True)
    page = (
        row("loss", "method", "forget"), grid("a", "b", "lr", "momentum", "steps"),
        row(button("step", "step", count=1), button("ten", "step", count=10), button("back", "step", count=-1),
            button("again", "step", count=-MOST)), STATUS,
        beside(chart("map", drag=["a", "b"]), stack(chart("curve"), code("code"))),
    )  # fmt: skip

    def do_step(self, count=1):
        self.steps = max(0, min(MOST, self.steps + int(count)))

    def run(self):
        taken_apart(self.loss, ["a", "b"])  # refuses an expression that computes nothing
        f, plain = compiled(self.loss, ("a", "b")), self.method == "gradient"
        with torch.enable_grad():
            self.way, lost = self.walk(f, self.forget)
            other = self.walk(f, False)[0][:, :2] if self.forget and plain else []
        a, b, loss, *gradients = self.way[-1].tolist()
        count, losses = len(self.way) - 1, np.stack([np.arange(len(self.way)), self.way[:, 2]], axis=1)
        status = self.say("status", steps=count, a=a, b=b, loss=loss, grad=gradients[:2])
        if self.forget and count and plain:
            status += self.say("summed", count=count + 1, grad=gradients[2:])
        ends = {"step": "", "ten": ""} if self.steps == MOST else {"back": "", "again": ""} if not self.steps else {}
        most = self.say("most", steps=MOST) if self.steps == MOST else ""
        outside = self.own_words["outside"] if max(abs(a), abs(b)) > REACH else ""
        axes = Chart((0, max(10, count), self.own_words["steps"]), (*room(losses[:, 1]), ""), (336, 294))
        kind = "newton" if not plain else "forgotten" if self.forget else "gradient"
        return {
            "status": status + lost + outside + most, "map": self.draw_map(f, other),
            "curve": self.plot("curve", axes, ("losses", "root 2 4", losses, losses[-1:])),
            "code": self.own_words(f"loop_{kind}", **self.settings()),
            "off": ends | ({} if plain else {"lr": "", "momentum": "", "forget": self.own_words["newton_needs_none"]}),
        }  # fmt: skip

    def walk(self, f, forget):
        """``(way, lost)``: the numbers before each step and at the end, and the reason why it ended early, or ""."""
        parameters = [torch.tensor(each, dtype=torch.float64, requires_grad=True) for each in (self.a, self.b)]
        optimizer, way, lost = torch.optim.SGD(parameters, lr=self.lr, momentum=self.momentum), [], ""
        for step in range(self.steps + 1):
            loss = f(*parameters)
            own = torch.autograd.grad(loss, parameters, retain_graph=True, materialize_grads=True)
            now = [each.item() for each in (*parameters, loss, *own)]
            if not np.isfinite(now).all():
                lost = self.say("lost" if way else "not_finite", step=step, loss=loss.item())
                break
            if not forget:
                optimizer.zero_grad()
            loss.backward()
            way.append(now + [0.0 if each.grad is None else each.grad.item() for each in parameters])
            if step < self.steps:
                optimizer.step() if self.method == "gradient" else self.newton(f, parameters, now[3:])
        if not way:
            raise Refused(lost)
        return np.array(way), lost

    def newton(self, f, parameters, gradient):
        """A step to the place where the gradient would be zero if the curvature stayed the same."""
        hessian = [[each.item() for each in row] for row in torch.autograd.functional.hessian(f, tuple(parameters))]
        try:
            steps = np.linalg.solve(hessian, gradient).tolist()
        except np.linalg.LinAlgError:
            self.refuse("singular", rows=hessian)
        with torch.no_grad():
            for each, step in zip(parameters, steps, strict=True):
                each -= step

    def draw_map(self, f, other):
        a, b, _, by_a, by_b, *_ = self.way.T
        places, down = a + 1j * b, -by_a - 1j * by_b
        with np.errstate(invalid="ignore"):  # a gradient of 0 has no arrow
            ahead = down / abs(down)
            tips = places + ahead * LONGEST * np.maximum(0.3, abs(down) / abs(down).max())
        barbs = [tips - ahead * each for each in (HEAD, HEAD.conjugate())]
        arrows = np.stack([places, tips, barbs[0], tips, barbs[1], places * math.nan], axis=1)
        grid = np.meshgrid(*[np.linspace(-REACH, REACH, CELLS)] * 2)
        heights = f(*map(torch.from_numpy, grid)).numpy()
        low, high = np.quantile([*heights[np.isfinite(heights)]] or [0.0], (0, 0.97))
        lines = contour(heights, *MAP[:2], low + (high - low) * LEVELS)
        return self.plot(
            "map", Chart(*MAP), ("contours", f"{NEGATIVE} 1.2 0", lines),
            ("other", "constant 1.2 2 dashed", other, other), ("arrows", "gradient 2 0", arrows.flatten()),
            ("way", "root 1.4 2.5", places, places[:-1]),
            ("ball", "leaf 0 7", [], places[-1:]),
            loss=clean(self.loss, 40))  # fmt: skip


def landscape(loss="a**2 + 6 * b**2", *, a=2.5, b=1.5, lr=0.05, momentum=0.0, forget=False, method="gradient",
              steps=0):  # fmt: skip
    """The map of a loss of two parameters, and the way that an optimizer takes over it, step by step.

    loss: an expression of a and b; a, b: where the ball lies at first; forget: whether the loop forgets zero_grad;
    method: "gradient" (SGD with lr and momentum) or "newton"; steps: how many it takes, at most 100.

    >>> from autograd_nb import widgets
    >>> widgets.landscape("a**2 + b**2", a=2., b=1., lr=0.5, steps=1)
    The map of the loss a**2 + b**2. Step 1: a = 0, b = 0, loss 0, gradient [0, 0].
    """
    return Landscape(**locals())
