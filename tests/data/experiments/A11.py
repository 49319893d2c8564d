"""The power as a Function of our own, with both of its gradients. Source A, program 11."""

import torch


class MyPow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        result = a**b
        ctx.save_for_backward(a, b)
        print("forward a:", a.requires_grad, a.is_leaf, a.grad_fn, a)
        print("forward b:", b.requires_grad, b.is_leaf, b.grad_fn, b)
        print("forward result:", result.requires_grad, result.is_leaf, result.grad_fn, result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        print("backward grad_output:", grad_output.requires_grad, grad_output.grad_fn, grad_output)
        return grad_output * b * a ** (b - 1), grad_output * a**b * torch.log(a)


x = torch.tensor(5.0, requires_grad=True)
q = torch.tensor(3.0, requires_grad=True)
y = MyPow.apply(x, q)
z = torch.log(y)
print(y.grad_fn)
print(y)
z.backward()
print(f"{x.grad} {q.grad}")
