"""``torch.linalg``: the linear algebra of the table, under PyTorch's names.

>>> import autograd_nb as torch
>>> torch.linalg.det(torch.tensor([[2., 0.], [0., 3.]]))
tensor(6.)
"""

# ruff: noqa: F401 - these imports are the public namespace
from ..engine.table import ops
from ..operations.linear_algebra import LinAlgError
from ..operations.linear_algebra import linalg_norm as norm
from ..operations.return_types import return_type
from .keywords import stands_for

det, inv, solve, vector_norm = ops.linalg_det, ops.linalg_inv, ops.linalg_solve, ops.vector_norm
cholesky = ops.linalg_cholesky


def slogdet(A):
    """The ``sign`` and the ``logabsdet``, the logarithm of the size, of the determinant of a square matrix."""
    return return_type("linalg_slogdet", "sign", "logabsdet")(ops.linalg_slogdet(A))


def eigh(A, UPLO="L"):
    """The ``eigenvalues`` of a symmetric matrix, in ascending order, and its ``eigenvectors``, the columns of a matrix.

    Only the triangle *UPLO*, "L" for the lower one or "U", is read.  Where eigenvalues are equal the gradient of the
    eigenvectors is nan, since these are not determined.

    >>> import autograd_nb as torch
    >>> torch.linalg.eigh(torch.tensor([[2., 0.], [0., 1.]])).eigenvalues
    tensor([1., 2.])
    """
    return return_type("linalg_eigh", "eigenvalues", "eigenvectors")(ops.linalg_eigh(A, UPLO))


def eigvalsh(A, UPLO="L"):
    """The eigenvalues of a symmetric matrix, in ascending order."""
    return ops.linalg_eigh(A, UPLO)[0]


__getattr__ = stands_for("torch.linalg", globals())
