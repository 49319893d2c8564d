"""The map of a loss of two parameters: its contours, and a ball that an optimizer rolls down, step by step.

Every step is a real one of the engine: zero_grad unless it is forgotten, the loss, backward, the optimizer's step; or
Newton's, with the Hessian from two backward passes.  All steps are taken anew from the ball's place when something is
changed, so that a slider shows at once what becomes of the whole way.
"""

import math
from functools import lru_cache

import numpy as np
from traitlets import Bool, Dict, Enum, Int, List, Unicode

import autograd_nb as torch

from ..drawing.shapes import COLOURS, QUIET, Group, Path, Text, clean
from ..learner.programs import Refused, compiled
from ..microscope.values import nested, short
from ..words import of
from .kit import Finite, Lesson, front_end
from .plots import Axes, contour, room

SAY = of("widgets")["landscape"]

CELLS, LEVELS = 41, 12  # places at which the loss is computed, across and up; contours
MOST = 100  # steps
REACH = 3.0  # how far the map goes to either side of 0
WIDTH, HEIGHT = 420, 400  # of the map
AXES = Axes(44, 34, WIDTH - 58, HEIGHT - 84, (-REACH, REACH), (-REACH, REACH))
LONGEST = 46  # pixels of an arrow
INK, ORANGE, BLUE = "#1F2937", COLOURS["gradient"], COLOURS["leaf"].edge


class Landscape(Lesson):
    """The widget that `landscape` makes; ``way`` has a, b, the loss, its gradient and .grad before each step."""

    module, _css = front_end("landscape")
    own_words = SAY
    budget = False
    loss = Unicode().tag(sync=True, state=True)
    a = Finite().tag(sync=True, state=True)
    b = Finite().tag(sync=True, state=True)
    lr = Finite().tag(sync=True, state=True)
    momentum = Finite().tag(sync=True, state=True)
    forget = Bool().tag(sync=True, state=True)
    method = Enum([*SAY["methods"]]).tag(sync=True, state=True)
    steps = Int().tag(sync=True, state=True)
    reach = Finite(REACH).tag(sync=True)
    axis = List([AXES.x, AXES.x + AXES.width, AXES.y, AXES.y + AXES.height]).tag(sync=True)  # pixels of its sides
    map, map_change = Dict().tag(sync=True), Dict().tag(sync=True)
    curve, curve_change = Dict().tag(sync=True), Dict().tag(sync=True)
    status, code = Unicode().tag(sync=True), Unicode().tag(sync=True)

    def __init__(self, **traits):
        self.contours, self.way = lru_cache(1)(contours), []
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
                raise Refused(SAY["constant"].format(loss=self.loss))
            own = [each.item() for each in torch.autograd.grad(
                loss, parameters, create_graph=True, materialize_grads=True)]  # fmt: skip
            place = [each.item() for each in parameters]
            if not all(map(math.isfinite, [*place, loss.item(), *own])):
                if not way:
                    raise Refused(SAY["not_finite"].format(loss=short(loss.item())))
                return way, SAY["lost"].format(step=step, loss=short(loss.item()))
            if not self.forget:
                optimizer.zero_grad()
            loss.backward(retain_graph=True)
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
            raise Refused(SAY["singular"].format(rows=nested(hessian))) from None
        with torch.no_grad():
            for each, by in zip(parameters, step.tolist(), strict=True):
                each -= by

    # -- what is shown -----------------------------------------------------------------------------------------------

    def tell(self, contours, way, trouble):
        self.way = way
        a, b, loss, own, used = way[-1]
        when = SAY["when"][min(len(way) - 1, 2)].format(steps=len(way) - 1)
        self.last = {"a": short(a), "b": short(b), "loss": short(loss), "when": when,
                     "grad": f"[{short(own[0])}, {short(own[1])}]"}  # fmt: skip
        self.status = SAY["status"].format(**self.last)
        if self.forget and len(way) > 1:
            self.status += " " + SAY["summed"].format(count=len(way), grad=f"[{short(used[0])}, {short(used[1])}]")
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
        axes, points = AXES, [(a, b) for a, b, *_ in self.way]
        arrows, most = [], max(math.hypot(*own) for *_, own, _ in self.way) or 1.0
        for a, b, _, own, _ in self.way:
            if any(own) and axes.holds(*axes.place(a, b), 1):
                arrows += arrow(*axes.place(a, b), own, LONGEST * max(0.3, math.hypot(*own) / most))
        ball = axes.dots(points[-1:], BLUE, 7)
        note = [] if ball else [Text(axes.x + 8, axes.y + 16, SAY["outside"], 11.5, COLOURS["error"].text, "start")]
        shapes = [
            axes.frame(SAY["map"].format(loss=clean(self.loss, 40)), "a", ""),
            Group("b", (Text(14, axes.y + axes.height / 2, "b", 11.5, QUIET),)),
            contours,
            Group("arrows", tuple(arrows)),
            Group("way", (*axes.line(points, INK, 1.4), *axes.dots(points[:-1], INK, 2.5))),
            Group("ball", (*ball, *note)),
        ]
        return shapes, (WIDTH, HEIGHT), SAY["title"], self.as_text()

    def draw_losses(self):
        losses = [loss for _, _, loss, *_ in self.way]
        axes = Axes(54, 34, WIDTH - 150, HEIGHT - 190, (0, max(10, len(losses) - 1)), room(losses))
        shapes = [axes.frame(SAY["losses"], SAY["step_axis"], ""),
                  Group("losses", (*axes.line(list(enumerate(losses)), INK, 2),
                                   *axes.dots(list(enumerate(losses))[-1:], BLUE, 4)))]  # fmt: skip
        return shapes, (WIDTH - 76, HEIGHT - 106), SAY["losses"], SAY["losses"]

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        more = f", forget={self.forget}" * self.forget + f", method={self.method!r}" * (self.method != "gradient")
        more += f", steps={self.steps}" * bool(self.steps)
        return (f"autograd_nb.widgets.landscape({self.loss!r}, a={self.a!r}, b={self.b!r}, lr={self.lr!r}, "
                f"momentum={self.momentum!r}{more})")  # fmt: skip

    def as_text(self):
        return SAY["text"].format(loss=self.loss, status=self.status)


def contours(f):
    """The lines of equal loss."""
    side = torch.linspace(-REACH, REACH, CELLS)
    with torch.no_grad():
        found = torch.as_tensor(f(side.repeat(CELLS, 1), side.unsqueeze(1).repeat(1, CELLS)) + torch.zeros(1))
    heights, lines = np.array(found.expand(CELLS, CELLS).tolist()), []
    finite = heights[np.isfinite(heights)]
    low, high = (float(finite.min()), float(np.quantile(finite, 0.97))) if finite.size else (0.0, 0.0)
    for level in range(1, LEVELS + 1):  # closer together near the ground
        lines += contour(AXES, heights, low + (high - low) * (level / LEVELS) ** 2)
    return Group("contours", (Path(tuple(lines), "#7FB8DE", 1.2),) if lines else ())


def arrow(x, y, gradient, length):
    """Shapes of an arrow against a gradient: the way that the loss falls fastest."""
    size = math.hypot(*gradient)
    across, up = -gradient[0] / size, -gradient[1] / size
    tip = x + across * length, y - up * length
    ends = [(tip[0] - 7 * across + side * 4 * up, tip[1] + 7 * up + side * 4 * across) for side in (1, -1)]
    lines = ("M", x, y), ("L", *tip), ("M", *ends[0]), ("L", *tip), ("L", *ends[1])
    return [Path(lines, ORANGE.edge, 2)]


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
