"""What is made of products, inverses and singular values: norms of matrices, powers, chains of products, cross."""

import math

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import operation
from ..engine.table import composite, ops
from ..engine.tensor import wrap
from .checks import as_int, wrap_dim
from .linear_algebra import LinAlgError, check_matrix, eye_like
from .public import public

# -- norms -----------------------------------------------------------------------------------------------------------


@composite("linalg_vector_norm_of", method=False, function=False)
def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """The norm of order *ord* of the elements, all or along *dim*, taken as one vector.

    >>> import autograd_nb as torch
    >>> torch.linalg.vector_norm(torch.tensor([3., -4.]), 1)
    tensor(7.)
    """
    return ops.vector_norm(x, ord, dim, keepdim, dtype=dtype)


def along_last(A, dim, row, column):
    """*A* with two of its dimensions moved to the end."""
    others = [each for each in range(A._array.ndim) if each not in (row, column)]
    return ops.permute(A, [*others, row, column])


@composite("linalg_matrix_norm", method=False, function=False)
def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """The norm of a matrix: "fro", "nuc" (the sum of singular values), 2, -2, 1, -1, inf or -inf.

    RuntimeError for other orders.

    >>> import autograd_nb as torch
    >>> torch.linalg.matrix_norm(torch.tensor([[1., 2.], [3., 4.]]), 1)
    tensor(6.)
    """
    ndim = A._array.ndim
    if ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if not isinstance(dim, tuple | list) or len(dim) != 2:
        length = len(dim) if isinstance(dim, tuple | list) else 1
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {length}")
    row, column = (wrap_dim(each, ndim) for each in dim)
    if row == column:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord == "fro":
        return ops.vector_norm(A, 2, [row, column], keepdim, dtype=dtype)
    size = abs(ord) if isinstance(ord, dtypes.PYTHON_NUMBERS) else None
    if ord != "nuc" and size not in (1, 2, math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    A = A if dtype is None else A.to(dtype)
    extreme = ops.amin if ord != "nuc" and ord < 0 else ops.amax
    if size in (1, math.inf):
        first, second = (row, column) if size == 1 else (column, row)
        if second > first and not keepdim:
            second -= 1
        return extreme(ops.vector_norm(A, 1, [first], keepdim), second, keepdim)
    values = ops.linalg_svdvals(along_last(A, dim, row, column))
    result = ops.sum(values, -1, keepdim) if ord == "nuc" else extreme(values, -1, keepdim)
    if keepdim:
        result = result.unsqueeze(-1)
        order = [each for each in range(ndim) if each not in (row, column)] + [row, column]
        result = ops.permute(result, [order.index(each) for each in range(ndim)])
    return result


@composite("linalg_norm", method=False, function=False)
def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    """The norm of a vector or matrix; without *ord* that of all elements.

    >>> import autograd_nb as torch
    >>> torch.linalg.norm(torch.tensor([[3., 4.]]))
    tensor(5.)
    """
    if ord is None:
        return ops.vector_norm(A, 2.0, dim, keepdim, dtype=dtype)
    if dim is not None and not isinstance(dim, int) and len(dim) > 2:
        raise RuntimeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}"
        )
    if dim is None and A._array.ndim not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
            f"{A._array.ndim}D."
        )
    matrix = A._array.ndim == 2 if dim is None else not isinstance(dim, int) and len(dim) == 2
    if isinstance(ord, str) and not matrix and dim is not None:
        raise RuntimeError(f"linalg.norm: Order {ord} not supported for vectors.")
    if matrix or isinstance(ord, str):
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return ops.vector_norm(A, ord, dim, keepdim, dtype=dtype)


@composite("linalg_cond", method=False, function=False)
def cond(A, p=None):
    """How much errors of the right side grow when a system with this matrix is solved: a ratio of norms.

    >>> import autograd_nb as torch
    >>> torch.linalg.cond(torch.tensor([[4., 0.], [0., 2.]]))
    tensor(2.)
    """
    if p is None or p in (2, -2):
        values = ops.linalg_svdvals(A)
        largest, smallest = ops.slice(values, -1, 0, 1, 1), ops.slice(values, -1, -1, None, 1)
        return ops.squeeze(smallest / largest if p == -2 else largest / smallest, -1)
    try:
        inverse = ops.linalg_inv(A)
    except LinAlgError:
        inverse = ops.full_like(A, math.inf)
    return ops.nan_to_num(matrix_norm(A, p) * matrix_norm(inverse, p), math.inf, math.inf, -math.inf)


@composite("linalg_matrix_rank", method=False, function=False)
def matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None):
    """How many singular values are not zero but for rounding.

    >>> import autograd_nb as torch
    >>> torch.linalg.matrix_rank(torch.ones(3, 3))
    tensor(1)
    """
    check_matrix("matrix_rank", A._array, square=hermitian)
    values = np.linalg.svd(A._array, compute_uv=False)
    largest = values.max(-1, keepdims=True, initial=0)
    if tol is not None:
        limit = tol
    else:
        rtol = (0.0 if atol else max(A._array.shape[-2:]) * np.finfo(values.dtype).eps) if rtol is None else rtol
        limit = np.maximum(0.0 if atol is None else atol, rtol * largest)
    return wrap(np.asarray(np.count_nonzero(values > limit, axis=-1), np.int64)[()], dtypes.int64)


# -- products --------------------------------------------------------------------------------------------------------


@composite("linalg_matrix_power", method=False, function=False)
def matrix_power(A, n):
    """The matrix multiplied by itself: *n* factors; for a negative *n* the inverse.

    >>> import autograd_nb as torch
    >>> torch.linalg.matrix_power(torch.tensor([[1., 1.], [0., 1.]]), 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
    n = as_int(n, "linalg_matrix_power", "n", 2)
    if A._array.ndim < 2:
        raise RuntimeError("linalg.matrix_power: The input tensor A must have at least 2 dimensions.")
    if A._array.shape[-1] != A._array.shape[-2]:
        check_matrix("matrix_power", A._array.astype(np.float64))
    if n == 0:
        return ops.clone(A).copy_(wrap(eye_like(A._array), A._dtype))
    if n == 1:
        return ops.clone(A)
    if n < 0:
        A, n = ops.linalg_inv(A), -n
    if n == 3:
        return ops.matmul(ops.matmul(A, A), A)
    result = power = None
    while n:
        power = A if power is None else ops.matmul(power, power)
        n, odd = divmod(n, 2)
        if odd:
            result = power if result is None else ops.matmul(result, power)
    return result


def cheapest(sizes):
    """Where to split each chain of matrices of these sizes so that the fewest products are formed."""
    count = len(sizes) - 1
    cost = [[0] * count for _ in range(count)]
    split = [[0] * count for _ in range(count)]
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            choices = [cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)]
            cost[i][j] = min(choices)
            split[i][j] = i + choices.index(cost[i][j])
    return split


@composite("linalg_multi_dot", method=False, function=False)
def multi_dot(tensors):
    """The product of matrices (the first and last may be vectors), in the order that needs the fewest products.

    >>> import autograd_nb as torch
    >>> torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(3, 4), torch.ones(4)])
    tensor([12., 12.])
    """
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    shape = []
    for place, side in ((0, 0), (-1, -1)):
        if tensors[place]._array.ndim == 1:
            tensors[place] = ops.unsqueeze(tensors[place], side)
        else:
            shape.append(tensors[place]._array.shape[side])
    for number, tensor in enumerate(tensors):
        if tensor._array.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {number} must be 2D but got {tensor._array.ndim}D")
    split = cheapest([tensors[0]._array.shape[0], *(tensor._array.shape[1] for tensor in tensors)])

    def product(i, j):
        return tensors[i] if i == j else ops.mm(product(i, split[i][j]), product(split[i][j] + 1, j))

    return ops.view(product(0, len(tensors) - 1), shape)


@composite("chain_matmul", method=False)
def chain_matmul(*matrices):
    """The product of matrices; :func:`torch.linalg.multi_dot` is the newer name."""
    return matrices[0] if len(matrices) == 1 else multi_dot(matrices)


@composite("linalg_vecdot", method=False, function=False)
def vecdot(x, y, *, dim=-1):
    """The dot products of vectors along *dim*.

    >>> import autograd_nb as torch
    >>> torch.linalg.vecdot(torch.ones(2, 3), torch.ones(2, 3))
    tensor([3., 3.])
    """
    if x._array.ndim == 1 == y._array.ndim:
        return ops.vdot(x, y)
    return ops.sum(x * y, dim)


@composite("linalg_diagonal", method=False, function=False)
def diagonal_of(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonals of the matrices in the last two dimensions; a view."""
    return ops.diagonal(A, offset, dim1, dim2)


@composite("linalg_matmul", method=False, function=False)
def matmul(input, other):
    """The matrix product; also :func:`torch.matmul`."""
    return ops.matmul(input, other)


@operation("linalg_cross_row", promoted=("self", "other"), broadcasts=True, method=False, function=False,
           node_name="LinalgCrossBackward0", self=lambda grad, other, dim: linalg_cross_row(other, grad, dim),
           other=lambda grad, self, dim: linalg_cross_row(grad, self, dim))  # fmt: skip
def linalg_cross_row(self, other, dim):
    """The vectors at right angles to both."""
    for array in (self, other):
        wrap_dim(dim, np.ndim(array))
    if self.shape[dim] != 3 or other.shape[dim] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {self.shape[dim]} and "
                           f"{other.shape[dim]}")
    a, b, c = (np.take(self, [i], dim) for i in range(3))
    d, e, f = (np.take(other, [i], dim) for i in range(3))
    return np.concatenate([b * f - c * e, c * d - a * f, a * e - b * d], dim)


@composite("linalg_cross", method=False, function=False)
def linalg_cross(input, other, *, dim=-1):
    """The vectors at right angles to those of *input* and *other* along *dim*, which has length 3.

    >>> import autograd_nb as torch
    >>> torch.linalg.cross(torch.tensor([1., 0., 0.]), torch.tensor([0., 1., 0.]))
    tensor([0., 0., 1.])
    """
    if input._array.ndim != other._array.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if input._dtype is not other._dtype:
        raise RuntimeError(f"expected scalar type {input._dtype.legacy_name} but found {other._dtype.legacy_name}")
    return ops.linalg_cross_row(input, other, dim)


@public("cross")
def _cross(self, other, dim=None):
    """The vectors at right angles to both; without *dim* along the first dimension of length 3."""
    if dim is None:
        dim = next((each for each, length in enumerate(self._array.shape) if length == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return linalg_cross(self, other, dim=dim)


@composite("linalg_vander", method=False, function=False)
def vander(x, *, N=None):
    """The powers of each element, from the zeroth on, as rows."""
    columns = x._array.shape[-1] if N is None else N
    rest = ops.unsqueeze(x, -1).expand(*x._array.shape, columns - 1)
    return ops.cat([ops.ones_like(ops.unsqueeze(x, -1)), ops.cumprod(rest, -1)], -1)


@public("matrix_power")
def _matrix_power(self, n):
    """The matrix multiplied by itself; also :func:`torch.linalg.matrix_power`."""
    return matrix_power(self, n)


@public("frobenius_norm", method=False)
def _frobenius_norm(self, dim, keepdim=False):
    """The square root of the sum of squares along *dim*."""
    return ops.vector_norm(self, 2, dim, keepdim)
