"""A deep network at its start: the gradient and the activations at each layer, and the loss over a hundred steps."""

import math

import autograd_nb as torch

from .chart import Plot
from .lesson import STATUS, Lesson, beside, chart, choice, fixed_seed, row, slider, toggle
from .training import rings

WIDTH = 24  # numbers in each layer
STEPS = 100  # of training
FEWEST, MOST = 2, 30  # layers
HALF = (318, 176), ("layer", 1, None), ("", None, None, "1e")
ACTIVATIONS = {"sigmoid": torch.sigmoid, "tanh": torch.tanh, "relu": torch.relu}
NORMS = {"none": lambda x: x, "layer": lambda x: torch.nn.functional.layer_norm(x, (WIDTH,)),
         "batch": lambda x: torch.nn.functional.batch_norm(x, None, None, training=True)}  # fmt: skip


class Depth(Lesson):
    """The widget that `depth` makes."""

    name, budget, stored = "depth", False, 3
    layers, scale = slider(FEWEST, MOST, 1, whole=True), slider(0.25, 4, log=True)
    activation, norm, residual = choice(*ACTIVATIONS), choice(*NORMS), toggle()
    loss = Plot((640, 168), ("step", 0, STEPS), ("", 0, None), losses="root 2 0", end="error 0 5")
    page = (row("layers", "scale"), row("activation", "norm", "residual"), STATUS,
            beside(chart("gradient", Plot(*HALF, sizes="gradient 2 3")),
                   chart("spread", Plot(*HALF, spreads="leaf 2 3"))),
            chart("loss", loss))  # fmt: skip

    def run(self):
        if not FEWEST <= self.layers <= MOST:
            self.refuse("range", fewest=FEWEST, most=MOST)
        with fixed_seed():
            points, classes, weights = rings().double(), (torch.arange(40) // 20).double(), self.weights()
        sizes, spreads, losses = [], [], []
        with torch.enable_grad():
            optimizer = torch.optim.SGD(weights, lr=0.1)
            for _ in range(STEPS + 1):
                loss = self.loss_of(points, classes, weights, sizes, spreads)
                losses.append(loss.item())
                if not math.isfinite(losses[-1]):
                    break
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        sizes = sizes[self.layers - 1 :: -1] or [math.nan] * self.layers  # no sizes if the first loss is not a number
        ratio, across = sizes[0] / sizes[-1] if sizes[-1] else 0.0, (1, max(self.layers, 7))
        change = ("gone" if not ratio else "none" if math.isnan(ratio) else "vanishes" if ratio < 0.01
                  else "explodes" if ratio > 100 else "stays")  # fmt: skip
        lost, curve = len(losses) <= STEPS, list(enumerate(losses))
        return {
            "status": [change, "lost" if lost else "learned"], "ratio": f"{ratio:.2g}",
            "factor": f"{ratio ** (1 / (self.layers - 1)):.2g}", "steps": len(losses) - 1, "start": losses[0],
            "end": losses[-1], "first_size": sizes[0], "last_size": sizes[-1], "first_spread": spreads[0],
            "last_spread": spreads[-1],
            "gradient": {"across": across, "sizes": list(enumerate(sizes, 1))},
            "spread": {"across": across, "spreads": list(enumerate(spreads, 1))},
            "loss": {"losses": losses, "end": [each for each in curve if math.isfinite(each[1])][-1:] if lost else []},
        }  # fmt: skip

    def weights(self):
        """A matrix for each layer, whose numbers have the spread scale / √inputs, and one for the score."""
        shapes = [(2, WIDTH), *[(WIDTH, WIDTH)] * (self.layers - 1), (WIDTH, 1)]
        scales = [self.scale] * self.layers + [1.0]
        return [(scale * torch.randn(shape).double() / shape[0] ** 0.5).requires_grad_()
                for shape, scale in zip(shapes, scales, strict=True)]  # fmt: skip

    def loss_of(self, x, classes, weights, sizes, spreads):
        """The loss; at the first step *spreads* gets each layer's spread, and *sizes* the size of its gradient."""
        first = not spreads
        for weight in weights[:-1]:
            y = ACTIVATIONS[self.activation](NORMS[self.norm](x @ weight))
            x = x + y if self.residual and x.shape == y.shape else y
            if first:
                spreads.append(x.std().item())
                x.register_hook(lambda grad: sizes.append(grad.norm().item()))
        return torch.nn.functional.binary_cross_entropy_with_logits((x @ weights[-1]).squeeze(1), classes)


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
