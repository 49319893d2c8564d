"""Chapter 04: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def log_of_cube():
    """The tensors x = 5 and log(x**3)."""
    x = torch.tensor(5.0, requires_grad=True)
    return x, torch.log(x**3)


def _kept_and_zeroed():
    x, z = log_of_cube()
    z.backward()
    kept = x.grad
    x.grad.zero_()
    return kept


def _walks_without_clearing():
    w = torch.tensor(0.0, requires_grad=True)
    path = []
    for _ in range(8):
        ((w - 3) ** 2).backward()
        with torch.no_grad():
            w -= 0.2 * w.grad
        path.append(w.item())
    if max(path) <= 3:
        return "sooner" if path[-1] > 2.9 else "never"
    return "swings" if min(path[path.index(max(path)) :]) < 3 else "away"


def _after_zero_grad():
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    (w**2).sum().backward()
    torch.optim.SGD([w], lr=0.25).zero_grad()
    return w.grad


def _moved_while_recorded():
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    (w**2).sum().backward()
    w -= 0.1 * w.grad
    return w.is_leaf


p2 = Proof(_kept_and_zeroed, before=0.6, zeros=0.0, none=None)
p4 = Proof(_walks_without_clearing)
p5 = Proof(_after_zero_grad, zeros=[0.0, 0.0], none=None, before=[2.0, -4.0])
p6 = Proof(_moved_while_recorded, moves=True, result=False, error=RuntimeError, later="an error in backward")
