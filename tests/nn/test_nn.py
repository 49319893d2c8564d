"""Modules, parameters, layers and losses: each program run with our library and with torch; names in new processes."""

import house
import pytest
from programs import shown

import autograd_nb

SETUP = """
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.second = nn.Linear(4, 2, bias=False)
        self.register_buffer("seen", torch.zeros(2))
        self.register_buffer("hidden", torch.ones(1))
        self.scale = nn.Parameter(torch.tensor(2.))
    def forward(self, x):
        return self.second(torch.relu(self.first(x))) * self.scale
net = Net()
x = torch.ones(2, 3)
"""

PROGRAMS = dict(block.split("\n", 1) for block in """
## parameters
print([(n, tuple(p.shape), p.requires_grad) for n, p in net.named_parameters()])
print(len(list(net.parameters())))
## buffers
print([n for n, _ in net.named_buffers()], net.seen, net.hidden)
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
## missing key
s = net.state_dict()
del s["scale"]
s["more"] = torch.ones(1)
s["first.more"] = torch.ones(1)
net.load_state_dict(s)
## modes
net.eval()
print(net.training, net.first.training)
net.train()
print(net.first.training)
## zero_grad
net(x).sum().backward()
net.zero_grad()
print(net.scale.grad)
net(x).sum().backward()
net.zero_grad(set_to_none=False)
print(net.scale.grad)
## deepcopy
c = copy.deepcopy(net)
c.scale.data.add_(1)
print(net.scale, c.scale, torch.equal(c.first.weight, net.first.weight))
## number for module
net.first = 3
## before init
class Bad(nn.Module):

    def __init__(self):
        self.p = nn.Parameter(torch.ones(1))
Bad()
## shared parameter
net.second.weight = nn.Parameter(torch.ones(2, 4))
net.other = net.second
print(len(list(net.parameters())), len(list(net.modules())))
## forward hook
h = net.first.register_forward_hook(lambda m, i, o: print(m, len(i), o.shape))
net(x)
h.remove()
net(x)
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
## Sequential
s = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
print(len(s), s[0], s[-1], s[1:])
## Sequential with names
s = nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh()))
print(s, s.a)
s.append(nn.Sigmoid())
print(s)
## ModuleDict
d = nn.ModuleDict({"first": nn.Linear(3, 2), "bend": nn.ReLU()})
d["last"] = nn.Linear(2, 1)
print(d, len(d), [*d], [*d.keys()], [*d.items()], "bend" in d)
print([n for n, _ in d.named_parameters()], list(d.state_dict()))
print(d["last"](d["bend"](d["first"](x))))
del d["first"]
d.update([("again", nn.Tanh())])
print(d.pop("last"), d, d.clear(), d, nn.ModuleDict())
## ModuleDict with a wrong name
nn.ModuleDict({"a.b": nn.ReLU()})
## ModuleDict of a number
nn.ModuleDict({"a": 3})
## ModuleDict without a key
nn.ModuleDict({"a": nn.ReLU()})["b"]
## ParameterList
p = nn.ParameterList([nn.Parameter(torch.ones(3)), torch.zeros(2, 2)])
print(p, p[0], p[-1], len(p), [n for n, _ in p.named_parameters()], list(p.state_dict()), p[1:])
p += [torch.ones(1)]
p[0] = torch.tensor([2.0, 3.0])
print(p.append(torch.ones(4, dtype=torch.float64)), p[2].requires_grad, p[0], [each.shape for each in p])
(p[0] * 3).sum().backward()
print(p[0].grad, nn.ParameterList(), nn.ParameterList([torch.ones(2)]))
print(nn.Sequential(p, nn.ModuleDict({"a": nn.Tanh()})))
## ParameterList of a tensor
nn.ParameterList(torch.ones(2))
## PReLU
p = nn.PReLU(3, init=0.1)
print(p, p.weight, p(-x), nn.PReLU()(-x))
p(-x).sum().backward()
print(p.weight.grad)
## ModuleList
m = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)] + [nn.ReLU()])
print(m, len(m), m[1:3])
m.append(nn.Tanh())
print(m)
## Flatten
print(nn.Flatten()(torch.ones(2, 3, 4)).shape, nn.Flatten(0)(torch.ones(2, 3)).shape)
## Linear with wrong input
net.first(torch.ones(2, 5))
## first values of any kind
w = torch.empty(4, 4)
i = nn.init
for f in (i.uniform_, i.normal_, i.ones_, i.zeros_, i.xavier_uniform_, i.kaiming_uniform_):
    print(f(w))
print(i.xavier_uniform_(torch.empty(2, 3, 2)), i.kaiming_uniform_(torch.empty(3, 2, 2), mode="fan_out"))
print(
    i.constant_(w, 3.0), w._version, i.uniform_(torch.empty(3), -1.0, 1.0),
    i.normal_(torch.empty(2, 2), 1.0, 2.0),
)
## orthogonal_
def digits(tensor):  # the last ones may differ
    return (tensor.double() * 1000).round() / 1000 + 0.0
for shape in (3, 3), (4, 2), (2, 4), (2, 3, 2), (0, 3):
    w = torch.empty(shape)
    print(digits(nn.init.orthogonal_(w, gain=2.0)), w._version)
nn.init.orthogonal_(torch.empty(3))
## embedding
for layer in nn.Embedding(5, 3), nn.Embedding(4, 2, padding_idx=1), nn.Embedding(4, 2, padding_idx=-1):
    print(layer, layer.padding_idx, layer.state_dict())
    out = layer(torch.tensor([[1, 3], [3, 2]]))
    (out * torch.arange(out.numel()).view(out.shape)).sum().backward()
    print(out.shape, out.grad_fn.name(), layer.weight.grad)
layer([1])
## clip_grad_norm_
net(x).sum().backward()
print(nn.utils.clip_grad_norm_(net.parameters(), 0.5))
print(net.scale.grad, net.second.weight.grad)
## clip_grad_value_
net(x).sum().backward()
net.first.weight.grad = None
print(nn.utils.clip_grad_value_(net.parameters(), 0.5), nn.utils.clip_grad_value_(net.scale, clip_value=0.25))
print(net.first.bias.grad, net.second.weight.grad, net.scale.grad)
## parameters as a vector
vector = nn.utils.parameters_to_vector(net.parameters())
print(vector, vector.grad_fn.name())
nn.utils.vector_to_parameters(vector * 2, net.parameters())
print(net.scale, net.first.bias, net.second.weight, net.scale.is_leaf, net.scale.grad_fn)
double = vector.detach() * 2
nn.utils.vector_to_parameters(double, net.parameters())
double.zero_()
print(net.first.bias)
## a vector that is too short
nn.utils.vector_to_parameters(torch.ones(3), net.parameters())
## no vector
nn.utils.vector_to_parameters(3, net.parameters())
""".split("\n## ")[1:])


LAYERS_SETUP = """
F = nn.functional
torch.manual_seed(0)
x = torch.randn(2, 4, 6)
def digits(tensor):  # the last ones may differ
    return None if tensor is None else (tensor.detach().double() * 1000).round() / 1000 + 0.0
def show(function, *inputs):
    inputs = [each.clone().requires_grad_() for each in inputs]
    torch.manual_seed(1)
    result = function(*inputs)
    print(result.dtype, digits(result), result.grad_fn.name() if result.grad_fn else "")
    if result.requires_grad:
        weights = torch.linspace(1, 2, result.numel()).view(result.shape)
        print([digits(grad) for grad in torch.autograd.grad((result * weights).sum(), inputs)])
def run(make, *inputs):
    torch.manual_seed(2)
    layer = make()
    print(layer, layer.training)
    for name, value in layer.state_dict().items():
        print(name, digits(value))
    show(layer, *inputs)
    for name, value in layer.named_parameters():
        loss = layer(*inputs)
        print(name, digits(torch.autograd.grad((loss * loss.detach().cos()).sum(), value)[0]))
    layer.eval()
    show(layer, *inputs)
    return layer
"""

LAYERS = dict(block.split("\n", 1) for block in """
## activations
for make in (nn.Sigmoid, nn.Tanh, lambda: nn.LeakyReLU(0.3), nn.ELU, nn.SiLU, nn.GELU, lambda: nn.GELU("tanh"),
             lambda: nn.Softplus(2.0), nn.LogSigmoid, lambda: nn.Softmax(1),
             lambda: nn.LogSoftmax(-1), nn.Flatten, lambda: nn.Flatten(0, 1)):
    run(make, x)
print(nn.ReLU(inplace=True), nn.ReLU(inplace=True)(x.clone()).sum().round())
## layers
run(lambda: nn.Linear(6, 3), x)
run(lambda: nn.Linear(6, 3, bias=False), x)
run(lambda: nn.LayerNorm(6), x)
run(lambda: nn.LayerNorm((4, 6), eps=0.1, bias=False), x)
run(lambda: nn.BatchNorm1d(4), x)
run(lambda: nn.BatchNorm1d(6, eps=0.1, momentum=None, bias=False), x[0])
run(lambda: nn.BatchNorm1d(4, affine=False, track_running_stats=False), x)
run(nn.Dropout, x)
print(nn.Dropout(0.2, True))
## batches
norm = nn.BatchNorm1d(6, momentum=0.5)
norm(x[0]), norm(x[1] * 3 + 1)
print({name: digits(value) for name, value in norm.state_dict().items()}, norm.running_mean._version)
one, two = norm(x[0]).sum(), norm(x[1]).sum()
one.backward()
other = nn.BatchNorm1d(6)
print(other.load_state_dict(norm.state_dict()), other.num_batches_tracked)
norm.reset_running_stats()
print(norm.running_var, norm.num_batches_tracked)
values = (x[0].double(), torch.rand(6).double(), torch.rand(6).double())
values = [value.requires_grad_() for value in values]
mean, var = torch.rand(6).double(), torch.rand(6).double()
for training in (True, False):
    function = lambda *v: F.batch_norm(v[0], mean.clone(), var, *v[1:], training)
    print(torch.autograd.gradcheck(function, values), torch.autograd.gradgradcheck(function, values))
## dropout
show(lambda x: F.dropout(x, 0.4), x)
show(lambda x: F.dropout(x, 1.0), x)
show(lambda x: F.dropout(x * 1, 0.4, inplace=True), x)
show(lambda x: F.dropout(x, 0.4, training=False), x)
F.dropout(x, 1.0)
print(torch.rand(2))
## losses
a, c = torch.randn(3, 4), torch.randn(3, 4)
for make, inputs in (
    (lambda: nn.NLLLoss(torch.rand(4)), (a, torch.tensor([0, 1, 3]))),
    (lambda: nn.CrossEntropyLoss(torch.rand(4)), (a, torch.tensor([0, 1, 3]))),
    (lambda: nn.BCEWithLogitsLoss(pos_weight=torch.rand(4)), (a, (c > 0).float())),
    (nn.BCELoss, (a.sigmoid(), (c > 0).float())), (lambda: nn.MSELoss(reduction="sum"), (a, c)),
    (lambda: nn.L1Loss(reduction="none"), (a, c)),
):
    torch.manual_seed(0)
    loss = make()
    first = inputs[0].clone().requires_grad_()
    result = loss(first, *inputs[1:])
    print(loss, loss.reduction, list(loss.state_dict()), digits(result), result.grad_fn.name())
    print(digits(torch.autograd.grad(result.sum(), first)[0]))
""".split("\n## ")[1:])  # fmt: skip


RUN = {name: SETUP + text for name, text in PROGRAMS.items()} | {
    name: LAYERS_SETUP + text for name, text in LAYERS.items()}  # fmt: skip


@pytest.mark.parametrize("name", RUN)
def test_a_program_prints_what_torch_prints(torch, name):
    assert shown(autograd_nb, RUN[name]) == shown(torch, RUN[name])


@pytest.mark.parametrize("program", [
    "from autograd_nb.nn import Linear; print(Linear(1, 2))",
    "from autograd_nb.nn import *; print(Linear(1, 2), functional.relu.__name__, Parameter is parameter.Parameter)",
    "from autograd_nb.nn.functional import *; print(relu.__name__, mse_loss.__name__)",
    "import autograd_nb as torch; print(torch.layer_norm.__name__, torch.nn.utils.clip_grad_norm_.__name__)",
    "import pickle, autograd_nb as torch; print(pickle.loads(pickle.dumps(torch.nn.Sequential(torch.nn.ReLU(True)))))",
])  # fmt: skip
def test_names_answer_in_a_new_process(program):
    assert (told := house.run("-c", program)) and "False" not in told
