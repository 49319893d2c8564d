"""create_graph and memory: backward ties the leaf to its graph through .grad, autograd.grad does not. Often asked."""

import torch

x = torch.tensor(3.0, requires_grad=True)
(x**2).backward(create_graph=True)
print(x.grad.grad_fn is not None)
x.grad = None
(grad,) = torch.autograd.grad(x**2, x, create_graph=True)
print(x.grad, grad)
