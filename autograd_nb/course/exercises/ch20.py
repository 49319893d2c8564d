"""Chapter 20, gradients in a deep network: factors a layer, weights at the start, ways around, clipping."""

import math

import autograd_nb as torch

from .prediction import Prediction
from .question import Question


def _sizes(layer, gain=1.0, depth=20):
    """The norms of the gradients at the outputs of layers, the first layer's first."""
    torch.manual_seed(0)
    x, sizes = torch.randn(64, 64), []
    for _ in range(depth):
        w = (gain * torch.randn(64, 64) / 8).requires_grad_()
        x = layer(x, w)
        x.register_hook(lambda grad: sizes.append(grad.norm().item()))
    x.backward(torch.randn(64, 64) / 64)
    return sizes[::-1]


def _a_layer(layer, gain=1.0):
    sizes = _sizes(layer, gain)
    return (sizes[0] / sizes[-1]) ** (1 / (len(sizes) - 1))


def _with_a_way_around():
    """The effect of residual connections: the gradient of layer 1 over the gradient of layer 20."""
    sizes = _sizes(lambda x, w: x + torch.sigmoid(x @ w))
    return "kept" if 0.5 < sizes[0] / sizes[-1] < 2 else "vanishes" if sizes[0] < sizes[-1] else "explodes"


def _normalised():
    norm = torch.nn.LayerNorm(64)
    small, large = (_sizes(lambda x, w: torch.tanh(norm(x @ w)), gain)[0] for gain in (0.5, 2.0))
    return "same" if abs(small / large - 1) < 0.01 else "small" if small > large else "large"


def _clipped_too_late():
    w = torch.tensor(1.0, requires_grad=True)
    (100 * w).backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    torch.nn.utils.clip_grad_norm_([w], 1.0)
    return w.item() != 1.0 - 0.01 * 1.0


def _first_step_of_adam():
    w = torch.nn.Parameter(torch.zeros(()))
    w.grad = torch.tensor(1e6)
    torch.optim.Adam([w], lr=0.001).step()
    return w.item()


p1 = Prediction(-math.log10(0.25**20), wrong={"layers": 20.0, "half": 6.0, "product": 5.0}, tolerance=0.05)
p2 = Prediction(lambda: _a_layer(lambda x, w: torch.relu(x @ w)), wrong={"kept": 1.0, "half": 0.5}, tolerance=0.06)
p3 = Prediction(_with_a_way_around, choices={each: each for each in ("vanishes", "explodes", "kept")})
p4 = Prediction(_normalised, choices={each: each for each in ("large", "same", "small")})
p5 = Prediction(_clipped_too_late, choices={"too_late": True, "same": False})
p6 = Prediction(_first_step_of_adam, wrong={"sgd": -1000.0, "up": 0.001})

q1 = Question((2 / 200) ** 0.5, wrong={"variance": 2 / 200, "glorot": (1 / 200) ** 0.5, "upside_down": 100**0.5})


# q2: the norms of all gradients


def norms(layers, x):
    sizes = []
    for layer in layers:
        x = layer(x)
        x.register_hook(lambda grad: sizes.append(grad.norm().item()))
    x.sum().backward()
    return sizes[::-1]


def last_first(layers, x):
    return norms(layers, x)[::-1]


def of_values(layers, x):
    sizes = []
    for layer in layers:
        x = layer(x)
        sizes.append(x.norm().item())
    return sizes


def of_inputs(layers, x):
    sizes = []
    for layer in layers:
        x = x.detach().requires_grad_() if not x.requires_grad else x
        x.register_hook(lambda grad: sizes.append(grad.norm().item()))
        x = layer(x)
    x.sum().backward()
    return sizes[::-1]


def of_the_mean(layers, x):
    sizes = []
    for layer in layers:
        x = layer(x)
        x.register_hook(lambda grad: sizes.append(grad.norm().item()))
    x.mean().backward()
    return sizes[::-1]


def _layers(random):
    torch.manual_seed(int(random.integers(1000)))
    return [torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Linear(5, 4), torch.nn.Sigmoid()], torch.randn(2, 3)


q2 = Question(
    norms,
    looks_at=lambda result, *_: [float(each) for each in result],
    samples=lambda random: [_layers(random) for _ in range(3)],
    wrong={"last_first": last_first, "values": of_values, "inputs": of_inputs, "mean": of_the_mean},
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


def ships(w, x, y, steps):
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        torch.nn.utils.clip_grad_norm_([w], 1.0)
        ((x @ w - y) ** 2).mean().backward()
        optimizer.step()
    return w


def clips_after_the_step(w, x, y, steps):
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        ((x @ w - y) ** 2).mean().backward()
        optimizer.step()
        torch.nn.utils.clip_grad_norm_([w], 1.0)
    return w


def clips_each_number(w, x, y, steps):
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        ((x @ w - y) ** 2).mean().backward()
        torch.nn.utils.clip_grad_value_([w], 1.0)
        optimizer.step()
    return w


def clips_the_weight(w, x, y, steps):
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        ((x @ w - y) ** 2).mean().backward()
        optimizer.step()
        with torch.no_grad():
            w *= min(1.0, 1.0 / w.norm().item())
    return w


def never_clears(w, x, y, steps):
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        ((x @ w - y) ** 2).mean().backward()
        torch.nn.utils.clip_grad_norm_([w], 1.0)
        optimizer.step()
    return w


def _far_away(random):
    w = torch.tensor((3 * random.normal(size=3)).tolist(), requires_grad=True)
    x = torch.tensor(random.normal(size=(8, 3)).tolist())
    return w, x, torch.tensor((10 * random.normal(size=8)).tolist()), 3


q3 = Question(
    fit,
    looks_at=lambda result, *_: result.tolist(),
    samples=lambda random: [_far_away(random) for _ in range(3)],
    ships=ships,
    wrong={"after": clips_after_the_step, "value": clips_each_number, "weight": clips_the_weight,
           "no_zero": never_clears},
)  # fmt: skip
