"""What gradcheck does: nudge each input both ways, and compare with what backward says. Source A, program 20."""

import torch

x = torch.tensor(5.0, dtype=torch.float64, requires_grad=True)
q = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
analytical = torch.autograd.grad(x**q, (x, q))
h = 1e-6
with torch.no_grad():
    numerical = ((x + h) ** q - (x - h) ** q) / (2 * h), (x ** (q + h) - x ** (q - h)) / (2 * h)
for i in range(2):
    print(f"{numerical[i].item():.4f} {analytical[i].item():.4f}")
    print(torch.allclose(numerical[i], analytical[i], rtol=1e-3, atol=1e-5))
