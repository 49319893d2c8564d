"""gradcheck in float32: it warns, then fails, because the nudge drowns in rounding. Source A, program 20."""

import torch


class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a**b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b * a ** (b - 1), grad_output * a**b * torch.log(a)


x = torch.tensor(5.0, requires_grad=True)
q = torch.tensor(3.0, requires_grad=True)
torch.autograd.gradcheck(MyPow.apply, (x, q))
