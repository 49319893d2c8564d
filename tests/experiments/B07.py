"""autograd.grad returns the gradients and leaves .grad alone. Source B."""

import torch

x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)
out = x**2 * y
grad_x, grad_y = torch.autograd.grad(out, (x, y))
print(grad_x, grad_y)
print(grad_x.requires_grad, x.grad, y.grad)
