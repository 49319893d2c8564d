"""Chapter 21: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


def _small():
    """counts, inv_total and their product, as in the chapter, with 5 rows in place of 32."""
    torch.manual_seed(0)
    counts = torch.rand(32, 27, requires_grad=True)
    return counts, counts.sum(1, keepdim=True) ** -1


def _shape_of_the_factor():
    counts, inv_total = _small()
    inv_total.retain_grad()
    (counts * inv_total).log().sum().backward()
    return tuple(inv_total.grad.shape)


def _uses_of_counts():
    counts, inv_total = _small()
    (whole,) = torch.autograd.grad((counts * inv_total).log()[0, 0], counts, retain_graph=True)
    (part,) = torch.autograd.grad((counts * inv_total.detach()).log()[0, 0], counts)
    return not torch.allclose(whole, part)


def _sum_of_a_row():
    torch.manual_seed(0)
    logits = torch.randn(4, 27, dtype=torch.float64, requires_grad=True)
    torch.nn.functional.cross_entropy(logits, torch.tensor([1, 0, 3, 5])).backward()
    return round(logits.grad.sum(1)[0].item(), 9) + 0.0


p1 = Proof(_shape_of_the_factor)
p2 = Proof(_uses_of_counts, a_part=True, whole=False)
p3 = Proof(_sum_of_a_row)
p4 = Proof(lambda: 27 * 4 + 12 * 16 + 2 * 16 + 16 * 27 + 27)
