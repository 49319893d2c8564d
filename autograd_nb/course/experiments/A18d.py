"""PyTorch's warning about reference cycles comes once a process. Source A, program 18."""

import torch

x = torch.tensor(5.0, requires_grad=True)
(x**3).backward(create_graph=True)
print(x.grad)
x.grad = None
(x**2).backward(create_graph=True)
print(x.grad)
