"""Only leaves that require grad get a .grad, and a graph serves one backward. Source C."""

import torch

x = torch.ones(5)
w = torch.ones(5, 3, requires_grad=True)
z = torch.matmul(x, w)
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, torch.zeros(3))
loss.backward(retain_graph=True)
print(x.grad, z.grad, w.grad is None)
loss.backward()
try:
    loss.backward()
except RuntimeError as error:
    print(f"{type(error).__name__}: {error}")
