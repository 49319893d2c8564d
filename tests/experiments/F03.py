"""Modified by an in-place operation: only a tensor that backward needs, in the version it was saved in. Often asked."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.add_(1)
y.sum().backward()
print(x.grad, y._version, y)
z = x.exp()
z.add_(1)
print(z._version, z)
z.sum().backward()
