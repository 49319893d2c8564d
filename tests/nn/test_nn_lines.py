"""Modules and their functions in single lines beside torch's: what wrong arguments raise, rare settings, texts."""

import pytest
from lines import outcome

import autograd_nb
import autograd_nb.nn

SETUP = ("nn, F = torch.nn, torch.nn.functional; torch.manual_seed(0); "
         "T = lambda *s: (torch.arange(torch.ones(s).numel()) * 0.7).sin().view(s); ")

LINES = [line for line in """
l=nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3)); l.load_state_dict({"0.weight": T(3,2), "2.x": T(3)})
l=nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3)); l.load_state_dict(nn.Linear(2,3).state_dict())
nn.Linear(2,3).state_dict(prefix="p.")
nn.Linear(2, 3, device="cuda")
nn.Linear(2, 3, device="nowhere")
l=nn.Linear(2,2); l(T(1,2)).sum().backward(); w=l.weight.grad; l.double(); w is l.weight.grad, l.weight.grad
nn.Linear(2,2).register_forward_hook(3)
m=nn.Sequential(nn.ReLU()); m.extend(3)
nn.NLLLoss()(T(3),torch.tensor([1,2]))
F.binary_cross_entropy_with_logits(T(3),torch.ones(3),pos_weight=T(3,1))
F.elu(T(3),1.,alpha=1.)
F.gelu(T(3),"tanh")
F.layer_norm(T(2,3),3)
F.layer_norm(torch.ones(2,3).long(),(3,))
""".splitlines() if line]  # fmt: skip


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is the reference and is not installed")


@pytest.mark.parametrize("line", LINES)
def test_a_line_shows_what_torch_shows(torch, line):
    assert outcome(SETUP + line, autograd_nb) == outcome(SETUP + line, torch)
