"""no_grad, inference_mode, eval and detach: four things, and eval is not about gradients. Often asked."""

import torch

x = torch.tensor(2.0, requires_grad=True)
with torch.no_grad():
    without = x * 2
with torch.inference_mode():
    inferred = x * 2
layer = torch.nn.Linear(1, 1).eval()
print(layer.training, layer(torch.ones(1)).requires_grad)
print((x * 2).detach().requires_grad, without.requires_grad, inferred.requires_grad)
print(without.is_inference(), inferred.is_inference())
print((without * x).requires_grad)
inferred * x
