"""Chapter 16: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _two_matrices():
    w_1 = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    w_2 = torch.tensor([[2.0, 3.0], [4.0, 2.0]], requires_grad=True)
    y_1 = w_1 @ torch.tensor([1.0, 2.0])
    return w_1, y_1, w_2 @ y_1


def _backward_from_a_vector():
    w_1, _, y_2 = _two_matrices()
    y_2.backward()
    return w_1.grad


def _back_at_the_first():
    _, y_1, y_2 = _two_matrices()
    return torch.autograd.grad(y_2.sum(), y_1)[0].tolist()


def _rows():
    x, w, b = torch.ones(5), torch.randn(5, 3, requires_grad=True), torch.randn(3, requires_grad=True)
    torch.nn.functional.binary_cross_entropy_with_logits(x @ w + b, torch.zeros(3)).backward()
    return "same" if torch.allclose(w.grad, b.grad.expand(5, 3)) else "different"


def _without_a_graph():
    model, x = torch.nn.Linear(2, 1), torch.ones(2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    ways = {"eval": model.eval, "zero_grad": optimizer.zero_grad, "no_grad": torch.no_grad().__enter__}
    with torch.enable_grad():  # the last way switches it off
        (found,) = [key for key, way in ways.items() if (way(), not model(x).requires_grad)[1]]
    return found


p1 = Proof(_backward_from_a_vector, ones=[[6.0, 12.0], [5.0, 10.0]], none=None, error=RuntimeError)
p2 = Proof(_back_at_the_first, ones=[1.0, 1.0], rows=[5.0, 6.0], columns=[6.0, 5.0])
p3 = Proof(_rows)
p5 = Proof(_without_a_graph)
