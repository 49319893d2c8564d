"""save_for_backward or an attribute of ctx: with the attribute a second derivative is silently wrong. Often asked."""

import torch


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.saved_tensors[0]


class ExpOnAttribute(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.result = x.exp()
        return ctx.result.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.result


x = torch.tensor(1.0, requires_grad=True)
for function in (torch.exp, Exp.apply, ExpOnAttribute.apply):
    (first,) = torch.autograd.grad(x * function(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    print(first.detach(), second)
