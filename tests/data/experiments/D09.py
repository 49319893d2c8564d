"""detach() shares memory and version: changed in place, and backward notices. Source D."""

import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = a.exp()
c = b.detach()
print(c)
c.zero_()
print(b, b._version)
try:
    b.sum().backward()
except RuntimeError as error:
    print(f"{type(error).__name__}: {error}")
print(a.grad)
