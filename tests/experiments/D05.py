"""One input that requires grad is enough, and the gradient of what lies between is not kept. Source D."""

import torch

a = torch.ones(2)
b = torch.ones(2, requires_grad=True)
c = a * b
d = c + a
print(a.requires_grad, b.requires_grad, c.requires_grad, d.requires_grad)
d.sum().backward()
print(a.grad, b.grad)
print(c.retains_grad, c.grad)
