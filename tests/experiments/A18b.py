"""autograd.grad(create_graph=True) neither warns nor copies: the product itself comes back. Source A, program 18."""

import torch

x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3)
(grad,) = torch.autograd.grad(z, x, create_graph=True)
print(grad)
print(torch.autograd.grad(grad, x))
