"""Modules, parameters, first values and tools for parameters: each program run with our library and with torch."""

import copy
import warnings
from collections import OrderedDict

import numpy as np
import pytest

import autograd_nb
import autograd_nb.nn


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is the reference and is not installed")


def shown(library, program):
    """What a program prints, or its error, and its warnings; ``torch`` and ``nn`` stand for the library."""
    lines = []
    names = {"torch": library, "nn": library.nn, "copy": copy, "OrderedDict": OrderedDict, "np": np,
             "print": lambda *values: lines.append(" ".join(map(str, values)))}  # fmt: skip
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            exec(program, names)
        except Exception as error:
            lines.append(f"{type(error).__name__}: {error}")
    return lines, [str(each.message) for each in told]


SETUP = """
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.second = nn.Linear(4, 2, bias=False)
        self.register_buffer("seen", torch.zeros(2))
        self.register_buffer("hidden", torch.ones(1), persistent=False)
        self.scale = nn.Parameter(torch.tensor(2.))
    def forward(self, x):
        return self.second(torch.relu(self.first(x))) * self.scale
net = Net()
x = torch.ones(2, 3)
"""

PROGRAMS = dict(block.split("\n", 1) for block in """
## text
print(net)
print(net.first, nn.Module())
print(nn.Sequential(net, nn.Sequential(nn.ReLU())))
## parameters
print([(n, tuple(p.shape), p.requires_grad) for n, p in net.named_parameters()])
print(len(list(net.parameters())))
## buffers
print([n for n, _ in net.named_buffers()], net.seen, net.hidden)
## modules
print([n for n, _ in net.named_modules()], [n for n, _ in net.named_children()])
print(list(net.children()))
## first values
print(net.first.weight)
print(net.first.bias)
print(net.second.weight, net.second.bias)
## forward and backward
y = net(x)
print(y)
y.sum().backward()
print(*[p.grad for p in net.parameters()], sep="")
## graph
y = net(x)
print(y.grad_fn.name(), net.first(x).grad_fn.next_functions[2][0].name(), net.second(x).grad_fn.name())
## state dict
print(net.state_dict())
print(list(net.state_dict()), net.load_state_dict(Net().state_dict()))
## state dict shares
s = net.state_dict()
s["scale"].add_(1)
print(net.scale, net.scale._version)
## missing key
s = net.state_dict()
del s["scale"]
s["more"] = torch.ones(1)
s["first.more"] = torch.ones(1)
net.load_state_dict(s)
## not strict
s = net.state_dict()
del s["scale"]
s["more"] = torch.ones(1)
print(net.load_state_dict(s, strict=False))
## size mismatch
s = net.state_dict()
s["first.weight"] = torch.ones(1)
net.load_state_dict(s)
## no tensor in state
s = net.state_dict()
s["scale"] = 3
net.load_state_dict(s)
## no state
net.load_state_dict(3)
## modes
net.eval()
print(net.training, net.first.training)
net.train()
print(net.first.training)
net.train(1)
## zero_grad
net(x).sum().backward()
net.zero_grad()
print(net.scale.grad)
net(x).sum().backward()
net.zero_grad(set_to_none=False)
print(net.scale.grad)
## frozen
net.requires_grad_(False)
print(net(x).requires_grad, net.scale)
## apply
print(net.apply(lambda m: print(type(m).__name__)) is net)
## double
net.double()
print(net.first.weight.dtype, net.seen.dtype, net(x.double()).dtype)
net.float()
print(net.scale.dtype)
## to
print(net.to(torch.float64).scale.dtype, net.to("cpu") is net)
net.to(torch.int64)
## deepcopy
c = copy.deepcopy(net)
c.scale.data.add_(1)
print(net.scale, c.scale, torch.equal(c.first.weight, net.first.weight))
## attributes
net.scale = nn.Parameter(torch.ones(1))
print(net.scale)
net.scale = None
print(list(net._parameters), net.scale)
## delete
del net.scale
print(hasattr(net, "scale"))
net.scale
## tensor for parameter
net.scale = torch.ones(1)
## number for module
net.first = 3
## number for buffer
net.seen = 3
## buffer replaced
net.seen = torch.ones(3)
print(dict(net.named_buffers()))
## before init
class Bad(nn.Module):

    def __init__(self):
        self.p = nn.Parameter(torch.ones(1))
Bad()
## module before init
class Bad(nn.Module):

    def __init__(self):
        self.p = nn.ReLU()
Bad()
## no forward
nn.Module()(3)
## arguments
nn.Module(3)
## keyword
nn.Module(a=3)
## register names
net.register_parameter("a.b", None)
## register taken
net.register_buffer("forward", None)
## register kind
net.register_parameter("p", torch.ones(1))
## register non-leaf
net.register_parameter("p", nn.Parameter(torch.ones(1)) * 2)
## register buffer kind
net.register_buffer("b", 3)
## add_module kind
net.add_module("m", 3)
## shared parameter
net.second.weight = nn.Parameter(torch.ones(2, 4))
net.other = net.second
print(len(list(net.parameters())), len(list(net.modules())))
## forward hook
h = net.first.register_forward_hook(lambda m, i, o: print(m, len(i), o.shape))
net(x)
h.remove()
net(x)
## forward hook replaces
net.second.register_forward_hook(lambda m, i, o: o * 0 + 1)
print(net(x))
## forward pre-hook
net.register_forward_pre_hook(lambda m, i: i[0] * 0)
print(net(x))
## parameter
p = nn.Parameter(torch.ones(2))
print(type(p), p, [p], p.is_leaf, type(p * 1), isinstance(torch.ones(1), nn.Parameter))
## parameter shares
d = torch.ones(2)
p = nn.Parameter(d)
d.add_(1)
print(p, p._version, d._version)
## parameter of result
p = nn.Parameter(torch.ones(2) * nn.Parameter(torch.ones(2)))
print(p, p.is_leaf, p.grad_fn)
## parameter of whole numbers
print(nn.Parameter(torch.ones(1, dtype=torch.int64), requires_grad=False))
nn.Parameter(torch.ones(1).long())
## parameter copied
p = nn.Parameter(torch.ones(2))
p.sum().backward()
c = copy.deepcopy(p)
print(type(c), c, c.grad)
## empty parameter
print(nn.Parameter())
## parameter in inference
p = nn.Parameter(torch.ones(2))
p.requires_grad_(False)
print(p)
p.grad = torch.ones(2)
print(p.grad)
## modified parameter
y = net(x)
net.second.weight.data = torch.ones(2, 4)
with torch.no_grad():
    net.second.weight.add_(1)
y.sum().backward()
## modified weight of addmm
y = nn.Linear(3, 2)
z = y(x.requires_grad_())
with torch.no_grad():
    y.weight.mul_(2)
z.sum().backward()
## modified bias
y = nn.Linear(3, 2)
z = y(x)
with torch.no_grad():
    y.bias.mul_(2)
z.sum().backward()
print(y.bias.grad)
## Sequential
s = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
print(len(s), s[0], s[-1], s[1:])
del s[1]
print(s)
s[5]
## Sequential with names
s = nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh()))
print(s, s.a)
s.append(nn.Sigmoid())
print(s)
## Sequential and
s = nn.Sequential(nn.ReLU(), nn.Tanh())
s.extend([nn.GELU()])
print(s)
s[1] = nn.ELU()
print(s, [type(part).__name__ for part in s])
s[3] = nn.ELU()
## Sequential of numbers
nn.Sequential(3)
## ModuleList
m = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)] + [nn.ReLU()])
print(m, len(m), m[1:3])
m.append(nn.Tanh())
m += [nn.Tanh()]
del m[0]
print(m)
del m[1:]
print(m)
print(m[9])
## ModuleList is no function
nn.ModuleList([nn.ReLU()])(x)
## layers' text
print(nn.Flatten(), nn.Dropout(0.2), nn.LayerNorm(3), nn.Identity(), nn.Linear(1, 2, bias=False))
## activations' text
print(
    nn.ReLU(), nn.ReLU(True), nn.LeakyReLU(0.2), nn.LeakyReLU(inplace=True), nn.ELU(), nn.ELU(0.5, True), nn.GELU(),
    nn.SiLU(), nn.SiLU(True), nn.Softplus(), nn.Softmax(1), nn.LogSoftmax(-1), nn.Sigmoid(), nn.Tanh(),
)
## losses' text
print(
    nn.MSELoss(), nn.L1Loss(), nn.BCELoss(), nn.BCEWithLogitsLoss(), nn.CrossEntropyLoss(), nn.NLLLoss(),
    nn.HuberLoss(), nn.SmoothL1Loss(),
)
## activations
v = torch.linspace(-2, 2, 5)
print(
    
    *[m(v) for m in (nn.ReLU(), nn.LeakyReLU(), nn.ELU(), nn.SiLU(), nn.Softplus(), nn.Softmax(0), nn.Tanh(),
                     nn.GELU("tanh"))],
)
## in place
v = torch.linspace(-2, 2, 5)
print(nn.ReLU(inplace=True)(v) is v, v)
## losses
v, t = (torch.tensor([[0.2, 0.9], [0.4, 0.3]]), torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
print(
    
    *[m(v, t) for m in (nn.MSELoss(), nn.L1Loss(reduction="sum"), nn.BCELoss(),
                        nn.BCEWithLogitsLoss(pos_weight=torch.tensor([2.0, 1.0])), nn.CrossEntropyLoss(),
                        nn.SmoothL1Loss(), nn.HuberLoss(delta=0.5))],
)
## class losses
v, t = (torch.tensor([[0.2, 0.9], [0.4, 0.3]]), torch.tensor([0, 1]))
print(nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))(v, t), nn.NLLLoss()(v, t))
## Dropout
torch.manual_seed(1)
d = nn.Dropout(0.4)
print(d(torch.ones(3, 3)))
print(d.eval()(torch.ones(2)))
nn.Dropout(2)
## LayerNorm
l = nn.LayerNorm(3)
print(l(torch.tensor([[1.0, 2.0, 4.0]])), [n for n, _ in l.named_parameters()])
print(nn.LayerNorm((2, 3), elementwise_affine=False))
## Flatten
print(nn.Flatten()(torch.ones(2, 3, 4)).shape, nn.Flatten(0)(torch.ones(2, 3)).shape)
## Linear with wrong input
net.first(torch.ones(2, 5))
## Linear without rows
print(net.first(torch.ones(3)), net.first(torch.ones(0, 3)), net.first(torch.ones(2, 1, 3)).shape)
## first values of any kind
w = torch.empty(4, 4)
i = nn.init
for f in (i.uniform_, i.normal_, i.ones_, i.zeros_, i.eye_, i.xavier_uniform_, i.xavier_normal_, i.kaiming_uniform_,
          i.kaiming_normal_):
    print(f(w))
print(
    i.constant_(w, 3.0), w._version, i.uniform_(torch.empty(3), -1.0, 1.0),
    i.normal_(torch.empty(2, 2), 1.0, 2.0),
)
## gains
print(
    [nn.init.calculate_gain(n) for n in ("linear", "relu", "tanh", "sigmoid", "leaky_relu", "selu")],
    nn.init.calculate_gain("leaky_relu", 0.5),
)
nn.init.calculate_gain("x")
## fan of a vector
nn.init.xavier_uniform_(torch.empty(3))
## mode
nn.init.kaiming_normal_(torch.empty(3, 3), mode="x")
## clip_grad_norm_
net(x).sum().backward()
print(nn.utils.clip_grad_norm_(net.parameters(), 0.5))
print(net.scale.grad, net.second.weight.grad)
## clip by the greatest
net(x).sum().backward()
print(nn.utils.clip_grad_norm_(net.parameters(), 0.1, norm_type=float("inf")))
print(net.scale.grad)
## clip_grad_value_
net(x).sum().backward()
nn.utils.clip_grad_value_(net.parameters(), 0.1)
print(net.scale.grad, net.second.weight.grad)
## clip nothing
print(nn.utils.clip_grad_norm_(net.parameters(), 1.0))
## clip nan
net.scale.grad = torch.tensor(float("nan"))
nn.utils.clip_grad_norm_(net.parameters(), 1.0, error_if_nonfinite=True)
## activations in place
for layer in (nn.ELU(0.5, True), nn.LeakyReLU(0.1, True), nn.ReLU(True), nn.SiLU(True)):
    leaf = torch.tensor([0.5, -2.0, 0.0, 7.0], requires_grad=True)
    before = leaf * 1
    after = layer(before)
    print(after is before, after._version, after)
    (g,) = torch.autograd.grad((after ** 2).sum(), leaf, create_graph=True)
    print(g.sum().grad_fn.next_functions[0][0].next_functions[0][0].name())
    print(torch.autograd.grad(g.sum(), leaf))
## an activation in place on a view
leaf = torch.tensor([0.5, -2.0], requires_grad=True)
y = leaf * 1
nn.functional.elu(y[1:], inplace=True)
y.sum().backward()
print(y, leaf.grad)
## a leaf in place
nn.functional.elu(torch.ones(2, requires_grad=True), inplace=True)
## below a negative slope
nn.functional.leaky_relu(torch.ones(2, requires_grad=True) * 1, -0.5, True).sum().backward()
## a negative alpha
nn.functional.elu(torch.ones(2, requires_grad=True) * 1, -0.5, True).sum().backward()
## what cannot be done in place
nn.functional.gelu(torch.ones(2), inplace=True)
## too many arguments
nn.functional.elu(torch.ones(2), 1.0, True, 3)
## vector
v = nn.utils.parameters_to_vector(net.parameters())
print(v.shape, v.grad_fn.name())
nn.utils.vector_to_parameters(v.detach() * 0 + 1, net.parameters())
print(net.first.weight, net.scale)
## dir
print([n for n in dir(net) if n in ("first", "scale", "seen", "forward")])
""".split("\n## ")[1:])


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_torch_prints(torch, name):
    program = SETUP + PROGRAMS[name]
    assert shown(autograd_nb, program) == shown(torch, program)


def test_a_parameter_dies_with_its_module():
    import gc
    import weakref

    gc.disable()
    try:
        layer = autograd_nb.nn.Linear(2, 2)
        layer(autograd_nb.ones(1, 2)).sum().backward()
        parameter = weakref.ref(layer.weight)
        del layer
        assert parameter() is None
    finally:
        gc.enable()
