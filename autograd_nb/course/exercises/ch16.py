"""Chapter 16, training: an outer product, the slope of a loss, two layers by hand, a loop in the wrong order."""

import autograd_nb as torch

from . import Prediction, Question
from .material import leaf, numbers

p1 = Prediction("error")
p2 = Prediction("columns")
p3 = Prediction("same")
p4 = Prediction("neither")
p5 = Prediction("no_grad")

q1 = Question(
    [[3.0, 4.0], [3.0, 4.0]],
    wrong={"turned": [[3.0, 3.0], [4.0, 4.0]], "weights": [[3.0, 0.0], [0.0, 4.0]], "ones": [[1.0, 1.0], [1.0, 1.0]]},
)


# q2: the slope of binary cross-entropy


def slope_of_loss(z, y):
    return (torch.sigmoid(z) - y) / len(z)


q2 = Question(
    slope_of_loss,
    samples=lambda random: [
        (numbers(random, -1.5, 1.5, size), torch.tensor(random.integers(0, 2, size).tolist() + [1]).float()[-size:])
        for size in (2, 3, 5)
    ],
    wrong={
        "mean": "/ len(z) →",
        "sign": "torch.sigmoid(z) - y → y - torch.sigmoid(z)",
        "sigmoid": "torch.sigmoid(z) → z",
        "targets": "- y →",
        "autograd": lambda z, y: torch.autograd.grad(
            torch.nn.functional.binary_cross_entropy_with_logits(leaf := z.detach().requires_grad_(), y), leaf
        )[0],
        "at_p": "(torch.sigmoid(z) - y) → ((p := torch.sigmoid(z)) - y) / (p * (1 - p))",
        "squares": "(torch.sigmoid(z) - y) → 2 * ((p := torch.sigmoid(z)) - y) * p * (1 - p)",
        "one": "/ len(z) → .mean()",
    },
)


# q3: backpropagation through two layers


def two_layers(w_1, w_2, x):
    hidden = torch.tanh(w_1 @ x)
    back = torch.ones(len(w_2))
    back_at_hidden = (w_2.t() @ back) * (1 - hidden**2)
    return torch.outer(back_at_hidden, x), torch.outer(back, hidden)


def layers_through_autograd(w_1, w_2, x):
    w_1, w_2 = (w.detach().requires_grad_() for w in (w_1, w_2))
    return torch.autograd.grad((w_2 @ torch.tanh(w_1 @ x)).sum(), (w_1, w_2))


q3 = Question(
    two_layers,
    samples=lambda random: [
        [numbers(random, -1.5, 1.5, *shape) for shape in ((size, 3), (size, size), (3,))] for size in (2, 3, 4)
    ],
    wrong={
        "no_tanh": "* (1 - hidden**2) →",
        "place": "(1 - hidden**2) → (1 - (w_1 @ x) ** 2)",
        "not_turned": ".t() →",
        "order": "back_at_hidden, x), torch.outer(back, hidden → back, hidden), torch.outer(back_at_hidden, x",
        "autograd": layers_through_autograd,
        "square": "hidden**2 → hidden",
        "before": "outer(back, hidden) → outer(back, w_1 @ x)",
        "output": "torch.ones(len(w_2)) → w_2 @ hidden",
    },
)


# q4: a loop in the wrong order


def fit(w, x, y, steps):
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return w


q4 = Question(
    fit,
    ships=("optimizer.zero_grad() →", "loss.backward() → loss.backward(); optimizer.zero_grad()"),
    samples=lambda random: [
        (leaf(random, -1.5, 1.5, 2), numbers(random, -1.5, 1.5, 4, 2), numbers(random, -1.5, 1.5, 4), steps)
        for steps in (2, 3, 5)
    ],
    wrong={
        "never": "optimizer.zero_grad() →",
        "late": ("optimizer.step() →", "loss = → optimizer.step(); loss ="),
    },
)
