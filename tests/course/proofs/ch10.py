"""Chapter 10: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _require_gradients():
    with torch.no_grad():
        x, q = (torch.tensor(value, requires_grad=True) for value in (5.0, 3.0))
        y = x**q
        z = torch.log(y)
    return [tensor.requires_grad for tensor in (x, q, y, z)]


def _switched():
    seen = []
    with torch.no_grad():
        seen.append(torch.is_grad_enabled())
        with torch.enable_grad():
            seen.append(torch.is_grad_enabled())
    return [*seen, torch.is_grad_enabled()]


def _backward_behind_a_cut():
    x = torch.tensor(5.0, requires_grad=True)
    w = (x * torch.tensor([2.0, 3.0, 5.0])).detach()
    (w @ torch.tensor([4.0, 7.0, 9.0])).backward()
    return x.grad


def _usable_with_x():
    x = torch.tensor(2.0, requires_grad=True)
    usable = []
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            constant = x * 2
        try:
            constant * x
        except RuntimeError:
            usable.append(False)
        else:
            usable.append(True)
    return usable


p1 = Proof(
    _require_gradients, none=[False] * 4, leaves=[True, True, False, False], all=[True] * 4, refused=RuntimeError,
)  # fmt: skip
p2 = Proof(
    _switched, stays_off=[False, False, True], as_nested=[False, True, True], left_on=[False, True, False],
    refused=RuntimeError,
)  # fmt: skip
p3 = Proof(_backward_behind_a_cut, reaches=74.0, nothing=None, error=RuntimeError)
p6 = Proof(_usable_with_x, both=[True, True], no_grad=[True, False], inference=[False, True], neither=[False, False])
