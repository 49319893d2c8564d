"""Numbers out of a tensor that requires grad: item() and tolist(), but numpy() wants detach() first. Often asked."""

import numpy as np
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
print(x.tolist(), x[0].item())
print(x.detach().numpy())
for attempt in (lambda: x.numpy(), lambda: np.asarray(x)):
    try:
        attempt()
    except RuntimeError as error:
        print(f"{type(error).__name__}: {error}")
