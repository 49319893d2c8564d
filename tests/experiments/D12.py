"""How Jupyter shows a node in a tuple, and how print() does. Source D."""

import torch
from IPython.lib.pretty import pretty

y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
z = 2 * y + 1
print(pretty(z.grad_fn.next_functions))
print(z.grad_fn.next_functions)
