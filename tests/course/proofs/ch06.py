"""Chapter 06: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _edge_to_a_fixed_exponent():
    y = torch.tensor(5.0, requires_grad=True) ** torch.tensor(3.0)
    node, number = y.grad_fn.next_functions[1]
    return [node and node.name(), number]


def _dot_product():
    x = torch.tensor(5.0, requires_grad=True)
    y = x * torch.tensor([2.0, 3.0, 5.0])
    y.retain_grad()
    (y @ torch.tensor([4.0, 7.0, 9.0])).backward()
    return x, y


def _column_and_row():
    column, row = torch.zeros(4, 1, requires_grad=True), torch.zeros(3, requires_grad=True)
    total = column + row
    total.sum().backward()
    return column, row, total


def _at_the_bias():
    bias = torch.zeros(2, requires_grad=True)
    (torch.arange(8.0).reshape(4, 2) + bias).sum().backward()
    return bias.grad


def _where_all_is_right():
    prediction = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
    ((prediction - torch.tensor([1.0, 2.0, 3.0])) ** 2).mean().backward()
    first, middle, last = prediction.grad.flatten().tolist()
    if (first, middle, last) == (0.0, 0.0, 0.0):
        return "zero"
    return "mean" if first < 0 == middle < last else "same"


p2 = Proof(
    _edge_to_a_fixed_exponent, leaf=["AccumulateGrad", 0], nothing=[None, 0], number=[3.0, 0], error=RuntimeError,
)  # fmt: skip
p3 = Proof(lambda: _dot_product()[1].grad, links=[2.0, 3.0, 5.0], weights=[4.0, 7.0, 9.0], products=[8.0, 21.0, 45.0])
p6 = Proof(
    lambda: [each.grad.flatten()[0].item() for each in _column_and_row()[:2]], ones=[1.0, 1.0], own_size=[4.0, 3.0],
    uses=[3.0, 4.0],
)  # fmt: skip
p7 = Proof(_at_the_bias, ones=[1.0, 1.0], rows=[4.0, 4.0], sums=[12.0, 16.0], refused=RuntimeError)
p8 = Proof(_where_all_is_right)
