"""Linear algebra where a factor is open to a choice of signs, and its errors: ours beside PyTorch's.

A function of eigenvectors or singular vectors that does not see their signs is compared in their place.
"""

import numpy as np
import pytest
from samples_linear_algebra import BATCH, POSITIVE, SQUARE, TALL, WIDE
from test_table import assert_close

import autograd_nb


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is the reference and is not installed")


def eigenvalues_and_vectors(torch, x):
    values, vectors = torch.linalg.eigh(x @ x.mT)
    return (vectors.exp() + (-vectors).exp()).sum() + (values.exp() * values).sum()


def eigenvectors_alone(torch, x):
    return (torch.linalg.eigh(x @ x.mT).eigenvectors ** 4).sum()


def eigenvalues_alone(torch, x):
    return torch.linalg.eigvalsh(x @ x.mT, "U").square().sum()


def singular_values_and_vectors(torch, x):
    u, s, vh = torch.linalg.svd(x, full_matrices=False)
    return (u**2 * torch.arange(1, s.shape[-1] + 1)).sum() + s.exp().sum() + (vh.mT[..., 0] ** 4).sum()


def left_vectors_alone(torch, x):
    return (torch.linalg.svd(x, full_matrices=True).U[..., : min(x.shape[-2:])] ** 4).sum()


def right_vectors_alone(torch, x):
    return (torch.svd(x).V ** 4).sum()


def put_together_again(torch, x):
    u, s, vh = torch.linalg.svd(x, False)
    return (torch.sin((u * s.unsqueeze(-2)) @ vh)).sum()


def symmetric_factor(torch, x):
    return torch.linalg.cholesky(x @ x.mT + torch.eye(x.shape[-2], dtype=x.dtype)).exp().sum()


def upper_factor(torch, x):
    return torch.cholesky(x @ x.mT + torch.eye(x.shape[-2], dtype=x.dtype), upper=True).exp().sum()


def solution_with_the_least_error(torch, x):
    return (torch.linalg.lstsq(x, x[..., :1] ** 2 + 1).solution ** 2).sum()


def triangular_factors(torch, x):
    q, r = torch.linalg.qr(x)
    return (q**2).cos().sum() + (r**2).sin().sum()


def triangular_factor_alone(torch, x):
    return (torch.linalg.qr(x).R ** 2).sin().sum()


FUNCTIONS = [
    eigenvalues_and_vectors, eigenvectors_alone, eigenvalues_alone, singular_values_and_vectors, left_vectors_alone,
    right_vectors_alone, put_together_again, symmetric_factor, upper_factor, solution_with_the_least_error,
    triangular_factors, triangular_factor_alone,
]  # fmt: skip
MATRICES = {"square": SQUARE, "wide": WIDE, "tall": TALL, "batch": BATCH}
OF_FULL_ROWS = {eigenvalues_and_vectors, eigenvectors_alone}  # a tall one's x @ x.mT has an eigenvalue 0


@pytest.mark.parametrize("kind", MATRICES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients_agree_with_torchs_and_with_differences(torch, function, kind):
    if kind == "tall" and function in OF_FULL_ROWS or kind == "wide" and function is solution_with_the_least_error:
        kind = "square"
    found = []
    for library in (autograd_nb, torch):
        x = library.tensor(MATRICES[kind], requires_grad=True)
        value = function(library, x)
        value.backward()
        found.append((value.item(), x.grad.numpy()))
    assert_close(found[0][0], found[1][0], 256)
    assert_close(found[0][1], found[1][1], 4096, of_largest=True)
    x = autograd_nb.tensor(MATRICES[kind], requires_grad=True)
    assert autograd_nb.autograd.gradcheck(lambda x: function(autograd_nb, x), (x,))
    assert autograd_nb.autograd.gradgradcheck(lambda x: function(autograd_nb, x), (x,), atol=1e-4)


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
L.slogdet(torch.ones(2))
L.cholesky(-torch.eye(3))
L.cholesky(torch.tensor([[1., 2.], [2., 1.]]))
L.cholesky(torch.stack([torch.eye(2), torch.tensor([[1., 2.], [2., 1.]])]))
L.cholesky(torch.ones(2, 3))
L.qr(torch.ones(2))
L.qr(torch.ones(2, 2), mode="foo")
L.eigh(torch.ones(2, 3))
L.svd(torch.ones(2))
L.cross(torch.ones(2, 2), torch.ones(2, 2))
torch.cross(torch.ones(2, 2), torch.ones(2, 2))
L.norm(torch.ones(2, 2), "foo")
L.norm(torch.ones(2, 2, 2), 2)
L.matrix_norm(torch.ones(2))
L.matrix_norm(torch.ones(2, 2), 3)
L.matrix_norm(torch.ones(2, 2), dim=(0, 0))
L.matrix_power(torch.ones(2, 3), 2)
L.matrix_power(torch.ones(2, 2), 1.5)
L.multi_dot([torch.ones(2, 2)])
L.multi_dot([torch.ones(2, 2), torch.ones(2), torch.ones(2, 2)])
L.matrix_exp(torch.ones(2, 3))
L.lstsq(torch.ones(3, 2), torch.ones(2, 1))
L.solve_triangular(torch.eye(2), torch.ones(2, 1), upper=True)
L.slogdet(torch.eye(2))
L.eigh(torch.eye(2))
L.qr(torch.eye(2)).Q.shape
torch.linalg.svd(torch.zeros(0, 3)).S
torch.svd(torch.eye(2), compute_uv=False)
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


def test_reconstruction():
    x = autograd_nb.tensor(POSITIVE)
    values, vectors = autograd_nb.linalg.eigh(x)
    np.testing.assert_allclose(((vectors * values) @ vectors.mT).numpy(), POSITIVE, rtol=1e-12)
