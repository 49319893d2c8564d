"""no_grad() and detach() both give a result that does not require grad. Source C."""

import torch

x = torch.ones(5)
w = torch.ones(5, 3, requires_grad=True)
b = torch.ones(3, requires_grad=True)
print((torch.matmul(x, w) + b).requires_grad)
with torch.no_grad():
    print((torch.matmul(x, w) + b).requires_grad)
z = torch.matmul(x, w) + b
z_detached = z.detach()
print(z_detached.requires_grad, z_detached)
