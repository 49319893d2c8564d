"""Chapter 15: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _grown():
    values = []
    for limit in (2, 5, 20):
        y = torch.tensor(1.5)
        while y < limit:
            y = y * 2 if y < 4 else y**2
        values.append(y.item())
    return values


def _uses_and_ends():
    w, state = torch.tensor(0.5, requires_grad=True), torch.tensor(0.0)
    for word in torch.tensor([1.0, -1.0, 0.5]):
        state = torch.tanh(w * state + word)
    uses, ends, nodes = 0, set(), [state.grad_fn]
    while nodes:
        for node, _ in nodes.pop().next_functions:
            if hasattr(node, "variable"):
                uses, ends = uses + 1, ends | {node}
            elif node is not None:
                nodes.append(node)
    return [uses, len(ends)]


def _planned_is_right():
    right = []
    for start in (3.0, 1.0):
        y = torch.tensor(start)
        while y < 10:
            y = y * 2
        right.append((torch.tensor(start) * 2 * 2 == y).item())
    return right


def _of_the_branch_not_chosen():
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    torch.where(x > 0, x / x.sqrt(), 0.0).sum().backward()
    return "nan" if x.grad[0].isnan() else "zero"


p1 = Proof(_grown, once=[3.0, 3.0, 3.0], doublings=[3.0, 6.0, 24.0], changes=[3.0, 6.0, 36.0])
p2 = Proof(_uses_and_ends, one_use=[1, 1], shared=[3, 1], each_its_own=[3, 3])
p3 = Proof(_planned_is_right, both=[True, True], three=[True, False], one=[False, True], refused=RuntimeError)
p4 = Proof(_of_the_branch_not_chosen)
