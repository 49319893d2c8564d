"""Every non-leaf has a grad_fn, not the root only; the optimizer's step uses the gradients. Source E."""

import torch

inp = torch.Tensor([1, 2])
w_1 = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
w_2 = torch.tensor([[2.0, 3.0], [4.0, 2.0]], requires_grad=True)
optimizer = torch.optim.SGD([w_1, w_2], lr=0.125)
y_1 = w_1 @ inp
y_2 = w_2 @ y_1
output = y_2.sum()
for t in (inp, w_1, y_1, y_2, output):
    print(t.is_leaf, t.grad_fn)
output.backward()
optimizer.step()
print(w_1, w_2, sep="\n")
