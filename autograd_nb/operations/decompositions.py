"""Matrices taken apart into triangular factors: Cholesky, QR; and the exponential, whose derivative is part of another.

The factors obey equations (Q has orthonormal columns, R is triangular, and so on).  Differentiating these says how the
factors move with the matrix; the formulas below are the transposes of that.
"""

import numpy as np

from ..engine.dispatch import operation
from ..engine.table import composite, ops
from .carriers import both
from .diagonals import tril, triu
from .indexing import slice
from .linear_algebra import LinAlgError, by_columns, check_matrix, first_bad, solved_triangular
from .products import transpose
from .public import public
from .return_types import return_type
from .strides import zeros_of

# -- Cholesky --------------------------------------------------------------------------------------------------------


@both
def cholesky_backward(grad, L, upper):
    """The gradient of a symmetric matrix from that of its triangular factor."""
    if upper:
        grad, L = transpose(grad, -2, -1), transpose(L, -2, -1)
    half = tril(transpose(L, -2, -1) @ grad)
    half = (half + transpose(tril(half, -1), -2, -1)) * 0.5
    half = solved_triangular(transpose(L, -2, -1), half, True, True, False)
    return solved_triangular(L, half, False, False, False)


def factor(name, A, upper):
    check_matrix(name, A)
    try:
        L = np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        minors = [np.linalg.eigvalsh(A[..., :k, :k])[..., 0] <= 0 for k in range(1, A.shape[-1] + 1)]
        bad = np.any(minors, axis=0)
        order = int(np.argmax(np.asarray(minors)[:, *np.unravel_index(np.argmax(bad), bad.shape)])) + 1
        raise LinAlgError(
            f"linalg.{name}: {first_bad(bad)}The factorization could not be completed because the input is not "
            f"positive-definite (the leading minor of order {order} is not positive-definite)."
        ) from None
    return np.swapaxes(L, -1, -2).copy() if upper else by_columns(L)


@operation("linalg_cholesky_ex_row", returns=("L",), method=False, function=False,
           node_name="LinalgCholeskyExBackward0",
           self=lambda grad, upper, L: cholesky_backward(grad, L, upper))  # fmt: skip
def linalg_cholesky_ex_row(self, upper):
    """The triangular factor."""
    return factor("cholesky", self, upper)


@operation("cholesky_row", method=False, function=False, node_name="CholeskyBackward0", no_forward="cholesky",
           self=lambda grad, upper, result: cholesky_backward(grad, result, upper))  # fmt: skip
def cholesky_row(self, upper):
    """The triangular factor."""
    return factor("cholesky", self, upper)


@composite("linalg_cholesky", method=False, function=False)
def cholesky(A, *, upper=False):
    """The lower triangular L with A = L @ L.T, or with *upper* its transpose.

    LinAlgError for a matrix that is not positive definite.

    >>> import autograd_nb as torch
    >>> torch.linalg.cholesky(torch.tensor([[4., 2.], [2., 2.]]))
    tensor([[2., 0.],
            [1., 1.]])
    """
    return ops.linalg_cholesky_ex_row(A, upper)


@public("cholesky")
def _cholesky(self, upper=False):
    """The triangular factor of a positive definite matrix; :func:`torch.linalg.cholesky` is the newer name."""
    return ops.cholesky_row(self, upper)


# -- QR --------------------------------------------------------------------------------------------------------------


@both
def qr_backward(grad, Q, R, mode):
    """The gradient of a matrix from those of its orthonormal and its triangular factor."""
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr."
        )
    rows, columns = Q.shape[-2], R.shape[-1]
    if mode == "complete" and rows > columns:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
        )
    grad_q, grad_r = grad[0], grad[1]
    if rows >= columns:
        return qr_backward_tall(grad_q, grad_r, Q, R)
    # the first columns alone make Q; the others are Q @ rest
    rest = slice(R, -1, rows, columns, 1)
    if grad_r is None:
        grad_rest, grad_first = None, None
    else:
        grad_rest, grad_first = slice(grad_r, -1, rows, columns, 1), slice(grad_r, -1, 0, rows, 1)
    from_rest = None if grad_rest is None else Q @ (rest @ transpose(grad_rest, -2, -1))
    if grad_q is None:
        grad_q = from_rest
    elif from_rest is not None:
        grad_q = grad_q + from_rest
    first = qr_backward_tall(grad_q, grad_first, Q, slice(R, -1, 0, rows, 1))
    other = zeros_of(R, (*R.shape[:-1], columns - rows)) if grad_rest is None else Q @ grad_rest
    return cat([first, other], -1)


def cat(tensors, dim):
    return np.concatenate(tensors, dim)


@both
def qr_backward_tall(grad_q, grad_r, Q, R):
    """The same for a matrix with no more columns than rows."""
    inner = None if grad_r is None else grad_r @ transpose(R, -2, -1)
    if grad_q is not None:
        turned = transpose(Q, -2, -1) @ grad_q
        inner = -turned if inner is None else inner - turned
    inner = triu(inner)
    inner = inner + transpose(triu(inner, 1), -2, -1)
    total = Q @ inner
    if grad_q is not None:
        total = total + grad_q
    return solved_triangular(transpose(R, -2, -1), total, False, False, False)


@operation("linalg_qr_row", returns=("Q", "R"), method=False, function=False, node_name="LinalgQrBackward0",
           A=lambda grad, mode, Q, R: qr_backward(grad, Q, R, mode))  # fmt: skip
def linalg_qr_row(A, mode):
    """Both factors."""
    check_matrix("qr", A, square=False)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
                           "'complete'")
    if mode == "r":
        return np.zeros(0, A.dtype), np.linalg.qr(A, "r")
    return tuple([by_columns(factor) for factor in np.linalg.qr(A, mode)])


@composite("linalg_qr", method=False, function=False)
def qr(A, mode="reduced"):
    """``(Q, R)`` with A = Q @ R, Q with orthonormal columns and R upper triangular.

    >>> import autograd_nb as torch
    >>> torch.linalg.qr(torch.tensor([[0., 2.], [1., 3.]])).R.abs()
    tensor([[1., 3.],
            [0., 2.]])
    """
    return return_type("linalg_qr", "Q", "R")(ops.linalg_qr_row(A, mode))


@public("qr")
def _qr(self, some=True):
    """``(Q, R)`` of a matrix; :func:`torch.linalg.qr` is the newer name."""
    return return_type("qr", "Q", "R")(ops.linalg_qr_row(self, "reduced" if some else "complete"))


# -- the exponential -------------------------------------------------------------------------------------------------


@both
def matrix_exp_backward(grad, self):
    """The upper right part of the exponential of a matrix twice as large."""
    turned = transpose(self, -2, -1)
    n = self.shape[-1]
    above = cat([turned, grad], -1)
    below = cat([zeros_of(turned, turned.shape), turned], -1)
    whole = linalg_matrix_exp(cat([above, below], -2))
    return slice(slice(whole, -2, 0, n, 1), -1, n, 2 * n, 1)


@operation("linalg_matrix_exp", method=False, function=False, self=lambda grad, self: matrix_exp_backward(grad, self))
def linalg_matrix_exp(self):
    """The exponential of a square matrix: the sum of its powers, each over the factorial.

    >>> import autograd_nb as torch
    >>> torch.linalg.matrix_exp(torch.tensor([[0., 1.], [0., 0.]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    check_matrix("matrix_exp", self)
    wide = self.astype(np.float64)
    size = np.abs(wide).sum(-1).max(initial=0.0)
    halvings = max(0, int(np.ceil(np.log2(size))) + 3) if size else 0
    scaled = wide / 2.0**halvings
    total = term = np.broadcast_to(np.eye(self.shape[-1]), self.shape)
    for power in range(1, 15):
        term = term @ scaled / power
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total.astype(self.dtype)


@public("matrix_exp")
def _matrix_exp(self):
    """The exponential of a square matrix; also :func:`torch.linalg.matrix_exp`."""
    return ops.linalg_matrix_exp(self)
