"""z = 2y + 1 of a matrix: its nodes, and why backward() wants a scalar. Source D."""

import torch

y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
z = 2 * y + 1
print(z)
print(z.grad_fn)
print(z.grad_fn.next_functions)
print(z.grad_fn.next_functions[0][0].next_functions)
z.backward()
