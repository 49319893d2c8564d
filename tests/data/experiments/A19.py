"""A hook on y sees the gradient of y and may replace it. Source A, program 19."""

import torch


def double(grad):
    print("grad", grad)
    return grad * 2


x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
handle = y.register_hook(double)
z.backward(retain_graph=True)
print(f"{x.grad}")
handle.remove()
x.grad = None
z.backward()
print(f"{x.grad}")
