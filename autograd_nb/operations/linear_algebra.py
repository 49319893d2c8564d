"""Systems of equations: inverse, solve, determinants and the triangular kinds, and norms of matrices.

Every derivative here comes of differentiating the equation that defines the result: A @ X = B gives
dA @ X + A @ dX = dB, so that a gradient of X becomes one of B by solving with the transpose.
"""

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import operation
from ..engine.formulas import tensor_names
from ..engine.table import composite, ops
from ..engine.tensor import wrap
from .carriers import both, ones_like, where
from .diagonals import diag_embed, tril, triu
from .products import transpose
from .public import public
from .repeats import sum_to_size
from .return_types import return_type
from .strides import zeros_of


class LinAlgError(RuntimeError):
    """A matrix has no inverse, or none of the factors asked for."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LinAlgError.__module__ = "torch._C"

# -- what is checked -------------------------------------------------------------------------------------------------


def check_matrix(name, A, square=True, home="linalg."):
    """RuntimeError unless *A* is a floating matrix, or a batch of them, and *square* if need be."""
    if A.dtype.kind != "f":
        kind = dtypes.of_array(A).legacy_name
        raise RuntimeError(f"{home}{name}: Expected a floating point or complex tensor as input. Got {kind}")
    if A.ndim < 2:
        raise RuntimeError(f"{home}{name}: The input tensor A must have at least 2 dimensions.")
    if square and A.shape[-1] != A.shape[-2]:
        raise RuntimeError(
            f"{home}{name}: A must be batches of square matrices, but they are {A.shape[-2]} by {A.shape[-1]} "
            "matrices"
        )


def first_bad(bad):
    """Where in a batch the first matrix fails, in the words before PyTorch's message."""
    return f"(Batch element {int(np.argmax(bad))}): " if np.ndim(bad) else ""


# -- elimination -----------------------------------------------------------------------------------------------------


def eliminated(A):
    """``(LU, pivots)`` by rows, the largest element of a column on top: L below the diagonal, U on and above it."""
    LU = A.copy()
    count = min(A.shape[-2:])
    pivots = np.zeros((*A.shape[:-2], count), np.int32)
    for batch in np.ndindex(A.shape[:-2]):
        matrix = LU[batch]
        for k in range(count):
            pivot = k + int(np.argmax(np.abs(matrix[k:, k])))
            pivots[(*batch, k)] = pivot + 1
            if pivot != k:
                matrix[[k, pivot]] = matrix[[pivot, k]]
            if matrix[k, k]:
                matrix[k + 1 :, k] /= matrix[k, k]
                matrix[k + 1 :, k + 1 :] -= np.outer(matrix[k + 1 :, k], matrix[k, k + 1 :])
    return LU, pivots


def as_kept(A):
    """What PyTorch eliminates for a determinant: matrices that lie in rows are turned, so that they lie in columns."""
    return np.swapaxes(A, -1, -2) if A.flags.c_contiguous else A


def diagonal_of(LU):
    return np.diagonal(LU, axis1=-2, axis2=-1)


def parity(pivots):
    """1 or -1: whether the rows were exchanged an even or odd number of times."""
    swaps = np.count_nonzero(pivots != np.arange(1, pivots.shape[-1] + 1), axis=-1)
    return 1 - 2 * (swaps % 2)


# -- solving ---------------------------------------------------------------------------------------------------------


def by_columns(matrices):
    """Matrices that lie column after column in memory, as elimination leaves them in PyTorch."""
    return np.swapaxes(np.asarray(np.swapaxes(matrices, -1, -2), order="C"), -1, -2)


def is_vector(a_shape, b_shape):
    """Whether a right side of this shape stands for vectors, one for each matrix."""
    return len(b_shape) == 1 or len(a_shape) - 1 == len(b_shape) and a_shape[:-1] == b_shape


tensor_names["is_vector"] = is_vector


@operation("linalg_solve_ex", returns=("result", "LU", "pivots"), method=False, function=False,
           A=lambda grad, A, LU, pivots, left, result: solve_backward(grad[0], A, result, left),
           B=lambda grad, A, LU, pivots, left, result, B_sym_sizes:
           sum_to_size(solved(transpose(A, -2, -1), grad[0], left), B_sym_sizes))  # fmt: skip
def linalg_solve_ex(A, B, left):
    """The solution of A @ X = B, and what elimination left."""
    check_matrix("solve", A)
    if A.dtype != B.dtype:
        kinds = [dtypes.of_array(each).legacy_name for each in (A, B)]
        raise RuntimeError("linalg.solve: Expected A and B to have the same dtype, but found A of type "
                           "{} and B of type {} instead".format(*kinds))
    if not np.ndim(B):
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    vector = is_vector(A.shape, B.shape)
    right = B[..., None] if vector else B
    if right.shape[-2 if left else -1] != A.shape[-1]:
        sizes = f"{A.shape[-2]}x{A.shape[-1]} and {right.shape[-2]}x{right.shape[-1]}"
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(f"linalg.solve: Incompatible shapes of A and B for the equation {equation} ({sizes})")
    LU, pivots = eliminated(A)
    singular = np.any(diagonal_of(LU) == 0, axis=-1)
    if np.any(singular):
        raise LinAlgError(f"torch.linalg.solve: {first_bad(singular)}The solver failed because the input matrix is "
                          "singular.")
    if left:
        result = by_columns(np.linalg.solve(A, right))
    else:
        result = np.swapaxes(np.linalg.solve(np.swapaxes(A, -1, -2), np.swapaxes(right, -1, -2)), -1, -2).copy()
    return result[..., 0] if vector else result, LU, pivots


def solved(A, B, left):
    """The solution alone."""
    return linalg_solve_ex(A, B, left)[0]


composite("solved", method=False, function=False)(lambda A, B, left: ops.linalg_solve_ex(A, B, left)[0])


@both
def solve_backward(grad, A, result, left):
    """The gradient of the matrix of a system of equations."""
    given = solved(transpose(A, -2, -1), grad, left)
    if is_vector(A.shape, result.shape):
        given, result = given[..., None], result[..., None]
    whole = -(given @ transpose(result, -2, -1)) if left else -(transpose(result, -2, -1) @ given)
    return sum_to_size(whole, A.shape)


def solve(A, B, *, left=True):
    """The solution X of A @ X = B, or with *left* false of X @ A = B; batches and single vectors B too.

    RuntimeError when shapes do not fit, LinAlgError for a singular matrix.

    >>> import autograd_nb as torch
    >>> torch.linalg.solve(torch.tensor([[2., 0.], [0., 4.]]), torch.tensor([2., 4.]))
    tensor([1., 1.])
    """
    return ops.linalg_solve_ex(A, B, left)[0]


composite("linalg_solve", method=False, function=False)(solve)


@operation("linalg_inv_ex_row", returns=("inverse",), method=False, function=False, node_name="LinalgInvExBackward0",
           A=lambda grad, inverse: -transpose(inverse, -2, -1) @ grad @ transpose(inverse, -2, -1))  # fmt: skip
def linalg_inv_ex_row(A):
    """The inverse of a matrix."""
    check_matrix("inv", A)
    LU, _ = eliminated(A)
    zero = diagonal_of(LU) == 0
    singular = np.any(zero, axis=-1)
    if np.any(singular):
        place = int(np.argmax(zero[np.unravel_index(np.argmax(singular), np.shape(singular))])) + 1
        raise LinAlgError(
            f"linalg.inv: {first_bad(singular)}The diagonal element {place} is zero, the inversion could not be "
            "completed because the input matrix is singular."
        )
    return by_columns(np.linalg.inv(A))


@composite("linalg_inv", method=False, function=False)
def inv(A):
    """The inverse of a square matrix, or of each of a batch.  LinAlgError for a singular one.

    >>> import autograd_nb as torch
    >>> torch.linalg.inv(torch.tensor([[2., 0.], [0., 4.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return ops.linalg_inv_ex_row(A)


# -- determinants ----------------------------------------------------------------------------------------------------


def determinant(LU, pivots):
    """The product of the diagonal, with the sign that exchanging rows gives it."""
    return (np.multiply.reduce(diagonal_of(LU), axis=-1) * parity(pivots)).astype(LU.dtype)


@operation("linalg_det_row", returns=("result", "LU", "pivots"), method=False, function=False,
           node_name="LinalgDetBackward0",
           A=lambda grad, result, A, LU, pivots: det_backward(grad[0], result, A))  # fmt: skip
def linalg_det_row(A):
    """The determinant, and what elimination left."""
    check_matrix("det", A)
    LU, pivots = eliminated(as_kept(A))  # of the transpose, whose rows lie as LAPACK's columns do
    return determinant(LU, pivots), LU, pivots


@both
def det_backward(grad, result, A):
    """The inverse transposed times gradient and determinant; nothing, as in PyTorch, where there is no inverse."""
    A = where(result[..., None, None] == 0, eye_like(A), A)
    return solved(transpose(A, -2, -1), diag_embed((grad * result)[..., None] * ones_like(A[..., 0])), True)


def eye_like(self):
    """Ones on the diagonal of the last two dimensions, zeros off it."""
    return np.broadcast_to(np.eye(*self.shape[-2:], dtype=self.dtype), self.shape)


tensor_names["eye_like"] = lambda self: wrap(eye_like(self._array), self._dtype)


@operation("linalg_slogdet_row", returns=("sign", "logabsdet", "LU", "pivots"), method=False, function=False,
           node_name="LinalgSlogdetBackward0",
           A=lambda grad, A, sign, LU, pivots: slogdet_backward(grad[1], A))  # fmt: skip
def linalg_slogdet_row(A):
    """The determinant's sign and the logarithm of its size, and what elimination left."""
    check_matrix("slogdet", A)
    LU, pivots = eliminated(as_kept(A))
    diagonal = diagonal_of(LU)
    sign = (np.multiply.reduce(np.sign(diagonal), axis=-1) * parity(pivots)).astype(A.dtype)
    return sign, np.add.reduce(np.log(np.abs(diagonal)), axis=-1), LU, pivots


@both
def slogdet_backward(grad, A):
    """The inverse transposed times the gradient of the logarithm; the sign is constant."""
    if grad is None:
        return zeros_of(A, A.shape)
    return solved(transpose(A, -2, -1), diag_embed(grad[..., None] * ones_like(A[..., 0])), True)


def det(A):
    """The determinant of a square matrix, or of each of a batch.

    >>> import autograd_nb as torch
    >>> torch.linalg.det(torch.tensor([[1., 2.], [3., 4.]]))
    tensor(-2.)
    """
    return ops.linalg_det_row(A)[0]


def slogdet(A):
    """``(sign, logabsdet)``: the determinant's sign, and the logarithm of its size, which does not overflow.

    >>> import autograd_nb as torch
    >>> torch.linalg.slogdet(torch.tensor([[1., 0.], [0., -2.]])).sign
    tensor(-1.)
    """
    return return_type("linalg_slogdet", "sign", "logabsdet")(ops.linalg_slogdet_row(A)[:2])


composite("linalg_det", method=False, function=False)(det)
composite("linalg_slogdet", method=False, function=False)(slogdet)


@public("det")
def _det(self):
    """The determinant of a square matrix, or of each of a batch."""
    return det(self)


@public("slogdet")
def _slogdet(self):
    """``(sign, logabsdet)`` of the determinant."""
    return return_type("slogdet", "sign", "logabsdet")(ops.linalg_slogdet_row(self)[:2])


@public("logdet")
def _logdet(self):
    """The logarithm of the determinant; nan where that is negative.

    >>> import autograd_nb as torch
    >>> torch.logdet(torch.eye(3))
    tensor(0.)
    """
    check_matrix("logdet", self._array, home="")
    sign, size = slogdet(self)
    return ops.where(sign == -1.0, float("nan"), size)


@public("inverse")
def _inverse(self):
    """The inverse of a square matrix, or of each of a batch.  LinAlgError for a singular one."""
    return inv(self)


# -- triangular systems ----------------------------------------------------------------------------------------------


def triangle(A, upper, unitriangular):
    """The triangle of *A* that is looked at, ones on the diagonal if it is *unitriangular*."""
    part = np.triu(A) if upper else np.tril(A)
    if unitriangular:
        diagonal_places = np.arange(A.shape[-1])
        part = part.copy()
        part[..., diagonal_places, diagonal_places] = 1
    return part


@operation("linalg_solve_triangular_row", method=False, function=False, node_name="LinalgSolveTriangularBackward0",
           self=lambda grad, self, upper, left, unitriangular, result:
           triangular_backward(grad, self, upper, left, unitriangular, result),
           B=lambda grad, self, upper, left, unitriangular:
           solved_triangular(transpose(self, -2, -1), grad, not upper, left, unitriangular))  # fmt: skip
def linalg_solve_triangular_row(self, B, upper, left, unitriangular):
    """The solution of a system of which one triangle is looked at."""
    check_matrix("solve_triangular", self)
    A = triangle(self, upper, unitriangular)
    if left:
        return by_columns(substituted(A, B, upper))
    return np.swapaxes(substituted(np.swapaxes(A, -1, -2), np.swapaxes(B, -1, -2), not upper), -1, -2).copy()


solved_triangular = linalg_solve_triangular_row
tensor_names["solved_triangular"] = ops.linalg_solve_triangular_row


def substituted(A, B, upper):
    """The solution row by row, from the row that has one unknown on."""
    count = A.shape[-1]
    X = np.zeros(np.broadcast_shapes(A.shape[:-2], B.shape[:-2]) + B.shape[-2:], B.dtype)
    for row in reversed(range(count)) if upper else range(count):
        known = (A[..., row : row + 1, :] @ X)[..., 0, :]
        X[..., row, :] = (B[..., row, :] - known) / A[..., row, row, None]
    return X


@both
def triangular_backward(grad, self, upper, left, unitriangular, result):
    """The gradient of the triangle that was looked at."""
    given = solved_triangular(transpose(self, -2, -1), grad, not upper, left, unitriangular)
    whole = -(given @ transpose(result, -2, -1)) if left else -(transpose(result, -2, -1) @ given)
    off = 1 if unitriangular else 0
    return triu(whole, off) if upper else tril(whole, -off)


@composite("linalg_solve_triangular", method=False, function=False)
def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    """The solution X of A @ X = B (*left* false: X @ A = B), of A only the *upper* or lower triangle looked at.

    >>> import autograd_nb as torch
    >>> torch.linalg.solve_triangular(torch.tensor([[2., 1.], [0., 4.]]), torch.tensor([[4.], [4.]]), upper=True)
    tensor([[1.5000],
            [1.0000]])
    """
    a, b = A._array.shape, B._array.shape
    if a[:-2] != b[:-2]:
        batch = np.broadcast_shapes(a[:-2], b[:-2])
        A, B = (x.expand(*batch, *x._array.shape[-2:]) for x in (A, B))
    return ops.linalg_solve_triangular_row(A, B, upper, left, unitriangular)
