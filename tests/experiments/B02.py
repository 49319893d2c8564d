"""retain_graph keeps the saved tensors for another pass, create_graph makes the pass itself a graph. Source B."""

import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**4
for _ in range(2):
    print(torch.autograd.grad(y, x, retain_graph=True))
(first,) = torch.autograd.grad(y, x, create_graph=True)
(second,) = torch.autograd.grad(first, x, create_graph=True)
(third,) = torch.autograd.grad(second, x)
print(first, second, third, sep="\n")
