"""Chapter 13, derivatives of derivatives: by hand, to the n-th, a Hessian times a vector, a penalty, dual numbers."""

import math

import autograd_nb as torch

from . import Prediction, Question
from .functions import Formula
from .material import leaf, numbers

p1 = Prediction("error")
p2 = Prediction(-0.12, wrong={"positive": 0.12, "undivided": -0.6, "cubed": -0.024})
p3 = Prediction("parts")
p4 = Prediction(72.0, wrong={"fourth": 24.0, "squared": 216.0, "stays": 108.0})
p5 = Prediction("error")
p6 = Prediction(3.0, wrong={"one": 1, "nudges": 4})

q1 = Question(60.0, wrong={"first": 58.0, "kept_linear": 62.0, "third": 30.0})


# q2: the n-th derivative


def nth_derivative(f, x, n):
    value = f(x)
    for _ in range(n):
        (value,) = torch.autograd.grad(value, x, create_graph=True)
    return value


_wavy, _growing = Formula("torch.sin(2 * x) * x**3"), Formula("torch.exp(x / 2) + x**5")


q2 = Question(
    nth_derivative,
    samples=lambda random: [(f, leaf(random, 0.5, 2), n) for f, n in ((_wavy, 2), (_growing, 3), (_wavy, 4))],
    wrong={
        "first": ("range(n) → range(1)", ", create_graph=True →"),
        "no_graph": ", create_graph=True →",
        "too_many": "range(n) → range(n + 1)",
        "power": ("range(n) → range(1)", ", create_graph=True →", "return value → return value**n"),
        "adds": ("(value,) = torch.autograd.grad(value, x, → value.backward(", "True) → True); value = x.grad"),
    },
)


# q3: a Hessian times a vector


def hessian_product(f, x, v):
    (gradient,) = torch.autograd.grad(f(x), x, create_graph=True)
    (product,) = torch.autograd.grad(gradient @ v, x)
    return product


def by_differences(f, x, v, h=1e-3):
    above, below = (torch.autograd.grad(f(x + step * v), x)[0] for step in (h, -h))
    return (above - below) / (2 * h)


def _by_two_walks(did, answer, f, x, v):
    if not did.recorded:
        return "differences"
    return "matrix" if did.passes > 4 == len(v) else None


_coupled = Formula("(x[1:] * x[:-1] ** 2).sum() + (x**4).sum()")
_waves = Formula("torch.sin(x).sum() * (x**2).sum()")


SECOND = "(product,) = torch.autograd.grad(gradient @ v, x)"

q3 = Question(
    hessian_product,
    samples=lambda random: [
        (f, leaf(random, -2, 2, size), numbers(random, -2, 2, size))
        for f, size in ((_coupled, 2), (_waves, 3), (_coupled, 4))
    ],
    wrong={
        "slope_along": (", create_graph=True →", f"{SECOND} → product = gradient @ v"),
        "elementwise": (", create_graph=True →", f"{SECOND} → product = gradient * v"),
        "summed": "gradient @ v → gradient.sum()",
        "no_graph": ", create_graph=True →",
        "matrix": lambda f, x, v: torch.autograd.functional.hessian(f, x) @ v,
        "differences": by_differences,
    },
    way=_by_two_walks,
)


# q4: a penalty that training does not see


def penalised(w, x):
    out = (torch.tanh(w * x)).sum()
    (slope,) = torch.autograd.grad(out, x, create_graph=True)
    loss = out + 10 * (slope**2).sum()
    loss.backward()
    return w.grad


q4 = Question(
    penalised,
    ships="create_graph → retain_graph",
    samples=lambda random: [(leaf(random, -2, 2, size), leaf(random, -2, 2, size)) for size in (1, 2, 3)],
    wrong={
        "only_penalty": "loss = out + 10 → loss = 10",
        "wrong_slope": "grad(out, x → grad(out, w",
        "adds": ("(slope,) = torch.autograd.grad(out, x, → out.backward(", "True) → True); slope = x.grad"),
    },
)


# q5: tanh of a dual number


class Dual:
    """A number and its slope.

    >>> z = Dual(2.0, 1.0) * Dual(2.0, 1.0)
    >>> z.value, z.slope
    (4.0, 4.0)
    """

    def __init__(self, value, slope=0.0):
        self.value, self.slope = value, slope

    def __add__(self, other):
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    def __repr__(self):
        return f"Dual({self.value:.4g}, {self.slope:.4g})"


def tanh(a):
    t = math.tanh(a.value)
    return Dual(t, a.slope * (1 - t * t))


def _parts(result, _):
    if not (hasattr(result, "value") and hasattr(result, "slope")):
        return result
    return {"": result.value, "slope": result.slope}


q5 = Question(
    tanh,
    looks_at=_parts,
    samples=lambda random: [(Dual(random.normal(), random.normal()),) for _ in range(4)],
    wrong={
        "no_chain": "a.slope * (1 - t * t) → 1 - t * t",
        "at_value": "t * t → a.value**2",
        "of_slope": "a.slope * (1 - t * t) → math.tanh(a.slope)",
        "no_slope": ", a.slope * (1 - t * t) →",
    },
)
