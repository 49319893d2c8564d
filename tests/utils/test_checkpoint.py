"""``torch.utils.checkpoint`` beside PyTorch's: results, gradients, random numbers, how often the function runs."""


import pytest
from programs import told

import autograd_nb
import autograd_nb.utils.checkpoint

CALLS = """
ck(lambda x: (x*x).sin(), w, use_reentrant=False)
ck(lambda x: (x*x).sin(), w, use_reentrant=True)
ck(lambda x: (x*x).sin(), w)
bw(lambda: ck(lambda x: (x*x).sin().exp(), w, use_reentrant=False))
bw(lambda: ck(lambda x: (x*x).sin().exp(), w, use_reentrant=True))
bw(lambda: ck(lambda x: F.dropout(x*x), w, use_reentrant=False))
bw(lambda: ck(lambda x: F.dropout(x*x), w, use_reentrant=True))
bw(lambda: ck(lambda x, k: x*x*k, w, 3., use_reentrant=True))
bw(lambda: ck(lambda x, k=1: x*x*k, w, use_reentrant=False, k=2))
ck(lambda x, k=1: x*x*k, w, use_reentrant=True, k=2)
calls(False), calls(True)
twice()
second()
ck(lambda x: x*2, v, use_reentrant=True)
differ()
bw(lambda: ck(lin, w, use_reentrant=False)) , lin.weight.grad
bw(lambda: ck(lambda x: (x*2, x*3), w, use_reentrant=True)[1])
""".strip().splitlines()
SETUP = """
v, w, F = torch.tensor([1.0, 2.0]), torch.tensor([0.5, -1.0], requires_grad=True), torch.nn.functional
ck = torch.utils.checkpoint.checkpoint
torch.manual_seed(1)
lin = torch.nn.Linear(2, 1)
def bw(f):
    torch.manual_seed(2)
    w.grad = None
    y = f()
    y.sum().backward()
    return y, w.grad, torch.rand(1)
def counted(reentrant, **options):
    runs = []
    def f(x):
        runs.append(1)
        return (x * x).sin()
    y = ck(f, w, use_reentrant=reentrant)
    before = len(runs)
    y.sum().backward(**options)
    return y, before, runs
def calls(reentrant):
    return counted(reentrant)[1:]
def twice():
    y, before, runs = counted(False, retain_graph=True)
    y.sum().backward()
    return before, runs, w.grad
def second():
    y = ck(lambda x: x**3, w, use_reentrant=False)
    (g,) = torch.autograd.grad(y.sum(), w, create_graph=True)
    return torch.autograd.grad(g.sum(), w)
def differ():
    runs = []
    def f(x):
        runs.append(1)
        return x * x if len(runs) == 1 else (x * x).sin() * x
    ck(f, w, use_reentrant=False).sum().backward()
    return w.grad
"""


@pytest.mark.parametrize("call", CALLS)
def test_what_is_computed_again_is_pytorchs(call, live):
    assert told(autograd_nb, call, SETUP) == told(live, call, SETUP)


def test_a_second_run_that_saves_less_is_refused():
    runs = []

    def f(x):
        runs.append(1)
        return (x * x).sin() if len(runs) == 1 else x + 1

    w = autograd_nb.ones(2, requires_grad=True)
    y = autograd_nb.utils.checkpoint.checkpoint(f, w, use_reentrant=False)
    with pytest.raises(autograd_nb.utils.checkpoint.CheckpointError, match="saved during forward: 3"):
        y.sum().backward()
