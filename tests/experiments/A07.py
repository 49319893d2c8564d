"""With retain_graph=True a second backward runs, and its gradient is added to the first. Source A, program 7."""

import torch

x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward(retain_graph=True)
print(f"{x.grad}")
z.backward()
print(f"{x.grad}")
