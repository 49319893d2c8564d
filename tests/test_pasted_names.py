"""Names that programs about autograd use beside the table's rows: each gives the same as PyTorch, errors included."""

import re
import warnings

import numpy as np
import pytest

import autograd_nb

SETUP = """
import warnings
from TORCH.autograd import Variable
F, nn, init = torch.nn.functional, torch.nn, torch.nn.init
torch.manual_seed(0)
w = torch.nn.Parameter(torch.ones(2, 3))
p = torch.tensor([0.1, 0.2, 0.3, 0.4])
ONLY_IN_PYTORCH = {"_input_metadata", "_raw_saved_other", "_raw_saved_self", "_register_hook_dict",
                   "_set_sequence_nr", "requires_grad"}
layer = nn.Linear(2, 3)
with warnings.catch_warnings(action="ignore"):
    twice = torch.optim.SGD([w, w], lr=0.1)
w.grad = torch.ones(2, 3)
def hooks():
    return torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor)
def inside_hooks():
    with hooks():
        without_hooks("pass")
def without_hooks(*lines):
    with torch.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
        for line in lines:
            exec(line)
def reductions(w):
    found = w.mean(), w.sum(), w.mean(0), w.sum(0, keepdim=True), w.cumsum(0), torch.cat([w, w])
    return [each.grad_fn for each in found]
class Many(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, words):
        return x * 2
class Old(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]
class Unready(nn.Module):
    def __init__(self, method, *args):
        getattr(self, method)(*args)
unready = Unready
WALKS = "parameters named_parameters buffers named_buffers children named_children modules named_modules".split()
"""
EXPRESSIONS = """
Variable(torch.ones(2), requires_grad=True)
Variable(torch.ones(2), True).is_leaf, Variable(w).requires_grad, type(Variable(w)), Variable()
Variable(torch.ones(2), volatile=True)
isinstance(torch.ones(1), Variable), isinstance(3, Variable)
Variable(3)
Variable(torch.tensor([1]), requires_grad=True)
F.one_hot(torch.tensor([0, 2]))
F.one_hot(torch.tensor(1), 4), F.one_hot(torch.tensor([[1], [0]]), num_classes=3)
F.one_hot(torch.tensor([], dtype=torch.int64), 3)
F.one_hot(torch.tensor([], dtype=torch.int64))
F.one_hot(torch.tensor([-1]))
F.one_hot(torch.tensor([5]), 3)
F.one_hot(torch.tensor([1.0]))
F.one_hot([1])
nn.Identity(3, foo=1), nn.Identity()(w) is w
init.kaiming_normal_(w), init.kaiming_normal_(w, mode="fan_out", nonlinearity="relu")
init.xavier_normal_(w, gain=2.0), w._version
init.kaiming_normal_(torch.empty(0, 3)), init.kaiming_uniform_(torch.empty(0, 3))
init.kaiming_normal_(torch.empty(3))
init.kaiming_normal_(w, mode="foo")
init.kaiming_uniform_(w, nonlinearity="foo"), init.calculate_gain("foo")
torch.tensor(["a", "b"])
torch.tensor("a"), torch.as_tensor([1, "a"])
torch.tensor([1, "a"])
torch.ones(2, -1)
"a" in torch.ones(1)
None in torch.ones(1)
True in torch.ones(1), 2 in torch.ones(1)
torch.ones(4).split(0)
torch.ones(4).split(-1)
torch.einsum("ij,jk->ik", torch.ones(2, 4), torch.ones(3, 4))
torch.einsum("bij,bjk->bik", torch.ones(2, 3, 4), torch.ones(3, 4, 5))
torch.einsum("ij", torch.ones(3))
torch.einsum("i->", torch.ones(3, 3))
(torch.ones(2, 2) * w.sum())[0].detach_()
[getattr(nn.ReLU(), name)().__qualname__ for name in WALKS]
nn.ReLU().register_parameter("a.b", None)
nn.ReLU().register_parameter("forward", None)
nn.ReLU().register_parameter("a", torch.ones(1))
nn.ReLU().register_buffer("a.b", None)
nn.Linear(1, 1).register_buffer("weight", None)
nn.ReLU().register_buffer("a", 3)
nn.ReLU().register_buffer("a", print)
nn.ReLU().add_module("a.b", nn.ReLU())
nn.ReLU().add_module("forward", nn.ReLU())
nn.ReLU().add_module("a", torch.ones(1))
nn.Sequential(3)
nn.Sequential(nn.ReLU(), lambda x: x)
nn.ModuleList([nn.Module(), crossed])
setattr(nn.Sequential(nn.ReLU()), "0", 3)
setattr(nn.Linear(1, 1), "weight", torch.ones(1))
setattr(nn.BatchNorm1d(1), "running_mean", 3)
unready("register_buffer", "a", None)
unready("register_parameter", "a", None)
unready("__setattr__", "a", nn.Parameter(torch.ones(1)))
unready("__setattr__", "a", nn.ReLU())
torch.autograd.functional.hessian(torch.exp, torch.ones(2))
torch.autograd.functional.hessian(lambda x: (x.sum(), x.sum()), torch.ones(2))
torch.autograd.functional.jacobian(lambda x: 3, torch.ones(2))
torch.autograd.functional.jacobian(lambda x: (x, 3), torch.ones(2))
torch.autograd.functional.jacobian(torch.exp, 3.0)
torch.autograd.functional.vjp(torch.exp, torch.ones(2))
torch.autograd.functional.jvp(torch.exp, torch.ones(2))
torch.autograd.functional.hvp(torch.sum, torch.ones(2))
torch.autograd.functional.vhp(torch.sum, [torch.ones(2)], torch.ones(2))
torch.autograd.functional.hvp(torch.sum, torch.ones(2), torch.ones(3))
torch.normal(torch.zeros(3), torch.tensor([1.0, 2.0, 3.0]))
torch.normal(torch.zeros(20, 1), torch.ones(2)), torch.normal(2.0, torch.ones(20)), torch.normal(torch.ones(20), 0.5)
torch.normal(torch.zeros(2, dtype=torch.float64), torch.ones(2))
torch.normal(torch.zeros(2), torch.tensor([1.0, -1.0]))
torch.normal(torch.zeros(2), torch.ones(3))
torch.normal(torch.zeros(2), -1.0)
torch.normal(torch.zeros(2, dtype=torch.int64), 1.0)
type(torch.manual_seed(1))
torch.multinomial(p, 1), torch.multinomial(p, 3), torch.rand(1)
torch.multinomial(p, 10, replacement=True), torch.multinomial(p.double(), 10, True), torch.rand(1)
torch.multinomial(torch.rand(3, 27), 1), torch.multinomial(torch.rand(3, 27), 9, True), torch.rand(1)
torch.multinomial(torch.rand(3, 300), 300), torch.multinomial(torch.rand(5000), 50), torch.rand(1)
torch.multinomial(p.half(), 4), p.multinomial(num_samples=2), torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 2)
torch.multinomial(p, 2, generator=torch.Generator().manual_seed(5)), torch.rand(1)
torch.multinomial(torch.zeros(0, 2), 1), torch.multinomial(torch.zeros(0, 2), 3, True)
torch.multinomial(p, 5)
torch.multinomial(p, 0)
torch.multinomial(-p, 1)
torch.multinomial(p * 0, 1)
torch.multinomial(p * float("nan"), 1)
torch.multinomial(torch.tensor([1, 2]), 1)
torch.multinomial(torch.rand(2, 2, 2), 1)
p.type(torch.LongTensor), p.type("torch.DoubleTensor"), p.type(torch.FloatTensor) is p
w.type(torch.DoubleTensor)
p.type("foo")
[isinstance(each, kind) for each in (p, p.long(), w, 3) for kind in (torch.FloatTensor, torch.LongTensor)]
torch.FloatTensor, torch.LongTensor.dtype, torch.ByteTensor.__name__, torch.FloatTensor(2, 3).shape
torch.__version__[:6]
{name for name in dir((w * w).grad_fn) if name[:2] != "__"} - ONLY_IN_PYTORCH
w[[]], w[:, []], w[[], []]
w[0, "a"]
torch.cat([each.view(-1) for each in torch.autograd.grad(layer(p.view(2, 2)).exp().sum(), layer.parameters())])
[each.view(-1) for each in torch.autograd.grad(layer(p.view(2, 2)).exp().sum(), layer.parameters(), create_graph=True)]
torch.optim.SGD([w, w], lr=0.1), torch.optim.SGD([w], lr=0.1).add_param_group({"params": [p]})
torch.optim.SGD([w], lr=0.1).add_param_group({"params": [w]})
torch.optim.SGD([w], lr=0.1).add_param_group([w])
twice.step(), w
nn.init.zeros_(torch.empty(0)), nn.Linear(0, 2)
torch.optim.SGD(layer.named_parameters(), lr=0.1), torch.optim.SGD(layer.named_parameters()).state_dict()
torch.optim.SGD([("w", w), p], lr=0.1)
torch.optim.SGD([{"params": layer.named_parameters()}, {"params": [p]}], lr=0.1)
torch.optim.SGD([{"params": [p]}, {"params": layer.named_parameters()}], lr=0.1)
torch.optim.SGD({p}, lr=0.1)
torch.optim.SGD([("w", 3)], lr=0.1)
torch.optim.SGD([np.ones(2)], lr=0.1)
torch.finfo(), torch.finfo(torch.float64), torch.finfo(torch.float16), torch.iinfo(torch.int8), torch.iinfo(torch.int64)
[getattr(torch.finfo(p.dtype), name) for name in "max min eps tiny bits resolution smallest_normal dtype".split()]
torch.iinfo(torch.int64).max, torch.iinfo(torch.uint8).bits, torch.iinfo(torch.int32).dtype
torch.iinfo(torch.float32)
torch.finfo(torch.int8)
torch.iinfo(torch.bool)
[torch.zeros(shape).fill_diagonal_(2.0) for shape in ((3, 3), (2, 3), (7, 3), (2, 2, 2))]
torch.zeros(2, 2, 3).fill_diagonal_(1)
torch.zeros(3).fill_diagonal_(1)
torch.autograd.grad((w * 1).fill_diagonal_(0.0).pow(2).sum(), w), (w * 1).fill_diagonal_(3.0).grad_fn
w.fill_diagonal_(0.0)
torch.triu_indices(3, 4), torch.triu_indices(3, 3, offset=1), torch.triu_indices(3, 2, -1), torch.triu_indices(0, 2)
torch.triu_indices(2, 2, dtype=torch.int32), torch.eye(3)[torch.triu_indices(3, 3, 1).unbind()]
torch.is_anomaly_enabled(), [torch.is_anomaly_enabled() for _ in [torch.autograd.set_detect_anomaly(True)]]
torch.autograd.set_detect_anomaly(False), torch.is_anomaly_enabled()
without_hooks("with hooks(): pass")
without_hooks("with torch.autograd.graph.disable_saved_tensors_hooks('inner'): pass", "with hooks(): pass")
inside_hooks()
F.kl_div(w, w, reduction="mean")
F.kl_div(w, w, reduction="foo")
nn.KLDivLoss(), nn.KLDivLoss(log_target=True, reduction="batchmean")(w.log_softmax(-1), w.log_softmax(-1))
torch.zeros(2.5)
torch.zeros(2, 2.5)
torch.ones((2, 2.5))
torch.ones((2.5,))
torch.zeros("3"), torch.randn("3")
torch.randn("3")
torch.ones(None), torch.ones(True)
torch.ones(True)
torch.zeros(2, True)
torch.full(2.5, 1), torch.full((2.0,), 1)
torch.full((2.0,), 1)
p.new_zeros((2.0,))
p.new_zeros(2, 2.0)
torch.randperm(2.5)
torch.eye(2.5)
torch.eye(-1)
torch.zeros(-1)
torch.zeros((2, -1))
torch.arange(0, 1, 0)
torch.arange(0, 1, 0.0)
torch.linspace(0, 1, -1)
p.expand("a")
p.expand(2.5, 2)
p.expand(2, 2.5)
p.permute("a")
p.flip(0.0)
p.flip(0), p.flip((0,)), torch.flip(p, [0]), torch.flip(p, dims=(0,)), w.permute(1, 0).shape
torch.flip(p, 0)
torch.flip(w, 0, 1)
torch.permute(w, 0, 1)
p.broadcast_to(3, 4).shape, p.broadcast_to((3, 4)).shape, p.broadcast_to(size=(3, 4)).shape
torch.broadcast_to(p, (3, 4)).shape, torch.broadcast_to(p, 3, 4)
torch.broadcast_to(p, 4)
p.broadcast_to(2, 3)
torch.broadcast_shapes((3, 4), (5, 4), (1, 4))
torch.broadcast_shapes((2,), (3,))
torch.broadcast_shapes((3, 1), (1, 4), (5, 3, 1), ()), torch.broadcast_shapes(), torch.broadcast_shapes(3, (2, 1))
p.unsqueeze(1.5)
w.sum().backward(retain_graph=torch.ones(2))
w.sum().backward(retain_graph=1.5)
w.sum().backward(create_graph="a")
w.backward(w, w, w)
torch.autograd.grad(w.sum(), w, retain_graph="a")
w.sum().backward(retain_graph=torch.tensor(True)), w.sum().backward(retain_graph=1)
nn.Linear(2, 1)(np.ones((2, 2)))
torch.exp(np.ones(2))
torch.cat([p, np.float32(1)])
torch.ones(2, device="gpu")
torch.device("gpu:0")
p.to("float")
Many.apply(p)
Many.apply(p, factor=3)
Many.apply(p, 1, 2, 3)
Old.apply(p.requires_grad_()).sum().backward()
w.mul(2).grad_fn.name(), w.sum().grad_fn.name()
w.mul(2).grad_fn.metadata, [each.metadata.setdefault("a", 1) and each.metadata for each in [w.mul(2).grad_fn]]
[each._sequence_nr() < later._sequence_nr() for each, later in [(w.mul(2).grad_fn, w.mul(3).grad_fn)]]
w.sum().grad_fn.next_functions[0][0]._sequence_nr()
*[[(name, getattr(node, name)) for name in dir(node) if name[:6] == "_saved"] for node in reductions(w)],
torch.autograd.grad(w[torch.tensor([0, 0])].pow(2).sum(), w, create_graph=True)[0].grad_fn
""".strip().splitlines()


def told(torch, code):
    """The expression's value or error, and its warnings."""
    space = {"torch": torch, "np": np}
    exec(SETUP.replace("TORCH", torch.__name__), space)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = repr(eval(code, space))
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    result = re.sub(r"0x[0-9a-f]+", "0x", result)
    return result, [str(each.message).partition(" (Triggered")[0] for each in caught]


@pytest.mark.parametrize("code", EXPRESSIONS)
def test_a_name_gives_what_it_gives_in_pytorch(code, live):
    assert told(autograd_nb, code) == told(live, code)


@pytest.mark.parametrize("make", ["SGD([w], lr=0.1, momentum=0.9)", "Adam([w], lr=0.1)", "RMSprop([w])",
                                  "SGD([{'params': [w]}, {'params': [v], 'lr': 0.5}], lr=0.1)"])  # fmt: skip
def test_the_state_of_an_optimizer_goes_from_one_to_another(make, live):
    def steps(torch):
        w, v = (torch.nn.Parameter(torch.tensor([1.0, each])) for each in (2.0, 3.0))
        first, second = (eval(f"torch.optim.{make}", {"torch": torch, "w": w, "v": v}) for _ in "12")
        for optimizer in (first, second):
            ((w + v) ** 2).sum().backward()
            optimizer.step()
            second.load_state_dict(first.state_dict())
        return w.detach(), str(second.state_dict()).replace("dtype=torch.float32", ""), second

    mine, its = steps(autograd_nb), steps(live)
    assert [repr(each) for each in mine] == [repr(each) for each in its]


def test_a_state_of_another_form_is_refused(live):
    for torch in (autograd_nb, live):
        one, other = (torch.optim.SGD([torch.ones(1) for _ in range(count)], lr=1) for count in (1, 2))
        with pytest.raises(ValueError, match="contains a parameter group that doesn't match the size"):
            one.load_state_dict(other.state_dict())
        other.add_param_group({"params": [torch.zeros(1)]})
        with pytest.raises(ValueError, match="a different number of parameter groups"):
            one.load_state_dict(other.state_dict())
