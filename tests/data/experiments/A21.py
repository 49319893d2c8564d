"""gradcheck finds a wrong formula: log(a + 1) in the second gradient. Source A, program 21."""

import torch


class WrongPow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a**b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b * a ** (b - 1), grad_output * a**b * torch.log(a + 1)


x = torch.tensor(5.0, dtype=torch.float64, requires_grad=True)
q = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
try:
    torch.autograd.gradcheck(WrongPow.apply, (x, q))
except RuntimeError as error:
    print("a RuntimeError, by name", type(error).__name__)
    raise
