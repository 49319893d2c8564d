"""Reading next_functions: an edge is a node and which of its outputs; None where nothing requires grad. Often asked."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b = x.unbind()
y = a * b + 1
print(y.grad_fn.next_functions)
product = y.grad_fn.next_functions[0][0]
print(product.next_functions)
print(a.output_nr, b.output_nr, a.grad_fn is b.grad_fn)
print(product.next_functions[0][0].next_functions[0][0].variable is x)
