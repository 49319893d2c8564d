"""Chapter 13: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _slope(create_graph):
    x = torch.tensor(5.0, requires_grad=True)
    (slope,) = torch.autograd.grad(torch.log(x**3), x, create_graph=create_graph)
    return x, slope


def _slope_of(create_graph):
    x, slope = _slope(create_graph)
    return torch.autograd.grad(slope, x)[0]


def _two_parts():
    x = torch.tensor(5.0, requires_grad=True)
    a, b = 3 * x**2, 1 / x**3
    return [torch.autograd.grad(one, x, other.detach())[0].item() for one, other in ((a, b), (b, a))]


def _penalty_of_a_constant():
    w, x = (torch.tensor(values, requires_grad=True) for values in ([3.0, 4.0], [0.5, -0.5]))
    (slope,) = torch.autograd.grad(torch.sin(w @ x), x)
    ((slope.norm() - 1) ** 2).backward()
    return w.grad


p1 = Proof(lambda: _slope_of(False), works=-0.12, zero=0.0, error=RuntimeError)
p3 = Proof(_two_parts, halves=[-0.06, -0.06], parts=[0.24, -0.36], both_down=[-0.24, 0.12])
p5 = Proof(_penalty_of_a_constant, same=None, zeros=[0.0, 0.0], error=RuntimeError)
