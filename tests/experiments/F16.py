"""An input that is not used: None in .grad, an error in autograd.grad. Often asked."""

import torch

used = torch.tensor(2.0, requires_grad=True)
unused = torch.tensor(3.0, requires_grad=True)
plain = torch.tensor(4.0)
(used**2).backward()
print(used.grad, unused.grad)
for other in (unused, plain):
    try:
        torch.autograd.grad(used**2, [used, other])
    except RuntimeError as error:
        print(f"{type(error).__name__}: {error}")
