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
torch.addbmm(torch.ones(4), torch.ones(2, 2, 3), torch.ones(2, 3, 4))
torch.addbmm(torch.ones(2, 2), torch.ones(2, 2, 3), torch.ones(2, 2, 3))
torch.addbmm(torch.ones(2, 2), torch.ones(2, 2, 3), torch.ones(3, 3, 2))
torch.addbmm(torch.ones(2, 2), torch.ones(2, 2), torch.ones(2, 2))
torch.scatter_reduce(torch.ones(2), 0, torch.tensor([0, 0]), torch.ones(2), 'foo')
torch.scatter_reduce(torch.ones(2), 0, torch.tensor([0, 0]), torch.tensor([1, 2]), 'sum')
torch.scatter_reduce(torch.ones(2), 0, torch.tensor([0, 5]), torch.ones(2), 'sum')
x = torch.ones(2); x.scatter_reduce_(0, torch.tensor([0, 0]), torch.ones(2), 'sum', include_self=False); x
torch.index_reduce(torch.ones(2), 0, torch.tensor([0, 0]), torch.ones(2), 'sum')
torch.index_reduce(torch.ones(2), 0, torch.tensor([0, 5]), torch.ones(2), 'prod')
torch.index_reduce(torch.ones(2), 0, torch.tensor([0]), torch.ones(2), 'prod')
torch.special.expit(torch.tensor([0., 1.]))
x = torch.tensor([0.3, 0.6], requires_grad=True); [getattr(torch.special, name)(x) for name in "erf exp2 expm1 log1p expit round".split()]
x = torch.tensor([0.3, 0.6], requires_grad=True); (torch.special.softmax(x, 0), torch.special.log_softmax(x, 0), torch.special.logsumexp(x, 0), torch.special.round(x * 10, decimals=1))
torch.special.expit(3)
torch.special.expit(input=torch.zeros(1))
torch.special.erf()
""".strip().splitlines()  # noqa: E501


@pytest.mark.parametrize("line", LINES)
def test_a_line_shows_what_torch_shows(line):
    torch = pytest.importorskip("torch", reason="torch is the reference and is not installed")
    shown = []
    for library in (autograd_nb, torch):
        library.set_warn_always("warn_always" not in line)  # what is said once a process may have been said before
        shown.append(lines.outcome(line, library))
        library.set_warn_always(False)
    (ours, said), (theirs, said_there) = shown
    assert ours == theirs
    assert said == said_there or "Error: " in ours  # of a warning and an error either may come first
