"""Forward computes and records at once, and records only what requires grad. Source B."""

import torch

x = torch.tensor(2.0, requires_grad=True)
constant = torch.tensor(3.0)
print((constant * 2).grad_fn, (constant * x).grad_fn)
y = constant * x + constant**2
print(y.grad_fn.next_functions)
print(y.grad_fn.next_functions[0][0].next_functions)
print(x.is_leaf, constant.is_leaf, y.is_leaf, x.grad_fn)
y.backward()
print(x.grad, constant.grad)
