"""A hook must return a tensor, or nothing. Often asked."""

import torch

x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda grad: 3.0)
try:
    torch.tensor(2.0).register_hook(print)
except RuntimeError as error:
    print(f"{type(error).__name__}: {error}")
(x**2).backward()
