"""Program 10 inside no_grad(): computed, not recorded, so there is nothing to go back through. Source A, program 12."""

import torch


def info(*tensors):
    for t in tensors:
        print(f"{t.requires_grad} {t.is_leaf} {t.retains_grad} {t.grad_fn} {t.grad} {t}")


with torch.no_grad():
    x = torch.tensor(5.0, requires_grad=True)
    q = torch.tensor(3.0, requires_grad=True)
    y = x**q
    z = torch.log(y)
info(x, q, y, z)
z.backward()
