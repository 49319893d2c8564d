"""Views that come several at a time may not be changed in place; a single view may. Often asked."""

import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
row = y[0]
row.mul_(10)
print(y)
print(row.grad_fn)
y.sum().backward()
print(x.grad)
first, second = (x * 1).unbind()
first.mul_(10)
