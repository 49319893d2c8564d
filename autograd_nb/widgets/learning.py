"""A network of two layers learns to tell two classes of points apart, one update at a time.

Each update is a real one of the engine: zero_grad unless it is forgotten, forward, backward, the optimizer's step.
The loss, the norms of the gradients that the step uses, and what the network says of the plane are drawn after it.
"""

import math

from traitlets import Bool, Dict, Float, Int, Unicode

import autograd_nb as torch

from ..drawing.shapes import COLOURS, PAPER, Circle, Group, Path, Rectangle, Text, diamond, mixed
from ..drawing.svg import to_svg
from ..drawing.values import short
from .kit import Board, Widget, front_end
from .plots import Axes, room
from .words_lessons import TRAINING as SAY

POINTS = 40  # of both classes together
HIDDEN = 8
FIELD = 26  # cells of the plane, across and up
LEVELS = 10  # shades of the plane
SHOWN = 400  # updates in the curves
SIZE = 290  # of each picture
MOST_AT_ONCE = 100  # updates for one request
BLUE, ORANGE = COLOURS["leaf"], COLOURS["gradient"]
LINES = (("#0072B2", ()), ("#0072B2", (2, 3)), ("#B34700", ()), ("#B34700", (2, 3)))  # weight and bias of each layer


OPTIMIZERS = ("SGD", "RMSprop", "Adam")
WITH_MOMENTUM = ("SGD", "RMSprop")


def make_optimizer(name, parameters, lr, momentum):
    """An optimizer of the engine; momentum goes to those that have it."""
    options = {"momentum": momentum} if name in WITH_MOMENTUM else {}
    return getattr(torch.optim, name)(parameters, lr=lr, **options)


class Training(Widget):
    """The widget that `training` makes; ``losses`` and ``norms`` are those of every update since the start."""

    _esm, _css = front_end("learning")
    own_words = SAY
    data = Unicode().tag(sync=True, state=True)
    lr = Float().tag(sync=True, state=True)
    optimizer = Unicode().tag(sync=True, state=True)
    momentum = Float().tag(sync=True, state=True)
    forget = Bool().tag(sync=True, state=True)
    field, field_change = Dict().tag(sync=True), Dict().tag(sync=True)
    loss, loss_change = Dict().tag(sync=True), Dict().tag(sync=True)
    norm, norm_change = Dict().tag(sync=True), Dict().tag(sync=True)
    status, code, problem = (Unicode().tag(sync=True) for _ in range(3))
    updates = Int().tag(sync=True)
    stopped = Bool().tag(sync=True)  # nothing goes on before something is changed
    no_momentum = Unicode().tag(sync=True)  # why momentum cannot be set, or ""
    answered = Int().tag(sync=True)

    def __init__(self, data, lr, optimizer, momentum, forget, seed):
        self.seed, self.boards = seed, [Board() for _ in range(3)]
        super().__init__(data=data, lr=lr, optimizer=optimizer, momentum=momentum, forget=forget)
        self.start()
        if self.problem:
            raise ValueError(f"training(): {self.problem}")
        self.observe(lambda _: self.start(), "data")
        self.observe(self.change_optimizer, ["optimizer", "lr", "momentum"])
        self.observe(lambda _: self.show(), "forget")
        self.begin()

    # -- what a learner does -----------------------------------------------------------------------------------------

    def do_start(self):
        """The same first weights again."""
        self.start()

    def do_step(self, count=1):
        """Make updates, and draw after the last of them."""
        with self.hold_sync():
            for _ in range(min(int(count), MOST_AT_ONCE)):
                if self.stopped:
                    break
                self.update()
            if not self.stopped:
                self.show()
            self.answered += 1

    # -- the network -------------------------------------------------------------------------------------------------

    def start(self):
        """Fresh data and weights, drawn from the seed; the learner's own random numbers are left alone."""
        before = torch.get_rng_state()
        torch.manual_seed(self.seed)
        try:
            self.points, self.classes = DATA[self.data]()
            self.network = torch.nn.Sequential(torch.nn.Linear(2, HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 1))
        finally:
            torch.set_rng_state(before)
        with torch.no_grad():
            self.losses = [self.loss_now().item()]
        self.norms = {name: [] for name, _ in self.network.named_parameters()}
        self.updates = 0
        self.change_optimizer()

    def change_optimizer(self, change=None):
        """A new optimizer for the same weights, or other settings for the one that is there."""
        has_momentum = self.optimizer in WITH_MOMENTUM
        self.no_momentum = "" if has_momentum else SAY["no_momentum"].format(optimizer=self.optimizer)
        try:
            fresh = make_optimizer(self.optimizer, self.network.parameters(), self.lr, self.momentum)
        except (ValueError, AttributeError) as error:
            cause = f"{type(error).__name__}: {error}"
            self.stopped, self.problem = True, SAY["refused"].format(cause=cause, last=self.updates)
            return
        if change is None or change["name"] == "optimizer" or type(fresh) is not type(self.walker):
            self.walker = fresh
        else:  # momentum's memory, and Adam's, stay
            settings = {name: value for name, value in fresh.param_groups[0].items() if name != "params"}
            self.walker.param_groups[0].update(settings)
        if all(map(math.isfinite, self.losses)):
            self.stopped, self.problem = False, ""
        self.show()

    def loss_now(self):
        outputs = self.network(self.points).squeeze(1)
        return torch.nn.functional.binary_cross_entropy_with_logits(outputs, self.classes)

    def update(self):
        """One update, as the loop that is shown says; a loss that is no number ends the training."""
        with torch.enable_grad():
            if not self.forget:
                self.walker.zero_grad()
            self.loss_now().backward()
        for name, parameter in self.network.named_parameters():
            self.norms[name].append(parameter.grad.norm().item())
        self.walker.step()
        with torch.no_grad():
            loss = self.loss_now().item()
        self.losses.append(loss)
        if math.isfinite(loss):
            self.updates += 1
        else:
            self.stopped = True
            facts = {"loss": short(loss), "update": self.updates + 1, "last": self.updates}
            self.problem = SAY["not_finite"].format(**facts)

    # -- what is shown -----------------------------------------------------------------------------------------------

    def show(self):
        """Say and draw the state."""
        with self.hold_sync(), torch.no_grad():
            right = ((self.network(self.points).squeeze(1) > 0) == (self.classes > 0)).sum().item()
            facts = {"updates": self.updates, "loss": short(self.losses[-1]), "right": right, "all": len(self.points)}
            self.status = SAY["status"].format(**facts)
            self.code = self.loop()
            self.drawn = self.draw_field(), self.draw_losses(), self.draw_norms()
            size = SIZE, SIZE
            (self.field, self.field_change), (self.loss, self.loss_change), (self.norm, self.norm_change) = (
                board.show(shapes, size, title, title)
                for board, (shapes, title) in zip(self.boards, self.drawn, strict=True))  # fmt: skip

    def loop(self):
        """The loop that runs, as code."""
        momentum = f", momentum={self.momentum:g}" if self.optimizer in WITH_MOMENTUM else ""
        first = SAY["forgotten"] if self.forget else "optimizer.zero_grad()"
        return (f"optimizer = torch.optim.{self.optimizer}(network.parameters(), lr={self.lr:g}{momentum})\n"
                f"for update in range({self.updates}):\n    {first}\n"
                "    loss = binary_cross_entropy_with_logits(network(points).squeeze(1), classes)\n"
                "    loss.backward()\n    optimizer.step()")  # fmt: skip

    def draw_field(self, left=0):
        axes = Axes(left + 34, 34, SIZE - 48, SIZE - 74, *EXTENTS[self.data])
        shapes = [Group("plane", tuple(self.plane(axes))), axes.frame(SAY["field"], "", "")]
        for place, (point, kind) in enumerate(zip(self.points.tolist(), self.classes.tolist(), strict=True)):
            x, y = axes.place(*point)
            mark = diamond(x, y, 5, ORANGE) if kind else Circle(x, y, 4, BLUE.fill, BLUE.edge, 1.5)
            shapes.append(Group(f"point {place}", (mark,)))
        bottom = SIZE - 10
        legend = (Circle(left + 60, bottom - 4, 4, BLUE.fill, BLUE.edge, 1.5),
                  Text(left + 70, bottom, SAY["classes"][0], 11.5, BLUE.text, "start"),
                  diamond(left + 150, bottom - 4, 5, ORANGE),
                  Text(left + 160, bottom, SAY["classes"][1], 11.5, ORANGE.text, "start"))  # fmt: skip
        return [*shapes, Group("legend", legend)], SAY["field"]

    def plane(self, axes):
        """The plane in shades: what the network would say of each place, cells of one shade in a row as one box."""
        (left, right), (low, high) = axes.across, axes.up
        across = torch.linspace(left, right, 2 * FIELD + 1)[1::2]
        up = torch.linspace(low, high, 2 * FIELD + 1)[1::2]
        grid = torch.stack([across.repeat(FIELD), up.repeat_interleave(FIELD)], dim=1)
        shades = (torch.sigmoid(self.network(grid).squeeze(1)) * LEVELS).reshape(FIELD, FIELD).tolist()
        width, height = axes.width / FIELD, axes.height / FIELD
        for r, row in enumerate(shades):
            row = [min(LEVELS - 1, int(shade)) for shade in row]
            start = 0
            for c in range(1, FIELD + 1):
                if c == FIELD or row[c] != row[start]:
                    x, y = axes.x + start * width, axes.y + axes.height - (r + 1) * height
                    yield Rectangle(x, y, (c - start) * width + 0.3, height + 0.3, shade(row[start]))
                    start = c

    def draw_losses(self, left=0):
        known = list(enumerate(self.losses))[-SHOWN:]
        axes = Axes(left + 48, 34, SIZE - 62, SIZE - 74, (known[0][0], max(known[-1][0], 10)), (0, self.top(known)))
        shapes = [axes.frame(SAY["loss"], SAY["updates"], ""),
                  Group("loss", (*axes.line(known, "#1F2937", 2), *axes.dots(known[-1:], "#1F2937", 4)))]  # fmt: skip
        return shapes, SAY["loss"]

    def draw_norms(self, left=0):
        known = {name: list(enumerate(norms, 1))[-SHOWN:] for name, norms in self.norms.items()}
        every = [point for points in known.values() for point in points]
        first, last = (every[0][0], max(every[-1][0], 10)) if every else (0, 10)
        axes = Axes(left + 48, 34, SIZE - 62, SIZE - 74, (first, last), (0, self.top(every)))
        shapes = [axes.frame(SAY["norms"], SAY["updates"], "")]
        for place, ((name, points), (colour, dash)) in enumerate(zip(known.items(), LINES, strict=True)):
            y = axes.y + 14 + 15 * place
            key = [*axes.line(points, colour, 1.8, dash), *axes.dots(points[-1:], colour, 3)]
            end = axes.x + axes.width - 6
            key.append(Path((("M", end - 140, y - 4), ("L", end - 118, y - 4)), colour, 1.8, dash))
            shown = f"{name} {short(points[-1][1])}" if points else name
            shapes.append(Group(name, (*key, Text(end, y, shown, 11, colour, "end"))))
        return shapes, SAY["norms"]

    @staticmethod
    def top(points):
        finite = [value for _, value in points if math.isfinite(value)]
        return max(room([0.0, *finite])[1], 1e-3)

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
        shapes = [shape for shapes, _ in pictures for shape in shapes]
        return to_svg(shapes, 3 * SIZE, SIZE, SAY["title"], self.as_text())


def shade(level):
    """The colour of a level: blue for class 0, orange for class 1, pale where the network is undecided."""
    share = (level + 0.5) / LEVELS * 2 - 1
    return mixed(PAPER, "#F4B183" if share > 0 else "#7FB8DE", abs(share))


def moons():
    """Two half circles that reach into each other."""
    half = POINTS // 2
    angle = torch.linspace(0, math.pi, half)
    upper = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1)
    lower = torch.stack([1 - torch.cos(angle), 0.5 - torch.sin(angle)], dim=1)
    points = torch.cat([upper, lower]) + 0.1 * torch.randn(POINTS, 2)
    return points, torch.cat([torch.zeros(half), torch.ones(half)])


def rings():
    """A disc, and a ring around it."""
    half = POINTS // 2
    angle = 2 * math.pi * torch.rand(POINTS)
    radius = torch.cat([0.6 * torch.rand(half), 1.2 + 0.3 * torch.rand(half)])
    points = torch.stack([radius * torch.cos(angle), radius * torch.sin(angle)], dim=1)
    return points, torch.cat([torch.zeros(half), torch.ones(half)])


DATA = {"moons": moons, "rings": rings}
EXTENTS = {"moons": ((-1.6, 2.6), (-1.2, 1.7)), "rings": ((-1.8, 1.8), (-1.8, 1.8))}  # of the plane that is shown


def training(data="moons", *, lr=0.3, optimizer="SGD", momentum=0.0, forget=False, seed=0):
    """A network of two layers that learns on two classes of points, an update at a time.

    data: "moons" or "rings"; lr, momentum: numbers; optimizer: "SGD", "RMSprop" or "Adam"; forget: whether zero_grad is
    forgotten; seed: for the points and the first weights. Errors: ValueError for settings that are not there, and for
    those that the optimizer refuses.

    >>> from autograd_nb import widgets
    >>> widgets.training("moons", lr=0.5)
    A network of two layers on two moons, trained by SGD. After 0 updates the loss is 0.6678, and 28 of 40 points are
    on their right side.
    """
    for what, given, there in (("data", data, DATA), ("optimizer", optimizer, OPTIMIZERS)):
        if given not in there:
            raise ValueError(f"training(): {what} must be one of {', '.join(there)}, got {given!r}")
    return Training(data, float(lr), optimizer, float(momentum), bool(forget), seed)
