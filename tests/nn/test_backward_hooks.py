"""Backward hooks of modules: each program prints the same as with PyTorch."""

import pytest
from programs import shown

import autograd_nb

SETUP = """
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
x = torch.randn(4, 2, requires_grad=True)
data = torch.randn(4, 2)
def tell(name):
    def hook(module, *grads):
        shown = [[g if g is None else g.round(decimals=4) for g in each] for each in grads]
        print(name, type(module).__name__, *shown)
    return hook
class Two(nn.Module):
    def forward(self, a, n, b, scale=1.0):
        return a * n * scale, "text", b + a
two, a, b = Two(), torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
"""
PROGRAMS = dict(block.split("\n", 1) for block in """
## every module of a network
for layer in net:
    layer.register_full_backward_hook(tell("full")), layer.register_full_backward_pre_hook(tell("pre"))
net(x).sum().backward()
print(x.grad.round(decimals=4))
## no input requires grad
net[0].register_full_backward_hook(tell("full"))
net(data).sum().backward()
## with replaced gradients
net[1].register_full_backward_hook(lambda m, gi, go: (gi[0] * 0,))
net[2].register_full_backward_pre_hook(lambda m, go: (go[0] * 2,))
net(x).sum().backward()
print(net[2].bias.grad, net[0].weight.grad, x.grad)
## several in turn
net[1].register_full_backward_hook(lambda m, gi, go: (gi[0] * 0 + 1,))
handle = net[1].register_full_backward_hook(tell("second"))
y = net(x).sum()
y.backward(retain_graph=True)
handle.remove()
y.backward()
net(x).sum().backward()
## the graph
net[1].register_full_backward_hook(tell("full"))
y = net[1](x)
(inner, _), *_ = y.grad_fn.next_functions
print(y, y.grad_fn.name(), inner.name(), inner.next_functions[0][0].name())
## more inputs and outputs
two.register_full_backward_hook(tell("full")), two.register_full_backward_pre_hook(tell("pre"))
first, text, second = two(a, 3, b, scale=2.0)
print(text, first, second)
second.sum().backward()
(two(a, 3, b)[0].sum() + two(a, 3, b)[2].sum()).backward()
print(a.grad, b.grad)
## an output that is no tensor
class Named(nn.Module):
    def forward(self, x):
        return {"y": x * 2}
named = Named()
named.register_full_backward_hook(tell("full"))
named(x)["y"].sum().backward()
## too many gradients
net[1].register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0]))
net(x).sum().backward()
## too few gradients
net[1].register_full_backward_pre_hook(lambda m, go: ())
net(x).sum().backward()
## a gradient of another size
net[1].register_full_backward_hook(lambda m, gi, go: (gi[0][0],))
net(x).sum().backward()
## a gradient of another dtype
net[1].register_full_backward_pre_hook(lambda m, go: (go[0].double(),))
net(x).sum().backward()
## what is no gradient
net[1].register_full_backward_hook(lambda m, gi, go: (3,))
net(x).sum().backward()
## no gradient
net[1].register_full_backward_hook(lambda m, gi, go: (None,))
net(x).sum().backward()
print(x.grad, net[0].bias.grad, net[2].bias.grad)
## a gradient where there is none
two.register_full_backward_pre_hook(lambda m, go: (a, None, a))
two(a, 3, b)[2].sum().backward()
## a gradient where no input requires grad
net[0].register_full_backward_hook(lambda m, gi, go: (torch.ones(4, 2),))
net(data).sum().backward()
## another way to the inputs
net.register_full_backward_hook(tell("full"))
(g,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
(g**2).sum().backward()
## without gradients
net.register_full_backward_hook(tell("full")), net.register_full_backward_pre_hook(tell("pre"))
with torch.no_grad():
    print(net(x).grad_fn)
net.requires_grad_(False)
print(net(data).grad_fn)
## with forward hooks
net[1].register_full_backward_hook(tell("full"))
net[1].register_forward_hook(lambda m, i, o: o * 10)
net[1].register_forward_pre_hook(lambda m, i: (i[0] * 10,))
net(x).sum().backward()
## the old hook
for layer in net:
    layer.register_backward_hook(tell("old"))
net(x).sum().backward()
## the old hook of a network
handle = net.register_backward_hook(tell("old"))
net(x).sum().backward()
handle.remove()
net(x).sum().backward()
## both kinds
net.register_backward_hook(tell("old")), net.register_full_backward_pre_hook(tell("pre"))
net(x).sum().backward()
net.register_full_backward_hook(tell("full"))
## both kinds the other way round
net.register_full_backward_hook(tell("full"))
net.register_backward_hook(tell("old"))
""".split("\n## ")[1:])  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_torch_prints(torch, name):
    assert shown(autograd_nb, SETUP + PROGRAMS[name]) == shown(torch, SETUP + PROGRAMS[name])
