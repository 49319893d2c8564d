"""Chapter 11, in place: a version counted, what may be written over, a silent error repaired, one element replaced."""

import autograd_nb as torch

from .prediction import Prediction
from .question import Question

p1 = Prediction("error", choices=("runs", "error", "wrong"))
p2 = Prediction("noticed", choices=("kept", "silent", "noticed", "refused"))
p3 = Prediction("zeros", choices=("error", "right", "zeros"))
p4 = Prediction("unnoticed", choices=("noticed", "unnoticed", "copy"))
p5 = Prediction("error", choices=("old", "new", "error", "step"))
p6 = Prediction("copied", choices=("same", "copied", "row", "refused"))


def _numbers(random, count, low=-2.0, **options):
    return torch.tensor(random.uniform(low, 2, count).tolist(), **options)


q1 = Question(2, wrong={"u_counted": 3, "index_forgotten": 1, "creation_counted": 4})

q2 = Question(
    {"a", "d"},
    wrong={"sine_left_out": {"d"}, "sum_left_out": {"a"}, "all": {"a", "b", "c", "d"}, "others": {"b", "c"}},
)


# q3: a silent error


def pair(x):
    b = x.exp()
    c = b.detach().clone()
    c[c < 1] = 0.0
    return b, c


def through_data(x):
    b = x.exp()
    c = b.data
    c[c < 1] = 0.0
    return b, c


def through_detach(x):
    b = x.exp()
    c = b.detach()
    c[c < 1] = 0.0
    return b, c


def keeps_graph(x):
    b = x.exp()
    c = b.clone()
    c[c < 1] = 0.0
    return b, c


def cuts_both(x):
    b = x.exp().detach()
    c = b.clone()
    c[c < 1] = 0.0
    return b, c


def _pair_and_gradient(result, x):
    b, c = result
    parts = {"": result, "b.requires_grad": b.requires_grad, "c.requires_grad": c.requires_grad}
    if b.requires_grad:
        parts["x.grad"] = torch.autograd.grad(b.sum(), x)[0]
    return parts


q3 = Question(
    pair,
    ships=through_data,
    samples=lambda random: [
        (torch.tensor([-1.0, *random.uniform(-2, 2, size).tolist()], requires_grad=True),) for size in (2, 3, 5)
    ],
    looks_at=_pair_and_gradient,
    wrong={"detach": through_detach, "graph": keeps_graph, "both_cut": cuts_both},
)


# q4: one element replaced


def with_first(x, value):
    y = x.clone()
    y[0] = value
    return y


def writes_into_leaf(x, value):
    x[0] = value
    return x


def under_no_grad(x, value):
    with torch.no_grad():
        x[0] = value
    return x * 1


def without_graph(x, value):
    y = x.detach().clone()
    y[0] = value
    return y


def copied_unrecorded(x, value):
    y = x.clone()
    y.data[0] = value
    return y


def _gradient_and_leaf(result, x, value):
    parts = {"": result, "x": x, "result.requires_grad": result.requires_grad}
    if result.requires_grad:
        weights = torch.arange(2.0, 2.0 + len(x))
        parts["x.grad"] = torch.autograd.grad((result * weights).sum(), x)[0]
    return parts


q4 = Question(
    with_first,
    samples=lambda random: [
        (_numbers(random, size, requires_grad=True), float(random.uniform(3, 4))) for size in (2, 3, 4)
    ],
    looks_at=_gradient_and_leaf,
    wrong={
        "leaf": writes_into_leaf,
        "leaf_changed": under_no_grad,
        "no_graph": without_graph,
        "data": copied_unrecorded,
    },
)
