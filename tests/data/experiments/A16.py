"""The two halves of the chain joined by hand: y.backward(gradient=w.grad). Source A, program 16."""

import torch


def info(*tensors):
    for t in tensors:
        print(f"{t.requires_grad} {t.is_leaf} {t.retains_grad} {t.grad_fn} {t.grad} {t}")


x = torch.tensor(5.0, requires_grad=True)
y = x * torch.tensor([2.0, 3.0, 5.0])
w = y.detach().requires_grad_()
z = w @ torch.tensor([4.0, 7.0, 9.0])
y.retain_grad()
z.retain_grad()
z.backward()
y.backward(gradient=w.grad)
info(x, y, w, z)
