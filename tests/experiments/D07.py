"""With retain_graph=True it can, and y.grad is all 4. Source D."""

import torch

y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
out = (2 * y + 1).sum()
out.backward(retain_graph=True)
out.backward()
print(y.grad)
