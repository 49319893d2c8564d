"""autograd.backward takes several roots, each with its gradient, in one walk. Source B."""

import torch

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = a**2
c = a.sum()
torch.autograd.backward([b, c], [torch.tensor([10.0, 1.0]), None])
print(a.grad)
torch.autograd.backward((a * 2,), (torch.ones(2),))
print(a.grad)
