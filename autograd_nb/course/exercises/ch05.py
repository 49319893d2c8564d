"""Chapter 05, many paths: a product of one tensor with itself, a path lost, a shared weight, an order for the walk."""

import autograd_nb as torch

from . import Prediction, Question
from .filling import Filling
from .material import leaf, numbers
from .running import run, short

p1 = Prediction(1.6, wrong={"upper": 0.6, "lower": 1.0, "mean": 0.8})
p2 = Prediction(6.0, wrong={"last": 3.0, "mean": 2.0, "value": 12.0})
p3 = Prediction("sum")
p4 = Prediction(4.0, wrong={"last": 2.0, "nodes": 3.0, "one": 1.0})
p5 = Prediction("nodes")
p6 = Prediction("once")

p7 = Filling("""
x = torch.tensor(2.0, requires_grad=True)
y = x**3
w = x + 1
z = y * w
z.backward()
""")


def _square_and_itself():
    a = torch.tensor(3.0, requires_grad=True)
    (a * a + a).backward()
    return a.grad.item()


q1 = Question(_square_and_itself(), wrong={"one_path": 6.0, "one_use": 4.0, "constants": 2.0, "value": 12.0})


# q2: a path lost


def by_hand(x):
    gradient = 3 * x**2 * (1 / x**3)
    gradient += 2 * x * (1 / (2 * x))
    return gradient


q2 = Question(
    by_hand,
    ships="+= → =",
    samples=lambda random: (random.uniform(1, 6),),
    wrong={
        "multiplied": "+= → *=",
        "mean": "return gradient → return gradient / 2",
    },
)


# q3: one weight, used for every element


def shared(w, data):
    loss = ((w * data) ** 2).sum()
    loss.backward()
    return w.grad


q3 = Question(
    shared,
    samples=lambda random: [(leaf(random, 1, 3), numbers(random, -2, 2, size)) for size in (3, 4, 5)],
    wrong={
        "last": "w * data → w * data[-1:]",
        "mean": "sum() → mean()",
        "outer": lambda w, data: 2 * (w * data).detach().sum(),
        "formula": lambda w, data: 2 * w * (data**2).sum(),
    },
)


# q4: an order for the walk


def walk(inputs):
    order, waiting = [], {node: 0 for node in inputs}
    for node in inputs:
        for source in inputs[node]:
            waiting[source] += 1
    ready = [node for node in inputs if waiting[node] == 0]
    while ready:
        node = ready.pop()
        order.append(node)
        for source in inputs[node]:
            waiting[source] -= 1
            if waiting[source] == 0:
                ready.append(source)
    return order


GRAPHS = (
    {"x": [], "y": ["x"], "z": ["y"]},
    {"x": [], "y": ["x"], "w": ["x"], "z": ["y", "w"]},
    {"a": [], "b": ["a", "a"], "c": ["b", "b"]},
    {"z": ["x", "y"], "y": ["w"], "w": ["x"], "x": []},
)


def _rule(answer):
    """Right for any order in which each node stands once, after every node that uses it."""
    for inputs in GRAPHS:
        order = run(answer, (inputs,), silent=True)
        facts = {"graph": str(inputs), "got": short(order)}
        if not isinstance(order, (list, tuple)) or {*order} != {*inputs}:
            return "nodes_missing", facts
        if len(order) != len(inputs):
            return "twice", facts
        place = {node: index for index, node in enumerate(order)}
        early = [(source, node) for node in inputs for source in inputs[node] if place[source] < place[node]]
        if early:
            facts |= {"early": early[0][0], "user": early[0][1]}
            return "from_the_leaves" if order[-1] in ("z", "c") else "too_early", facts
    return None


q4 = Question(
    walk,
    rule=_rule,
    wrong={
        "from_the_leaves": "return order → return order[::-1]",
        "too_early": "waiting[source] == 0: → source not in order + ready:",
        "twice": "if waiting[source] == 0: → if True:",
        "nodes_missing": lambda inputs: [],
    },
)
