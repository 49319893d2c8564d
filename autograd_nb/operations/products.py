"""Products of vectors, matrices and batches of matrices.

``matmul`` is no operation of its own: by the ranks of its operands it chooses among ``dot``, ``mv``, ``mm`` and
``bmm``, whose gradients are products again.
"""

import math

import numpy as np

from ..engine import dtypes
from ..engine.call import apply, operation
from ..engine.dtypes import CPP_NAMES
from ..engine.table import Row, binder, operations, operators, ops, parameter_names, publish, tensor_argument
from ..engine.tensor import Tensor
from .carriers import LARGE
from .checks import broadcast_shape
from .public import alias, public

# -- products of arrays, as the formulas use them ------------------------------------------------------------------


def t(self):
    return self.T


def transpose(self, dim0, dim1):
    return self.swapaxes(dim0, dim1)


def outer(self, vec2):
    return self[:, None] * vec2


def multiplied(self, other):
    """The product of arrays of any rank; NumPy's float16 would round every partial sum, so it is computed in
    float32."""
    if self.ndim < 3 and self.itemsize > 2:
        return self.dot(other) if self.size < LARGE else self @ other  # `dot` is a quicker call but writes zeros first
    if self.dtype == np.float16:
        return np.matmul(self.astype(np.float32), other.astype(np.float32)).astype(np.float16)
    return np.matmul(self, other)


# -- what is checked -----------------------------------------------------------------------------------------------


def kind(array):
    """The name of the array's dtype as messages about scalar types give it."""
    return dtypes.BY_NUMPY[array.dtype].legacy_name


def cpp(array):
    return "long int" if array.dtype == np.int64 else CPP_NAMES[array.dtype.name]


def refuse_bool(array, kernel):
    if array.dtype == bool:
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def check_matrices(mat1, mat2):
    if mat1.shape[1] != mat2.shape[0]:
        rows, columns = mat2.shape
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({mat1.shape[0]}x{mat1.shape[1]} and "
                           f"{rows}x{columns})")


def check_batches(batch1, batch2):
    for name, batch in (("batch1", batch1), ("batch2", batch2)):
        if batch.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if batch2.shape[:2] != (batch1.shape[0], batch1.shape[2]):
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{batch1.shape[0]}, "
                           f"{batch1.shape[2]}] but got: [{batch2.shape[0]}, {batch2.shape[1]}].")


def check_matrix_vector(added, added_ndim, mat, vec):
    if mat.ndim != 2 or vec.ndim != 1 or added_ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {added_ndim}, {mat.ndim}, {vec.ndim}")
    if mat.shape[1] != vec.shape[0] or added not in (1, mat.shape[0]):
        raise RuntimeError(f"size mismatch, got input ({added}), mat ({mat.shape[0]}x{mat.shape[1]}), vec "
                           f"({vec.shape[0]})")


# -- the four products ---------------------------------------------------------------------------------------------


def product(name, self, **other):
    """Decorate the forward of a product of two tensors to add it to the table.

    *self* and the keyword argument named after the second parameter are the formulas, each reading the other operand.
    """
    ((second, formula),) = other.items()

    def add(forward):
        row = Row(name, forward, {"self": self, second: formula}, parameter_names(forward))
        row.promoted = ()
        bind = binder(name, forward, row.parameters)

        def call(*args, **kwargs):
            self, other = bind(args, kwargs)
            return apply(row, (tensor_argument(self, name), tensor_argument(other, name, second, 2)))

        call.__wrapped__ = forward
        publish(row, call, forward.__doc__)
        return multiplied  # which is what the name means in formulas: there everything fits

    return add


@product("dot", self=lambda grad, tensor: grad * tensor, tensor=lambda grad, self: grad * self)
def dot(self, tensor):
    """The sum of the products of two vectors' elements.

    RuntimeError unless both are vectors of one length and dtype.

    >>> import autograd_nb as torch
    >>> torch.dot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
    """
    if self.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {self.ndim}D and {tensor.ndim}D tensors")
    if self.dtype != tensor.dtype:
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {kind(self)} and {kind(tensor)}")
    if self.shape != tensor.shape:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{self.size}] and src [{tensor.size}] to have "
                           f"the same number of elements, but got {self.size} and {tensor.size} elements respectively")
    refuse_bool(self, "dot")
    return multiplied(self, tensor)


@product("vdot", self=lambda grad, other: grad * other, other=lambda grad, self: grad * self)
def vdot(self, other):
    """The same as :func:`dot`, since no tensor here is complex."""
    return operations["dot"].forward(self, other)


@product("mv", self=lambda grad, vec: outer(grad, vec), vec=lambda grad, self: mv(t(self), grad))
def mv(self, vec):
    """The product of a matrix and a vector.

    RuntimeError when ranks, lengths or dtypes do not fit.

    >>> import autograd_nb as torch
    >>> torch.mv(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
    tensor([3., 7.])
    """
    check_matrix_vector(self.shape[0] if self.ndim else 1, 1, self, vec)
    if self.dtype != vec.dtype:
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {kind(vec)}, {kind(self)}, and "
                           f"{kind(vec)}")
    refuse_bool(self, "addmv_impl_cpu")
    return multiplied(self, vec)


@product("mm", self=lambda grad, mat2: mm(grad, t(mat2)), mat2=lambda grad, self: mm(t(self), grad))
def mm(self, mat2):
    """The product of two matrices.

    RuntimeError when ranks, lengths or dtypes do not fit.

    >>> import autograd_nb as torch
    >>> torch.mm(torch.tensor([[1., 2.]]), torch.tensor([[3.], [4.]]))
    tensor([[11.]])
    """
    for name, matrix in (("self", self), ("mat2", mat2)):
        if matrix.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix")
    check_matrices(self, mat2)
    if self.dtype != mat2.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {cpp(self)} != {cpp(mat2)}")
    refuse_bool(self, "addmm_impl_cpu_")
    return multiplied(self, mat2)


@product("bmm", self=lambda grad, mat2: bmm(grad, transpose(mat2, 1, 2)),
         mat2=lambda grad, self: bmm(transpose(self, 1, 2), grad))  # fmt: skip
def bmm(self, mat2):
    """The products of two batches of matrices, one by one.

    RuntimeError when ranks, lengths or dtypes do not fit.

    >>> import autograd_nb as torch
    >>> torch.bmm(torch.ones(2, 1, 3), torch.ones(2, 3, 1)).shape
    torch.Size([2, 1, 1])
    """
    check_batches(self, mat2)
    if self.dtype != mat2.dtype:
        raise RuntimeError(f"expected scalar type {kind(self)} but found {kind(mat2)}")
    refuse_bool(self, "bmm")
    return multiplied(self, mat2)


# -- products made of others ---------------------------------------------------------------------------------------


@operation("squeeze_first", method=False, function=False, node_name="SqueezeBackward4",
           self=lambda grad, self_sym_sizes: reshape(grad, self_sym_sizes))  # fmt: skip
def squeeze_first(self):
    """A matrix of one row as a vector: PyTorch takes the dimension away in place, whence the node's number."""
    return self[0]


def reshape(self, shape):
    return self.reshape(shape)


@public("matmul")
def _matmul(self, other):
    """The product of two tensors by their ranks: vectors, matrices, or batches of matrices, which broadcast.

    RuntimeError when lengths or dtypes do not fit, or an operand has no dimensions.

    >>> import autograd_nb as torch
    >>> torch.tensor([[1., 2.], [3., 4.]]) @ torch.tensor([1., 1.])
    tensor([3., 7.])
    """
    return matmul(self, tensor_argument(other, "matmul", "other", 2))


def matmul(self, other):
    ranks = self._array.ndim, other._array.ndim
    if ranks == (2, 2):
        return ops.mm(self, other)
    if ranks == (1, 1):
        return ops.dot(self, other)
    if ranks == (2, 1):
        return ops.mv(self, other)
    if ranks == (1, 2):
        result = ops.squeeze_first(ops.mm(ops.unsqueeze(self, 0), other))
        result._share().version += 1
        return result
    if 0 in ranks:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {ranks[0]}D and {ranks[1]}D")
    return folded_product(self, other) if can_fold(self, other) else batched_product(self, other)


def can_fold(self, other):
    """Whether PyTorch makes one large matrix of the batch rather than many copies of the matrix beside it."""
    batch, matrix = (self, other) if self._array.ndim >= other._array.ndim else (other, self)
    if matrix._array.ndim > 2:
        return False
    if matrix.requires_grad or batch._array.size == 0:
        return True
    if self._array.ndim == 2:
        return False
    elements = batch._array if batch is self else batch._array.swapaxes(-1, -2)  # as it would be folded
    shape, strides = elements.shape, elements.strides
    return all(strides[dim] == strides[dim + 1] * shape[dim + 1] for dim in range(len(shape) - 2))


def folded_product(self, other):
    swapped = other._array.ndim > self._array.ndim
    if swapped:  # (a @ b)ᵀ = bᵀ @ aᵀ
        self, other = ops.transpose(other, -2, -1), ops.t(self) if self._array.ndim == 2 else self
    *batch, inner = self._array.shape
    folded = ops.reshape(self, (math.prod(batch), inner))
    if other._array.ndim == 1:
        return ops.unsafe_view(ops.mv(folded, other), tuple(batch))
    product = ops.unsafe_view(ops.mm(folded, other), (*batch, other._array.shape[1]))
    return ops.contiguous(ops.transpose(product, -2, -1)) if swapped else product


def batched_product(self, other):
    a, b = self._array.shape, other._array.shape
    if len(a) == len(b) == 3 and a[0] != b[0]:
        if a[0] == 1 and self.requires_grad:
            return matmul(ops.squeeze(self, 0), other)
        if b[0] == 1 and other.requires_grad:
            return matmul(self, ops.squeeze(other, 0))
    batch, rows, columns = broadcast_shape(a[:-2], b[:-2]), a[-2:-1], b[-1:] if len(b) > 1 else ()
    count = math.prod(batch)
    if not columns:
        other = ops.unsqueeze(other, 1)
    left = ops.reshape(ops.expand(self, (*batch, *(rows or (1,)), a[-1])), (count, *(rows or (1,)), a[-1]))
    right = ops.reshape(ops.expand(other, (*batch, *other._array.shape[-2:])), (count, *other._array.shape[-2:]))
    return ops.unsafe_view(ops.bmm(left, right), (*batch, *rows, *columns))


def matmul_of_any(self, other):
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


operators["matmul"] = matmul_of_any


@public("outer")
def _outer(self, vec2):
    """The matrix of all products of an element of one vector and an element of another.

    RuntimeError unless both are vectors.

    >>> import autograd_nb as torch
    >>> torch.outer(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    for name, vector in (("self", self), ("vec2", vec2)):
        if vector._array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {vector._array.ndim}-D")
    return ops.reshape(self, (self._array.size, 1)) * vec2


alias("ger", "outer")
