"""Why program 11 differs from program 10 in the last digits: the same product in two orders. Source A, program 11."""

import torch

a, b, grad = torch.tensor(5.0), torch.tensor(3.0), torch.tensor(0.008)
from_the_left = grad * a**b * torch.log(a)
as_pytorch = grad * (a**b * torch.log(a))
print(f"{from_the_left} {as_pytorch}")
print(abs(from_the_left - as_pytorch) < 1e-6)
