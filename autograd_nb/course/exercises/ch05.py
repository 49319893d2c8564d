"""Chapter 05, many paths: sums over paths, a hook that counts, a shared weight, an order for the walk."""

import autograd_nb as torch

from .question import Question
from .running import run


def _doubled_twice():
    a = torch.tensor(1.0, requires_grad=True)
    b = a + a
    c = b + b
    c.backward()
    return a.grad.item()


q1 = Question(_doubled_twice(), wrong={"one_path": 1.0, "last_sum": 2.0, "counted_nodes": 3.0})


def _visits():
    x = torch.tensor(5.0, requires_grad=True)
    seen = []
    x.register_hook(seen.append)
    (torch.log(x**3) + torch.sqrt(x**2)).backward()
    return len(seen)


q2 = Question(_visits(), wrong={"each_path": 2, "never": 0, "each_node": 4})


# q3: one weight, used for every element


def shared(w, data):
    loss = ((w * data) ** 2).sum()
    loss.backward()
    return w.grad


def last_use_only(w, data):
    ((w * data[-1:]) ** 2).sum().backward()
    return w.grad


def mean_over_uses(w, data):
    ((w * data) ** 2).mean().backward()
    return w.grad


def outer_link_only(w, data):
    used = w * data
    return 2 * used.detach().sum()


q3 = Question(
    shared,
    samples=lambda random: [
        (torch.tensor(random.uniform(1, 3), requires_grad=True), torch.tensor(random.uniform(-2, 2, size).tolist()))
        for size in (3, 4, 5)
    ],
    wrong={"last": last_use_only, "mean": mean_over_uses, "outer": outer_link_only},
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


def from_the_leaves(inputs):
    return walk(inputs)[::-1]


def depth_first(inputs):
    order = []

    def visit(node):
        if node not in order:
            order.append(node)
            for source in inputs[node]:
                visit(source)

    used = {source for sources in inputs.values() for source in sources}
    for node in inputs:
        if node not in used:
            visit(node)
    return order


def every_path(inputs):
    used = {source for sources in inputs.values() for source in sources}
    order = [node for node in inputs if node not in used]
    for node in order:
        order.extend(inputs[node])
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
        facts = {"graph": str(inputs), "got": str(order)}
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
        "from_the_leaves": from_the_leaves,
        "too_early": depth_first,
        "twice": every_path,
        "nodes_missing": lambda inputs: [],
    },
)
