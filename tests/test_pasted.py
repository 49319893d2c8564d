"""Single lines of programs, with operations that are more than a row of the table, run here and by PyTorch."""

import lines
import pytest

import autograd_nb

LINES = r"""
torch.fill(torch.ones(2), torch.ones(2))
torch.tensor([1., 2.]).fill_diagonal_(1)
torch.zeros(5, 2).fill_diagonal_(1)
torch.zeros(5, 2).fill_diagonal_(1, wrap=True)
torch.zeros(7, 3).fill_diagonal_(1, wrap=True)
torch.zeros(4, 3).fill_diagonal_(1, wrap=True)
torch.zeros(2, 2, 3).fill_diagonal_(1, wrap=True)
torch.zeros(2, 2, 2).fill_diagonal_(1, wrap=True)
x = torch.zeros(2, 2); x.fill_diagonal_(1); x._version
a = torch.ones(2, 2, requires_grad=True); x = a * 1; x.fill_diagonal_(3); (x, x.sum().backward(), a.grad)
torch.zeros(2, 2, requires_grad=True).fill_diagonal_(1)
""".strip().splitlines()


@pytest.mark.parametrize("line", LINES)
def test_a_line_shows_what_torch_shows(line):
    torch = pytest.importorskip("torch", reason="torch is the reference and is not installed")
    assert lines.outcome(line, autograd_nb) == lines.outcome(line, torch)
