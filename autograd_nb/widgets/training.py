"""A network of two layers learns to tell two classes of points apart, one update at a time.

Each update is a real one of the engine: zero_grad unless it is forgotten, forward, backward, the optimizer's step.
The loss, the norms of the gradients that the step uses, and what the network says of the plane are drawn after it;
where zero_grad was forgotten, also the norms of what the update's own loss added to .grad.
"""

import math
from itertools import groupby

from traitlets import Bool, Dict, Enum, Int, Unicode

import autograd_nb as torch

from ..drawing.shapes import COLOURS, PAPER, QUIET, Circle, Group, Path, Rectangle, Text, diamond, mixed
from ..drawing.svg import to_svg
from ..microscope.values import short
from ..words import of
from .kit import Finite, Widget, front_end
from .plots import Axes, contour, room

SAY = of("widgets")["training"]

POINTS = 40  # of both classes together
HIDDEN = 8
FIELD = 26  # cells of the plane, across and up
LEVELS = 10  # shades of the plane
SHOWN = 300  # updates in the curves
SIZE = 290  # of each picture
BLUE, ORANGE = COLOURS["leaf"], COLOURS["gradient"]
INK, FORGOTTEN = "#1F2937", COLOURS["error"].fill
SHADES = [mixed(PAPER, "#F4B183" if share > 0 else "#7FB8DE", abs(share))  # blue: class 0, orange: class 1
          for share in ((level + 0.5) / LEVELS * 2 - 1 for level in range(LEVELS))]  # fmt: skip
LINES = {"0.weight": "#0072B2", "2.weight": "#B34700"}  # the norms that are drawn
OPTIMIZERS = ("SGD", "RMSprop", "Adam")
WITH_MOMENTUM = ("SGD", "RMSprop")


class Training(Widget):
    """The widget that `training` makes; ``losses``, ``norms`` of .grad and ``own`` norms (of what the update's own loss
    added to it) are those of every update since the start.
    """

    module, _css = front_end("training")
    own_words = SAY
    data = Enum([*SAY["datasets"]]).tag(sync=True, state=True)
    lr = Finite().tag(sync=True, state=True)
    optimizer = Enum(OPTIMIZERS).tag(sync=True, state=True)
    momentum = Finite().tag(sync=True, state=True)
    forget = Bool().tag(sync=True, state=True)
    field, field_change = Dict().tag(sync=True), Dict().tag(sync=True)
    loss, loss_change = Dict().tag(sync=True), Dict().tag(sync=True)
    norm, norm_change = Dict().tag(sync=True), Dict().tag(sync=True)
    status, code, problem = (Unicode().tag(sync=True) for _ in range(3))
    updates = Int().tag(sync=True)
    playing = Bool().tag(sync=True)  # whether a view asks for one update after the other
    stopped = Bool().tag(sync=True)  # nothing goes on before something is changed
    no_momentum = Unicode().tag(sync=True)  # why momentum cannot be set, or ""
    answered = Int().tag(sync=True)

    def __init__(self, data, lr, optimizer, momentum, forget):
        self.before = []  # the losses of the run before
        super().__init__(data=data, lr=lr, optimizer=optimizer, momentum=momentum, forget=forget)
        self.start()
        if self.problem:
            raise ValueError(f"training(): {self.problem}")
        self.observe(self.change_data, "data")
        self.observe(self.change_optimizer, ["optimizer", "lr", "momentum"])
        self.observe(lambda _: self.show(), "forget")
        self.begin()

    # -- what a learner does -----------------------------------------------------------------------------------------

    def do_start(self):
        """The same first weights again; the losses so far stay in the picture, to compare with."""
        with self.hold_sync():
            if self.updates:
                self.before = self.losses
            self.start()

    def do_reset(self):
        super().do_reset()
        self.change_data()

    def do_step(self, count=1):
        with self.hold_sync():
            for _ in range(count):
                if self.stopped:
                    self.playing = False
                    break
                self.update()
            if not self.stopped:
                self.show()
            self.answered += 1

    def change_data(self, _=None):
        self.before = []
        self.start()

    # -- the network -------------------------------------------------------------------------------------------------

    def start(self):
        """Fresh data and weights, always the same; the learner's own random numbers are left alone."""
        before = torch.get_rng_state()
        torch.manual_seed(0)
        try:
            self.points, self.classes = DATA[self.data](), torch.arange(POINTS) // (POINTS // 2) * 1.0
            self.network = torch.nn.Sequential(torch.nn.Linear(2, HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 1))
        finally:
            torch.set_rng_state(before)
        with torch.no_grad():
            self.losses = [self.loss_now().item()]
        self.norms, self.own = ({name: [] for name, _ in self.network.named_parameters()} for _ in range(2))
        self.forgotten = []  # the updates before which zero_grad was forgotten: their first and last, span by span
        self.updates = self.summed = 0  # gradients that .grad is the sum of
        self.playing = False
        self.change_optimizer()

    def change_optimizer(self, change=None):
        options = {"lr": self.lr} | ({"momentum": self.momentum} if self.optimizer in WITH_MOMENTUM else {})
        self.no_momentum = "" if "momentum" in options else SAY["no_momentum"].format(optimizer=self.optimizer)
        try:
            fresh = getattr(torch.optim, self.optimizer)(self.network.parameters(), **options)
        except ValueError as error:
            cause = f"{type(error).__name__}: {error}"
            self.stop(SAY["refused"].format(cause=cause, last=self.updates))
            return
        if change is None or change["name"] == "optimizer" or type(fresh) is not type(self.walker):
            self.walker = fresh
        else:  # momentum's memory, and Adam's, stay
            self.walker.param_groups[0].update(options)
        if all(map(math.isfinite, self.losses)):
            self.stopped, self.problem = False, ""
        self.show()

    def loss_now(self):
        outputs = self.network(self.points).squeeze(1)
        return torch.nn.functional.binary_cross_entropy_with_logits(outputs, self.classes)

    def update(self):
        """One update, as the loop that is shown says; a loss that is no number ends the training."""
        if self.forget and self.forgotten and self.forgotten[-1][1] == self.updates:
            self.forgotten[-1][1] += 1
        elif self.forget:
            self.forgotten.append([self.updates + 1] * 2)
        with torch.enable_grad():
            if not self.forget:
                self.walker.zero_grad()
            before = [None if each.grad is None else each.grad.clone() for each in self.network.parameters()]
            self.loss_now().backward()
        for (name, parameter), old in zip(self.network.named_parameters(), before, strict=True):
            self.norms[name].append(parameter.grad.norm().item())
            self.own[name].append((parameter.grad if old is None else parameter.grad - old).norm().item())
        self.summed = self.summed + 1 if self.forget else 1
        self.walker.step()
        with torch.no_grad():
            loss = self.loss_now().item()
        self.losses.append(loss)
        if math.isfinite(loss):
            self.updates += 1
        else:
            facts = {"loss": short(loss), "update": self.updates + 1, "last": self.updates}
            self.stop(SAY["not_finite"].format(**facts))

    def stop(self, problem):
        self.stopped, self.playing, self.problem = True, False, problem

    # -- what is shown -----------------------------------------------------------------------------------------------

    def show(self):
        with self.hold_sync(), torch.no_grad():
            right = ((self.network(self.points).squeeze(1) > 0) == (self.classes > 0)).sum().item()
            when = SAY["when"][min(self.updates, 2)].format(updates=self.updates)
            facts = {"when": when, "loss": short(self.losses[-1]), "right": right, "all": len(self.points)}
            self.status = SAY["status"].format(**facts)
            if self.summed > 1:
                self.status += " " + SAY["summed"].format(count=self.summed)
            self.code = self.loop()
            self.draw(field=self.draw_field(), loss=self.draw_losses(), norm=self.draw_norms())

    def loop(self):
        momentum = f", momentum={self.momentum:g}" if self.optimizer in WITH_MOMENTUM else ""
        first = SAY["forgotten"] if self.forget else "optimizer.zero_grad()"
        return (f"optimizer = torch.optim.{self.optimizer}(network.parameters(), lr={self.lr:g}{momentum})\n"
                f"for update in range({self.updates or 1}):\n    {first}\n"
                "    loss = binary_cross_entropy_with_logits(network(points).squeeze(1), classes)\n"
                "    loss.backward()\n    optimizer.step()")  # fmt: skip

    def draw_field(self, left=0):
        axes = Axes(left + 34, 34, SIZE - 48, SIZE - 74, *EXTENTS[self.data])
        values = self.values(axes)
        drawn = *plane(axes, values), *boundary(axes, values.numpy())
        shapes = [Group("plane", drawn), axes.frame(SAY["field"], "", "")]
        for place, (point, kind) in enumerate(zip(self.points.tolist(), self.classes.tolist(), strict=True)):
            x, y = axes.place(*point)
            mark = diamond(x, y, 5, ORANGE) if kind else Circle(x, y, 4, BLUE.fill, BLUE.edge, 1.5)
            shapes.append(Group(f"point {place}", (mark,)))
        names = ((49, SAY["classes"][0], BLUE.text), (121, SAY["classes"][1], ORANGE.text), (208, SAY["boundary"], INK))
        dot, kind, line = (Text(left + x, SIZE - 10, text, 11.5, ink, "start") for x, text, ink in names)
        y = SIZE - 14
        legend = (Circle(left + 40, y, 4, BLUE.fill, BLUE.edge, 1.5), dot, diamond(left + 112, y, 5, ORANGE), kind,
                  Path((("M", left + 182, y), ("L", left + 202, y)), INK, 2), line)  # fmt: skip
        return [*shapes, Group("legend", legend)], (SIZE, SIZE), SAY["field"], SAY["field"]

    def values(self, axes):
        """What the network says of the middle of each cell of the plane: below 0 class 0, above it class 1."""
        across, up = (torch.linspace(*ends, 2 * FIELD + 1)[1::2] for ends in (axes.across, axes.up))
        grid = torch.stack([across.repeat(FIELD), up.unsqueeze(1).repeat(1, FIELD).flatten()], dim=1)
        return self.network(grid).reshape(FIELD, FIELD)

    def draw_losses(self, left=0):
        axes, shapes = self.chart(left, SAY["loss"], 0, self.losses, self.before)
        before, known = list(enumerate(self.before)), list(enumerate(self.losses))[-SHOWN - 1 :]
        key = [Path((("M", axes.x + 100, axes.y + 10), ("L", axes.x + 122, axes.y + 10)), QUIET, 1.8, (4, 3)),
               Text(axes.x + 128, axes.y + 14, SAY["before"], 11, QUIET, "start")]  # fmt: skip
        return [
            *shapes, Group("before", (*axes.line(before, QUIET, 1.8, (4, 3)), *key) if before else ()),
            Group("loss", (*axes.line(known, INK, 2), *axes.dots(known[-1:], INK, 4))),
        ], (SIZE, SIZE), SAY["loss"], SAY["loss"]  # fmt: skip

    def draw_norms(self, left=0):
        axes, shapes = self.chart(left, SAY["norms"], 1, *(self.norms[name] for name in LINES))
        own = self.seen_forgotten()
        for place, (name, colour) in enumerate(LINES.items()):
            for kind, series, dash in (("grad", self.norms, ()), ("own", self.own, (2, 3))):
                points = list(enumerate(series[name], 1))[-SHOWN:]
                key = []
                if points and (kind == "grad" or own):
                    y = axes.y + 14 + 15 * (2 * place + (kind == "own") if own else place)
                    end = axes.x + axes.width - 6
                    text = SAY[kind].format(name=name, norm=short(points[-1][1]))
                    sample = Path((("M", end - 172, y - 4), ("L", end - 150, y - 4)), colour, 1.8, dash)
                    key = [*axes.line(points, colour, 1.8, dash), sample, Text(end, y, text, 11, colour, "end")]
                shapes.append(Group(f"{name} {kind}", tuple(key)))
        return shapes, (SIZE, SIZE), SAY["norms"], SAY["norms"]

    def chart(self, left, title, first, *series):
        """The axes of a chart over the updates with room for its lines and their names, and what lies behind these."""
        end = max(10, self.updates, *(min(len(each), SHOWN) - 1 + first for each in series))
        start = max(first, self.updates - SHOWN)
        seen = [value for each in series for value in each[start - first : end + 1] if math.isfinite(value)]
        shaded, spans = [], self.seen_forgotten()
        top = room([0.0, *seen])[1] * (1.45 if spans else 1.25)
        axes = Axes(left + 48, 34, SIZE - 62, SIZE - 74, (start, end), (0, max(top, 1e-3)))
        for a, b in spans:
            (x, _), (right, _) = axes.place(max(a - 1, start), 0), axes.place(b, 0)
            shaded.append(Rectangle(x, axes.y, max(2, right - x), axes.height, FORGOTTEN))
        if shaded:
            shaded.append(Text(axes.x, axes.y + axes.height + 33, SAY["shaded"], 11, COLOURS["error"].text, "start"))
        return axes, [Group("forgotten", tuple(shaded)), axes.frame(title, "" if spans else SAY["updates"], "")]

    def seen_forgotten(self):
        return [span for span in self.forgotten if span[1] > self.updates - SHOWN]

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        forget = ", forget=True" if self.forget else ""
        return (f"autograd_nb.widgets.training({self.data!r}, lr={self.lr!r}, optimizer={self.optimizer!r}, "
                f"momentum={self.momentum!r}{forget})")  # fmt: skip

    def as_text(self):
        data = SAY["datasets"][self.data]
        return SAY["text"].format(data=data, optimizer=self.optimizer, status=self.status)

    def as_svg(self):
        with torch.no_grad():
            pictures = self.draw_field(), self.draw_losses(SIZE), self.draw_norms(2 * SIZE)
        shapes = [shape for shapes, *_ in pictures for shape in shapes]
        return to_svg(shapes, 3 * SIZE, SIZE, SAY["title"], self.as_text())


def plane(axes, values):
    width, height = axes.width / FIELD, axes.height / FIELD
    for r, row in enumerate((torch.sigmoid(values) * LEVELS).tolist()):
        start = 0
        for level, cells in groupby(min(LEVELS - 1, int(each)) for each in row):
            count = len(list(cells))
            x, y = axes.x + start * width, axes.y + axes.height - (r + 1) * height
            yield Rectangle(x, y, count * width + 0.3, height + 0.3, SHADES[level])
            start += count


def boundary(axes, values):
    """The line where the network turns from one class to the other."""
    between = Axes(axes.x + axes.width / FIELD / 2, axes.y + axes.height / FIELD / 2, axes.width * (1 - 1 / FIELD),
                   axes.height * (1 - 1 / FIELD), axes.across, axes.up)  # fmt: skip
    lines = contour(between, values, 0.0)
    return [Path(tuple(lines), INK, 2)] if lines else []


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
EXTENTS = {"moons": ((-1.6, 2.6), (-1.2, 1.7)), "rings": ((-1.8, 1.8), (-1.8, 1.8))}  # of the plane that is shown


def training(data="moons", *, lr=0.3, optimizer="SGD", momentum=0.9, forget=False):
    """A network of two layers that learns on two classes of points, an update at a time.

    data: "moons" or "rings"; optimizer: "SGD", "RMSprop" or "Adam"; forget: whether zero_grad is forgotten.

    >>> from autograd_nb import widgets
    >>> widgets.training("moons", lr=0.5)
    A network of two layers on two moons, trained by SGD. Before the first update the loss is 0.6678, and 28 of 40
    points are on the right side of the boundary.
    """
    return Training(data, float(lr), optimizer, float(momentum), bool(forget))
