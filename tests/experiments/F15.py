"""gradcheck in float32 fails even where the formula is right: ask it in float64. Often asked."""

import torch

x = torch.tensor([0.5, 1.5], requires_grad=True)
print(torch.autograd.gradcheck(torch.exp, x, raise_exception=False))
print(torch.autograd.gradcheck(torch.exp, x.detach().double().requires_grad_()))
