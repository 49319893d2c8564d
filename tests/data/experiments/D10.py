"""The same through .data: backward does not notice, and the gradient is silently wrong. Source D."""

import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = a.exp()
c = b.data
c.zero_()
print(b, b._version)
b.sum().backward()
print(a.grad)
