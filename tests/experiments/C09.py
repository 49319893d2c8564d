"""In training an optimizer does the zeroing and the step. Source C."""

import torch

w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
for _ in range(3):
    loss = (w**2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss, w)
optimizer.zero_grad()
print(w.grad)
