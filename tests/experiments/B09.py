"""autograd.grad with one input returns a tuple of one. Source B."""

import torch

x = torch.tensor(2.0, requires_grad=True)
out = x**2
grads = torch.autograd.grad(out, x, retain_graph=True)
print(len(grads), grads)
grad_x, _ = torch.autograd.grad(out, x)
