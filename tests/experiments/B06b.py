"""A gradient of the wrong shape, or too few of them. Source B."""

import torch

a = torch.tensor([1.0, 2.0], requires_grad=True)
for attempt in (
    lambda: (a**2).backward(torch.ones(3)),
    lambda: torch.autograd.backward([a**2, a**3], [torch.ones(2)]),
    lambda: torch.autograd.backward([a**2, a.sum()], [None, None]),
):
    try:
        attempt()
    except RuntimeError as error:
        print(f"{type(error).__name__}: {error}")
print(a.grad)
