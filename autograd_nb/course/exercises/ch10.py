"""Chapter 10, switching it off: a path that is cut, a step unrecorded, a leak, two halves joined."""

import autograd_nb as torch

from .doing import mentions
from .functions import Formula
from .material import numbers, type_of
from .prediction import Prediction
from .question import Question

p1 = Prediction("leaves", choices=("none", "leaves", "all", "refused"))
p2 = Prediction("as_nested", choices=("stays_off", "as_nested", "left_on", "refused"))
p3 = Prediction("error", choices=("reaches", "nothing", "error"))
p4 = Prediction(3.0, wrong={"both_paths": 6.0, "no_path": 0.0, "value": 9.0})
p5 = Prediction(74.0, wrong={"last_half": 20.0, "first_half": 10.0})
p6 = Prediction("no_grad", choices=("both", "no_grad", "inference", "neither"))


q1 = Question(12.0, wrong={"nothing_cut": 16.0, "all_cut": 8.0, "both_ways_cut": 4.0})


# q2: a step that is not recorded


def step(w, rate):
    with torch.no_grad():
        w -= rate * w.grad
    return w


def a_new_tensor(w, rate):
    with torch.no_grad():
        return w - rate * w.grad


def recorded(w, rate):
    w -= rate * w.grad
    return w


def a_new_result(w, rate):
    return w - rate * w.grad


def uphill(w, rate):
    with torch.no_grad():
        w += rate * w.grad
    return w


def through_data(w, rate):
    w.data -= rate * w.grad
    return w


def _moved(result, w, rate):
    return {"": result, "w": w, "result is w": result is w, "result.requires_grad": result.requires_grad,
            "w.requires_grad": w.requires_grad}  # fmt: skip


def _with_gradient(random):
    w = numbers(random, 3, requires_grad=True)
    (w**2).sum().backward()
    return w


q2 = Question(
    step,
    samples=lambda random: [(_with_gradient(random), rate) for rate in (0.1, 0.3)],
    looks_at=_moved,
    way=lambda did, answer, *_: "data" if mentions(answer, "data") else None,
    wrong={
        "new": a_new_tensor,
        "recorded": recorded,
        "new_result": a_new_result,
        "uphill": uphill,
        "data": through_data,
    },
)


# q3: a leak


def mean_loss(w, batches):
    total = torch.tensor(0.0)
    for batch in batches:
        total = total + ((w * batch) ** 2).sum().detach()
    return total / len(batches)


def mean_with_graphs(w, batches):
    total = torch.tensor(0.0)
    for batch in batches:
        total = total + ((w * batch) ** 2).sum()
    return total / len(batches)


def gives_number(w, batches):
    return sum(((w * batch) ** 2).sum().item() for batch in batches) / len(batches)


def freezes_w(w, batches):
    return mean_with_graphs(w.requires_grad_(False), batches)


def sums_only(w, batches):
    return sum(((w * batch) ** 2).sum().detach() for batch in batches)


def cut_at_the_end(w, batches):
    return mean_with_graphs(w, batches).detach()


def _number_and_graph(result, w, batches):
    graph = {"result.requires_grad": getattr(result, "requires_grad", None), "w.requires_grad": w.requires_grad}
    return {"": result, "type(result)": type_of(result)} | graph


q3 = Question(
    mean_loss,
    ships=mean_with_graphs,
    samples=lambda random: [
        (numbers(random, 2, requires_grad=True), [numbers(random, 2) for _ in range(count)]) for count in (2, 3, 12)
    ],
    looks_at=_number_and_graph,
    way=lambda did, *_: "alive" if did.alive > 12 else None,  # of 12 turns, with three nodes each
    wrong={"number": gives_number, "frozen": freezes_w, "sum": sums_only, "alive": cut_at_the_end},
)


# q4: two halves


def in_halves(x, first, second):
    y = first(x)
    w = y.detach().requires_grad_()
    second(w).backward()
    y.backward(gradient=w.grad)
    return x.grad


def only_second_half(x, first, second):
    w = first(x).detach().requires_grad_()
    second(w).backward()
    return x.grad


def gradient_at_the_cut(x, first, second):
    w = first(x).detach().requires_grad_()
    second(w).backward()
    return w.grad


def ones_at_the_cut(x, first, second):
    y = first(x)
    w = y.detach().requires_grad_()
    second(w).backward()
    y.backward(gradient=torch.ones_like(y))
    return x.grad


def forgets_to_require(x, first, second):
    second(first(x).detach()).backward()
    return x.grad


def in_one_walk(x, first, second):
    second(first(x)).backward()
    return x.grad


_square, _triple = Formula("t**2", "t"), Formula("torch.stack([t.sum(), 3 * t[0], t[1] * t[0]])", "t")
_weighted, _cubes = Formula("(t * torch.arange(1.0, 1.0 + len(t))).sum()", "t"), Formula("(t**3).sum()", "t")


q4 = Question(
    in_halves,
    way=lambda did, *_: None if did.passes > 1 else "one_walk",
    samples=lambda random: [
        (numbers(random, 2, requires_grad=True), first, second)
        for first, second in ((_square, _weighted), (_triple, _weighted), (_triple, _cubes))
    ],
    wrong={
        "half": only_second_half,
        "at_the_cut": gradient_at_the_cut,
        "ones": ones_at_the_cut,
        "no_leaf": forgets_to_require,
        "one_walk": in_one_walk,
    },
)
