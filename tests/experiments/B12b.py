"""A Function is reached through apply(), never by calling it. Source B."""

import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2


x = torch.tensor(3.0, requires_grad=True)
print(Double.apply(x))
print(Double.forward(None, x).grad_fn)
Double()(x)
