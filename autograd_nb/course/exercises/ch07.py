"""Chapter 07, vectors: a product by hand, a whole Jacobian, a gradient as a tensor, one column."""

import autograd_nb as torch

from .question import Question


def _numbers(random, count, **options):
    return torch.tensor(random.uniform(0.5, 3, count).tolist(), **options)


def _mix(x):
    return torch.stack([x[0] * x[1], x[1] ** 2, x.sum()])


def _square(x):
    return x**2 + x[0]


def _two_of_three(x):
    return torch.stack([x[0] * x[2], x[1] / x[0]])


_FUNCTIONS = ((_mix, 2), (_square, 3), (_two_of_three, 3))

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


q2 = Question(
    whole_jacobian,
    samples=lambda random: [(f, _numbers(random, size, requires_grad=True)) for f, size in _FUNCTIONS],
    wrong={"freed": graph_is_freed, "transposed": transposed, "summed": sum_of_rows, "accumulated": accumulating},
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


_elsewhere = torch.tensor(2.0, requires_grad=True)


def _sum_of_squares(x):
    return (x**2).sum()


def _product(x):
    return x[0] * x[1]


def _of_another(x):
    return _elsewhere**2


q3 = Question(
    gradient_at,
    samples=lambda random: [
        (loss, _numbers(random, 3, requires_grad=True)) for loss in (_sum_of_squares, _product, _of_another)
    ],
    looks_at=lambda result, loss, x: (result, isinstance(result, torch.Tensor), x.grad is None),
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
        (f, _numbers(random, size, requires_grad=True), j) for f, size in _FUNCTIONS for j in (0, 1)
    ],
    wrong={"row": a_row, "sum": entry_of_the_sum},
)
