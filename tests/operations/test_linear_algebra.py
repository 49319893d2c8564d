"""Linear algebra: its errors, ours beside PyTorch's."""

import pytest

import autograd_nb

ERRORS = """
L.inv(torch.ones(2, 3))
L.inv(torch.ones(2))
L.inv(torch.zeros(2, 2))
L.inv(torch.stack([torch.eye(2), torch.zeros(2, 2)]))
L.inv(torch.eye(2).long())
L.solve(torch.zeros(2, 2), torch.ones(2))
L.solve(torch.eye(2), torch.ones(3))
L.solve(torch.eye(2), torch.ones(2, 3), left=False)
L.det(torch.ones(2, 3))
L.det(torch.ones(2, 2).long())
torch.cross(torch.ones(2, 2), torch.ones(2, 2))
""".strip().splitlines()


@pytest.mark.parametrize("program", ERRORS)
def test_errors_and_texts_are_torchs(torch, program):
    found = []
    for library in (autograd_nb, torch):
        try:
            found.append(repr(eval(program, {"torch": library, "L": library.linalg})))
        except (RuntimeError, TypeError, IndexError) as error:
            found.append((type(error).__name__, str(error).partition("\n")[0]))
    assert found[0] == found[1]


def test_a_singular_matrix_raises_an_error_of_its_own_kind():
    with pytest.raises(autograd_nb.linalg.LinAlgError):
        autograd_nb.linalg.inv(autograd_nb.zeros(2, 2))
    assert issubclass(autograd_nb.linalg.LinAlgError, RuntimeError)
