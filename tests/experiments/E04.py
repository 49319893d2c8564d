"""Function in its two-part form: setup_context saves, needs_input_grad says what is asked for. Source E."""

import torch


class Multiply(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        return a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        a, b = inputs
        ctx.save_for_backward(a, b)

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        print("needs_input_grad:", ctx.needs_input_grad)
        grad_a = grad_output * b if ctx.needs_input_grad[0] else None
        grad_b = grad_output * a if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


x = torch.tensor(2.0, requires_grad=True)
constant = torch.tensor(3.0)
y = Multiply.apply(x, constant)
print(y)
y.backward()
print(x.grad, constant.grad)
