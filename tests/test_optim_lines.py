"""Optimizers in single lines beside torch's: settings, groups, names, hooks, states, rates that are tensors."""

import pytest
from lines import outcome

import autograd_nb
import autograd_nb.optim

SETUP = ("optim, s = torch.optim, torch.optim.lr_scheduler; nn = torch.nn; "
         "p, q = nn.Parameter(torch.tensor([1., -2.])), nn.Parameter(torch.tensor([3.])); "
         "p.grad = torch.tensor([0.5, 1.]); out = []; note = out.append; ")  # fmt: skip
NAMES = ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "ASGD")

LINES = [line for line in """
optim.SGD([p], torch.tensor(0.1))
optim.SGD([p], torch.tensor([0.1, 0.2]))
optim.SGD([p], torch.tensor(-0.1))
optim.SGD([p], lr=0.1, foreach=True, fused=True)
optim.SGD([p], lr=0.1, differentiable=True, fused=True)
optim.Adam([p], torch.tensor(0.1), foreach=True)
optim.Adam([p], betas=(torch.tensor(0.9), 0.9))
optim.Adam([p], betas=(torch.tensor(0.9), torch.tensor(0.9)))
optim.RMSprop([p], alpha=-1)
optim.Adagrad([p], initial_accumulator_value=-1)
optim.SGD([("a", p), q], lr=0.1)
optim.SGD([("a", p)], lr=0.1).add_param_group({"params": [q]})
optim.SGD([p], lr=0.1).add_param_group({"params": [("a", q)]})
o = optim.SGD([("a", p)], lr=0.1); o.load_state_dict(optim.SGD([q]).state_dict()); o.param_groups[0]["param_names"]
o = optim.SGD([p], lr=0.1); p.grad = torch.ones(1, 2).view(2); o.zero_grad(False); p.grad
o = optim.SGD([p], lr=0.1); p.grad.requires_grad_(); o.zero_grad(False); p.grad
o = optim.SGD([p], lr=0.1); p.grad = p * 2; o.zero_grad(False); p.grad
o = optim.SGD([p], lr=0.1); h = o.register_step_pre_hook(lambda o, a, k: note((len(a), k))); o.step(), out
o = optim.SGD([p], lr=0.1); h = o.register_step_post_hook(lambda o, a, k: note((a[1:], k))); o.step(None), out
o = optim.SGD([p], lr=0.1); h = o.register_step_pre_hook(lambda o, a, k: ((o, lambda: 7), {})); o.step()
o = optim.LBFGS([p]); h = o.register_step_pre_hook(lambda o, a, k: note(len(a))); o.step(lambda: p.sum()), out
o = optim.SGD([p]); h = o.register_state_dict_pre_hook(lambda o: note(1)); h.remove(); o.state_dict(), out
o = optim.SGD([p]); h = o.register_state_dict_post_hook(lambda o, s: {**s, "more": 1}); o.state_dict()
o = optim.SGD([p]); o.register_load_state_dict_pre_hook(lambda o, s: note(1)); o.load_state_dict(o.state_dict()), out
o = optim.SGD([p]); o.register_load_state_dict_post_hook(lambda o: note(2)); o.load_state_dict(o.state_dict()), out
o = optim.SGD([p]); o.load_state_dict({**o.state_dict(), "state": {"x": 3, 0: {"y": None}}}); list(o.state.values())
o = optim.SGD([p], lr=0.1, differentiable=True); o.step()
o = optim.SGD([p]); L = type("L", (s._LRScheduler,), {"get_lr": lambda self: [3.0]}); L(o).get_last_lr()
o = optim.SGD([p], lr=0.1, differentiable=True); p.grad = None; o.step(), p
o = optim.SGD([p * 2], lr=0.1, differentiable=True); len(o.param_groups)
import copy; o = optim.SGD([p], lr=0.1, momentum=0.9); o.step(); copy.deepcopy(o).state_dict()
import pickle; o = optim.SGD([p]); h = o.register_step_post_hook(lambda *a: 1); pickle.loads(pickle.dumps(o)).step()
o = optim.SGD([p], lr=0.1); a = s.StepLR(o, 2); o.param_groups[0]["lr"] = 5.0; b = s.StepLR(o, 2); b.base_lrs
o = optim.SGD([p], lr=0.1); a = s.StepLR(o, 2, last_epoch=3)
o = optim.SGD([p], lr=0.1); a = s.StepLR(o, 2); o.step(); a.step(); a.get_lr()
o = optim.SGD([p], lr=0.1); a = s.LRScheduler(o)
o = optim.SGD([p], lr=0.1); a = s.StepLR(o, 2); a.state_dict()
o = optim.SGD([p], lr=0.1); a = s.LambdaLR(o, lambda e: 0.9**e); a.state_dict()
a = s.LambdaLR(optim.SGD([p]), lambda e: 2); a.load_state_dict({**a.state_dict(), "last_epoch": 3}); a.last_epoch
o = optim.SGD([p], lr=0.1); a = s.MultiStepLR(o, [1, 1, 3]); o.step(); a.step(); a.state_dict()
o = optim.SGD([p], lr=torch.tensor(0.1)); a = s.ExponentialLR(o, 0.5); o.step(); a.step(); a.get_last_lr(), o
o = optim.SGD([p], lr=0.1); a = s.StepLR(o, 2); a.step(); a.get_last_lr()
o = optim.SGD([p], lr=0.1); a = s.StepLR(o, 2); o.step(); b = s.StepLR(o, 2); b.step(); b.get_last_lr()
""".splitlines() if line]  # fmt: skip
LINES += [f"o = optim.{name}([p], lr=torch.tensor(0.1)); o.step(); o.step(); p" for name in NAMES]
LINES += [f"o = optim.SGD([p], lr=0.1); a = s.{schedule}; o.step(); a.step(5); a.get_last_lr(), a.last_epoch"
          for schedule in ("StepLR(o, 2)", "MultiStepLR(o, [1, 3])", "ExponentialLR(o, 0.9)",
                           "CosineAnnealingLR(o, 3, 0.01)", "LambdaLR(o, lambda e: 0.9**e)")]  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_a_line_shows_what_torch_shows(line):
    torch = pytest.importorskip("torch", reason="torch is the reference and is not installed")
    assert outcome(SETUP + line, autograd_nb) == outcome(SETUP + line, torch)
