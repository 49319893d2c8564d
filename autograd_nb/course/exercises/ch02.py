"""Chapter 02, leaves: which tensors are leaves, a gradient in the middle kept, a leaf that was none, a node's name."""

import autograd_nb as torch

from . import Prediction, Question
from .filling import Kept
from .material import leaf

p3 = Kept("""
x = torch.tensor(2.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward()
""")
p1 = Prediction("all")
p2 = Prediction("both")
p4 = Prediction(1.0, wrong={"value": 4.8283, "at_x": 0.6, "constant": 0.0})
p5 = Prediction("stays")
p6 = Prediction("error")
p7 = Prediction("only_b")
p8 = Prediction("result")


def _leaves():
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 2
    c = torch.tensor(3.0)
    d = c + 1
    return [x.is_leaf, y.is_leaf, c.is_leaf, d.is_leaf]


q1 = Question(
    _leaves(),
    names=("x", "y", "c", "d"),
    wrong={
        "requires_grad": [True, False, False, False],
        "made_by_hand": [True, False, True, False],
        "all_results": [True, True, True, True],
    },
)


# q2: the gradient of a tensor in the middle


def middle(x):
    y = x**3
    y.retain_grad()
    z = torch.log(y)
    z.backward()
    return y.grad


q2 = Question(
    middle,
    samples=lambda random: (leaf(random, 1, 4),),
    wrong={
        "not_retained": "y.retain_grad() →",
        "of_another": "return y → return z",
        "of_x": ("y.retain_grad() →", "return y → return x"),
        "of_z": ("y.retain_grad() →", "z.backward() → z.retain_grad(); z.backward()", "return y → return z"),
        "formula": lambda x: 1 / x**3,
    },
)


# q3: a leaf that was none


def in_double(number):
    x = torch.tensor(number, dtype=torch.float64, requires_grad=True)
    y = x**3
    y.backward()
    return x.grad


def _digits(result, number):
    """The gradient, its dtype, and its digits: float32's rounding is visible in float64's."""
    if not isinstance(result, torch.Tensor):
        return {"": result}
    return {"": result, "result.dtype": result.dtype, "result.item()": f"{result.item():.8g}"}


q3 = Question(
    in_double,
    ships=(", dtype=torch.float64 →", "requires_grad=True) → requires_grad=True).double()"),
    samples=lambda random: (random.uniform(1, 4),),
    looks_at=_digits,
    wrong={
        "float32": ", dtype=torch.float64 →",
        "too_late": (", dtype=torch.float64 →", "x.grad → x.grad.double()"),
        "rounded": "number, dtype=torch.float64, requires_grad=True) → number).double().requires_grad_()",
        "formula": lambda number: 3 * number**2,
    },
)

q4 = Question(
    (2 * torch.tensor(1.0, requires_grad=True) + 1).grad_fn.name(),
    wrong={
        "first": "MulBackward0",
        "no_backward": "Add",
        "no_number": "AddBackward",
        "leaf": "AccumulateGrad",
        "none": None,
    },
)
