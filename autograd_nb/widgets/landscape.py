"""The map of a loss of two parameters: its contours, and a ball that an optimizer rolls down, step by step.

Every step is a real one of the engine: zero_grad unless it is forgotten, the loss, backward, the optimizer's step; or
Newton's, with the Hessian from two backward passes. When something changes, it takes all steps anew from the ball's
place, so that a slider shows the whole new way at once.
"""

import numpy as np

import autograd_nb as torch

from ..drawing.shapes import NEGATIVE
from ..learner.programs import compiled, taken_apart
from ..microscope.labels import clean
from .chart import Plot, arrows, contour
from .lesson import Lesson, beside, button, choice, code, expression, grid, row, slider, stack, toggle

CELLS = 41  # places, across and up, at which it computes the loss
LEVELS = (np.arange(1, 13) / 12) ** 2  # of the contours, closer near the ground
MOST = 100  # steps, at most
REACH = 3.0  # how far the map goes to either side of 0
LONGEST = 0.75  # of an arrow on it
NOT_NEWTONS = {"lr": "", "momentum": "", "forget": "newton_needs_none"}  # what has no effect on its steps


class Landscape(Lesson):
    """The widget that `landscape` makes; ``way`` has a row of numbers for each step.

    Its columns: a, b, the loss, its gradient (two), and the .grad of a and of b (two).
    """

    loss = expression()
    a, b = slider(-REACH, REACH, 0.05), slider(-REACH, REACH, 0.05)
    lr, momentum = slider(0.001, 1, log=True), slider(0, 0.99, 0.01, closed=True)
    forget, method = toggle(), choice("gradient", "newton")
    steps = slider(0, MOST, 1, whole=True)
    page = (
        row("loss", "method", "forget"), grid("a", "b", "lr", "momentum", "steps"),
        row(button("step", "step", count=1), button("ten", "step", count=10), button("back", "step", count=-1),
            button("again", "step", count=-MOST)), "status",
        beside("map", stack("curve", code("code"))),
    )  # fmt: skip

    def do_step(self, count=1):
        self.steps = max(0, min(MOST, self.steps + int(count)))

    def run(self, loss, a, b, lr, momentum, forget, method, steps):
        taken_apart(loss, ["a", "b"])  # refuses an expression that computes nothing
        f, plain, formula, limit = compiled(loss, ("a", "b")), method == "gradient", clean(loss, 40), MOST
        forgotten, most = plain and forget, steps == MOST
        self.way, lost = self.walk(f, forget)
        places, losses, downhill, count = self.way[:, :2], self.way[:, 2], -self.way[:, 3:5], len(self.way)
        a, b, loss, *gradients = self.way[-1].tolist()
        grad, sum = gradients[:2], gradients[2:]
        mesh = np.meshgrid(*[np.linspace(-REACH, REACH, CELLS)] * 2)
        heights = f(*map(torch.from_numpy, mesh)).numpy()
        low, high = np.quantile([*heights[np.isfinite(heights)]] or [0.0], (0, 0.97))
        curve = Plot((336, 244), ("steps", 0, max(10, count - 1)), ("", None, None), losses=("root 2 4 last", losses))
        code = "newton" if not plain else "forgotten" if forgotten else "gradient"
        status = ["status", forgotten and count > 1 and "summed", lost and "lost",
                  max(abs(a), abs(b)) > REACH and "off_map", most and "most"]  # fmt: skip
        ends = () if 0 < steps < MOST else ("step", "ten") if most else ("back", "again")
        off = dict.fromkeys(ends, "") | ({} if plain else NOT_NEWTONS)
        return locals() | lost | {"steps": count - 1, "map": Plot(
            (360, 412), ("a", -REACH, REACH), ("↑ b", -REACH, REACH), drag=["a", "b"],  # its frame is a square
            contours=(f"{NEGATIVE} 1.2 0", contour(heights, *[(-REACH, REACH)] * 2, low + (high - low) * LEVELS)),
            other=("constant 1.2 2 dashed", self.walk(f, False)[0][:, :2] if forgotten else []),
            arrows=("gradient 2 0", arrows(places, downhill, LONGEST)), way=("root 1.4 2.5", places, places[:-1]),
            ball=("leaf 0 7 last", places))}  # fmt: skip

    def walk(self, f, forget):
        """``(way, lost)``: the numbers before each step and at the end, and the facts of a loss that ended it early."""
        place = torch.tensor([self.a, self.b], dtype=torch.float64, requires_grad=True)
        optimizer, way = torch.optim.SGD([place], lr=self.lr, momentum=self.momentum), []
        for step in range(self.steps + 1):
            with torch.enable_grad():
                loss = f(*place)
            (own,) = torch.autograd.grad(loss, place, retain_graph=True)
            now = [*place.tolist(), loss.item(), *own.tolist()]
            if not np.isfinite(now).all():
                if not way:
                    self.refuse("not_finite", loss=loss.item())
                return np.array(way), {"lost": loss.item(), "at": step}
            if not forget:
                optimizer.zero_grad()
            loss.backward()
            way.append(now + place.grad.tolist())
            if self.method == "newton":  # the gradient would be zero there if the curvature stayed the same
                hessian = torch.autograd.functional.hessian(lambda place: f(*place), place)
                try:
                    ahead = np.linalg.solve(hessian.numpy(), own.numpy())
                except np.linalg.LinAlgError:
                    self.refuse("singular", rows=hessian.tolist())
                place.data -= torch.from_numpy(ahead)
            else:
                optimizer.step()
        return np.array(way), {}


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
