"""Why topological order and not recursion: a node goes on only when all its gradients are in. Often asked."""

import torch

a = torch.tensor(1.0, requires_grad=True)
b = a + a
c = b + b
visits = []
b.grad_fn.register_hook(lambda grad_inputs, grad_outputs: visits.append(grad_outputs))
c.backward()
print(a.grad, visits)
x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range(60):
    y = y + y
y.backward()
print(x.grad == 2.0**60)
