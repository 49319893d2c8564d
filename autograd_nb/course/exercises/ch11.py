"""Chapter 11, in place: a version counted, what may be written over, a silent error repaired, one element replaced."""

import autograd_nb as torch

from . import Prediction, Question
from .material import leaf

p1 = Prediction("error")
p2 = Prediction("noticed")
p3 = Prediction("zeros")
p4 = Prediction("unnoticed")
p5 = Prediction("error")
p6 = Prediction("copied")

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


def _pair_and_gradient(result, x):
    b, c = result
    parts = {"": result, "b.requires_grad": b.requires_grad, "c.requires_grad": c.requires_grad}
    if b.requires_grad:
        parts["x.grad"] = torch.autograd.grad(b.sum(), x)[0]
    return parts


q3 = Question(
    pair,
    ships="b.detach().clone() → b.data",
    samples=lambda random: [
        (torch.tensor([-1.0, *random.uniform(-2, 2, size).tolist()], requires_grad=True),) for size in (2, 3, 5)
    ],
    looks_at=_pair_and_gradient,
    wrong={
        "detach": ".clone() →",
        "graph": ".detach() →",
        "both_cut": "x.exp() → x.exp().detach()",
    },
)


# q4: one element replaced


def with_first(x, value):
    y = x.clone()
    y[0] = value
    return y


def _gradient_and_leaf(result, x, value):
    parts = {"": result, "x": x, "result.requires_grad": result.requires_grad}
    if result.requires_grad:
        weights = torch.arange(2.0, 2.0 + len(x))
        parts["x.grad"] = torch.autograd.grad((result * weights).sum(), x)[0]
    return parts


q4 = Question(
    with_first,
    samples=lambda random: [(leaf(random, -2, 2, size), float(random.uniform(3, 4))) for size in (2, 3, 4)],
    looks_at=_gradient_and_leaf,
    wrong={
        "leaf": "x.clone() → x",
        "leaf_changed": ("x.clone() → x", "y[0] = → with torch.no_grad(): y[0] =", "return y → return y * 1"),
        "no_graph": "x.clone() → x.detach().clone()",
        "data": "y[0] → y.data[0]",
    },
)
