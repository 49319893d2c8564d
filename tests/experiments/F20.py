"""Subgradients at kinks: which of the possible slopes is taken. Often asked."""

import torch

for name, f in {
    "abs": torch.abs,
    "relu": torch.relu,
    "clamp at its bound": lambda x: x.clamp(min=0),
    "sqrt": torch.sqrt,
    "sign": torch.sign,
}.items():
    x = torch.tensor(0.0, requires_grad=True)
    f(x).backward()
    print(name, x.grad)
x = torch.tensor([1.0, 3.0, 3.0], requires_grad=True)
x.max().backward()
print("max", x.grad)
a, b = torch.tensor(3.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
torch.maximum(a, b).backward()
print("maximum", a.grad, b.grad)
x.grad = None
x.max(dim=0).values.backward()
print("max along a dimension", x.grad)
