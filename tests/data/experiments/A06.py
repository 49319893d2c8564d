"""A second backward through the same graph is an error: the first freed what was saved. Source A, program 6."""

import torch

x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward()
print(x.grad)
z.backward()
