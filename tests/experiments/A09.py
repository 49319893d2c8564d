"""x reaches z by two paths: their gradients add up, 75·0.008 + 10·0.1. Source A, program 9."""

import torch


def info(*tensors):
    for t in tensors:
        print(f"{t.requires_grad} {t.is_leaf} {t.retains_grad} {t.grad_fn} {t.grad} {t}")


x = torch.tensor(5.0, requires_grad=True)
y = x**3
w = x**2
z = torch.log(y) + torch.sqrt(w)
info(x, y, w, z)
print(z)
z.backward()
info(x, y, w, z)
print(3 * 5.0**2 * (1 / 125) + 2 * 5.0 * (1 / (2 * 5.0)))
