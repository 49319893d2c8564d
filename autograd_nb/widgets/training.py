"""A network of two layers learns to tell two classes of points apart, one update at a time.

Each update is a real one of the engine: zero_grad unless the loop forgets it, forward, backward, the optimizer's step.
Three charts show the loss, the norms of the gradients that the step uses, and the network's answer in the plane.
"""

import math

import numpy as np
from traitlets import Bool

import autograd_nb as torch

from ..drawing.shapes import NEGATIVE, PAPER, POSITIVE, mixed
from .chart import Plot, contour
from .kit import seen
from .lesson import Lesson, box, button, choice, code, fixed_seed, grid, part, row, slider, toggle

POINTS = 40  # of both classes together
HIDDEN = 8
FIELD = 26  # cells of the plane, across and up
SHADES = [f"{mixed(PAPER, POSITIVE if share > 0 else NEGATIVE, abs(share))} 9.5 0"
          for share in np.linspace(-0.9, 0.9, 10)]  # blue: class 0, orange: class 1
SHOWN = 300  # updates in the curves
SIZE = 300, 336  # of each picture
PLANE = (-1.8, 2.4), (-1.8, 1.8)


class Training(Lesson):
    """The widget that `training` makes.

    ``losses`` are those of every update since the start, ``felt`` the norms of each layer's weight.grad, by its place.
    """

    stored = 2
    data, optimizer, forget = choice("moons", "rings"), choice("SGD", "Adam"), toggle()
    lr, momentum = slider(0.001, 100, log=True), slider(0, 0.99, 0.01, closed=True)
    playing = seen(Bool())  # whether a view asks for one update after the other
    started, before = "", []  # the data of this run, and the losses of the run before
    page = (
        row("data", "optimizer", "forget"), grid("lr", "momentum"),
        row(part("play", "play", do="step", pause="pause", begun="begun"), button("step", "step"),
            button("more", "step", count=10), button("again", "start")), "status",
        box("three", "field", "curve", "norms"), code("code"),
    )  # fmt: skip

    @property
    def updates(self):
        return len(self.losses) - 1

    # -- for the learner's buttons -------------------------------------------------------------------------------------

    def do_start(self):
        """Go back to the first weights; the losses so far stay in the picture, to compare with."""
        self.before = self.losses if self.updates else self.before
        self.start()
        self.compute()

    def do_reset(self):
        super().do_reset()
        self.started = ""
        self.compute()

    def do_step(self, count=1):
        for _ in range(0 if self.problem else count):
            if math.isfinite(self.losses[-1]):
                self.update()
        self.compute()
        self.playing = self.playing and not self.problem

    # -- the network -------------------------------------------------------------------------------------------------

    def start(self):
        """Fresh data and weights, always the same; the learner's own random numbers are left alone.

        In float64, processors that add in different orders give the same picture.
        """
        with fixed_seed():
            self.points = DATA[self.data]().double()
            layers = torch.nn.Linear(2, HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 1)
            self.network = torch.nn.Sequential(*layers).double()
        self.losses, self.felt, self.summed = [], {0: [], 2: []}, 0
        self.playing, self.walker, self.started = False, None, self.data
        self.forward()

    def forward(self):
        with torch.enable_grad():
            self.loss, self.right = judged(self.network(self.points))
        self.losses.append(self.loss.item())

    def update(self):
        """One update, as in the loop on the page, from one forward to the next."""
        if not self.forget:
            self.walker.zero_grad()
        self.loss.backward()
        for layer, norms in self.felt.items():
            norms.append(self.network[layer].weight.grad.norm().item())
        self.summed = self.summed + 1 if self.forget else 1
        self.walker.step()
        self.forward()

    # -- the charts and the status -------------------------------------------------------------------------------------

    def run(self, data, optimizer, forget, lr, momentum):
        if data != self.started:
            self.before = []
            self.start()
        updates, loss, right, count, all = self.updates, self.losses[-1], self.right, self.summed, POINTS
        if not math.isfinite(loss):
            self.refuse("not_finite", loss=loss, update=updates)
        options = {"lr": lr} | ({"momentum": momentum} if optimizer == "SGD" else {})
        walker = getattr(torch.optim, optimizer)(self.network.parameters(), **options)
        if type(walker) is type(self.walker):
            walker.state = self.walker.state  # momentum's memory, and Adam's, stay
        self.walker = walker
        x, y = (np.linspace(*ends, 2 * FIELD + 1)[1::2] for ends in PLANE)
        places = x + 1j * y[:, None]
        cell = (x[1] - x[0]) / 2 * np.array([-1, 1, math.nan])
        with torch.no_grad():
            values = self.network(torch.from_numpy(places[..., None].view(float))).squeeze(2)  # above 0: class 1
        levels = (torch.sigmoid(values).clamp(max=0.999) * len(SHADES)).floor().numpy()
        field = Plot(
            SIZE, *[("", *ends) for ends in PLANE], 3,
            **{f"level {at}": (style, places[levels == at][:, None] + cell) for at, style in enumerate(SHADES)},
            class_0=("leaf 0 4 ring", self.points[: POINTS // 2].tolist()),
            class_1=("gradient 0 5 diamond", self.points[POINTS // 2 :].tolist()),
            boundary=("root 2 0", contour(values.numpy(), x[[0, -1]], y[[0, -1]], [0.0])))  # fmt: skip
        shown = max(0, updates - SHOWN), max(10, updates, min(len(self.before), SHOWN))
        axes, (first, last) = (("updates", *shown), ("", 0, None), 3), self.felt.values()
        curve = Plot(SIZE, *axes, before=("constant 2 3 dashed last", self.before), now=("root 2 4 last", self.losses))
        norms = Plot(SIZE, *axes, first=("leaf 2 3 last", first), last=("gradient 2 3 last", last))
        first, last = ((each or [0.0])[-1] for each in (first, last))
        options, code = "".join(f", {name}={value:g}" for name, value in options.items()), "loop"
        zeroed, status = self.own_words["forgotten" if forget else "cleared"], ["status", count > 1 and "summed"]
        off = {} if optimizer == "SGD" else {"momentum": "no_momentum"}
        return locals()


def judged(scores):
    """The loss of the scores of all points, and how many are right; the first half of the points is class 0."""
    classes = (torch.arange(POINTS) // (POINTS // 2)).double()
    loss = torch.nn.functional.binary_cross_entropy_with_logits(scores.squeeze(1), classes)
    return loss, ((scores.squeeze(1) > 0) == (classes > 0)).sum().item()


def moons():
    angle = torch.linspace(0, math.pi, POINTS // 2)
    x, y = torch.cos(angle), torch.sin(angle)
    return torch.stack([torch.cat([x, 1 - x]), torch.cat([y, 0.5 - y])], dim=1) + 0.1 * torch.randn(POINTS, 2)


def rings():
    angle = 2 * math.pi * torch.rand(POINTS)
    radius = torch.cat([0.6 * torch.rand(POINTS // 2), 1.2 + 0.3 * torch.rand(POINTS // 2)])
    return torch.stack([radius * torch.cos(angle), radius * torch.sin(angle)], dim=1)


DATA = {"moons": moons, "rings": rings}


def training(data="moons", *, lr=0.3, optimizer="SGD", momentum=0.9, forget=False):
    """A network of two layers that learns on two classes of points, an update at a time.

    data: "moons" or "rings"; optimizer: "SGD" or "Adam"; forget: whether the loop forgets zero_grad.

    >>> from autograd_nb import widgets
    >>> widgets.training("moons", lr=0.5)
    A network of two layers on moons, trained by SGD. Updates so far: 0. The loss is 0.6678, and 28 of 40 points are on
    the right side of the boundary.
    """
    return Training(**locals())
