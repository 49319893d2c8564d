"""z = ln(x³) at x = 5, printed. Source A, program 1."""

import torch

x = torch.tensor(5.0)
y = x**3
z = torch.log(y)
print(x)
print(y)
print(z)
