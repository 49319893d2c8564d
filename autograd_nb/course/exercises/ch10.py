"""Chapter 10, switching it off: a path that is cut, a step unrecorded, a leak, two halves joined."""

import autograd_nb as torch

from . import Prediction, Question
from .doing import names_in
from .functions import Formula
from .material import leaf, numbers, type_of, with_gradient

p1 = Prediction("leaves")
p2 = Prediction("as_nested")
p3 = Prediction("error")
p4 = Prediction(3.0, wrong={"both_paths": 6.0, "no_path": 0.0, "value": 9.0})
p5 = Prediction(74.0, wrong={"last_half": 20.0, "first_half": 10.0})
p6 = Prediction("no_grad")

q1 = Question(12.0, wrong={"nothing_cut": 16.0, "all_cut": 8.0, "both_ways_cut": 4.0})


# q2: a step that is not recorded


def step(w, rate):
    with torch.no_grad():
        w -= rate * w.grad
    return w


def _moved(result, w, rate):
    return {"": result, "w": w, "result is w": result is w, "result.requires_grad": result.requires_grad,
            "w.requires_grad": w.requires_grad}  # fmt: skip


q2 = Question(
    step,
    samples=lambda random: [(with_gradient(random, 0.5, 3), rate) for rate in (0.1, 0.3)],
    looks_at=_moved,
    way=lambda did, answer, *_: "data" if "data" in names_in(answer) else None,
    wrong={
        "new": "w -= rate → w = w - rate",
        "recorded": "with torch.no_grad():\n        w → w",
        "new_result": lambda w, rate: w - rate * w.grad,
        "uphill": "-= → +=",
        "data": "w -= → w.data -=",
    },
)


# q3: a leak


def mean_loss(w, batches):
    total = torch.tensor(0.0)
    for batch in batches:
        total = total + ((w * batch) ** 2).sum().detach()
    return total / len(batches)


def _number_and_graph(result, w, batches):
    graph = {"result.requires_grad": getattr(result, "requires_grad", None), "w.requires_grad": w.requires_grad}
    return {"": result, "type(result)": type_of(result)} | graph


q3 = Question(
    mean_loss,
    ships=".detach() →",
    samples=lambda random: [
        (leaf(random, 0.5, 3, 2), [numbers(random, 0.5, 3, 2) for _ in range(count)]) for count in (2, 3, 12)
    ],
    looks_at=_number_and_graph,
    way=lambda did, *_: "alive" if did.alive > 12 else None,  # of 12 turns, with three nodes each
    wrong={
        "number": lambda w, batches: sum(((w * batch) ** 2).sum().item() for batch in batches) / len(batches),
        "frozen": ("total = torch → w.requires_grad_(False); total = torch", ".detach() →"),
        "sum": "/ len(batches) →",
        "alive": (".detach() →", "total / len(batches) → (total / len(batches)).detach()"),
    },
)


# q4: two halves


def in_halves(x, first, second):
    y = first(x)
    w = y.detach().requires_grad_()
    second(w).backward()
    y.backward(gradient=w.grad)
    return x.grad


_square, _triple = Formula("t**2", "t"), Formula("torch.stack([t.sum(), 3 * t[0], t[1] * t[0]])", "t")
_weighted, _cubes = Formula("(t * torch.arange(1.0, 1.0 + len(t))).sum()", "t"), Formula("(t**3).sum()", "t")


q4 = Question(
    in_halves,
    way=lambda did, *_: None if did.passes > 1 else "one_walk",
    samples=lambda random: [
        (leaf(random, 0.5, 3, 2), first, second)
        for first, second in ((_square, _weighted), (_triple, _weighted), (_triple, _cubes))
    ],
    wrong={
        "half": "y.backward(gradient=w.grad) →",
        "at_the_cut": ("y.backward(gradient=w.grad) →", "x.grad → w.grad"),
        "ones": "=w.grad → =torch.ones_like(y)",
        "no_leaf": (".requires_grad_() →", "y.backward(gradient=w.grad) →"),
        "one_walk": (".detach().requires_grad_() →", "y.backward(gradient=w.grad) →"),
    },
)
