"""A number times a vector, then a dot product: its gradient sums over the vector. Source A, program 13."""

import torch


def info(*tensors):
    for t in tensors:
        print(f"{t.requires_grad} {t.is_leaf} {t.retains_grad} {t.grad_fn} {t.grad} {t}")


x = torch.tensor(5.0, requires_grad=True)
y = x * torch.tensor([2.0, 3.0, 5.0])
z = y @ torch.tensor([4.0, 7.0, 9.0])
y.retain_grad()
z.retain_grad()
info(x, y, z)
z.backward()
info(x, y, z)
print(2 * 4 + 3 * 7 + 5 * 9)
