"""Chapter 20, gradients in a deep network: factors a layer, weights at the start, ways around, clipping."""

import autograd_nb as torch

from . import Prediction, Question
from .doing import CLIPS
from .material import normal

p1 = Prediction(12.0412, wrong={"layers": 20.0, "half": 6.0, "product": 5.0}, tolerance=0.05)
p2 = Prediction(0.708654, wrong={"kept": 1.0, "half": 0.5}, tolerance=0.06)
p3 = Prediction("kept")
p4 = Prediction("same")
p5 = Prediction("too_late")

q1 = Question((2 / 200) ** 0.5, wrong={"variance": 2 / 200, "glorot": (1 / 200) ** 0.5, "upside_down": 100**0.5})


# q2: the norms of all gradients


def norms(layers, x):
    sizes = []
    for layer in layers:
        x = layer(x)
        x.register_hook(lambda grad: sizes.append(grad.norm().item()))
    x.sum().backward()
    return sizes[::-1]


def _layers(random):
    torch.manual_seed(int(random.integers(1000)))
    return [torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Linear(5, 4), torch.nn.Sigmoid()], torch.randn(2, 3)


q2 = Question(
    norms,
    looks_at=lambda result, *_: [float(each) for each in result],
    samples=_layers,
    wrong={
        "last_first": "[::-1] →",
        "values": (
            "x.register_hook(lambda grad: sizes.append(grad.norm().item())) → sizes.append(x.norm().item())",
            "x.sum().backward() →",
            "[::-1] →",
        ),
        "inputs": (
            "x = layer(x) → x = x if x.requires_grad else x.detach().requires_grad_()",
            "norm().item())) → norm().item())); x = layer(x)",
        ),
        "mean": "x.sum() → x.mean()",
    },
)


# q3: clip between backward and step


def fit(w, x, y, steps):
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        ((x @ w - y) ** 2).mean().backward()
        torch.nn.utils.clip_grad_norm_([w], 1.0)
        optimizer.step()
    return w


CLIPPED = "torch.nn.utils.clip_grad_norm_([w], 1.0)"


def _far_away(random):
    w = normal(random, 3, scale=3.0, requires_grad=True)
    x = normal(random, 8, 3)
    return w, x, normal(random, 8, scale=10.0), 3


def _near(random):
    """All gradients have a norm below 1."""
    w, x, _, steps = _far_away(random)
    return w, x, (x @ w).detach() + 0.1, steps


q3 = Question(
    fit,
    looks_at=lambda result, *_: result.tolist(),
    samples=lambda random: [*(_far_away(random) for _ in range(3)), _near(random)],
    ships=(f"{CLIPPED} →", f"optimizer.zero_grad() → optimizer.zero_grad(); {CLIPPED}"),
    deeds={"after": CLIPS},
    wrong={
        "after": (f"{CLIPPED} →", f"optimizer.step() → optimizer.step(); {CLIPPED}"),
        "never": f"{CLIPPED} →",
        "always": f"{CLIPPED} → w.grad /= w.grad.norm()",
        "value": "norm_ → value_",
        "weight": (f"{CLIPPED} →", "optimizer.step() → optimizer.step(); w.data *= min(1.0, 1.0 / w.norm().item())"),
        "no_zero": "optimizer.zero_grad() →",
    },
)
