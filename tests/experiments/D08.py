"""numpy() of a tensor that requires grad is refused; detach() and .data give a view of its memory. Source D."""

import torch

y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
z = 2 * y + 1
try:
    z.numpy()
except RuntimeError as error:
    print(f"{type(error).__name__}: {error}")
detached = z.detach().numpy()
through_data = z.data.numpy()
print(type(detached), detached.dtype)
detached[0, 0] = 100.0
print(through_data[0, 0], z)
