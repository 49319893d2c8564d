"""Systems of linear equations: inverse, solution, determinant; norms; cross products.

Every derivative here comes from differentiating the equation that defines the result: A @ X = B gives
dA @ X + A @ dX = dB, so a gradient of X becomes one of B by solving with the transpose of A.
"""

import numpy as np

from ..engine.table import ops
from .carriers import both, ones_like, where
from .checks import dtype_name, wrap_dim
from .products import transpose
from .public import public, row
from .publishing import composite
from .repeats import diag_embed, sum_to_size

LinAlgError = type("_LinAlgError", (RuntimeError,), {"__module__": "torch._C", "__doc__": "A matrix has no inverse."})


def check_matrix(name, A):
    """RuntimeError unless *A* is a square floating matrix, or a batch of them."""
    if A.dtype.kind != "f":
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {dtype_name(A)}")
    if A.ndim < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    if A.shape[-1] != A.shape[-2]:
        raise RuntimeError(f"linalg.{name}: A must be batches of square matrices, but they are {A.shape[-2]} by "
                           f"{A.shape[-1]} matrices")


def first_bad(bad):
    """The start of PyTorch's message in a batch, which names the first matrix that fails."""
    return f"(Batch element {int(np.argmax(bad))}): " if np.ndim(bad) else ""


def eliminated(A):
    """``(LU, pivots)`` by elimination with partial pivoting: L below the diagonal, U on and above it."""
    LU, pivots = A.copy(), np.zeros(A.shape[:-1], np.int32)
    for batch in np.ndindex(A.shape[:-2]):
        matrix = LU[batch]
        for k in range(A.shape[-1]):
            pivot = k + int(np.argmax(np.abs(matrix[k:, k])))
            pivots[(*batch, k)] = pivot + 1
            if pivot != k:
                matrix[[k, pivot]] = matrix[[pivot, k]]
            if matrix[k, k]:
                matrix[k + 1 :, k] /= matrix[k, k]
                matrix[k + 1 :, k + 1 :] -= np.outer(matrix[k + 1 :, k], matrix[k, k + 1 :])
    return LU, pivots


def diagonal_of(LU):
    return np.diagonal(LU, axis1=-2, axis2=-1)


def by_columns(matrices):
    """The matrices in column-major order, as LAPACK leaves them in PyTorch."""
    return transpose(np.asarray(transpose(matrices, -1, -2), order="C"), -1, -2)


@both
def is_vector(a_shape, b_shape):
    """Whether a right-hand side of this shape holds vectors, one for each matrix."""
    return len(b_shape) == 1 or len(a_shape) - 1 == len(b_shape) and a_shape[:-1] == b_shape


@row("linalg_solve_ex", returns=("result", "LU", "pivots"),
     A=lambda grad, A, LU, pivots, left, result: solve_backward(grad[0], A, result, left),
     B=lambda grad, A, LU, pivots, left, result, B_sym_sizes:
     sum_to_size(solved(transpose(A, -2, -1), grad[0], left), B_sym_sizes))  # fmt: skip
def linalg_solve_ex(A, B, left):
    """The solution of A @ X = B, or X @ A = B unless *left*, with the LU decomposition of A."""
    check_matrix("solve", A)
    if A.dtype != B.dtype:
        raise RuntimeError("linalg.solve: Expected A and B to have the same dtype, but found A of type "
                           f"{dtype_name(A)} and B of type {dtype_name(B)} instead")
    if not B.ndim:
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
        result = transpose(np.linalg.solve(transpose(A, -1, -2), transpose(right, -1, -2)), -1, -2).copy()
    return result[..., 0] if vector else result, LU, pivots


@both
def solved(A, B, left):
    return linalg_solve_ex(A, B, left)[0]


@both
def solve_backward(grad, A, result, left):
    """The gradient with respect to the matrix A of a linear system."""
    grad_B = solved(transpose(A, -2, -1), grad, left)
    if is_vector(A.shape, result.shape):
        grad_B, result = grad_B[..., None], result[..., None]
    grad_A = -(grad_B @ transpose(result, -2, -1)) if left else -(transpose(result, -2, -1) @ grad_B)
    return sum_to_size(grad_A, A.shape)


@composite("linalg_solve", method=False, function=False)
def solve(A, B, *, left=True):
    """The solution X of A @ X = B, or with *left* false of X @ A = B.  LinAlgError for a singular matrix.

    >>> import autograd_nb as torch
    >>> torch.linalg.solve(torch.tensor([[2., 0.], [0., 4.]]), torch.tensor([2., 4.]))
    tensor([1., 1.])
    """
    return ops.linalg_solve_ex(A, B, left)[0]


@row("linalg_inv_ex_row", returns=("inverse",), node_name="LinalgInvExBackward0",
     A=lambda grad, inverse: -transpose(inverse, -2, -1) @ grad @ transpose(inverse, -2, -1))  # fmt: skip
def linalg_inv_ex_row(A):
    """The inverse of a matrix."""
    check_matrix("inv", A)
    LU, _ = eliminated(A)
    zero = diagonal_of(LU) == 0
    singular = np.any(zero, axis=-1)
    if np.any(singular):
        place = int(np.argmax(zero[np.unravel_index(np.argmax(singular), np.shape(singular))])) + 1
        raise LinAlgError(f"linalg.inv: {first_bad(singular)}The diagonal element {place} is zero, the inversion "
                          "could not be completed because the input matrix is singular.")
    return by_columns(np.linalg.inv(A))


@composite("linalg_inv", method=False, function=False)
def inv(A):
    """The inverse of a square matrix, or of each of a batch.  LinAlgError for a singular one."""
    return ops.linalg_inv_ex_row(A)


public("inverse", text=inv.__doc__)(lambda self: inv(self))


@row("linalg_det_row", returns=("result", "LU", "pivots"), node_name="LinalgDetBackward0",
     A=lambda grad, result, A, LU, pivots: det_backward(grad[0], result, A))  # fmt: skip
def linalg_det_row(A):
    """The product of the diagonal of U; each exchange of rows flips its sign."""
    check_matrix("det", A)
    LU, pivots = eliminated(transpose(A, -1, -2) if A.flags.c_contiguous else A)  # column-major, as for LAPACK
    exchanges = np.count_nonzero(pivots != np.arange(1, pivots.shape[-1] + 1), axis=-1)
    result = np.multiply.reduce(diagonal_of(LU), axis=-1) * (1 - 2 * (exchanges % 2))
    return result.astype(LU.dtype), LU, pivots


@both
def det_backward(grad, result, A):
    """grad * det(A) * inverse of A transposed; zeros for a singular matrix, as in PyTorch."""
    ones = ones_like(A[..., 0])
    A = where(result[..., None, None] == 0, diag_embed(ones), A)
    return solved(transpose(A, -2, -1), diag_embed((grad * result)[..., None] * ones), True)


@composite("linalg_det", method=False, function=False)
def det(A):
    """The determinant of a square matrix, or of each of a batch.

    >>> import autograd_nb as torch
    >>> torch.linalg.det(torch.tensor([[1., 2.], [3., 4.]]))
    tensor(-2.)
    """
    return ops.linalg_det_row(A)[0]


public("det", text=det.__doc__)(lambda self: det(self))


@composite("linalg_norm", method=False, function=False)
def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    """The norm of a vector, or the Frobenius norm of a matrix; without *ord* the 2-norm of the elements."""
    if ord is None or ord == "fro":
        return ops.vector_norm(A, 2.0, dim, keepdim, dtype=dtype)
    if A._array.ndim != 1 if dim is None else not isinstance(dim, int) and len(dim) != 1:
        raise NotImplementedError(f"torch.linalg.norm of a matrix with ord={ord} is not part of autograd_nb")
    return ops.vector_norm(A, ord, dim, keepdim, dtype=dtype)


@row("linalg_cross_row", promoted=("self", "other"), broadcasts=True, node_name="LinalgCrossBackward0",
     self=lambda grad, other, dim: linalg_cross_row(other, grad, dim),
     other=lambda grad, self, dim: linalg_cross_row(grad, self, dim))  # fmt: skip
def linalg_cross_row(self, other, dim):
    """The cross products of the vectors along *dim*."""
    if self.shape[dim] != 3 or other.shape[dim] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {self.shape[dim]} and "
                           f"{other.shape[dim]}")
    (a, b, c), (d, e, f) = ([np.take(each, [i], dim) for i in range(3)] for each in (self, other))
    return np.concatenate([b * f - c * e, c * d - a * f, a * e - b * d], dim)


@public("cross")
def _cross(self, other, dim=None):
    """The cross products of vectors along *dim*, by default the first dimension of length 3."""
    shape = self._array.shape
    if dim is None:
        dim = next((each for each, length in enumerate(shape) if length == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    if len(shape) != other._array.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    wrap_dim(dim, len(shape))
    return ops.linalg_cross_row(self, other, dim)
