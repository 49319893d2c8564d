"""The derivative as a limit: the slope of ln(x³) at 5 as h shrinks, in float64. Source A, before its programs."""

import torch


def f(x):
    return torch.log(x**3)


x = torch.tensor(5.0, dtype=torch.float64)
for h in (1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
    print(f"h = {h:g}: slope {((f(x + h) - f(x)) / h).item():.5f}")
print(3 / x)
