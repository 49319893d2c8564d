"""Chapter 00: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _first_step_of_w():
    """Where w goes first when a flat line is to run through points above it."""
    w, xs, ys = torch.tensor(0.0, requires_grad=True), torch.arange(8.0), torch.arange(8.0) / 2 + 1
    ((w * xs - ys) ** 2).mean().backward()
    return "up" if w.grad < 0 else "down"


p4 = Proof(lambda: torch.tensor(4.0).backward(), nothing=None, error=RuntimeError, one=1.0)
p5 = Proof(_first_step_of_w)
