"""Higher derivatives by running backward on the graph that backward made, as DeZero does: Newton's method. Source C."""

import torch

x = torch.tensor(2.0, requires_grad=True)
for i in range(5):
    y = x**4 - 2 * x**2
    (gx,) = torch.autograd.grad(y, x, create_graph=True)
    (gx2,) = torch.autograd.grad(gx, x)
    print(i, x.detach(), gx.detach(), gx2)
    with torch.no_grad():
        x -= gx / gx2
