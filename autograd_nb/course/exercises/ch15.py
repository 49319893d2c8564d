"""Chapter 15, define-by-run: a loop's slope, a power by products, a branch that gives nan, a function in two parts."""

import autograd_nb as torch

from . import Prediction, Question
from .doing import branches
from .material import leaf

p1 = Prediction("changes")
p2 = Prediction("shared")
p3 = Prediction("three")
p4 = Prediction("nan")


def _tripled_past_100(x):
    y = x
    while y < 100:
        y = y * 3
    return y


_x = torch.tensor(2.0, requires_grad=True)
q1 = Question(
    torch.autograd.grad(_tripled_past_100(_x), _x)[0].item(), wrong={"one_less": 27.0, "value": 162.0, "once": 3.0}
)


def _value_and_gradient(result, x, *_):
    if not isinstance(result, torch.Tensor) or not result.requires_grad:
        return {"": result, "x.grad": 0.0}
    return {"": result, "x.grad": torch.autograd.grad(result.sum(), x, retain_graph=True)[0]}


def _and_nothing_elsewhere(result, x):
    zero = isinstance(result, torch.Tensor) and not result.detach()[x <= 0].any().item()
    return _value_and_gradient(result, x) | {"(result[x <= 0] == 0).all()": zero}


# q2: a power by products


def power(x, n):
    y = torch.tensor(1.0)
    for _ in range(n):
        y = y * x
    return y


q2 = Question(
    power,
    way=lambda did, answer, x, n: "power" if did.operations.count("mul") < n - 1 else None,
    samples=lambda random: [(leaf(random, 0.5, 2), n) for n in (4, 3, 1, 0)],
    looks_at=_value_and_gradient,
    wrong={
        "one_more": "torch.tensor(1.0) → x",
        "squares": ("torch.tensor(1.0) → x", "range(n) → range(n - 1)", "y * x → y * y"),
        "cut": "y * x → y.detach() * x",
        "numbers": ("torch.tensor(1.0) → 1.0", "y * x → y * x.item()", "return y → return torch.tensor(y)"),
        "power": lambda x, n: x**n,
    },
)


# q3: the branch not taken


def root(x):
    safe = torch.where(x > 0, x, 1.0)
    return torch.where(x > 0, torch.sqrt(safe), 0.0)


q3 = Question(
    root,
    ships=("safe = torch.where(x > 0, x, 1.0) →", "safe → x"),
    samples=lambda random: [
        (torch.tensor([0.0, -1.0, *random.uniform(0.5, 4, size).tolist()], requires_grad=True),) for size in (1, 2, 4)
    ],
    looks_at=_and_nothing_elsewhere,
    wrong={
        "detached": "torch.sqrt(safe) → torch.sqrt(x.detach())",
        "one_there": "torch.where(x > 0, torch.sqrt(safe), 0.0) → torch.sqrt(safe)",
        "shifted": "torch.sqrt(safe) → torch.sqrt(x + 0.01)",
        "clamped": lambda x: torch.sqrt(x.clamp(min=0)),
    },
)


# q4: a function in two parts


def two_parts(x):
    if x < 1:
        return x**2
    return 2 * x - 1


q4 = Question(
    two_parts,
    way=lambda did, answer, *_: None if branches(answer) and "where" not in did.operations else "both",
    samples=lambda random: [(leaf(random, *ends),) for ends in ((-1, 0.9), (1.1, 3), (0, 0.5), (2, 4))],
    looks_at=_value_and_gradient,
    wrong={
        "turned": "x < 1 → x >= 1",
        "square": lambda x: x**2,
        "numbers": lambda x: torch.tensor(x.item() ** 2 if x < 1 else 2 * x.item() - 1),
        "both": lambda x: torch.where(x < 1, x**2, 2 * x - 1),
    },
)
