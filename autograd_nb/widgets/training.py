"""A network of two layers learns to tell two classes of points apart, one update at a time.

Each update is a real one of the engine: zero_grad unless it is forgotten, forward, backward, the optimizer's step.
The loss, the norms of the gradients that the step uses, and what the network says of the plane are drawn after it;
where zero_grad was forgotten, also the norms of what the update's own loss added to .grad.
"""

import math

import numpy as np
from traitlets import Bool

import autograd_nb as torch

from ..drawing.shapes import COLOURS, NEGATIVE, PAPER, POSITIVE, Ink, diamond, mixed
from ..learner.programs import Refused
from ..microscope.values import short
from ..words import of
from .chart import Chart, contour, ring, room
from .kit import seen
from .lesson import STATUS, Lesson, box, button, chart, choice, code, grid, part, row, slider, toggle

SAY = of("widgets")["training"]

POINTS = 40  # of both classes together
HIDDEN = 8
FIELD = 26  # cells of the plane, across and up
LEVELS = 10  # shades of the plane
SHOWN = 300  # updates in the curves
SIZE = 300, 320  # of each picture
BLUE, ORANGE, INK, QUIET = (COLOURS[each] for each in ("leaf", "gradient", "root", "constant"))
SHADES = [Ink(mixed(PAPER, POSITIVE if share > 0 else NEGATIVE, abs(share)), "", "")  # blue: class 0, orange: class 1
          for share in ((level + 0.5) / LEVELS * 2 - 1 for level in range(LEVELS))]  # fmt: skip
RED = COLOURS["error"]._replace(edge=COLOURS["error"].fill)
LINES = {"0.weight": BLUE, "2.weight": ORANGE}  # the norms that are drawn
WITH_MOMENTUM = ("SGD", "RMSprop")
OPTIMIZERS = (*WITH_MOMENTUM, "Adam")


class Training(Lesson):
    """The widget that `training` makes; ``losses``, ``norms`` of .grad and ``own`` norms (of what the update's own loss
    added to it) are those of every update since the start.
    """

    name, own_words, budget, stored = "training", SAY, False, 2
    data, optimizer = choice(SAY["datasets"]), choice({name: name for name in OPTIMIZERS})
    forget = toggle()
    lr, momentum = slider(0.001, 100, log=True), slider(0, 0.99, 0.01)
    playing = seen(Bool())  # whether a view asks for one update after the other
    page = (
        row("data", "optimizer", "forget"), grid("lr", "momentum"),
        row(part("play", "play", do="step", pause=SAY["pause"], begun=SAY["begun"]), button("step", "step"),
            button("more", "step", count=10), button("again", "start")), STATUS,
        box("three", chart("field"), chart("loss"), chart("norms")), code("code"),
    )  # fmt: skip

    def __init__(self, **settings):
        self.before, self.setup = [], ("",)  # the losses of the run before; what the optimizer was made of
        super().__init__(**settings)

    @property
    def updates(self):
        return len(self.losses) - 1

    # -- what a learner does -----------------------------------------------------------------------------------------

    def do_start(self):
        """The same first weights again; the losses so far stay in the picture, to compare with."""
        if self.updates:
            self.before = self.losses
        self.start()
        self.compute()

    def do_reset(self):
        super().do_reset()
        self.setup = ("",)
        self.compute()

    def do_step(self, count=1):
        for _ in range(0 if self.problem else count):
            if not self.trouble:
                self.update()
        self.compute()
        self.playing = self.playing and not self.problem

    # -- the network -------------------------------------------------------------------------------------------------

    def start(self):
        """Fresh data and weights, always the same; the learner's own random numbers are left alone.

        In float64, in which no picture shows that processors add in different orders.
        """
        before = torch.get_rng_state()
        torch.manual_seed(0)
        try:
            self.points = DATA[self.data]().double()
            self.classes = (torch.arange(POINTS) // (POINTS // 2)).double()
            self.network = torch.nn.Sequential(torch.nn.Linear(2, HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 1))
            self.network.double()
        finally:
            torch.set_rng_state(before)
        self.losses = [self.loss_now().item()]
        self.norms, self.own = ({name: [] for name, _ in self.network.named_parameters()} for _ in range(2))
        self.forgotten, self.summed = [], 0  # updates without zero_grad; gradients that .grad is the sum of
        self.playing, self.walker, self.setup, self.trouble = False, None, (self.data,), ""

    def make_optimizer(self):
        options = {"lr": self.lr} | ({"momentum": self.momentum} if self.optimizer in WITH_MOMENTUM else {})
        fresh = getattr(torch.optim, self.optimizer)(self.network.parameters(), **options)
        if type(fresh) is type(self.walker):
            fresh.state = self.walker.state  # momentum's memory, and Adam's, stay
        self.walker = fresh

    def loss_now(self):
        outputs = self.network(self.points).squeeze(1)
        return torch.nn.functional.binary_cross_entropy_with_logits(outputs, self.classes)

    def update(self):
        """One update, as the loop that is shown says; a loss that is no number ends the training."""
        if self.forget:
            self.forgotten.append(self.updates + 1)
        else:
            self.walker.zero_grad()
        with torch.enable_grad():
            loss = self.loss_now()
            own = torch.autograd.grad(loss, list(self.network.parameters()), retain_graph=True)
            loss.backward()
        for (name, parameter), alone in zip(self.network.named_parameters(), own, strict=True):
            self.norms[name].append(parameter.grad.norm().item())
            self.own[name].append(alone.norm().item())
        self.summed = self.summed + 1 if self.forget else 1
        self.walker.step()
        loss = self.loss_now().item()
        if math.isfinite(loss):
            self.losses.append(loss)
        else:
            self.trouble = SAY("not_finite", loss=short(loss), update=self.updates + 1)

    # -- what is shown -----------------------------------------------------------------------------------------------

    def run(self):
        setup = self.data, self.optimizer, self.lr, self.momentum
        if self.data != self.setup[0]:
            self.before = []
            self.start()
        if self.trouble:
            raise Refused(self.trouble)
        if setup != self.setup:
            self.make_optimizer()
            self.setup = setup
        with torch.no_grad():
            right = ((self.network(self.points).squeeze(1) > 0) == (self.classes > 0)).sum().item()
            plane = field(self.network, self.points.tolist(), EXTENTS[self.data])
        when = SAY["when"][min(self.updates, 2)].format(updates=self.updates)
        status = SAY("status", when=when, loss=short(self.losses[-1]), right=right, all=POINTS)
        if self.summed > 1:
            status += " " + SAY("summed", count=self.summed)
        without = "" if self.optimizer in WITH_MOMENTUM else SAY("no_momentum", optimizer=self.optimizer)
        return {
            "status": status, "off": {"momentum": without} if without else {}, "code": self.loop(),
            "text": SAY("text", data=SAY["datasets"][self.data], optimizer=self.optimizer, status=status),
            "field": plane, "loss": self.draw_losses(), "norms": self.draw_norms(),
        }  # fmt: skip

    def loop(self):
        momentum = f", momentum={self.momentum:g}" if self.optimizer in WITH_MOMENTUM else ""
        first = SAY["forgotten"] if self.forget else "optimizer.zero_grad()"
        return (f"optimizer = torch.optim.{self.optimizer}(network.parameters(), lr={self.lr:g}{momentum})\n"
                f"for update in range({self.updates}):\n    {first}\n"
                "    loss = binary_cross_entropy_with_logits(network(points).squeeze(1), classes)\n"
                "    loss.backward()\n    optimizer.step()")  # fmt: skip

    def draw_losses(self):
        axes, shaded = self.axes(2, self.losses, self.before)
        before, losses = list(enumerate(self.before)), list(enumerate(self.losses))
        return axes.picture(
            SAY["loss"], shaded,
            axes.series("before", QUIET, before, label=SAY["before"] * bool(before), dash=(4, 3)),
            axes.series("loss", INK, losses, losses[-1:], radius=4))  # fmt: skip

    def draw_norms(self):
        kinds = (("grad", self.norms, ()), ("own", self.own, (2, 3)))[: 1 + bool(self.seen_forgotten())]
        axes, shaded = self.axes(2 * len(kinds), *(self.norms[name] for name in LINES))
        lines = []
        for name, ink in LINES.items():
            for kind, series, dash in kinds:
                points = list(enumerate(series[name], 1))
                label = SAY(kind, name=name, norm=short(points[-1][1])) if points else ""
                lines.append(axes.series(f"{name} {kind}", ink, points, label=label, dash=dash))
        return axes.picture(SAY["norms"], shaded._replace(label=""), *lines)

    def axes(self, rows, *series):
        """A chart over the updates with room for its lines, and what lies behind these."""
        start, end = max(0, self.updates - SHOWN), max(10, self.updates, min(len(self.before), SHOWN))
        top = max(room([0.0, *(value for each in series for value in each[start : end + 1])])[1], 1e-3)
        axes = Chart((start, end, SAY["updates"]), (0, top, ""), SIZE, rows)
        spans = [(each, top / 2) for update in self.seen_forgotten() for each in (update - 1, update, math.nan)]
        return axes, axes.series(
            "forgotten", RED, spans, label=SAY["shaded"] * bool(spans), width=axes.height)  # fmt: skip

    def seen_forgotten(self):
        return [each for each in self.forgotten if each > self.updates - SHOWN]


def field(network, points, extent):
    """What a network says of the plane, behind the points that it learns from."""
    chart = Chart(*extent, SIZE, 2)
    x, y = (np.linspace(*ends[:2], 2 * FIELD + 1)[1::2] for ends in extent)
    places = x + 1j * y[:, None]
    grid = torch.from_numpy(places[..., None].view(float))
    values = network(grid).squeeze(2)  # below 0 class 0, above it class 1
    levels = (torch.sigmoid(values).clamp(max=0.999) * LEVELS).floor().numpy()
    cell = (x[1] - x[0]) / 2 * np.array([-1, 1, math.nan])
    return chart.picture(
        SAY["field"],
        *(chart.series(f"level {level}", shade, (places[levels == level][:, None] + cell).flatten(),
                       width=1.02 * chart.height / FIELD) for level, shade in enumerate(SHADES)),
        chart.series("class 0", BLUE, (), points[: POINTS // 2], SAY["classes"][0], radius=4, mark=ring),
        chart.series("class 1", ORANGE, (), points[POINTS // 2 :], SAY["classes"][1], radius=5, mark=diamond),
        chart.series("boundary", INK, contour(values.numpy(), x[[0, -1]], y[[0, -1]], 0.0),
                     label=SAY["boundary"]))  # fmt: skip


def moons():
    angle = torch.linspace(0, math.pi, POINTS // 2)
    upper = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1)
    lower = torch.stack([1 - torch.cos(angle), 0.5 - torch.sin(angle)], dim=1)
    return torch.cat([upper, lower]) + 0.1 * torch.randn(POINTS, 2)


def rings():
    angle = 2 * math.pi * torch.rand(POINTS)
    radius = torch.cat([0.6 * torch.rand(POINTS // 2), 1.2 + 0.3 * torch.rand(POINTS // 2)])
    return torch.stack([radius * torch.cos(angle), radius * torch.sin(angle)], dim=1)


DATA = {"moons": moons, "rings": rings}
EXTENTS = {"moons": ((-1.6, 2.6, ""), (-1.2, 1.7, "")), "rings": ((-1.8, 1.8, ""),) * 2}  # of the plane that is shown


def training(data="moons", *, lr=0.3, optimizer="SGD", momentum=0.9, forget=False):
    """A network of two layers that learns on two classes of points, an update at a time.

    data: "moons" or "rings"; optimizer: "SGD", "RMSprop" or "Adam"; forget: whether zero_grad is forgotten.

    >>> from autograd_nb import widgets
    >>> widgets.training("moons", lr=0.5)
    A network of two layers on two moons, trained by SGD. Before the first update the loss is 0.6678, and 28 of 40
    points are on the right side of the boundary.
    """
    return Training(data=data, lr=float(lr), optimizer=optimizer, momentum=float(momentum), forget=bool(forget))
