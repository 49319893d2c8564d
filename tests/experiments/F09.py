"""element 0 of tensors does not require grad: four ways to come to it. Often asked."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    unrecorded = (x**2).sum()
for name, y in {
    "requires_grad forgotten": torch.tensor(1.0) * 2,
    "detached": (x.detach() ** 2).sum(),
    "made under no_grad": unrecorded,
    "an integer result": x.argmax(),
}.items():
    try:
        y.backward()
    except RuntimeError as error:
        print(f"{name}: {error}")
