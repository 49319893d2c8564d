"""Chapter 17, inside the engine: a small engine to work with, a walk that does not wait, and a row of one's own."""

import inspect
import math

import autograd_nb as torch
from autograd_nb.engine.table import Row

from . import Prediction, Question
from .functions import Formula, edited

p1 = Prediction("other")
p2 = Prediction(8191.0, wrong={"values": 13, "paths": 4096, "two_each": 24})
p3 = Prediction("more")
p4 = Prediction("falling")
p6 = Prediction("same")
p5 = Prediction("other")


class Value:
    """A number that remembers what it was computed from, and the slope along each of those.

    >>> x = Value(3.0)
    >>> backward(x * x)
    >>> x.grad
    6.0
    """

    def __init__(self, data, sources=(), slopes=()):
        self.data, self.sources, self.slopes = data, sources, slopes
        self.grad = 0.0

    def __repr__(self):
        return f"Value({self.data:.6g})"

    def __add__(self, other):
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), (other.data, self.data))


def uses(root):
    """How often each value below *root* is used."""
    counts, to_see = {}, [root]
    for value in to_see:
        for source in value.sources:
            if source not in counts:
                to_see.append(source)
            counts[source] = counts.get(source, 0) + 1
    return counts


def walk(root):
    counts, ready, arrived = uses(root), [root], {root: 1.0}
    while ready:
        value = ready.pop()
        for source, slope in zip(value.sources, value.slopes, strict=True):
            arrived[source] = arrived.get(source, 0.0) + arrived[value] * slope
            counts[source] -= 1
            if counts[source] == 0:
                ready.append(source)
    return arrived


def backward(root):
    """Add the slopes of *root* to the ``grad`` of its leaves."""
    for value, gradient in walk(root).items():
        if not value.sources:
            value.grad += gradient


# q1: a walk that keeps the last use only

replaces = edited(walk, "arrived.get(source, 0.0) + →")
_a = Value(3.0)
_b = _a + _a
_c = _b * _b
q1 = Question(replaces(_c)[_a], wrong={"at_b": 12.0, "added": walk(_c)[_a], "value": 36.0})


# q2: division


def _value_and_slopes(result, a, b):
    if not isinstance(getattr(result, "data", None), float):
        return result
    backward(result)
    return {"": result.data, "a.grad": a.grad, "b.grad": b.grad}


def divide(a, b):
    return Value(a.data / b.data, (a, b), (1 / b.data, -a.data / b.data**2))


q2 = Question(
    divide,
    samples=lambda random: tuple(Value(random.uniform(0.5, 3)) for _ in range(2)),
    looks_at=_value_and_slopes,
    wrong={
        "minus": "-a.data → a.data",
        "numerator": ("(a, b), → (a,),", ", -a.data / b.data**2 → ,"),
        "product": "1 / b.data, -a.data / b.data**2 → b.data, a.data",
        "exchanged": "1 / b.data, -a.data / b.data**2 → -a.data / b.data**2, 1 / b.data",
        "square": "b.data**2 → b.data",
        "number": lambda a, b: a.data / b.data,
    },
)


# q3: a walk that does not wait


AT_ONCE = (
    "counts, ready, arrived = uses(root), [root], {root: 1.0} → arrived, ready = {root: 1.0}, [root]",
    "counts[source] -= 1\n            if counts[source] == 0:\n                ready → ready",
)
_doubled = Formula("(b := x + x) + b")
_long_and_short = Formula("(c := (b := x * x) * x) * b + (b + c) * x")
_diamond = Formula("((b := x * x) + x) * (b * b) + b")


class _Counted(Value):
    """A value that counts how often somebody reads the sources of values of its kind."""

    asked = 0

    @property
    def sources(self):
        _Counted.asked += 1
        return vars(self)["sources"]

    @sources.setter
    def sources(self, sources):
        vars(self)["sources"] = sources


def _each_once(did, answer, *_):
    """Whether a walk through ten doublings (1,024 paths through eleven values) visits each value only a few times."""
    _Counted.asked, value = 0, _Counted(1.0)
    for _ in range(10):
        value = _Counted(2 * value.data, (value, value), (1.0, 1.0))
    answer(value)
    return "every_path" if _Counted.asked > 500 else None


def from_the_leaves(root):
    order, arrived = [], {root: 1.0}

    def visit(value):
        if value not in order:
            for source in value.sources:
                visit(source)
            order.append(value)

    visit(root)
    for value in order:
        for source, slope in zip(value.sources, value.slopes, strict=True):
            arrived[source] = arrived.get(source, 0.0) + arrived.get(value, 0.0) * slope
    return arrived


def follows_every_path(root):
    arrived = {}

    def follow(value, gradient):
        arrived[value] = arrived.get(value, 0.0) + gradient
        for source, slope in zip(value.sources, value.slopes, strict=True):
            follow(source, gradient * slope)

    follow(root, 1.0)
    return arrived


q3 = Question(
    walk,
    way=_each_once,
    ships=AT_ONCE,
    samples=lambda random: [(make, Value(random.uniform(0.5, 2))) for make in (_doubled, _long_and_short, _diamond)],
    calls=lambda answer, root, x: answer(root(x)),
    looks_at=lambda arrived, root, x: {"arrived[x]": arrived.get(x)},
    wrong={
        "early": (
            *AT_ONCE,
            "[root] → [root]; seen = {root}",
            "ready.append(source) → if source not in seen: seen.add(source); ready.append(source)",
        ),
        "replaces": replaces,
        "every_path": follows_every_path,
        "leaves_first": from_the_leaves,
    },
)


# q4: a row of one's own


def formula(grad, self, result):
    return grad * -2 * self * result**2


def _in_a_row(formula, x, grad):
    """The first and second derivatives by a formula, on arrays and then on tensors."""
    names = [*inspect.signature(formula).parameters]
    if "grad" in names[1:]:
        raise TypeError(f"formula(): the first parameter should be grad, and is {names[0]}")
    if names[:1] != ["grad"]:
        given = {"self": x, "result": 1 / (1 + x * x)}
        return {"x.grad": formula(*(given[name] for name in names))}
    row = Row("bell", lambda self: 1 / (1 + self**2), {"self": formula}, ("self",))
    x, grad = torch.tensor(x, requires_grad=True), torch.tensor(grad)
    row.call(x).backward(grad)
    if x.grad is None or not torch.allclose(x.grad, -2 * x.detach() * grad / (1 + x.detach() ** 2) ** 2):
        return {"x.grad": x.grad}
    (first,) = torch.autograd.grad(row.call(x), x, grad, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return {"x.grad": x.grad, "second derivative": second}


q4 = Question(
    formula,
    samples=lambda random: tuple(random.uniform(0.5, 2, 2).tolist()),
    calls=_in_a_row,
    wrong={
        "grad": "grad * →",
        "minus": "-2 → 2",
        "inside": lambda grad, result: grad * -(result**2),
    },
)


# q5: a kink for the small engine


def relu(x):
    if x.data > 0:
        return Value(x.data, (x,), (1.0,))
    return Value(0.0, (x,), (0.0,))


def _with_gradient(result, x):
    if not isinstance(result, Value):
        return result
    backward(result)
    return {"": result.data, "x.grad": x.grad}


q5 = Question(
    relu,
    looks_at=_with_gradient,
    samples=lambda random: [(Value(x),) for x in (random.uniform(0.2, 0.9), -random.uniform(0.2, 0.9), 2.0)],
    wrong={
        "always": lambda x: Value(max(x.data, 0.0), (x,), (1.0,)),
        "no_source": lambda x: Value(max(x.data, 0.0)),
        "tanh": lambda x: Value(max(x.data, 0.0), (x,), (1 - math.tanh(x.data) ** 2,)),
    },
)
