"""What no_grad() saves: the node, and the tensors that the node keeps for its backward. Source A, program 12."""

import torch

x = torch.tensor(5.0, requires_grad=True)
y = x**3
print(y.grad_fn._saved_self is x, y.grad_fn._saved_exponent)
with torch.no_grad():
    y = x**3
print(y.grad_fn)
