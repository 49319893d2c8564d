"""The chain rule: dz/dx is dy/dx times dz/dy, measured on each link and on the whole. Source A, before its programs."""

import torch

h = 1e-6
x = torch.tensor(5.0, dtype=torch.float64)
y = x**3
dy_dx = ((x + h) ** 3 - y).item() / h
dz_dy = (torch.log(y + h) - torch.log(y)).item() / h
dz_dx = (torch.log((x + h) ** 3) - torch.log(y)).item() / h
print(f"{dy_dx:.4f} * {dz_dy:.4f} = {dy_dx * dz_dy:.4f}, the whole: {dz_dx:.4f}")
