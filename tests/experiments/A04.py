"""A first gradient: only the leaf that requires grad receives one. Source A, program 4."""

import torch


def info(*tensors):
    for t in tensors:
        print(f"{t.requires_grad} {t.is_leaf} {t.retains_grad} {t.grad_fn} {t.grad} {t}")


x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
info(x, y, z)
print(x, y, z)
z.backward()
info(x, y, z)
print(x.grad)
dz_dy = 1 / y.item()
dy_dx = 3 * x.item() ** 2
print(dz_dy, dy_dx)
