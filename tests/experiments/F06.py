"""A leaf used in place, as in an optimizer's step: only where nothing is recorded. Often asked."""

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
(w**2).sum().backward()
try:
    w -= 0.1 * w.grad
except RuntimeError as error:
    print(f"{type(error).__name__}: {error}")
with torch.no_grad():
    w -= 0.1 * w.grad
print(w, w.is_leaf, w._version)
w = w - 0.1 * w.grad
print(w, w.is_leaf)
