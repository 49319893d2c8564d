"""Names that programs about autograd use beside the table's rows: each gives what PyTorch gives, errors included."""

import warnings

import pytest

import autograd_nb

SETUP = """
import warnings
from TORCH.autograd import Variable
F, nn, init = torch.nn.functional, torch.nn, torch.nn.init
torch.manual_seed(0)
w = torch.nn.Parameter(torch.ones(2, 3))
p = torch.tensor([0.1, 0.2, 0.3, 0.4])
ONLY_IN_PYTORCH = {"_input_metadata", "_raw_saved_other", "_raw_saved_self", "_register_hook_dict", "_sequence_nr",
                   "_set_sequence_nr", "metadata", "requires_grad"}
layer = nn.Linear(2, 3)
with warnings.catch_warnings(action="ignore"):
    twice = torch.optim.SGD([w, w], lr=0.1)
w.grad = torch.ones(2, 3)
class Unready(nn.Module):
    def __init__(self, method, *args):
        getattr(self, method)(*args)
unready = Unready
WALKS = "parameters named_parameters buffers named_buffers children named_children modules named_modules".split()
def crossed():
    torch.set_warn_always(True)
    try:
        return torch.cross(torch.ones(2, 3), torch.eye(2, 3))
    finally:
        torch.set_warn_always(False)
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
crossed()
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
""".strip().splitlines()


def told(torch, code):
    """What the expression gives or raises, and what it warns of."""
    space = {"torch": torch}
    exec(SETUP.replace("TORCH", torch.__name__), space)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = repr(eval(code, space))
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
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
