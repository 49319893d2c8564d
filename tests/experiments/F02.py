"""Backward a second time: an error exactly where something was saved. Often asked."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for name, f in {
    "x + 1": lambda: (x + 1).sum(),
    "x * x": lambda: (x * x).sum(),
    "x * 2": lambda: (x * 2).sum(),
    "exp(x)": lambda: x.exp().sum(),
    "-x": lambda: (-x).sum(),
}.items():
    y = f()
    y.backward()
    try:
        y.backward()
        print(name, "runs twice")
    except RuntimeError as error:
        print(name, "does not:", str(error).split(" (")[0])
