"""Chapter 00, welcome: reading a gradient, computing one, and what a gradient of zero means."""

import autograd_nb as torch

from .question import Question

q1 = Question(8.0, wrong={"value": 16.0, "point": 4.0, "slope_of_2x": 2.0})


def gradient(x):
    y = x**2 + 3 * x
    y.backward()
    return x.grad


def gives_value(x):
    return x**2 + 3 * x


def gives_what_backward_returns(x):
    return (x**2 + 3 * x).backward()


def squares_only(x):
    (x**2).backward()
    return x.grad


q2 = Question(
    gradient,
    samples=lambda random: [(torch.tensor(random.uniform(-4, 4), requires_grad=True),) for _ in range(4)],
    wrong={"value": gives_value, "none": gives_what_backward_returns, "half": squares_only},
)

q3 = Question(3.0, wrong={"root": 0.0, "other_root": 6.0, "value": -9.0})
