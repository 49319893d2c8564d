"""The two paths are summed before x.grad is written, once: a hook on x sees the sum. Source A, program 9, put right."""

import torch

x = torch.tensor(5.0, requires_grad=True)
x.register_hook(lambda grad: print("hook on x:", grad))
z = torch.log(x**3) + torch.sqrt(x**2)
z.backward()
print(x.grad)
