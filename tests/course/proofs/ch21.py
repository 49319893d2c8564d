"""Chapter 21: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _small():
    """counts, inv_total and their product, as in the chapter, with 5 rows in place of 32."""
    torch.manual_seed(0)
    counts = torch.rand(32, 27, requires_grad=True)
    return counts, counts.sum(1, keepdim=True) ** -1


def _uses_of_counts():
    counts, inv_total = _small()
    (whole,) = torch.autograd.grad((counts * inv_total).log()[0, 0], counts, retain_graph=True)
    (part,) = torch.autograd.grad((counts * inv_total.detach()).log()[0, 0], counts)
    return not torch.allclose(whole, part)


p2 = Proof(_uses_of_counts, a_part=True, whole=False)
