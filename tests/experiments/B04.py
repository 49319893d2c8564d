"""A non-leaf among the inputs of backward() gets its .grad, and then retains it. Source B."""

import torch

a = torch.tensor(2.0, requires_grad=True)
b = a * 3
c = b**2
print(b.retains_grad)
c.backward(inputs=[b])
print(b.retains_grad, b.grad, a.grad)
