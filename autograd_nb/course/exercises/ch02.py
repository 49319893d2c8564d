"""Chapter 02, leaves: which tensors are leaves, a gradient in the middle kept, a leaf that was none, a node's name."""

import autograd_nb as torch

from .filling import Kept
from .prediction import Prediction
from .question import Question

p3 = Kept("""
x = torch.tensor(2.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward()
""")
p1 = Prediction("all", choices=("x_only", "all", "none"))
p2 = Prediction("both", choices=("neither", "last", "both"))
p4 = Prediction(1.0, wrong={"value": 4.8283, "at_x": 0.6, "constant": 0.0})
p5 = Prediction("stays", choices=("follows", "stays", "refused"))
p6 = Prediction("error", choices=("error", "off", "ignored", "later"))
p7 = Prediction("only_b", choices=("no", "both", "only_b", "refused"))
p8 = Prediction("result", choices=("leaf", "result", "refused"))


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


def not_retained(x):
    y = x**3
    torch.log(y).backward()
    return y.grad


def of_x(x):
    torch.log(x**3).backward()
    return x.grad


def of_z(x):
    z = torch.log(x**3)
    z.retain_grad()
    z.backward()
    return z.grad


def by_formula(x):
    return 1 / x**3


def of_another(x):
    y = x**3
    y.retain_grad()
    z = torch.log(y)
    z.backward()
    return z.grad


q2 = Question(
    middle,
    samples=lambda random: [(torch.tensor(random.uniform(1, 4), requires_grad=True),) for _ in range(3)],
    way=lambda did, *_: None if did.passes else "formula",
    wrong={"not_retained": not_retained, "of_another": of_another, "of_x": of_x, "of_z": of_z, "formula": by_formula},
)  # fmt: skip


# q3: a leaf that was none


def in_double(number):
    x = torch.tensor(number, dtype=torch.float64, requires_grad=True)
    y = x**3
    y.backward()
    return x.grad


def converts_the_leaf(number):
    x = torch.tensor(number, requires_grad=True).double()
    y = x**3
    y.backward()
    return x.grad


def stays_in_float32(number):
    x = torch.tensor(number, requires_grad=True)
    y = x**3
    y.backward()
    return x.grad


def converts_the_gradient(number):
    x = torch.tensor(number, requires_grad=True)
    y = x**3
    y.backward()
    return x.grad.double()


def converts_the_number(number):
    x = torch.tensor(number).double().requires_grad_()
    y = x**3
    y.backward()
    return x.grad


def cubed_by_formula(number):
    return 3 * number**2


def _digits(result, number):
    """The gradient, its dtype, and its digits: float32's rounding is visible in float64's."""
    if not isinstance(result, torch.Tensor):
        return {"": result}
    return {"": result, "result.dtype": result.dtype, "result.item()": f"{result.item():.8g}"}


q3 = Question(
    in_double,
    ships=converts_the_leaf,
    samples=lambda random: [(random.uniform(1, 4),) for _ in range(3)],
    looks_at=_digits,
    way=lambda did, *_: None if did.passes else "formula",
    wrong={
        "float32": stays_in_float32, "too_late": converts_the_gradient, "rounded": converts_the_number,
        "formula": cubed_by_formula,
    },
)  # fmt: skip

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
