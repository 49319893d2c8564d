"""A partial derivative: one variable is nudged, the others are held constant. Source A, before its programs."""

import torch


def f(x, q):
    return x**q


x = torch.tensor(5.0, dtype=torch.float64)
q = torch.tensor(3.0, dtype=torch.float64)
h = 1e-6
print(f"along x: {((f(x + h, q) - f(x - h, q)) / (2 * h)).item():.4f}, formula {(q * x ** (q - 1)).item():.4f}")
print(f"along q: {((f(x, q + h) - f(x, q - h)) / (2 * h)).item():.4f}, formula {(x**q * torch.log(x)).item():.4f}")
