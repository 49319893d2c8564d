"""x.grad.zero_() between two backwards: nothing left to accumulate on. Source A, program 8."""

import torch

x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward(retain_graph=True)
print(f"{x.grad}")
x.grad.zero_()
z.backward()
print(f"{x.grad}")
