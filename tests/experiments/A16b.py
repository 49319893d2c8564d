"""A gradient must be given for more than one element; one, in whatever shape, needs none. Source A, program 16."""

import torch

x = torch.tensor(5.0, requires_grad=True)
for shape in ((), (1,), (1, 1)):
    (2 * x).reshape(shape).backward()
    print(shape, x.grad)
(x * torch.tensor([2.0, 3.0, 5.0])).backward()
