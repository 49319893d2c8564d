"""A deep network while it trains: what the weights of each layer feel, its activations, and the loss."""

import math
from itertools import pairwise

import autograd_nb as torch

from .chart import Plot
from .lesson import Lesson, beside, choice, fixed_seed, row, slider
from .training import POINTS, judged, rings

WIDTH = 24  # numbers in each layer
STEPS = 100  # of training
FEWEST, MOST = 2, 30  # layers
HALF, POWERS = (318, 192), ("", None, None, "1e")
TWO = {"first": "leaf 2 2", "last": "root 2 2"}  # the steps of which it tells
GUESS = [(0, math.log(2)), (STEPS, math.log(2))]  # the loss of a network that gives both classes the same chance
SLOPES = {"sigmoid": lambda y: 4 * y * (1 - y), "tanh": lambda y: 1 - y**2, "relu": lambda y: y > 0}  # of the steepest
FLAT = 0.1  # an output with less than this share of the steepest slope is flat
NORMS = {"none": lambda x: x, "layer": lambda x: torch.nn.functional.layer_norm(x, (WIDTH,)),
         "batch": lambda x: torch.nn.functional.batch_norm(x, None, None, training=True)}  # fmt: skip
USUAL = 1e-3  # of its weights, what a step changes of a layer


class Depth(Lesson):
    """The widget that `depth` makes.  ``losses`` has those before each step and after the last."""

    stored = 4
    layers, scale, rate = slider(FEWEST, MOST, 1, whole=True), slider(0.25, 4, log=True), slider(0.01, 1, log=True)
    activation, norm, residual = choice(*SLOPES), choice(*NORMS), choice("none", "whole", "zero")
    page = (row("layers", "scale", "rate"), row("activation", "norm", "residual"), "status", beside("update", "spread"),
            beside("flat", "loss"))  # fmt: skip

    def run(self, layers, scale, rate, activation, norm, residual):
        if not FEWEST <= layers <= MOST:
            self.refuse("range", fewest=FEWEST, most=MOST)
        with fixed_seed():
            data, weights = rings().double(), self.weights()
        with torch.enable_grad():
            self.train(data, weights)
        start, end, steps, right, points = self.losses[0], self.losses[-1], len(self.losses) - 1, self.right, POINTS
        finite = [(step, loss) for step, loss in enumerate(self.losses) if math.isfinite(loss)]
        lost, across = len(finite) <= STEPS, ("layer", 1, max(layers, 7))
        changes = self.felt[0]["update"][1:] if self.felt else [0.0]  # without layer 1, whose inputs are the points
        least, most = (f"{choose(changes):.2g}" for choose in (min, max))
        usual = "grad 1 0 dashed", [(end, USUAL) for end in across[1:]], []
        felt = [{step: (style, list(enumerate(found[name], 1)))
                 for (step, style), found in zip(TWO.items(), self.felt, strict=False)}
                for name in ("update", "spread", "flat")]  # fmt: skip
        update = Plot(HALF, across, POWERS, 2, usual=usual, **felt[0])
        spread = Plot(HALF, across, POWERS, 2, **felt[1])
        flat = Plot(HALF, across, ("", 0, 1.05), 2, **felt[2])
        loss = Plot(HALF, ("step", 0, STEPS), ("", 0, None), 2, guess=("grad 1 0 dashed", GUESS, []),
                    losses=("root 2 0", finite), end=("error 0 5", finite[-1:] if lost else []))  # fmt: skip
        status = ["lost" if lost else "learned", "felt"] if finite else ["none"]
        return locals()

    def weights(self):
        """A matrix for each layer, whose numbers have the spread scale / √inputs, and one for the score."""
        return [((self.scale if shape[1] > 1 else 1) * torch.randn(shape).double() / shape[0] ** 0.5).requires_grad_()
                for shape in pairwise([2, *[WIDTH] * self.layers, 1])]  # fmt: skip

    def train(self, points, weights):
        biases = [torch.zeros(weight.shape[1]).double().requires_grad_() for weight in weights]
        shares = [torch.full((), float(self.residual == "whole")).double().requires_grad_(self.residual == "zero")
                  for _ in weights]  # fmt: skip
        optimizer = torch.optim.SGD([*weights, *biases, *shares], lr=self.rate)
        self.losses, self.felt = [], []
        while len(self.losses) <= STEPS:
            x, outputs, sums = points, [], []
            for weight, bias, share in zip(weights[:-1], biases, shares, strict=False):
                y = getattr(torch, self.activation)(NORMS[self.norm](x @ weight + bias))
                x = x + share * y if self.residual != "none" and x.shape == y.shape else y
                outputs.append(y)
                sums.append(x)
            loss, self.right = judged(x @ weights[-1] + biases[-1])
            self.losses.append(loss.item())
            if not math.isfinite(self.losses[-1]):
                break
            optimizer.zero_grad()
            loss.backward()
            if len(self.losses) in (1, STEPS):
                self.felt.append(self.measures(weights[:-1], outputs, sums))
            optimizer.step()

    def measures(self, weights, outputs, sums):
        """Of each layer: the size of its next update over that of its weights, its spread, and its flat share."""
        return {"update": [self.rate * (each.grad.norm() / each.norm()).item() for each in weights],
                "spread": [x.std().item() for x in sums],
                "flat": [(SLOPES[self.activation](y) < FLAT).double().mean().item() for y in outputs]}  # fmt: skip


def depth(layers=20, *, activation="sigmoid", scale=1.0, residual="none", norm="none", rate=0.1):
    """What the weights of a deep network feel in its first and last step of training, and the loss over 100 steps.

    The network learns to tell a disc from a ring around it, by SGD with a learning rate; its layers have 24 numbers,
    and biases that begin at 0. layers: 2 to 30; activation: "sigmoid", "tanh" or "relu"; scale: of the initial
    weights, times 1/√inputs; residual: whether a layer replaces its input, "none", is added to it, "whole", or is added
    times a number that is learned and begins at 0, "zero"; norm: "none", "layer" or "batch", before the activation.

    >>> from autograd_nb import widgets
    >>> widgets.depth(20)
    A deep network. In 100 steps the loss goes from 0.7006 to 0.6931; a guess has 0.6931. 20 of 40 points are right. The
    first step changes the weights of layers 2 to 20 by 1.6e-15 to 0.00086 of their size.
    """
    return Depth(**locals())
