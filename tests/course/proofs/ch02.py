"""Chapter 02: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _log_of_cube(**options):
    """x = 5, y = x³ and z = ln(y)."""
    x = torch.tensor(5.0, **options)
    y = x**3
    return x, y, torch.log(y)


def _leaves_unasked():
    x, y, z = _log_of_cube()
    return [x.is_leaf, y.is_leaf, z.is_leaf]


def _requiring():
    _, y, z = _log_of_cube(requires_grad=True)
    return [y.requires_grad, z.requires_grad]


def _made_before_the_switch():
    x, y = torch.ones(1), torch.ones(1)
    z = x + y
    x.requires_grad_()
    return z.requires_grad


def _switched_off():
    y = torch.ones(1, requires_grad=True) * 2
    y.requires_grad = False
    return y.requires_grad


def _one_of_two():
    a, b = torch.ones(2), torch.ones(2, requires_grad=True)
    c = a * b
    c.sum().backward()
    return [c.requires_grad, a.grad is None]


p1 = Proof(_leaves_unasked, x_only=[True, False, False], all=[True] * 3, none=[False] * 3)
p2 = Proof(_requiring, neither=[False, False], last=[False, True], both=[True, True])
p5 = Proof(_made_before_the_switch, follows=True, stays=False, refused=RuntimeError)
p6 = Proof(_switched_off, error=RuntimeError, off=False, ignored=True, later="only when backward runs")
p7 = Proof(_one_of_two, no=[False, True], both=[True, False], only_b=[True, True], refused=RuntimeError)
p8 = Proof(
    lambda: torch.tensor(2.0, requires_grad=True).double().is_leaf, leaf=True, result=False, refused=RuntimeError,
)  # fmt: skip
