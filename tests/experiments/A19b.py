"""The hook runs before the gradient is stored, whichever was asked for first. Source A, program 19."""

import torch

for hook_first in (True, False):
    x = torch.tensor(5.0, requires_grad=True)
    y = x**3
    if hook_first:
        y.register_hook(lambda grad: grad * 2)
        y.retain_grad()
    else:
        y.retain_grad()
        y.register_hook(lambda grad: grad * 2)
    torch.log(y).backward()
    print(y.grad, x.grad)
