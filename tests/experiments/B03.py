"""backward(inputs=...) accumulates into the named tensors only. Source B."""

import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
(a * b).backward(inputs=[a])
print(a.grad, b.grad)
(a * b).backward(inputs=b)
print(a.grad, b.grad)
