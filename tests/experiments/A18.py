"""With create_graph=True the gradient has a graph of its own: the second derivative. Source A, program 18."""

import torch


def info(*tensors):
    for t in tensors:
        print(t.requires_grad, t.is_leaf, t.retains_grad, t.grad_fn, t)


x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward(create_graph=True)
info(x, y, z, x.grad)
print(x.grad.grad_fn.next_functions)
print(torch.autograd.grad(x.grad, x))
