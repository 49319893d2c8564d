"""detach() or .data: one version counter or two. Often asked."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
print(y._version)
y.detach().mul_(2)
print(y._version)
y.data.mul_(2)
print(y._version)
print(y.detach().requires_grad, y.data.requires_grad)
