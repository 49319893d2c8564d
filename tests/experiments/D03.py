"""The sum is a scalar: backward runs, y.grad is all 2; reading the .grad of a non-leaf warns. Source D."""

import torch

y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
z = 2 * y + 1
out = z.sum()
print(out)
out.backward()
print(y.grad)
print(z.grad)
print(out.grad)
print(y.is_leaf, z.is_leaf, out.is_leaf)
