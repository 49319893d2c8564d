"""Why z = 2y + 1 cannot go backward twice: the product keeps its Python number as a tensor. Source D."""

import torch

y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
z = 2 * y + 1
product = z.grad_fn.next_functions[0][0]
print(product._saved_other, product._saved_self)
out = z.sum()
out.backward()
out.backward()
