"""The exponent is a tensor that requires grad too: gradients along both. Source A, program 10."""

import math

import torch


def info(*tensors):
    for t in tensors:
        print(f"{t.requires_grad} {t.is_leaf} {t.retains_grad} {t.grad_fn} {t.grad} {t}")


x = torch.tensor(5.0, requires_grad=True)
q = torch.tensor(3.0, requires_grad=True)
y = x**q
z = torch.log(y)
info(x, q, y, z)
z.backward()
info(x, q, y, z)
print(f"by hand: dy/dq = x^q ln x = {5**3 * math.log(5):.4f}, dz/dq = {5**3 * math.log(5) / 125:.4f}")
