"""NaN through where: the branch not taken still has a gradient, and 0 times infinity is NaN. Often asked."""

import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, x / x.sqrt(), 0.0)
print(y)
y.sum().backward()
print(x.grad)
x.grad = None
safe = torch.where(x > 0, x, 1.0)
y = torch.where(x > 0, safe / safe.sqrt(), 0.0)
y.sum().backward()
print(x.grad)
