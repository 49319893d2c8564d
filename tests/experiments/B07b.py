"""When the result of autograd.grad requires grad: only if it was computed from what does. Source B, put right."""

import torch

x = torch.tensor(2.0, requires_grad=True)
(plain,) = torch.autograd.grad(x**2, x)
(recorded,) = torch.autograd.grad(x**2, x, create_graph=True)
(linear,) = torch.autograd.grad(3 * x, x, create_graph=True)
print(plain.requires_grad, recorded.requires_grad, linear.requires_grad)
print(plain, recorded, linear)
