"""Optimizers in single lines beside torch's: settings, groups, states, rates that are tensors."""

import pytest
from lines import outcome

import autograd_nb
import autograd_nb.optim

SETUP = ("optim, s = torch.optim, torch.optim.lr_scheduler; nn = torch.nn; "
         "p, q = nn.Parameter(torch.tensor([1., -2.])), nn.Parameter(torch.tensor([3.])); "
         "p.grad = torch.tensor([0.5, 1.]); out = []; note = out.append; ")  # fmt: skip
NAMES = ("SGD", "Adam", "AdamW", "RMSprop")

LINES = [line for line in """
optim.SGD([p], torch.tensor(0.1))
optim.SGD([p], torch.tensor(-0.1))
optim.RMSprop([p], alpha=-1)
o = optim.SGD([p], lr=0.1); p.grad = torch.ones(1, 2).view(2); o.zero_grad(False); p.grad
o = optim.SGD([p], lr=0.1); p.grad.requires_grad_(); o.zero_grad(False); p.grad
o = optim.SGD([p], lr=0.1); p.grad = p * 2; o.zero_grad(False); p.grad
o = optim.SGD([p]); L = type("L", (s.LRScheduler,), {"get_lr": lambda self: [3.0]}); L(o).get_last_lr()
import pickle; o = optim.SGD([p], momentum=0.9); o.step(); pickle.loads(pickle.dumps(o)).step()
import copy; o = optim.SGD([p], lr=0.1, momentum=0.9); o.step(); copy.deepcopy(o).state_dict()
o = optim.SGD([p], lr=0.1); a = s.StepLR(o, 2); o.param_groups[0]["lr"] = 5.0; b = s.StepLR(o, 2); b.base_lrs
o = optim.SGD([p], lr=0.1); a = s.StepLR(o, 2); o.step(); a.step(); a.get_lr()
o = optim.SGD([p], lr=0.1); a = s.LRScheduler(o)
o = optim.SGD([p], lr=0.1); a = s.StepLR(o, 2); a.state_dict()
o = optim.SGD([p], lr=0.1); a = s.StepLR(o, 2); a.step(); a.get_last_lr()
o = optim.SGD([p], lr=0.1); a = s.StepLR(o, 2); o.step(); b = s.StepLR(o, 2); b.step(); b.get_last_lr()
""".splitlines() if line]  # fmt: skip
LINES += [f"o = optim.{name}([p], lr=torch.tensor(0.1)); o.step(); o.step(); p" for name in NAMES]


@pytest.mark.parametrize("line", LINES)
def test_a_line_shows_what_torch_shows(line):
    torch = pytest.importorskip("torch", reason="torch is the reference and is not installed")
    assert outcome(SETUP + line, autograd_nb) == outcome(SETUP + line, torch)
