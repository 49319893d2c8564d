"""x.grad is a plain tensor, in no graph: it cannot be differentiated again. Source A, program 17."""

import torch


def info(*tensors):
    for t in tensors:
        print(t.requires_grad, t.is_leaf, t.retains_grad, t.grad_fn, t.grad, t)


x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward()
info(x, y, z, x.grad)
print(torch.autograd.grad(x.grad, x))
