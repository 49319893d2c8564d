"""grad only for scalar outputs: gradient= weighs the outputs, as a weighted sum would. Often asked."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
weights = torch.tensor([1.0, 0.0, 10.0])
(x**2).backward(gradient=weights)
print(x.grad)
x.grad = None
(weights * x**2).sum().backward()
print(x.grad)
(x**2).backward()
