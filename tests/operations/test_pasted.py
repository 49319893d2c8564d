"""Single lines of programs, with operations that are more than a row of the table, run here and by PyTorch."""

import lines
import pytest

import autograd_nb

LINES = r"""
torch.special.expit(torch.tensor([0., 1.]))
x = torch.tensor([0.3, 0.6], requires_grad=True); [getattr(torch.special, name)(x) for name in "erf exp2 expm1 log1p expit round".split()]
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
