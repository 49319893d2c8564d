"""No inputs at all is an error, in other words for backward() than for grad(). Source B."""

import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**2
for attempt in (lambda: y.backward(inputs=[]), lambda: torch.autograd.grad(y, [])):
    try:
        attempt()
    except (RuntimeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")
