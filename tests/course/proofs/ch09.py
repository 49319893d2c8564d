"""Chapter 09: what its cards ask for, found by running it."""

import autograd_nb as torch
from tests.course.proofs.proof import Proof


class _WrongPow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a**b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b * a ** (b - 1), grad_output * a**b * torch.log(a + 1)


def _power(a, dtype=torch.float64):
    return [torch.tensor(value, dtype=dtype, requires_grad=True) for value in (a, 3.0)]


def _complained_of():
    wrong = torch.autograd.grad(_WrongPow.apply(*(inputs := _power(5.0))), inputs)
    right = torch.autograd.grad(inputs[0] ** inputs[1], inputs)
    return [not torch.allclose(*pair) for pair in zip(wrong, right, strict=True)]


def _seen():
    return [torch.autograd.gradcheck(_WrongPow.apply, _power(a), raise_exception=False) for a in (2.0, 5.0, 1e4)]


def _nudged_in_float32():
    with torch.no_grad():
        x, q = _power(5.0, torch.float32)
        return ((x + 1e-6) ** q - (x - 1e-6) ** q) / 2e-6


def _at_a_kink():
    slopes = []
    for function in (torch.abs, torch.relu, torch.sqrt):
        x = torch.tensor(0.0, requires_grad=True)
        function(x).backward()
        slopes.append(x.grad.item())
    return slopes


def _of_the_branch_not_chosen():
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    torch.where(x > 0, x / x.sqrt(), 0.0).sum().backward()
    first = x.grad[0]
    return "nan" if first.isnan() else "zero" if first == 0 else "inf"


p1 = Proof(_complained_of, first=[True, False], second=[False, True], both=[True, True])
p2 = Proof(_seen, always=[False, False, False], not_at_large=[False, False, True], not_at_small=[True, False, False])
p3 = Proof(_nudged_in_float32, exact=75.0, off=68.6646, nothing=0.0, error=RuntimeError)
p4 = Proof(_at_a_kink, zeros=[0.0, 0.0, 0.0], zero_and_inf=[0.0, 0.0, float("inf")], ones=[1.0, 1.0, float("inf")])
p5 = Proof(_of_the_branch_not_chosen)
