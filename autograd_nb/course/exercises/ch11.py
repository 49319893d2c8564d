"""Chapter 11, in place: a version counted, what may be written over, a silent error repaired, one element replaced."""

import autograd_nb as torch

from .prediction import Prediction
from .question import Question


def _added_to_exp():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = x.exp()
    z.add_(1)
    z.sum().backward()
    return "runs"


def _written_through_detach():
    b = torch.tensor([1.0, 2.0, 3.0], requires_grad=True).exp()
    b.detach().zero_()
    try:
        b.sum().backward()
    except RuntimeError:
        return [b[0].item() == 0, True]
    return [b[0].item() == 0, False]


def _gradient_after(write):
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    b = a.exp()
    write(b)
    b.sum().backward()
    return a.grad.tolist()


def _step_before_backward():
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    loss = (w * w).sum()
    with torch.no_grad():
        w.sub_(0.5)
    loss.backward()
    return w.grad


def _node_after_a_write():
    y = torch.ones(2, 2, requires_grad=True) * 1
    y[0].mul_(10)
    return type(y.grad_fn).__name__


_exp = torch.tensor([1.0, 2.0, 3.0]).exp().tolist()

p1 = Prediction(_added_to_exp, choices={"runs": "runs", "error": RuntimeError, "wrong": "wrong"})
p2 = Prediction(_written_through_detach, choices={
    "kept": [False, False], "silent": [True, False], "noticed": [True, True], "refused": RuntimeError,
})  # fmt: skip
p3 = Prediction(lambda: _gradient_after(lambda b: b.data.zero_()), choices={
    "error": RuntimeError, "right": _exp, "zeros": [0.0, 0.0, 0.0],
})  # fmt: skip
p4 = Prediction(lambda: _gradient_after(lambda b: b.detach().numpy().fill(0)), choices={
    "noticed": RuntimeError, "unnoticed": [0.0, 0.0, 0.0], "copy": _exp,
})  # fmt: skip
p5 = Prediction(_step_before_backward, choices={
    "old": [4.0, 6.0], "new": [3.0, 5.0], "error": RuntimeError, "step": "an error of the step",
})  # fmt: skip
p6 = Prediction(_node_after_a_write, choices={
    "same": "MulBackward0", "copied": "CopySlices", "row": "SelectBackward0", "refused": RuntimeError,
})  # fmt: skip


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
