"""The gradients by hand: outer products of what comes back and what went in. Source E."""

import torch

inp = torch.Tensor([1, 2])
w_1 = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
w_2 = torch.tensor([[2.0, 3.0], [4.0, 2.0]])
y_1 = w_1 @ inp
d_y_2 = torch.ones(2)
d_y_1 = w_2.t() @ d_y_2
print(torch.outer(d_y_2, y_1))
print(torch.outer(d_y_1, inp))
