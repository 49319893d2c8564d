"""A vector's backward is one vector-Jacobian product, not several scalar backwards. Source B, put right."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.stack([x[0] * x[1], x[0] ** 2, 3 * x[1]])
visits = []
y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: visits.append(grad_outputs))
v = torch.tensor([1.0, 10.0, 100.0])
y.backward(v, retain_graph=True)
print(len(visits), visits[0], x.grad)
rows = [torch.autograd.grad(y[i], x, retain_graph=True)[0] for i in range(3)]
jacobian = torch.stack(rows)
print(jacobian)
print(v @ jacobian)
