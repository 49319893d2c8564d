"""What each tensor knows about autograd when nothing requires grad. Source A, program 3."""

import torch


def info(*tensors):
    for t in tensors:
        print(f"{t.requires_grad} {t.is_leaf} {t.retains_grad} {t.grad_fn} {t.grad} {t}")


x = torch.tensor(5.0)
y = x**3
z = torch.log(y)
info(x, y, z)
