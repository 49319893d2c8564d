"""Chapter 07, vectors: a product by hand, a whole Jacobian, a gradient as a tensor, one column."""

import autograd_nb as torch

from . import Prediction, Question
from .doing import names_in
from .functions import Formula
from .material import leaf, type_of

p1 = Prediction("weighed")
p2 = Prediction("rows")
p3 = Prediction(1.0, wrong={"each_output": 3, "each_entry": 6})
p4 = Prediction("diagonal")


_FUNCTIONS = (
    (Formula("torch.stack([x[0] * x[1], x[1] ** 2, x.sum()])"), 2),
    (Formula("x**2 + x[0]"), 3),
    (Formula("torch.stack([x[0] * x[2], x[1] / x[0]])"), 3),
)

q1 = Question([4.0, 6.0], wrong={"ones": [2.0, 5.0], "columns": [5.0, 4.0], "first_row": [2.0, 1.0]})


# q2: a whole Jacobian


def whole_jacobian(f, x):
    y = f(x)
    rows = [torch.autograd.grad(y, x, v, retain_graph=True)[0] for v in torch.eye(len(y))]
    return torch.stack(rows)


def by_nudging(f, x, h=1e-3):
    with torch.no_grad():
        x = x.double()
        columns = [(f(x + h * v) - f(x - h * v)) / (2 * h) for v in torch.eye(len(x), dtype=x.dtype)]
        return torch.stack(columns).T


q2 = Question(
    whole_jacobian,
    way=lambda did, answer, *_: "functional" if "jacobian" in names_in(answer) else None if did.passes else "nudged",
    samples=lambda random: [(f, leaf(random, 0.5, 3, size)) for f, size in _FUNCTIONS],
    wrong={
        "freed": ", retain_graph=True →",
        "transposed": "torch.stack(rows) → torch.stack(rows).T",
        "summed": lambda f, x: torch.autograd.grad(y := f(x), x, torch.ones_like(y))[0],
        "accumulated": ("torch.autograd.grad(y, x, v, → (y.backward(v,", "True)[0] → True), x.grad.clone())[1]"),
        "functional": lambda f, x: torch.autograd.functional.jacobian(f, x),
        "nudged": by_nudging,
    },
)


# q3: a gradient as a tensor


def gradient_at(loss, x):
    (gradient,) = torch.autograd.grad(loss(x), x, materialize_grads=True)
    return gradient


def through_backward(loss, x):
    loss(x).backward()
    return torch.zeros_like(x) if x.grad is None else x.grad


_LOSSES = tuple(map(Formula, ("(x**2).sum()", "x[0] * x[1]", "torch.tensor(2.0, requires_grad=True) ** 2")))

q3 = Question(
    gradient_at,
    samples=lambda random: [(loss, leaf(random, 0.5, 3, 3)) for loss in _LOSSES],
    looks_at=lambda result, loss, x: {"": result, "type(result)": type_of(result), "x.grad": x.grad},
    wrong={
        "tuple": "(gradient,) → gradient",
        "none": "materialize_grads → allow_unused",
        "unused": ", materialize_grads=True →",
        "left_in_grad": through_backward,
    },
)


# q4: one column


def column(f, x, j):
    y = f(x)
    rows = [torch.autograd.grad(y, x, v, retain_graph=True)[0] for v in torch.eye(len(y))]
    return torch.stack(rows)[:, j]


q4 = Question(
    column,
    samples=lambda random: [(f, leaf(random, 0.5, 3, size), j) for f, size in _FUNCTIONS for j in (0, 1)],
    wrong={
        "row": lambda f, x, j: torch.autograd.grad(y := f(x), x, torch.eye(len(y))[j])[0],
        "sum": lambda f, x, j: torch.autograd.grad(f(x).sum(), x)[0][j],
    },
)
