"""Systems of linear equations: inverse, solution, determinant; the factors of Cholesky, eigenvalues; norms.

Every derivative here comes from differentiating the equation that defines the result: A @ X = B gives
dA @ X + A @ dX = dB, so a gradient of X becomes one of B by solving with the transpose of A.
"""

import math

import numpy as np

from ..engine.table import ops, tensor_names
from ..engine.tensor import wrap
from .array_functions import both, create_graph, expand, ones_like, sum_to_size, transpose, where
from .checks import dtype_name, require_floating
from .repeats import diag_embed, tril
from .rows import function, internal, row

LinAlgError = type("_LinAlgError", (RuntimeError,), {"__module__": "torch._C", "__doc__": "A matrix has no inverse."})


def check_square(name, A):
    """RuntimeError unless this is a square matrix, or a batch of these, of floats."""
    if A.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if A.shape[-1] != A.shape[-2]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {A.shape[-2]} by "
                           f"{A.shape[-1]} matrices")
    if A.dtype.kind != "f":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {dtype_name(A)}")


def of_lapack(name, compute, A, *others):
    """NumPy's result for a square matrix or a batch; LinAlgError for another shape, or without an inverse."""
    check_square(f"linalg.{name}", A)
    try:
        return compute(A, *others)
    except np.linalg.LinAlgError as error:
        raise LinAlgError(f"linalg.{name}: {error}") from None


@both
def is_vector(a_shape, b_shape):
    """Whether a right-hand side of this shape holds vectors, one for each matrix."""
    return len(b_shape) == 1 or len(a_shape) - 1 == len(b_shape) and a_shape[:-1] == b_shape


@row(checks=True, node_name="LinalgSolveExBackward0",
           A=lambda grad, A, result: solve_backward(grad, A, result),
           B=lambda grad, A, result, B_sym_sizes:
           sum_to_size(linalg_solve(transpose(A, -2, -1), grad), B_sym_sizes))  # fmt: skip
def linalg_solve(A, B):
    """The solution X of A @ X = B.  LinAlgError for a singular matrix.

    >>> import autograd_nb as torch
    >>> torch.linalg.solve(torch.tensor([[2., 0.], [0., 4.]]), torch.tensor([2., 4.]))
    tensor([1., 1.])
    """
    if A.dtype != B.dtype:
        raise RuntimeError("linalg.solve: Expected A and B to have the same dtype, but found A of type "
                           f"{dtype_name(A)} and B of type {dtype_name(B)} instead")
    if is_vector(A.shape, B.shape):
        return of_lapack("solve", np.linalg.solve, A, B[..., None])[..., 0]
    return of_lapack("solve", np.linalg.solve, A, B)


@both
def solve_backward(grad, A, result):
    """The gradient with respect to the matrix A of a linear system."""
    grad_B = linalg_solve(transpose(A, -2, -1), grad)
    if is_vector(A.shape, result.shape):
        grad_B, result = grad_B[..., None], result[..., None]
    return sum_to_size(-(grad_B @ transpose(result, -2, -1)), A.shape)


@row(checks=True, node_name="LinalgInvExBackward0",
           returns=("inverse",),
           A=lambda grad, inverse: -(transpose(inverse, -2, -1) @ (grad @ transpose(inverse, -2, -1))))  # fmt: skip
def linalg_inv(A):
    """The inverse of a square matrix, or of each of a batch.  LinAlgError for a singular one."""
    return of_lapack("inv", np.linalg.inv, A)


@function
def inverse(self):
    """The inverse of a square matrix, or of each of a batch.  LinAlgError for a singular one."""
    return ops.linalg_inv(self)


@row(checks=True,
     A=lambda grad, result, A: det_backward(grad, result, A))  # fmt: skip
def linalg_det(A):
    """The determinant of a square matrix, or of each of a batch.

    >>> import autograd_nb as torch
    >>> torch.linalg.det(torch.tensor([[1., 2.], [3., 4.]]))
    tensor(-2.)
    """
    return of_lapack("det", lambda A: np.linalg.det(A.astype(np.float64, copy=False)).astype(A.dtype), A)


@both
def det_backward(grad, result, A):
    """grad * det(A) * inverse of A transposed; zeros for a singular matrix, as in PyTorch, or its cofactors."""
    if create_graph and some_singular(A, result):
        return grad[..., None, None] * cofactors(A)
    ones = ones_like(A[..., 0])
    A = where(result[..., None, None] == 0, diag_embed(ones), A)
    return linalg_solve(transpose(A, -2, -1), diag_embed((grad * result)[..., None] * ones))


def some_singular(A, result):
    """Whether a matrix among these has no inverse, as far as its dtype shows; *result* has their determinants."""
    suspects = A[np.abs(result) < 100 * np.finfo(A.dtype).eps]
    return bool((np.linalg.matrix_rank(suspects) < A.shape[-1]).any())


@both
def cofactors(A):
    """The gradient of a determinant: for each element, with its sign, that of the matrix without its row and column."""
    return minor(A[others(A)]) * signs(A)


def others(A):
    """The index that selects, for each element, the matrix without its row and column."""
    places = range(A.shape[-1])
    kept = np.array([[place for place in places if place != left_out] for left_out in places], int)
    return ..., kept[:, None, :, None], kept[:, None, :]


def signs(A):
    """1 and -1, in turn along rows and along columns."""
    places = np.arange(A.shape[-1])
    return (1 - 2 * ((places[:, None] + places) % 2)).astype(A.dtype)


@row(node_name="LinalgDetBackward0", A=lambda grad, A: grad[..., None, None] * cofactors(A))
def minor(A):
    """A determinant whose gradient is right for singular matrices too."""
    return linalg_det(A)


tensor_names.update(
    others=others,
    some_singular=lambda A, result: some_singular(A._array, result._array),
    signs=lambda A: wrap(signs(A._array), A._dtype),
)


@function
def det(self):
    """The determinant of a square matrix, or of each of a batch."""
    return ops.linalg_det(self)


@row(checks=True, returns=("sign", "logabsdet"),
           A=lambda grads, A, sign: None if grads[1] is None
           else linalg_solve(transpose(A, -2, -1), diagonals(grads[1], A)))  # fmt: skip
def linalg_slogdet(A):
    """The sign of the determinant of a square matrix, or of each of a batch, and the logarithm of its size."""
    return of_lapack("slogdet", np.linalg.slogdet, A)


@both
def diagonals(numbers, A):
    """A diagonal matrix for each of the matrices *A*, of its number."""
    return transpose(diag_embed(expand(numbers[..., None], A.shape[:-1])), -2, -1)


@function
def logdet(self):
    """The logarithm of the determinant of a square matrix, or of each of a batch; nan for a negative one.

    >>> import autograd_nb as torch
    >>> torch.logdet(torch.tensor([[1., 0.], [0., 2.]]))
    tensor(0.6931)
    """
    check_square("logdet", self._array)
    sign, logarithm = ops.linalg_slogdet(self)
    return ops.where(sign == -1, math.nan, logarithm)


@row(checks=True, node_name="LinalgCholeskyExBackward0", returns=("L",),
           A=lambda grad, L: cholesky_backward(grad, L))  # fmt: skip
def linalg_cholesky(A):
    """The lower triangle L whose product with its transpose is the matrix, or each of a batch.

    LinAlgError unless it is positive definite.

    >>> import autograd_nb as torch
    >>> torch.linalg.cholesky(torch.tensor([[4., 2.], [2., 5.]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    L = of_lapack("cholesky", np.linalg.cholesky, A)
    if np.isnan(L).any():
        raise LinAlgError("linalg.cholesky: Matrix is not positive definite")
    return L


@both
def cholesky_backward(grad, L):
    """The gradient of the matrix, which is symmetric."""
    product, inverse = tril(transpose(L, -2, -1) @ grad), linalg_inv(L)
    half = 0.5 * (product + transpose(tril(product, -1), -2, -1))
    return transpose(inverse, -2, -1) @ half @ inverse


@row(checks=True, returns=("eigenvalues", "eigenvectors"),
           A=lambda grads, eigenvalues, eigenvectors: eigh_backward(*grads, eigenvalues, eigenvectors))  # fmt: skip
def linalg_eigh(A, UPLO="L"):
    """The eigenvalues of a symmetric matrix, in ascending order, and its eigenvectors, the columns of a matrix."""
    if UPLO not in ("L", "U", "l", "u"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    require_floating(A, "linalg_eigh_cpu")
    return of_lapack("eigh", np.linalg.eigh, A, UPLO)


@both
def eigh_backward(grad, grad_vectors, values, vectors):
    """The gradient of the matrix from those of its eigenvalues and of its eigenvectors, either of which may be None."""
    turned = transpose(vectors, -2, -1)
    if grad_vectors is None:
        return (vectors * grad[..., None, :]) @ turned
    product = turned @ grad_vectors
    gaps = values[..., None, :] - values[..., None] + diag_embed(ones_like(values))
    inner = 0.5 * (product - transpose(product, -2, -1)) / gaps
    return vectors @ ((inner if grad is None else inner + diag_embed(grad)) @ turned)


@internal
def linalg_norm(self, ord=None, dim=None, keepdim=False, *, dtype=None):
    """The norm of a vector, or the Frobenius norm of a matrix; without *ord* the 2-norm of the elements."""
    if ord == "fro" and isinstance(dim, tuple | list) and len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    if ord is None or ord == "fro":
        return ops.vector_norm(self, 2.0, dim, keepdim, dtype=dtype)
    if self._array.ndim != 1 if dim is None else not isinstance(dim, int) and len(dim) != 1:
        raise NotImplementedError(f"torch.linalg.norm of a matrix with ord={ord} is not part of autograd_nb")
    return ops.vector_norm(self, ord, dim, keepdim, dtype=dtype)
