"""id() of a node is the address in its printed form. Source D."""

import torch

y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
z = 2 * y + 1
print(z.grad_fn)
print(int(str(z.grad_fn).split(" at ")[1].rstrip(">"), 16) == id(z.grad_fn))
print(z.grad_fn is z.grad_fn)
