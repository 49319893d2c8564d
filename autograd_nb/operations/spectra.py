"""Eigenvalues and singular values, and what is made of them: the pseudo-inverse, least squares.

The vectors obey equations (they are orthonormal, and turn the matrix into a diagonal).  Differentiating these says how
values and vectors move with the matrix; the formulas below are the transposes of that.  Vectors that belong to equal
values have no derivative, and the formulas divide by zero there, as PyTorch's do.
"""

import numpy as np

from ..engine.dispatch import operation
from ..engine.formulas import tensor_names
from ..engine.table import composite, ops
from .carriers import both, ones_like, where
from .diagonals import diag_embed
from .indexing import slice
from .linear_algebra import check_matrix, eye_like
from .products import transpose
from .public import public
from .return_types import return_type
from .strides import zeros_of

# -- eigenvalues of symmetric matrices -------------------------------------------------------------------------------


@both
def differences(values):
    """How far each eigenvalue lies from each other one; 1 on the diagonal."""
    apart = values[..., None, :] - values[..., None]
    return where(eye_like(apart) == 1, ones_like(apart), apart)


@both
def eigh_backward(grad, eigenvalues, eigenvectors):
    """The gradient of a symmetric matrix from those of its eigenvalues and eigenvectors."""
    grad_values, grad_vectors = grad[0], grad[1]
    turned = transpose(eigenvectors, -2, -1)
    if grad_vectors is None:
        return (eigenvectors * grad_values[..., None, :]) @ turned
    inner = turned @ grad_vectors
    inner = where(eye_like(inner) == 1, inner * 0, inner) / differences(eigenvalues)
    if grad_values is not None:
        inner = inner + diag_embed(grad_values)
    return eigenvectors @ inner @ turned


@operation("linalg_eigh_row", returns=("eigenvalues", "eigenvectors"), method=False, function=False,
           node_name="LinalgEighBackward0", A=lambda grad, eigenvalues, eigenvectors:
           eigh_backward(grad, eigenvalues, eigenvectors))  # fmt: skip
def linalg_eigh_row(A, UPLO):
    """Eigenvalues in increasing order, and their vectors as columns."""
    check_matrix("eigh", A)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return tuple(np.linalg.eigh(A, UPLO.upper()))


@composite("linalg_eigh", method=False, function=False)
def eigh(A, UPLO="L"):
    """``(eigenvalues, eigenvectors)`` of a symmetric matrix, in increasing order; only one triangle is looked at.

    >>> import autograd_nb as torch
    >>> torch.linalg.eigh(torch.tensor([[2., 0.], [0., 1.]])).eigenvalues
    tensor([1., 2.])
    """
    return return_type("linalg_eigh", "eigenvalues", "eigenvectors")(ops.linalg_eigh_row(A, UPLO))


@composite("linalg_eigvalsh", method=False, function=False)
def eigvalsh(A, UPLO="L"):
    """The eigenvalues of a symmetric matrix, in increasing order.

    >>> import autograd_nb as torch
    >>> torch.linalg.eigvalsh(torch.tensor([[2., 1.], [1., 2.]])).round(decimals=4)
    tensor([1., 3.])
    """
    return ops.linalg_eigh_row(A, UPLO)[0]


# -- singular values -------------------------------------------------------------------------------------------------


@both
def skew(matrix):
    return matrix - transpose(matrix, -2, -1)


@both
def svd_backward(grad, U, S, Vh):
    """The gradient of a matrix from those of its singular values and vectors."""
    grad_u, grad_s, grad_vh = grad[0], grad[1], grad[2]
    count = S.shape[-1]
    rows, columns = U.shape[-2], Vh.shape[-1]
    U, Vh = slice(U, -1, 0, count, 1), slice(Vh, -2, 0, count, 1)
    if grad_u is None and grad_vh is None:
        return (U * grad_s[..., None, :]) @ Vh if rows >= columns else U @ (grad_s[..., None] * Vh)
    gaps = differences(S * S)
    inner = None if grad_s is None else diag_embed(grad_s)
    if grad_u is not None:
        grad_u = slice(grad_u, -1, 0, count, 1)
        from_u = skew(transpose(U, -2, -1) @ grad_u) / gaps * S[..., None, :]
        inner = from_u if inner is None else inner + from_u
    if grad_vh is not None:
        grad_vh = slice(grad_vh, -2, 0, count, 1)
        from_v = S[..., None] * (skew(Vh @ transpose(grad_vh, -2, -1)) / gaps)
        inner = from_v if inner is None else inner + from_v
    total = U @ inner
    if grad_u is not None and rows > count:
        total = total + (grad_u - U @ (transpose(U, -2, -1) @ grad_u)) / S[..., None, :]
    total = total @ Vh
    if grad_vh is not None and columns > count:
        total = total + U @ ((grad_vh - grad_vh @ transpose(Vh, -2, -1) @ Vh) / S[..., None])
    return total


@operation("linalg_svd_row", returns=("U", "S", "Vh"), method=False, function=False, node_name="LinalgSvdBackward0",
           A=lambda grad, full_matrices, U, S, Vh: svd_backward(grad, U, S, Vh))  # fmt: skip
def linalg_svd_row(A, full_matrices):
    """Singular values in decreasing order between the vectors on the left and on the right."""
    check_matrix("svd", A, square=False)
    return tuple(np.linalg.svd(A, full_matrices))


@composite("linalg_svd", method=False, function=False)
def svd(A, full_matrices=True):
    """``(U, S, Vh)`` with A = U @ diag(S) @ Vh; S decreases, the vectors are orthonormal.

    >>> import autograd_nb as torch
    >>> torch.linalg.svd(torch.tensor([[3., 0.], [0., 4.]])).S
    tensor([4., 3.])
    """
    return return_type("linalg_svd", "U", "S", "Vh")(ops.linalg_svd_row(A, full_matrices))


@composite("linalg_svdvals", method=False, function=False)
def svdvals(A):
    """The singular values of a matrix, in decreasing order.

    >>> import autograd_nb as torch
    >>> torch.linalg.svdvals(torch.tensor([[3., 0.], [0., 4.]]))
    tensor([4., 3.])
    """
    return ops.linalg_svd_row(A, False)[1]


@public("svd")
def _svd(self, some=True, compute_uv=True):
    """``(U, S, V)`` of a matrix, V not transposed; :func:`torch.linalg.svd` is the newer name."""
    U, S, Vh = ops.linalg_svd_row(self, not some)
    if not compute_uv:
        U, Vh = (ops.zeros_of(self, (*S._array.shape[:-1], n, n)) for n in self._array.shape[-2:])
    return return_type("svd", "U", "S", "V")((U, S, ops.transpose(Vh, -2, -1)))


# -- pseudo-inverse and least squares --------------------------------------------------------------------------------


@both
def pinv_backward(grad, result, self):
    """The gradient of a matrix from that of its pseudo-inverse."""
    up, back = transpose(result, -2, -1), transpose(grad, -2, -1)
    outside = back - self @ (result @ back)
    inside = back - back @ result @ self
    return outside @ (result @ up) + up @ (result @ inside) - up @ grad @ up


@operation("linalg_pinv_row", method=False, function=False, node_name="LinalgPinvBackward0",
           self=lambda grad, self, result: pinv_backward(grad, result, self))  # fmt: skip
def linalg_pinv_row(self, rtol):
    """The pseudo-inverse; singular values below *rtol* of the largest count as zero."""
    check_matrix("linalg.pinv", self, square=False)
    return np.linalg.pinv(self, rtol)


def relative_tolerance(A, rtol):
    return max(A._array.shape[-2:], default=0) * float(np.finfo(A._dtype.numpy).eps) if rtol is None else rtol


@composite("linalg_pinv", method=False, function=False)
def pinv(A, *, rtol=None):
    """The pseudo-inverse of a matrix, which solves A @ X = B with the least error.

    >>> import autograd_nb as torch
    >>> torch.linalg.pinv(torch.tensor([[2.], [0.]]))
    tensor([[0.5000, 0.0000]])
    """
    return ops.linalg_pinv_row(A, relative_tolerance(A, rtol))


@public("pinverse")
def _pinverse(self, rcond=1e-15):
    """The pseudo-inverse of a matrix; :func:`torch.linalg.pinv` is the newer name."""
    return ops.linalg_pinv_row(self, rcond)


@operation("linalg_lstsq_row", returns=("solution", "residuals", "rank"), method=False, function=False,
           node_name="LinalgLstsqBackward0",
           self=lambda grad, self, b, solution: lstsq_backward(materialized(grad[0], solution), self, b),
           b=lambda grad, self, b, solution:
           transpose(pinv_of(self), -2, -1) @ materialized(grad[0], solution))  # fmt: skip
def linalg_lstsq_row(self, b, rcond):
    """The solution with the least error, and how it was found."""
    check_matrix("lstsq", self, square=False)
    if b.ndim != self.ndim:
        raise RuntimeError("torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and "
                           "(input.dim() - other.dim()) <= 1")
    if self.shape[-2] != b.shape[-2]:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
    rank = np.asarray(np.linalg.matrix_rank(self), np.int64)[()]
    return np.linalg.pinv(self) @ b, np.zeros(0, self.dtype), rank


def pinv_of(self):
    return np.linalg.pinv(self)


tensor_names["pinv_of"] = pinv


@both
def materialized(grad, like):
    return zeros_of(like, like.shape) if grad is None else grad


@both
def lstsq_backward(grad, self, b):
    """The gradient through the pseudo-inverse that gives the solution."""
    return pinv_backward(grad @ transpose(b, -2, -1), pinv_of(self), self)


@composite("linalg_lstsq", method=False, function=False)
def lstsq(A, B, rcond=None, *, driver=None):
    """``(solution, residuals, rank, singular_values)`` of the X for which A @ X comes closest to B.

    As with PyTorch's own choice of *driver*, *residuals* and *singular_values* stay empty.

    >>> import autograd_nb as torch
    >>> torch.linalg.lstsq(torch.tensor([[1.], [1.]]), torch.tensor([[1.], [3.]])).solution
    tensor([[2.0000]])
    """
    names = return_type("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
    return names((*ops.linalg_lstsq_row(A, B, rcond), ops.zeros_of(A, (0,))))
