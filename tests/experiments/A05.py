"""retain_grad() keeps the gradients of non-leaf tensors too, and reading them no longer warns. Source A, program 5."""

import torch


def info(*tensors):
    for t in tensors:
        print(f"{t.requires_grad} {t.is_leaf} {t.retains_grad} {t.grad_fn} {t.grad} {t}")


x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
y.retain_grad()
z.retain_grad()
info(x, y, z)
z.backward()
info(x, y, z)
