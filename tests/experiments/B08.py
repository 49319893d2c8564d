"""An input that the output does not use: allow_unused gives None, materialize_grads gives zeros. Source B."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
unused = torch.tensor([3.0, 4.0], requires_grad=True)
y = (x**2).sum()
print(torch.autograd.grad(y, (x, unused), allow_unused=True, retain_graph=True))
print(torch.autograd.grad(y, (x, unused), materialize_grads=True, retain_graph=True))
try:
    torch.autograd.grad(y, (x, unused), allow_unused=False, materialize_grads=True)
except ValueError as error:
    print(f"{type(error).__name__}: {error}")
torch.autograd.grad(y, (x, unused))
