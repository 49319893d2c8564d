""".grad of a non-leaf is None, with a warning; retain_grad() is the cure. Often asked."""

import torch

x = torch.tensor(2.0, requires_grad=True)
y = x * 3
(y**2).backward()
print(y.grad)
y = x * 3
y.retain_grad()
(y**2).backward()
print(y.grad)
to_double = torch.tensor(2.0, requires_grad=True).double()
print(to_double.is_leaf)
