"""Chapter 07, vectors: a product by hand, a whole Jacobian, a gradient as a tensor, one column."""

import autograd_nb as torch

from .doing import mentions
from .functions import Formula
from .material import numbers, type_of
from .prediction import Prediction
from .question import Question

p1 = Prediction("weighed", choices=("sum", "weighed", "mean"))
p2 = Prediction("rows", choices=("columns", "rows", "sums"))
p3 = Prediction(1.0, wrong={"each_output": 3, "each_entry": 6})
p4 = Prediction("diagonal", choices=("diagonal", "ones", "values"))
p5 = Prediction("both", choices=("both", "first", "last", "refused"))
p6 = Prediction("second", choices=("all", "recorded", "second", "refused"))


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


def graph_is_freed(f, x):
    y = f(x)
    return torch.stack([torch.autograd.grad(y, x, v)[0] for v in torch.eye(len(y))])


def transposed(f, x):
    return whole_jacobian(f, x).T


def sum_of_rows(f, x):
    y = f(x)
    return torch.autograd.grad(y, x, torch.ones_like(y))[0]


def accumulating(f, x):
    y = f(x)
    rows = []
    for v in torch.eye(len(y)):
        y.backward(v, retain_graph=True)
        rows.append(x.grad.clone())
    return torch.stack(rows)


def through_functional(f, x):
    return torch.autograd.functional.jacobian(f, x)


def by_nudging(f, x, h=1e-3):
    with torch.no_grad():
        x = x.double()
        columns = [(f(x + h * v) - f(x - h * v)) / (2 * h) for v in torch.eye(len(x), dtype=x.dtype)]
        return torch.stack(columns).T


def _by_rows(did, answer, *_):
    if mentions(answer, "jacobian"):
        return "functional"
    return None if did.passes else "nudged"


q2 = Question(
    whole_jacobian,
    way=_by_rows,
    samples=lambda random: [(f, numbers(random, size, requires_grad=True)) for f, size in _FUNCTIONS],
    wrong={
        "freed": graph_is_freed,
        "transposed": transposed,
        "summed": sum_of_rows,
        "accumulated": accumulating,
        "functional": through_functional,
        "nudged": by_nudging,
    },
)


# q3: a gradient as a tensor


def gradient_at(loss, x):
    (gradient,) = torch.autograd.grad(loss(x), x, materialize_grads=True)
    return gradient


def gives_tuple(loss, x):
    return torch.autograd.grad(loss(x), x, materialize_grads=True)


def gives_none(loss, x):
    return torch.autograd.grad(loss(x), x, allow_unused=True)[0]


def fails_when_unused(loss, x):
    return torch.autograd.grad(loss(x), x)[0]


def through_backward(loss, x):
    loss(x).backward()
    return torch.zeros_like(x) if x.grad is None else x.grad


_LOSSES = tuple(map(Formula, ("(x**2).sum()", "x[0] * x[1]", "torch.tensor(2.0, requires_grad=True) ** 2")))

q3 = Question(
    gradient_at,
    samples=lambda random: [(loss, numbers(random, 3, requires_grad=True)) for loss in _LOSSES],
    looks_at=lambda result, loss, x: {"": result, "type(result)": type_of(result), "x.grad": x.grad},
    wrong={"tuple": gives_tuple, "none": gives_none, "unused": fails_when_unused, "left_in_grad": through_backward},
)


# q4: one column


def column(f, x, j):
    y = f(x)
    rows = [torch.autograd.grad(y, x, v, retain_graph=True)[0] for v in torch.eye(len(y))]
    return torch.stack(rows)[:, j]


def a_row(f, x, j):
    y = f(x)
    return torch.autograd.grad(y, x, torch.eye(len(y))[j])[0]


def entry_of_the_sum(f, x, j):
    return torch.autograd.grad(f(x).sum(), x)[0][j]


q4 = Question(
    column,
    samples=lambda random: [
        (f, numbers(random, size, requires_grad=True), j) for f, size in _FUNCTIONS for j in (0, 1)
    ],
    wrong={"row": a_row, "sum": entry_of_the_sum},
)
