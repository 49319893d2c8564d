"""backward() from the vector y_2 is an error, and leaves no gradient behind. Source E."""

import torch

inp = torch.Tensor([1, 2])
w_1 = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
w_2 = torch.tensor([[2.0, 3.0], [4.0, 2.0]], requires_grad=True)
y_1 = w_1 @ inp
y_2 = w_2 @ y_1
try:
    y_2.backward()
except RuntimeError as error:
    print(f"{type(error).__name__}: {error}")
print(w_1.grad, w_2.grad)
