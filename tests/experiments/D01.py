"""A result of tensors that do not require grad can be made to, afterwards. Source D."""

import torch

x = torch.ones(1) + torch.ones(1)
print(x, x.requires_grad)
print(x.requires_grad_())
print(x.requires_grad, x.is_leaf)
