"""Chapter 17: what its cards ask for, found by running it."""

import math

import autograd_nb as torch
from autograd_nb.course.exercises.ch17 import Value, backward
from tests.course.proofs.proof import Proof


def _slopes_of_a_product():
    a, b = (torch.tensor(value, requires_grad=True) for value in (2.0, 7.0))
    return [slope.item() for slope in torch.autograd.grad(a * b, (a, b))]


def _first_and_second():
    x = torch.tensor(5.0, requires_grad=True)
    (first,) = torch.autograd.grad(torch.log(x**3), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return [first.item(), second.item()]


def _saved():
    one, two = torch.tensor(2.0, requires_grad=True), torch.tensor(7.0)
    node = (one * two).grad_fn
    return [saved.item() for saved in (node._saved_self, node._saved_other) if saved is not None]


def _same_losses():
    """Whether a neuron learns the same in the small engine and in the real one."""
    small, w = Value(0.5), torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    bent = math.tanh(0.5)
    result = Value(bent, (small,), (1 - bent**2,))
    backward(result * result)
    (torch.tanh(w) ** 2).backward()
    return math.isclose(small.grad, w.grad.item(), rel_tol=1e-12)


p1 = Proof(_slopes_of_a_product, own=[2.0, 7.0], other=[7.0, 2.0], ones=[1.0, 1.0])
p4 = Proof(_first_and_second, same_sign=[0.6, 0.12], falling=[0.6, -0.12], zero=[0.6, 0.0])
p5 = Proof(_saved, both=[2.0, 7.0], own=[2.0], other=[7.0])
p6 = Proof(_same_losses, same=True, alike=False, apart=None)
