"""Chapter 07: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _weighed(root):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    weights = torch.tensor([1.0, 0.0, 10.0])
    (gradient,) = torch.autograd.grad(root(x**2, weights), x)
    return gradient.tolist()


def _given():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x**2).backward(torch.tensor([1.0, 0.0, 10.0]))
    return x.grad


def _three_of_two(x):
    return torch.stack([x[0] * x[1], x[0] ** 2, 3 * x[1]])


def _times_the_table():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    _three_of_two(x).backward(torch.tensor([1.0, 10.0, 100.0]))
    return x.grad


def _quickstart():
    inp = torch.eye(4, 5, requires_grad=True)
    out = (inp + 1).pow(2).t()
    out.backward(torch.ones_like(out))
    return inp.grad[0, :2].tolist()


p1 = Proof(
    _given, sum=_weighed(lambda y, weights: y.sum()), weighed=_weighed(lambda y, weights: (weights * y).sum()),
    mean=_weighed(lambda y, weights: y.mean()),
)  # fmt: skip
p2 = Proof(_times_the_table, columns=[12.0, 210.0, 300.0], rows=[22.0, 301.0], sums=[4.0, 4.0])
p4 = Proof(_quickstart, diagonal=[4.0, 2.0], ones=[1.0, 1.0], values=[4.0, 1.0])
