"""Factors and eigenvalues of symmetric matrices: derivatives beside differences and PyTorch's, and errors."""

import numpy as np
import pytest

import autograd_nb
from autograd_nb.autograd import gradcheck, gradgradcheck

MATRIX = np.array([[3.0, 1.0, 0.5], [-1.0, 4.0, 0.2], [0.5, 0.7, 5.0]])


def symmetric(x):
    return x @ x.mT


FUNCTIONS = {
    "cholesky": lambda linalg, x: linalg.cholesky(symmetric(x)),
    "eigenvalues": lambda linalg, x: linalg.eigh(symmetric(x)).eigenvalues,
    "eigenvalues alone": lambda linalg, x: linalg.eigvalsh(symmetric(x)),
    "squares of eigenvectors": lambda linalg, x: linalg.eigh(symmetric(x), "U").eigenvectors ** 2,
    "both": lambda linalg, x: linalg.eigh(symmetric(x))[0][..., None, :] * linalg.eigh(symmetric(x))[1] ** 2,
    "slogdet": lambda linalg, x: linalg.slogdet(symmetric(x)).logabsdet,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("array", [MATRIX, np.stack([MATRIX, MATRIX.T + 1])], ids=["one", "a batch"])
def test_first_and_second_derivatives_agree_with_differences_and_pytorch(name, array, torch):
    x = autograd_nb.tensor(array, requires_grad=True)
    assert gradcheck(lambda x: FUNCTIONS[name](autograd_nb.linalg, x), (x,))
    assert gradgradcheck(lambda x: FUNCTIONS[name](autograd_nb.linalg, x), (x,))
    found = []
    for library in autograd_nb, torch:
        x = library.tensor(array, requires_grad=True)
        y = FUNCTIONS[name](library.linalg, x)
        weights = library.arange(1.0, y.numel() + 1, dtype=library.float64).reshape(y.shape)
        (first,) = library.autograd.grad((y * weights).sum(), x, create_graph=True)
        (second,) = library.autograd.grad((first**2).sum(), x)
        found.append([each.detach().numpy() for each in (y, first, second)])
    for mine, other in zip(*found, strict=True):
        assert np.allclose(mine, other, rtol=1e-9, atol=1e-9)


def test_eigenvectors_of_equal_eigenvalues_have_no_gradient_but_eigenvalues_have(torch):
    for library in autograd_nb, torch:
        x = library.eye(2).requires_grad_()
        values, vectors = library.linalg.eigh(x)
        (first,) = library.autograd.grad(values.sum(), x, retain_graph=True)
        assert first.tolist() == [[1, 0], [0, 1]]
        assert library.autograd.grad(vectors[0].sum(), x)[0].isnan().all()


@pytest.mark.parametrize("call", [
    "linalg.cholesky(-x)", "linalg.cholesky(x * float('nan'))", "linalg.cholesky(x[0])", "linalg.cholesky(x[:2])",
    "linalg.cholesky(x.long())", "linalg.eigh(x, 'X')", "linalg.eigh(x[0])", "linalg.eigh(x[:2])",
    "linalg.eigh(x.long())",
    "linalg.slogdet(x[0])", "logdet(x[:2])", "logdet(x.long())", "linalg.eigvalsh(x.long())",
])  # fmt: skip
def test_what_pytorch_refuses_is_refused(call, torch):
    kinds = []
    for library in autograd_nb, torch:
        with pytest.raises(RuntimeError) as caught:
            eval(f"library.{call}", {"library": library, "x": library.tensor(MATRIX)})
        kinds.append((caught.type.__name__, str(caught.value).partition(":")[0]))
    assert kinds[0] == kinds[1]


def test_the_logarithm_of_a_negative_determinant_is_nan():
    x = autograd_nb.tensor([[0.0, 1.0], [1.0, 0.0]])
    assert autograd_nb.logdet(x).isnan() and autograd_nb.linalg.slogdet(x) == (-1, 0)
