"""A whole Jacobian: a row a backward, or functional.jacobian, which does the same. Often asked."""

import torch


def f(x):
    return torch.stack([x[0] * x[1], x[0] ** 2])


x = torch.tensor([2.0, 3.0], requires_grad=True)
y = f(x)
rows = [torch.autograd.grad(y, x, grad_outputs=v, retain_graph=True)[0] for v in torch.eye(2)]
print(torch.stack(rows))
print(torch.autograd.functional.jacobian(f, x))
print(torch.autograd.functional.hessian(lambda x: f(x).sum(), x))
