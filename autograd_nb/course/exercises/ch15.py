"""Chapter 15, define-by-run: a loop's slope, a power by products, a branch that gives nan, a function in two parts."""

import autograd_nb as torch

from .doing import branches
from .prediction import Prediction
from .question import Question

p1 = Prediction("changes", choices=("once", "doublings", "changes"))
p2 = Prediction("shared", choices=("one_use", "shared", "each_its_own"))
p3 = Prediction("three", choices=("both", "three", "one", "refused"))
p4 = Prediction("nan", choices=("zero", "nan", "error"))


def _tripled_past_100(x):
    y = x
    while y < 100:
        y = y * 3
    return y


_x = torch.tensor(2.0, requires_grad=True)
q1 = Question(
    torch.autograd.grad(_tripled_past_100(_x), _x)[0].item(), wrong={"one_less": 27.0, "value": 162.0, "once": 3.0}
)


def _leaf(random):
    return torch.tensor(random.uniform(0.5, 2), requires_grad=True)


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


def one_too_many(x, n):
    y = x
    for _ in range(n):
        y = y * x
    return y


def squares_each_time(x, n):
    y = x
    for _ in range(n - 1):
        y = y * y
    return y


def detaches(x, n):
    y = torch.tensor(1.0)
    for _ in range(n):
        y = y.detach() * x
    return y


def on_numbers(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x.item()
    return torch.tensor(y)


def by_a_power(x, n):
    return x**n


q2 = Question(
    power,
    way=lambda did, answer, x, n: "power" if did.operations.count("mul") < n - 1 else None,
    samples=lambda random: [(_leaf(random), n) for n in (4, 3, 1, 0)],
    looks_at=_value_and_gradient,
    wrong={
        "one_more": one_too_many,
        "squares": squares_each_time,
        "cut": detaches,
        "numbers": on_numbers,
        "power": by_a_power,
    },
)


# q3: the branch not taken


def root(x):
    safe = torch.where(x > 0, x, 1.0)
    return torch.where(x > 0, torch.sqrt(safe), 0.0)


def gives_nan(x):
    return torch.where(x > 0, torch.sqrt(x), 0.0)


def detaches_root(x):
    return torch.where(x > 0, torch.sqrt(x.detach()), 0.0)


def only_made_safe(x):
    return torch.sqrt(torch.where(x > 0, x, 1.0))


def shifted(x):
    return torch.where(x > 0, torch.sqrt(x + 0.01), 0.0)


def clamped(x):
    return torch.sqrt(x.clamp(min=0))


q3 = Question(
    root,
    ships=gives_nan,
    samples=lambda random: [
        (torch.tensor([0.0, -1.0, *random.uniform(0.5, 4, size).tolist()], requires_grad=True),) for size in (1, 2, 4)
    ],
    looks_at=_and_nothing_elsewhere,
    wrong={"detached": detaches_root, "one_there": only_made_safe, "shifted": shifted, "clamped": clamped},
)


# q4: a function in two parts


def two_parts(x):
    if x < 1:
        return x**2
    return 2 * x - 1


def turned_round(x):
    if x < 1:
        return 2 * x - 1
    return x**2


def only_square(x):
    return x**2


def new_tensor(x):
    number = x.item()
    return torch.tensor(number**2 if number < 1 else 2 * number - 1)


def computes_both(x):
    return torch.where(x < 1, x**2, 2 * x - 1)


q4 = Question(
    two_parts,
    way=lambda did, answer, *_: None if branches(answer) and "where" not in did.operations else "both",
    samples=lambda random: [
        (torch.tensor(random.uniform(*ends), requires_grad=True),) for ends in ((-1, 0.9), (1.1, 3), (0, 0.5), (2, 4))
    ],
    looks_at=_value_and_gradient,
    wrong={"turned": turned_round, "square": only_square, "numbers": new_tensor, "both": computes_both},
)
