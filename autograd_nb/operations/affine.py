"""A product and something added to it: addmm and its kin, and the linear layer, which is one of them."""

import math

import numpy as np

from ..engine.call import operation
from ..engine.inplace import publish_in_place
from ..engine.table import ops, tensor_names
from ..engine.vjp import sum_to
from .checks import wrap_dim
from .products import (
    bmm,
    check_batches,
    check_matrices,
    check_matrix_vector,
    cpp,
    kind,
    matmul,
    mm,
    multiplied,
    mv,
    outer,
    refuse_bool,
    t,
    transpose,
)  # fmt: skip
from .public import public
from .repeats import expanded_shape


def summed_to(self, sizes):
    """A gradient summed to the shape of what was broadcast to a product's."""
    return self if self.shape == sizes else sum_to(self, sizes)


def times(self, factor):
    """self * factor, or self itself when the factor is one."""
    return self if factor == 1 else self * factor


tensor_names.update(times=times, summed_to=lambda self, sizes: ops.sum_to_size(self, sizes))


def scaled_sum(added, product, beta, alpha):
    """beta * added + alpha * product; what is added does not count at all when beta is 0."""
    scalar = product.dtype.type
    product = product if alpha == 1 else scalar(alpha) * product
    return product if beta == 0 else (added if beta == 1 else scalar(beta) * added) + product


@operation("addmm", self=lambda grad, beta, self_sym_sizes: summed_to(times(grad, beta), self_sym_sizes),
           mat1=lambda grad, mat2, alpha: times(mm(grad, t(mat2)), alpha),
           mat2=lambda grad, mat1, alpha: times(mm(t(mat1), grad), alpha))  # fmt: skip
def addmm(self, mat1, mat2, *, beta=1, alpha=1):
    """beta * self + alpha * (mat1 @ mat2), *self* broadcast to the product's shape.

    RuntimeError when ranks, lengths or dtypes do not fit.

    >>> import autograd_nb as torch
    >>> torch.addmm(torch.tensor([1., 2.]), torch.eye(2), torch.eye(2))
    tensor([[2., 2.],
            [1., 3.]])
    """
    for name, matrix in (("mat1", mat1), ("mat2", mat2)):
        if matrix.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {matrix.ndim}-D tensor")
    check_matrices(mat1, mat2)
    expanded_shape(kind(self), self.shape, (mat1.shape[0], mat2.shape[1]))
    for first, one, second, other in (("self", self, "mat2", mat2), ("mat1", mat1, "mat2", mat2)):
        if one.dtype != other.dtype:
            raise RuntimeError(f"{first} and {second} must have the same dtype, but got {kind(one)} and {kind(other)}")
    refuse_bool(mat1, "addmm_impl_cpu_")
    return scaled_sum(self, multiplied(mat1, mat2), beta, alpha)


@operation("addmv", self=lambda grad, beta, self_sym_sizes: summed_to(times(grad, beta), self_sym_sizes),
           mat=lambda grad, vec, alpha: times(outer(grad, vec), alpha),
           vec=lambda grad, mat, alpha: times(mv(t(mat), grad), alpha))  # fmt: skip
def addmv(self, mat, vec, *, beta=1, alpha=1):
    """beta * self + alpha * (mat @ vec).

    RuntimeError when ranks, lengths or dtypes do not fit.

    >>> import autograd_nb as torch
    >>> torch.addmv(torch.tensor([1., 2.]), torch.eye(2), torch.tensor([3., 4.]))
    tensor([4., 6.])
    """
    check_matrix_vector(self.shape[0] if self.ndim else 1, self.ndim, mat, vec)
    if not self.dtype == mat.dtype == vec.dtype:
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {kind(self)}, {kind(mat)}, and "
                           f"{kind(vec)}")
    refuse_bool(mat, "addmv_impl_cpu")
    return scaled_sum(self, multiplied(mat, vec), beta, alpha)


@operation("baddbmm", self=lambda grad, beta, self_sym_sizes: summed_to(times(grad, beta), self_sym_sizes),
           batch1=lambda grad, batch2, alpha: times(bmm(grad, transpose(batch2, 1, 2)), alpha),
           batch2=lambda grad, batch1, alpha: times(bmm(transpose(batch1, 1, 2), grad), alpha))  # fmt: skip
def baddbmm(self, batch1, batch2, *, beta=1, alpha=1):
    """beta * self + alpha * (batch1 @ batch2), *self* broadcast to the products' shape.

    RuntimeError when ranks, lengths or dtypes do not fit.

    >>> import autograd_nb as torch
    >>> torch.baddbmm(torch.ones(1), torch.ones(1, 2, 2), torch.ones(1, 2, 2))
    tensor([[[3., 3.],
             [3., 3.]]])
    """
    lengths = []
    for batch, dim in ((batch1, 0), (batch1, 1), (batch2, 2)):  # PyTorch looks at the added one's shape first
        if not np.ndim(batch):
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        lengths.append(batch.shape[wrap_dim(dim, batch.ndim)])
    expanded_shape(kind(self), self.shape, lengths)
    check_batches(batch1, batch2)
    if not self.dtype == batch1.dtype == batch2.dtype:
        raise RuntimeError(f"Input dtypes must be the same, got: input {cpp(self)}, batch1: {cpp(batch1)}, batch2: "
                           f"{cpp(batch2)}")
    refuse_bool(batch1, "bmm")
    return scaled_sum(self, multiplied(batch1, batch2), beta, alpha)


# -- the linear layer ------------------------------------------------------------------------------------------------


@public("linear", method=False, function=False)
def _linear(self, weight, bias=None):
    """``self @ weight.T + bias``."""
    a, w = self._array, weight._array
    if bias is None:
        return matmul(self, ops.t(weight))
    if a.ndim == 2 == w.ndim:
        return ops.addmm(bias, self, ops.t(weight))
    if w.ndim == 1 or not a.ndim:
        return matmul(self, ops.t(weight)) + bias
    *batch, inner = a.shape
    folded = ops.reshape(self, (math.prod(batch), inner))
    return ops.view(ops.addmm(bias, folded, ops.t(weight)), (*batch, w.shape[0]))


for name in ("addmm", "addmv", "baddbmm"):
    publish_in_place(name)
