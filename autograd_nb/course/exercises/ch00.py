"""Chapter 00, welcome: reading a gradient, computing one, what a gradient of zero means, and asking for one."""

import autograd_nb as torch

from . import Prediction, Question
from .material import leaf

p1 = Prediction(8.01, tolerance=0.02, wrong={"rise": 0.0801, "as_far": 1.0, "value": 16.0})
p2 = Prediction(8.0, wrong={"value": 16.0, "nudged": 8.01, "point": 4.0})
p3 = Prediction(-6.0, wrong={"no_sign": 6.0, "value": 9.0, "as_before": 8.0})
p4 = Prediction("error")
p5 = Prediction("up")

q1 = Question(8.0, wrong={"value": 16.0, "point": 4.0, "slope_of_2x": 2.0})


def gradient(x):
    y = x**2 + 3 * x
    y.backward()
    return x.grad


q2 = Question(
    gradient,
    samples=lambda random: [(leaf(random, -4, 4),) for _ in range(4)],
    wrong={
        "value": lambda x: x**2 + 3 * x,
        "none": lambda x: (x**2 + 3 * x).backward(),
        "half": "x**2 + 3 * x → x**2",
        "formula": lambda x: 2 * x + 3,
    },
)

q3 = Question(3.0, wrong={"root": 0.0, "other_root": 6.0, "value": -9.0})


# q4: a gradient that nobody asked for


def slope_of_root(number):
    x = torch.tensor(number, requires_grad=True)
    y = torch.sqrt(x)
    y.backward()
    return x.grad


q4 = Question(
    slope_of_root,
    ships=", requires_grad=True →",
    samples=lambda random: (random.uniform(1, 9),),
    wrong={
        "result": (", requires_grad=True →", "y.backward → y.requires_grad_().backward"),
        "value": "x.grad → y",
        "formula": lambda number: 1 / (2 * number**0.5),
    },
)
