"""Names that programs about autograd use beside the table's rows: each gives the same as PyTorch, errors included."""


import pytest
from programs import told

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
class Unready(nn.Module):
    def __init__(self, method, *args):
        getattr(self, method)(*args)
unready = Unready
WALKS = "parameters named_parameters buffers named_buffers children named_children modules named_modules".split()
"""
EXPRESSIONS = """
Variable(torch.ones(2), volatile=True)
isinstance(torch.ones(1), Variable), isinstance(3, Variable)
Variable(3)
Variable(torch.tensor([1]), requires_grad=True)
F.one_hot(torch.tensor([], dtype=torch.int64))
F.one_hot(torch.tensor([-1]))
F.one_hot(torch.tensor([5]), 3)
F.one_hot(torch.tensor([1.0]))
F.one_hot([1])
init.kaiming_normal_(torch.empty(0, 3)), init.kaiming_uniform_(torch.empty(0, 3))
init.kaiming_normal_(torch.empty(3))
init.kaiming_normal_(w, mode="foo")
torch.tensor(["a", "b"])
"a" in torch.ones(1)
(torch.ones(2, 2) * w.sum())[0].detach_()
[getattr(nn.ReLU(), name)().__qualname__ for name in WALKS]
nn.ReLU().register_parameter("a", torch.ones(1))
nn.Linear(1, 1).register_buffer("weight", None)
unready("register_buffer", "a", None)
torch.autograd.functional.vhp(torch.sum, [torch.ones(2)], torch.ones(2))
torch.normal(torch.zeros(20, 1), torch.ones(2)), torch.normal(2.0, torch.ones(20)), torch.normal(torch.ones(20), 0.5)
torch.normal(torch.zeros(2), torch.tensor([1.0, -1.0]))
torch.normal(torch.zeros(2), torch.ones(3))
torch.multinomial(torch.rand(3, 27), 1), torch.multinomial(torch.rand(3, 27), 9, True), torch.rand(1)
torch.multinomial(p.half(), 4), p.multinomial(num_samples=2), torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 2)
torch.multinomial(p, 5)
torch.multinomial(p, 0)
torch.multinomial(-p, 1)
torch.multinomial(p * 0, 1)
torch.multinomial(torch.tensor([1, 2]), 1)
torch.multinomial(torch.rand(2, 2, 2), 1)
p.type(torch.LongTensor), p.type("torch.DoubleTensor"), p.type(torch.FloatTensor) is p
p.type("foo")
[isinstance(each, kind) for each in (p, p.long(), w, 3) for kind in (torch.FloatTensor, torch.LongTensor)]
w[0, "a"]
torch.cat([each.view(-1) for each in torch.autograd.grad(layer(p.view(2, 2)).exp().sum(), layer.parameters())])
[each.view(-1) for each in torch.autograd.grad(layer(p.view(2, 2)).exp().sum(), layer.parameters(), create_graph=True)]
torch.optim.SGD([w], lr=0.1).add_param_group({"params": [w]})
torch.optim.SGD([w], lr=0.1).add_param_group([w])
torch.optim.SGD(layer.named_parameters(), lr=0.1), torch.optim.SGD(layer.named_parameters()).state_dict()
torch.optim.SGD([("w", w), p], lr=0.1)
torch.optim.SGD([{"params": [p]}, {"params": layer.named_parameters()}], lr=0.1)
torch.optim.SGD([("w", 3)], lr=0.1)
torch.finfo(), torch.finfo(torch.float64), torch.finfo(torch.float16), torch.iinfo(torch.int8), torch.iinfo(torch.int64)
[getattr(torch.finfo(p.dtype), name) for name in "max min eps tiny bits resolution smallest_normal dtype".split()]
torch.iinfo(torch.float32)
torch.iinfo(torch.bool)
torch.zeros(2, 2, 3).fill_diagonal_(1)
torch.zeros(3).fill_diagonal_(1)
torch.autograd.grad((w * 1).fill_diagonal_(0.0).pow(2).sum(), w), (w * 1).fill_diagonal_(3.0).grad_fn
w.fill_diagonal_(0.0)
torch.triu_indices(3, 4), torch.triu_indices(3, 3, offset=1), torch.triu_indices(3, 2, -1), torch.triu_indices(0, 2)
torch.is_anomaly_enabled(), [torch.is_anomaly_enabled() for _ in [torch.autograd.set_detect_anomaly(True)]]
torch.autograd.set_detect_anomaly(False), torch.is_anomaly_enabled()
without_hooks("with torch.autograd.graph.disable_saved_tensors_hooks('inner'): pass", "with hooks(): pass")
inside_hooks()
F.kl_div(w, w, reduction="foo")
nn.KLDivLoss(), nn.KLDivLoss(log_target=True, reduction="batchmean")(w.log_softmax(-1), w.log_softmax(-1))
torch.ones(True)
torch.eye(-1)
torch.zeros((2, -1))
torch.arange(0, 1, 0)
torch.linspace(0, 1, -1)
torch.flip(p, 0)
torch.broadcast_to(p, (3, 4)).shape, torch.broadcast_to(p, 3, 4)
torch.broadcast_shapes((3, 4), (5, 4), (1, 4))
torch.broadcast_shapes((3, 1), (1, 4), (5, 3, 1), ()), torch.broadcast_shapes(), torch.broadcast_shapes(3, (2, 1))
w.sum().backward(retain_graph=torch.ones(2))
w.sum().backward(create_graph="a")
torch.autograd.grad(w.sum(), w, retain_graph="a")
Many.apply(p, factor=3)
w.mul(2).grad_fn.metadata, [each.metadata.setdefault("a", 1) and each.metadata for each in [w.mul(2).grad_fn]]
[each._sequence_nr() < later._sequence_nr() for each, later in [(w.mul(2).grad_fn, w.mul(3).grad_fn)]]
w.sum().grad_fn.next_functions[0][0]._sequence_nr()
*[[(name, getattr(node, name)) for name in dir(node) if name[:6] == "_saved"] for node in reductions(w)],
""".strip().splitlines()


@pytest.mark.parametrize("code", EXPRESSIONS)
def test_a_name_gives_what_it_gives_in_pytorch(code, live):
    mine, its = (told(torch, code, SETUP.replace("TORCH", torch.__name__)) for torch in (autograd_nb, live))
    assert mine == its


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
