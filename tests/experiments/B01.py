"""A vector output needs its external gradient: ones for Q = 3a³ - b². Source B."""

import torch

a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
Q.backward(gradient=torch.tensor([1.0, 1.0]))
print(a.grad, b.grad)
print(a.grad == 9 * a**2, b.grad == -2 * b)
