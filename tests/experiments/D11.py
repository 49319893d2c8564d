"""detach().clone() has memory of its own: nothing breaks. Source D."""

import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = a.exp()
c = b.detach().clone()
c.zero_()
print(b)
b.sum().backward()
print(a.grad)
