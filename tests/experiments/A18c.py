"""The second derivative by hand: c = ab, a = 3x², b = 1/y; as expressions, then constants. Source A, program 18."""

import torch

x = torch.tensor(5.0, requires_grad=True)
y = x**3
a = 3 * x**2
b = 1 / y
c = a * b
(through_a,) = torch.autograd.grad(a, x, grad_outputs=b.detach(), retain_graph=True)
(through_b,) = torch.autograd.grad(b, x, grad_outputs=a.detach(), retain_graph=True)
print(through_a, through_b, through_a + through_b)
print(torch.autograd.grad(c, x))
constant = a.detach() * b.detach()
print(constant.requires_grad, constant)
