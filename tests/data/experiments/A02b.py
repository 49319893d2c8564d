"""The slope as the step shrinks: the truncation error goes, then in float32 rounding wins. Source A, program 2."""

import torch

for dtype in (torch.float32, torch.float64):
    x = torch.tensor(5.0, dtype=dtype)
    for h in (0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
        x2 = torch.tensor(5.0 + h, dtype=dtype)
        print(f"{dtype}, h = {h:g}: {((torch.log(x2**3) - torch.log(x**3)) / (x2 - x)).item():.5f}")
