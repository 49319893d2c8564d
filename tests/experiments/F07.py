"""Gradients accumulate: handy for a batch in parts, and why they are cleared, to zero or to None. Often asked."""

import torch

data = torch.tensor([1.0, 2.0, 3.0, 4.0])
w = torch.tensor(2.0, requires_grad=True)
((w * data) ** 2).sum().backward()
whole = w.grad
w.grad = None
for part in (data[:2], data[2:]):
    ((w * part) ** 2).sum().backward()
print(whole, w.grad)
optimizer = torch.optim.SGD([w], lr=0.1)
optimizer.zero_grad(set_to_none=False)
print(w.grad)
optimizer.zero_grad()
print(w.grad)
