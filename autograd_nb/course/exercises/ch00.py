"""Chapter 00, welcome: reading a gradient, computing one, what a gradient of zero means, and asking for one."""

import autograd_nb as torch

from .prediction import Prediction
from .question import Question

p1 = Prediction(8.01, tolerance=0.02, wrong={"rise": 0.0801, "as_far": 1.0, "value": 16.0})
p2 = Prediction(8.0, wrong={"value": 16.0, "nudged": 8.01, "point": 4.0})
p3 = Prediction(-6.0, wrong={"no_sign": 6.0, "value": 9.0, "as_before": 8.0})
p4 = Prediction("error", choices=("nothing", "error", "one"))


p5 = Prediction("up", choices=("down", "up", "stays"))

q1 = Question(8.0, wrong={"value": 16.0, "point": 4.0, "slope_of_2x": 2.0})


def gradient(x):
    y = x**2 + 3 * x
    y.backward()
    return x.grad


def gives_value(x):
    return x**2 + 3 * x


def gives_what_backward_returns(x):
    return (x**2 + 3 * x).backward()


def by_formula(x):
    return 2 * x + 3


def squares_only(x):
    (x**2).backward()
    return x.grad


q2 = Question(
    gradient,
    samples=lambda random: [(torch.tensor(random.uniform(-4, 4), requires_grad=True),) for _ in range(4)],
    way=lambda did, *_: None if did.passes else "formula",
    wrong={"value": gives_value, "none": gives_what_backward_returns, "half": squares_only, "formula": by_formula},
)

q3 = Question(3.0, wrong={"root": 0.0, "other_root": 6.0, "value": -9.0})


# q4: a gradient that nobody asked for


def slope_of_root(number):
    x = torch.tensor(number, requires_grad=True)
    y = torch.sqrt(x)
    y.backward()
    return x.grad


def asks_for_nothing(number):
    x = torch.tensor(number)
    y = torch.sqrt(x)
    y.backward()
    return x.grad


def asks_the_result(number):
    x = torch.tensor(number)
    y = torch.sqrt(x)
    y.requires_grad_()
    y.backward()
    return x.grad


def gives_the_root(number):
    x = torch.tensor(number, requires_grad=True)
    y = torch.sqrt(x)
    y.backward()
    return y


def by_root_formula(number):
    return 1 / (2 * number**0.5)


q4 = Question(
    slope_of_root,
    ships=asks_for_nothing,
    samples=lambda random: [(random.uniform(1, 9),) for _ in range(3)],
    way=lambda did, *_: None if did.passes else "formula",
    wrong={"result": asks_the_result, "value": gives_the_root, "formula": by_root_formula},
)
