"""A frozen parameter: requires_grad off, so its gradient is not even computed. Source C."""

import torch

x = torch.ones(5)
w = torch.ones(5, 3, requires_grad=True)
b = torch.ones(3, requires_grad=True)
w.requires_grad_(False)
z = torch.matmul(x, w) + b
print(z.grad_fn.next_functions)
z.sum().backward()
print(w.grad, b.grad)
