"""Chapter 07, vectors: a product by hand, a whole Jacobian, a gradient as a tensor, one column."""

import autograd_nb as torch

from .doing import mentions
from .material import numbers, type_of
from .prediction import Prediction
from .question import Formula, Question


def _weighed(root):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    weights = torch.tensor([1.0, 0.0, 10.0])
    (gradient,) = torch.autograd.grad(root(x**2, weights), x)
    return gradient.tolist()


def _given():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x**2).backward(torch.tensor([1.0, 0.0, 10.0]))
    return x.grad


def _three_of_two(x):
    return torch.stack([x[0] * x[1], x[0] ** 2, 3 * x[1]])


def _times_the_table():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    _three_of_two(x).backward(torch.tensor([1.0, 10.0, 100.0]))
    return x.grad


def _visits():
    visits = []
    y = _three_of_two(torch.tensor([1.0, 2.0], requires_grad=True))
    y.grad_fn.register_hook(lambda *gradients: visits.append(gradients))
    y.backward(torch.ones(3))
    return len(visits)


def _quickstart():
    inp = torch.eye(4, 5, requires_grad=True)
    out = (inp + 1).pow(2).t()
    out.backward(torch.ones_like(out))
    return inp.grad[0, :2].tolist()


def _two_roots():
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.autograd.backward([a**2, a.sum()], [torch.tensor([10.0, 1.0]), None])
    return a.grad


def _that_require_grad():
    x = torch.tensor(2.0, requires_grad=True)
    gradients = (torch.autograd.grad(x**2, x), torch.autograd.grad(x**2, x, create_graph=True),
                 torch.autograd.grad(3 * x, x, create_graph=True))  # fmt: skip
    return [gradient.requires_grad for (gradient,) in gradients]


p1 = Prediction(_given, choices={
    "sum": _weighed(lambda y, weights: y.sum()), "weighed": _weighed(lambda y, weights: (weights * y).sum()),
    "mean": _weighed(lambda y, weights: y.mean()),
})  # fmt: skip
p2 = Prediction(_times_the_table, choices={"columns": [12.0, 210.0, 300.0], "rows": [22.0, 301.0], "sums": [4.0, 4.0]})
p3 = Prediction(_visits, wrong={"each_output": 3, "each_entry": 6})
p4 = Prediction(_quickstart, choices={"diagonal": [4.0, 2.0], "ones": [1.0, 1.0], "values": [4.0, 1.0]})
p5 = Prediction(_two_roots, choices={"both": [21.0, 5.0], "first": [20.0, 4.0], "last": [1.0, 1.0],
                                           "refused": RuntimeError})  # fmt: skip
p6 = Prediction(_that_require_grad, choices={
    "all": [True, True, True], "recorded": [False, True, True], "second": [False, True, False],
    "refused": RuntimeError,
})  # fmt: skip


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
