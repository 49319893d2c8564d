"""Only under a scalar root has the Jacobian the tensor's own shape. Source B."""

import torch
from torch.autograd.functional import jacobian

x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(jacobian(lambda x: (x**2).sum(), x).shape)
print(jacobian(lambda x: (x**2).sum(dim=1), x).shape)
print(jacobian(lambda x: x**2, x).shape)
