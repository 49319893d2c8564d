"""Single lines of programs, with operations that are more than a row of the table, run here and by PyTorch."""

import lines
import pytest

import autograd_nb

LINES = r"""
torch.ldexp(torch.tensor([1, 2]), torch.tensor([3, 1]))
torch.ldexp(torch.ones(2), 2)
torch.gcd(torch.ones(2), torch.ones(2))
torch.gcd(torch.tensor([4]), 2)
torch.gcd_(torch.tensor([4, 6]), torch.tensor(2))
torch.lcm(torch.tensor([True]), torch.tensor([True]))
torch.heaviside(torch.ones(2), 2)
torch.heaviside(torch.tensor([1]), torch.ones(1))
x = torch.ones(2, requires_grad=True); torch.heaviside(x, x).sum().backward()
x = torch.ones(2, requires_grad=True) * 1; x.heaviside_(x.detach()); x.sum().backward()
torch.nextafter(torch.tensor([1]), torch.tensor([2]))
torch.polygamma(1, torch.tensor([1., 2.])), torch.tensor([1., 2.]).polygamma(2), torch.polygamma(3, torch.tensor([1, 2]))
torch.polygamma(-1, torch.ones(2))
torch.polygamma(torch.ones(2), 1)
x = torch.tensor([1.5, 2.5], requires_grad=True); y = torch.polygamma(1, x); (y.grad_fn, y.grad_fn._saved_n, torch.autograd.grad(y.sum(), x))
x = torch.tensor([1.5, 2.5]); x.polygamma_(1); x.mvlgamma_(1); x
torch.mvlgamma(torch.ones(2), 0)
torch.mvlgamma(torch.tensor([2, 3]), 1)
torch.logcumsumexp(torch.tensor([1, 2]), 0)
fw = torch.autograd.forward_ad; level = fw.enter_dual_level(); d = fw.make_dual(torch.tensor([1., 2., 3.]), torch.tensor([1., -2., 0.5])); t = fw.unpack_dual(torch.logcumsumexp(d, 0)).tangent; fw.exit_dual_level(); t
torch.frexp(torch.tensor([3., 0.25, 0.]))
torch.frexp(torch.tensor([3]))
x = torch.ones(2); (x.conj() is x, torch.conj(x) is x, torch.real(x) is x, x.resolve_conj() is x, x.resolve_neg() is x, x.is_conj(), x.is_neg(), torch.isreal(x))
torch.gradient(torch.ones(2, 2), dim=2)
torch.gradient(torch.ones(2, 2), edge_order=3)
torch.gradient(torch.ones(2, 2), spacing=[1., 2., 3.])
torch.gradient(torch.tensor([1.]))
torch.is_warn_always_enabled(), torch.set_warn_always(True), torch.is_warn_always_enabled(), torch.set_warn_always(False)
torch.set_warn_always(3)
torch.typename(torch.ones(1)), torch.typename(3), torch.typename("a"), torch.typename(torch.float32), torch.typename(torch.tensor([1]))
torch.typename((torch.ones(1, requires_grad=True) * 2).grad_fn)
torch.get_device(torch.ones(1)), torch.ones(1).name, torch.real(torch.ones(1)), torch.autograd.graph.RemovableHandle.__name__
torch.get_device(3)
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
