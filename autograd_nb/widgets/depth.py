"""A deep network at its start: the gradient and the activations at each layer, and the loss over a hundred steps."""

import math

import autograd_nb as torch

from .chart import Chart, room
from .lesson import STATUS, Lesson, beside, chart, choice, row, slider, toggle
from .training import rings

WIDTH = 24  # numbers in each layer
STEPS = 100  # of training
FEWEST, MOST = 2, 30  # layers
HALF, WHOLE = (318, 176), (640, 168)  # pixels of the charts
ACTIVATIONS = {"sigmoid": torch.sigmoid, "tanh": torch.tanh, "relu": torch.relu}
NORMS = {"none": lambda x: x, "layer": lambda x: torch.nn.functional.layer_norm(x, (WIDTH,)),
         "batch": lambda x: torch.nn.functional.batch_norm(x, None, None, training=True)}  # fmt: skip


class Depth(Lesson):
    """The widget that `depth` makes."""

    name, budget, stored = "depth", False, 3
    layers, scale = slider(FEWEST, MOST, 1, whole=True), slider(0.25, 4, log=True)
    activation, norm, residual = choice(*ACTIVATIONS), choice(*NORMS), toggle()
    page = (row("layers", "scale"), row("activation", "norm", "residual"), STATUS,
            beside(chart("gradient"), chart("spread")), chart("loss"))  # fmt: skip

    def run(self):
        if not FEWEST <= self.layers <= MOST:
            self.refuse("range", layers=self.layers, fewest=FEWEST, most=MOST)
        before = torch.get_rng_state()
        torch.manual_seed(0)
        try:
            points, classes, weights = rings(), torch.arange(40) // 20, self.weights()
        finally:
            torch.set_rng_state(before)
        sizes, spreads, losses = [], [], []
        with torch.enable_grad():
            optimizer = torch.optim.SGD(weights, lr=0.1)
            for _ in range(STEPS + 1):
                loss = self.loss(points.double(), classes.double(), weights, sizes, spreads)
                losses.append(loss.item())
                if not math.isfinite(losses[-1]):
                    break
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        sizes = sizes[self.layers - 1 :: -1] or [math.nan] * self.layers  # no sizes if the first loss is not a number
        return {"status": self.sentence(sizes, losses), **self.charts(sizes, spreads, losses)}

    def weights(self):
        """A matrix for each layer, whose numbers have the spread scale / √inputs, and one for the score."""
        shapes = [(2, WIDTH), *[(WIDTH, WIDTH)] * (self.layers - 1), (WIDTH, 1)]
        scales = [self.scale] * self.layers + [1.0]
        return [(scale * torch.randn(shape).double() / shape[0] ** 0.5).requires_grad_()
                for shape, scale in zip(shapes, scales, strict=True)]  # fmt: skip

    def loss(self, x, classes, weights, sizes, spreads):
        """The loss; at the first step *spreads* gets each layer's spread, and *sizes* the size of its gradient."""
        first = not spreads
        for weight in weights[:-1]:
            y = ACTIVATIONS[self.activation](NORMS[self.norm](x @ weight))
            x = x + y if self.residual and x.shape == y.shape else y
            if first:
                spreads.append(x.std().item())
                x.register_hook(lambda grad: sizes.append(grad.norm().item()))
        return torch.nn.functional.binary_cross_entropy_with_logits((x @ weights[-1]).squeeze(1), classes)

    def sentence(self, sizes, losses):
        ratio = sizes[0] / sizes[-1] if sizes[-1] else 0.0
        factor = ratio ** (1 / (self.layers - 1))
        key = ("gone" if not ratio else "none" if math.isnan(ratio) else "vanishes" if ratio < 0.01
               else "explodes" if ratio > 100 else "stays")  # fmt: skip
        end = "lost" if len(losses) <= STEPS else "learned"
        facts = {"layers": self.layers, "factor": f"{factor:.2g}", "ratio": f"{ratio:.2g}", "steps": len(losses) - 1,
                 "start": losses[0], "loss": losses[-1]}  # fmt: skip
        return f"{self.say(key, **facts)} {self.say(end, **facts)}"

    def charts(self, sizes, spreads, losses):
        words, drawn = self.own_words, {}
        for name, style, values in (("gradient", "gradient 2 3", sizes), ("spread", "leaf 2 3", spreads)):
            powers = [math.log10(value) if 0 < value < math.inf else math.nan for value in values]
            low, high = room([*powers, min(filter(math.isfinite, powers), default=0) - 1, 1])
            up = low, max(high, low + 3.2), "", "1e"  # for ticks at whole numbers
            axes, points = Chart((1, max(self.layers, 7), words["layer"]), up, HALF), list(enumerate(powers, 1))
            facts = {"first": values[0], "last": values[-1]}
            drawn[name] = self.plot(name, axes, (f"ends_of_{name}", style, points, points), **facts)
        points = [(step, loss) for step, loss in enumerate(losses) if math.isfinite(loss)]
        axes = Chart((0, STEPS, words["step"]), (0, room([0.0, *(loss for _, loss in points)])[1], ""), WHOLE)
        end = "end", "error 0 5", [], points[-1:] if len(losses) <= STEPS else []
        drawn["loss"] = self.plot("loss", axes, ("losses", "root 2 0", points), end, loss=losses[-1])
        return drawn


def depth(layers=20, *, activation="sigmoid", scale=1.0, residual=False, norm="none"):
    """The gradient and the spread of the activations at each layer of a network, and the loss over 100 steps.

    The network learns to tell a disc from a ring around it; all its layers have 24 numbers. layers: 2 to 30;
    activation: "sigmoid", "tanh" or "relu"; scale: of the initial weights, times 1/√inputs; residual: whether a layer
    adds to its input; norm: "none", "layer" or "batch", before the activation.

    >>> from autograd_nb import widgets
    >>> widgets.depth(20, scale=0.5)
    A deep network. From layer 20 to layer 1 the gradient is multiplied by 1.7e-18, about 0.12 a layer: it vanishes. In
    100 steps the loss goes from 0.6992 to 0.6931.
    """
    return Depth(**locals())
