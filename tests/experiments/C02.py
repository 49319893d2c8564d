"""Its gradients: every row of w.grad is b.grad is sigmoid(z)/3. Source C."""

import torch

x = torch.ones(5)
y = torch.zeros(3)
torch.manual_seed(0)
w = torch.randn(5, 3, requires_grad=True)
b = torch.randn(3, requires_grad=True)
z = torch.matmul(x, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
loss.backward()
print(loss)
print(w.grad)
print(b.grad)
print(torch.allclose(b.grad, torch.sigmoid(z) / 3), all(torch.equal(row, b.grad) for row in w.grad))
