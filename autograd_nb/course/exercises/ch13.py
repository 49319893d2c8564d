"""Chapter 13, derivatives of derivatives: by hand, to the n-th, a Hessian times a vector, a penalty that counts."""

import autograd_nb as torch

from .functions import Formula
from .prediction import Prediction
from .question import Question

p1 = Prediction("error", choices=("works", "zero", "error"))
p2 = Prediction(-0.12, wrong={"positive": 0.12, "undivided": -0.6, "cubed": -0.024})
p3 = Prediction("parts", choices=("halves", "parts", "both_down"))
p4 = Prediction(72.0, wrong={"fourth": 24.0, "squared": 216.0, "stays": 108.0})
p5 = Prediction("some", choices=("ten", "some", "thousand"))
p6 = Prediction("error", choices=("same", "zeros", "error"))

q1 = Question(60.0, wrong={"first": 58.0, "kept_linear": 62.0, "third": 30.0})


def _numbers(random, count):
    return torch.tensor(random.uniform(-2, 2, count).tolist(), requires_grad=True)


# q2: the n-th derivative


def nth_derivative(f, x, n):
    value = f(x)
    for _ in range(n):
        (value,) = torch.autograd.grad(value, x, create_graph=True)
    return value


def stops_at_first(f, x, n):
    (value,) = torch.autograd.grad(f(x), x)
    return value


def forgets_create_graph(f, x, n):
    value = f(x)
    for _ in range(n):
        (value,) = torch.autograd.grad(value, x)
    return value


def one_too_many(f, x, n):
    return nth_derivative(f, x, n + 1)


def adds_in_grad(f, x, n):
    value = f(x)
    for _ in range(n):
        value.backward(create_graph=True)
        value = x.grad
    return value


def power_of_first(f, x, n):
    return stops_at_first(f, x, n) ** n


_wavy, _growing = Formula("torch.sin(2 * x) * x**3"), Formula("torch.exp(x / 2) + x**5")


q2 = Question(
    nth_derivative,
    samples=lambda random: [
        (f, torch.tensor(random.uniform(0.5, 2), requires_grad=True), n)
        for f, n in ((_wavy, 2), (_growing, 3), (_wavy, 4))
    ],
    wrong={
        "first": stops_at_first, "no_graph": forgets_create_graph, "too_many": one_too_many, "power": power_of_first,
        "adds": adds_in_grad,
    },
)  # fmt: skip


# q3: a Hessian times a vector


def hessian_product(f, x, v):
    (gradient,) = torch.autograd.grad(f(x), x, create_graph=True)
    (product,) = torch.autograd.grad(gradient @ v, x)
    return product


def only_the_slope_along(f, x, v):
    (gradient,) = torch.autograd.grad(f(x), x)
    return gradient @ v


def gradient_times(f, x, v):
    (gradient,) = torch.autograd.grad(f(x), x)
    return gradient * v


def sums_the_gradient(f, x, v):
    (gradient,) = torch.autograd.grad(f(x), x, create_graph=True)
    (summed,) = torch.autograd.grad(gradient.sum(), x)
    return summed


def forgets_the_graph(f, x, v):
    (gradient,) = torch.autograd.grad(f(x), x)
    (product,) = torch.autograd.grad(gradient @ v, x)
    return product


def by_differences(f, x, v, h=1e-3):
    above, below = (torch.autograd.grad(f(x + step * v), x)[0] for step in (h, -h))
    return (above - below) / (2 * h)


def whole_matrix(f, x, v):
    return torch.autograd.functional.hessian(f, x) @ v


def _by_two_walks(did, answer, f, x, v):
    if not did.recorded:
        return "differences"
    return "matrix" if did.passes > 4 == len(v) else None


_coupled = Formula("(x[1:] * x[:-1] ** 2).sum() + (x**4).sum()")
_waves = Formula("torch.sin(x).sum() * (x**2).sum()")


q3 = Question(
    hessian_product,
    samples=lambda random: [
        (f, _numbers(random, size), _numbers(random, size).detach())
        for f, size in ((_coupled, 2), (_waves, 3), (_coupled, 4))
    ],
    wrong={
        "slope_along": only_the_slope_along, "elementwise": gradient_times, "summed": sums_the_gradient,
        "no_graph": forgets_the_graph, "matrix": whole_matrix, "differences": by_differences,
    },
    way=_by_two_walks,
)  # fmt: skip


# q4: a penalty that training does not see


def penalised(w, x):
    out = (torch.tanh(w * x)).sum()
    (slope,) = torch.autograd.grad(out, x, create_graph=True)
    loss = out + 10 * (slope**2).sum()
    loss.backward()
    return w.grad


def penalty_is_a_constant(w, x):
    out = (torch.tanh(w * x)).sum()
    (slope,) = torch.autograd.grad(out, x, retain_graph=True)
    loss = out + 10 * (slope**2).sum()
    loss.backward()
    return w.grad


def only_the_penalty(w, x):
    out = (torch.tanh(w * x)).sum()
    (slope,) = torch.autograd.grad(out, x, create_graph=True)
    (10 * (slope**2).sum()).backward()
    return w.grad


def slope_along_w(w, x):
    out = (torch.tanh(w * x)).sum()
    (slope,) = torch.autograd.grad(out, w, create_graph=True)
    loss = out + 10 * (slope**2).sum()
    loss.backward()
    return w.grad


def adds_the_first_walk(w, x):
    out = (torch.tanh(w * x)).sum()
    out.backward(create_graph=True)
    (out + 10 * (x.grad**2).sum()).backward()
    return w.grad


q4 = Question(
    penalised,
    ships=penalty_is_a_constant,
    samples=lambda random: [(_numbers(random, size), _numbers(random, size)) for size in (1, 2, 3)],
    wrong={"only_penalty": only_the_penalty, "wrong_slope": slope_along_w, "adds": adds_the_first_walk},
)
