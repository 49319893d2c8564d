"""The Jacobian as a matrix: what backward(v) leaves in x.grad is v times it. Source C."""

import torch


def f(x):
    return torch.stack([x[0] * x[1], x[1] ** 2, x.sum()])


x = torch.tensor([2.0, 3.0], requires_grad=True)
v = torch.tensor([1.0, 2.0, 3.0])
f(x).backward(v)
J = torch.autograd.functional.jacobian(f, x.detach())
print(J)
print(v @ J, x.grad)
