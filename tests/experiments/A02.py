"""The slope between x = 5 and x = 5.001: not 0.6, because the step is finite. Source A, program 2."""

import torch

x = torch.tensor(5.0)
z = torch.log(x**3)
x2 = torch.tensor(5.001)
y2 = x2**3
z2 = torch.log(y2)
print(x2)
print(y2)
print(z2)
print((z2 - z) / (x2 - x))
