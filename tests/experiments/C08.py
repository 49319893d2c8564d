"""backward() on a scalar is backward(tensor(1.0)). Source C."""

import torch

x = torch.tensor(3.0, requires_grad=True)
(x**2).backward()
print(x.grad)
x.grad = None
(x**2).backward(torch.tensor(1.0))
print(x.grad)
x.grad = None
(x**2).backward(torch.tensor(2.0))
print(x.grad)
