"""The quickstart's one-layer network: its nodes, down through matmul, which is none itself. Source C."""

import torch

x = torch.ones(5)
y = torch.zeros(3)
torch.manual_seed(0)
w = torch.randn(5, 3, requires_grad=True)
b = torch.randn(3, requires_grad=True)
z = torch.matmul(x, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
print(z.grad_fn, loss.grad_fn)
print(z.grad_fn.next_functions)
squeeze = z.grad_fn.next_functions[0][0]
print(squeeze.next_functions)
print(squeeze.next_functions[0][0].next_functions)
print(w.requires_grad, b.requires_grad, x.requires_grad, y.requires_grad)
