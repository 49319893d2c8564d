"""Two matrices one after the other: gradients of both. Source E."""

import torch

inp = torch.Tensor([1, 2])
w_1 = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
w_2 = torch.tensor([[2.0, 3.0], [4.0, 2.0]], requires_grad=True)
y_1 = w_1 @ inp
y_2 = w_2 @ y_1
output = y_2.sum()
print(y_1, y_2, output, sep="\n")
print(w_1.grad, w_2.grad)
output.backward()
print(w_1.grad, w_2.grad, sep="\n")
