"""Chapter 02, leaves: which tensors are leaves, a gradient in the middle kept, a leaf that was none, a node's name."""

import autograd_nb as torch

from .question import Question


def _leaves():
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 2
    c = torch.tensor(3.0)
    d = c + 1
    return [x.is_leaf, y.is_leaf, c.is_leaf, d.is_leaf]


q1 = Question(
    _leaves(),
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


q2 = Question(
    middle,
    samples=lambda random: [(torch.tensor(random.uniform(1, 4), requires_grad=True),) for _ in range(3)],
    wrong={"not_retained": not_retained, "of_x": of_x, "of_z": of_z},
)


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


def _digits(result, number):
    """The gradient with its dtype: float32's rounding is visible in float64's digits."""
    return None if result is None else [str(result.dtype), f"{result.item():.12f}"]


q3 = Question(
    in_double,
    ships=converts_the_leaf,
    samples=lambda random: [(random.uniform(1, 4),) for _ in range(3)],
    looks_at=_digits,
    wrong={"float32": stays_in_float32, "too_late": converts_the_gradient},
)

q4 = Question(
    (2 * torch.tensor(1.0, requires_grad=True) + 1).grad_fn.name(),
    wrong={"first": "MulBackward0", "no_backward": "Add", "leaf": "AccumulateGrad", "none": None},
)
