"""Chapter 11: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _added_to_exp():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = x.exp()
    z.add_(1)
    z.sum().backward()
    return "runs"


def _written_through_detach():
    b = torch.tensor([1.0, 2.0, 3.0], requires_grad=True).exp()
    b.detach().zero_()
    try:
        b.sum().backward()
    except RuntimeError:
        return [b[0].item() == 0, True]
    return [b[0].item() == 0, False]


def _gradient_after(write):
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    b = a.exp()
    write(b)
    b.sum().backward()
    return a.grad.tolist()


def _step_before_backward():
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    loss = (w * w).sum()
    with torch.no_grad():
        w.sub_(0.5)
    loss.backward()
    return w.grad


def _node_after_a_write():
    y = torch.ones(2, 2, requires_grad=True) * 1
    y[0].mul_(10)
    return type(y.grad_fn).__name__


_exp = torch.tensor([1.0, 2.0, 3.0]).exp().tolist()

p1 = Proof(_added_to_exp, runs="runs", error=RuntimeError, wrong="wrong")
p2 = Proof(
    _written_through_detach, kept=[False, False], silent=[True, False], noticed=[True, True], refused=RuntimeError,
)  # fmt: skip
p3 = Proof(lambda: _gradient_after(lambda b: b.data.zero_()), error=RuntimeError, right=_exp, zeros=[0.0, 0.0, 0.0])
p4 = Proof(
    lambda: _gradient_after(lambda b: b.detach().numpy().fill(0)), noticed=RuntimeError, unnoticed=[0.0, 0.0, 0.0],
    copy=_exp,
)  # fmt: skip
p5 = Proof(_step_before_backward, old=[4.0, 6.0], new=[3.0, 5.0], error=RuntimeError, step="an error of the step")
p6 = Proof(_node_after_a_write, same="MulBackward0", copied="CopySlices", row="SelectBackward0", refused=RuntimeError)
