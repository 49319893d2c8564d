"""The order of hooks: the tensor's as registered, then its node's, and a leaf's after accumulation. Often asked."""

import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**2
y.register_hook(lambda grad: print("first hook on y", grad))
y.register_hook(lambda grad: grad * 10)
y.register_hook(lambda grad: print("third hook on y", grad))
y.grad_fn.register_prehook(lambda grad_outputs: print("before the node", grad_outputs))
y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: print("after the node", grad_inputs, grad_outputs))
x.register_post_accumulate_grad_hook(lambda leaf: print("after accumulation", leaf.grad))
x.register_hook(lambda grad: print("hook on x", grad, x.grad))
(y * 3).backward()
