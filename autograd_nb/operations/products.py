"""Products of vectors, matrices and batches of matrices, also with a term added: addmm, the linear layer.

``matmul`` is not an operation of its own: it chooses ``dot``, ``mv``, ``mm`` or ``bmm`` by the dimensions of its
operands; their gradients are products again.
"""

import math

from ..engine.dtypes import BY_NUMPY
from ..engine.modes import state
from ..engine.table import operations, ops
from ..engine.tensor import Tensor
from .array_functions import ger, multiplied, sum_to_size, t, transpose, unsqueezed
from .checks import broadcast_shape, dtype_name
from .publishing import tensor_argument
from .repeats import expanded_shape
from .rows import function, internal, operation, row, run_row

# -- products of arrays, as the formulas use them ------------------------------------------------------------------


def cpp(array):
    return BY_NUMPY[array.dtype].cpp_name


def check_dtypes(arrays, message, kernel, name=dtype_name):
    """RuntimeError with this message unless all have one dtype, NotImplementedError when that is bool."""
    if any(array.dtype != arrays[0].dtype for array in arrays):
        raise RuntimeError(message.format(*map(name, arrays)))
    if arrays[0].dtype == bool:
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def check_matrices(mat1, mat2, names, words):
    for name, matrix in zip(names, (mat1, mat2), strict=True):
        if matrix.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix{words.format(matrix.ndim)}")
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({mat1.shape[0]}x{mat1.shape[1]} and "
                           f"{mat2.shape[0]}x{mat2.shape[1]})")  # fmt: skip


def check_batches(batch1, batch2):
    for name, batch in (("batch1", batch1), ("batch2", batch2)):
        if batch.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if batch2.shape[:2] != (batch1.shape[0], batch1.shape[2]):
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{batch1.shape[0]}, "
                           f"{batch1.shape[2]}] but got: [{batch2.shape[0]}, {batch2.shape[1]}].")


# -- the products --------------------------------------------------------------------------------------------------


@operation(in_formulas=multiplied, self=lambda grad, tensor: grad * tensor, tensor=lambda grad, self: grad * self)
def dot(self, tensor):
    """The sum of the products of two vectors' elements; RuntimeError unless their lengths and dtypes are equal.

    >>> import autograd_nb as torch
    >>> torch.dot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
    """
    if self.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {self.ndim}D and {tensor.ndim}D tensors")
    check_dtypes((self, tensor), "dot : expected both vectors to have same dtype, but found {} and {}", "dot")
    if self.shape != tensor.shape:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{self.size}] and src [{tensor.size}] to have "
                           f"the same number of elements, but got {self.size} and {tensor.size} elements respectively")
    return multiplied(self, tensor)


@operation(in_formulas=multiplied, self=lambda grad, vec: ger(grad, vec), vec=lambda grad, self: mv(t(self), grad))
def mv(self, vec):
    """The product of a matrix and a vector; RuntimeError if dimensions, sizes or dtypes do not match."""
    if not self.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {self.ndim}, {vec.ndim}")
    if self.shape[1] != vec.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({self.shape[0]}), mat ({self.shape[0]}x{self.shape[1]}), vec "
                           f"({vec.shape[0]})")
    check_dtypes((vec, self, vec), "addmv input tensors must have the same dtype, but got {}, {}, and {}",
                 "addmv_impl_cpu")
    return multiplied(self, vec)


@operation(in_formulas=multiplied, on_floats=lambda self, mat2: multiplied(self, mat2) if self.ndim == 2 == mat2.ndim
         else check_matrices(self, mat2, ("self", "mat2"), ""),
         self=lambda grad, mat2: mm(grad, t(mat2)), mat2=lambda grad, self: mm(t(self), grad))  # fmt: skip
def mm(self, mat2):
    """The product of two matrices; RuntimeError if dimensions, sizes or dtypes do not match."""
    check_matrices(self, mat2, ("self", "mat2"), "")
    check_dtypes((self, mat2), "expected m1 and m2 to have the same dtype, but got: {} != {}", "addmm_impl_cpu_", cpp)
    return multiplied(self, mat2)


@operation(in_formulas=multiplied, on_floats=lambda self, mat2: multiplied(self, mat2)
           if self.ndim == 3 == mat2.ndim and self.shape[0] == mat2.shape[0] else check_batches(self, mat2),
           self=lambda grad, mat2: bmm(grad, transpose(mat2, 1, 2)),
         mat2=lambda grad, self: bmm(transpose(self, 1, 2), grad))  # fmt: skip
def bmm(self, mat2):
    """The products of two batches of matrices, one by one; RuntimeError if dimensions, sizes or dtypes do not match."""
    check_batches(self, mat2)
    check_dtypes((self, mat2), "expected scalar type {} but found {}", "bmm")
    return multiplied(self, mat2)


BMM = operations["bmm"]


# -- a product and something added to it ---------------------------------------------------------------------------


def added_product(self, mat1, mat2):
    """The result of `addmm` for floats; `addmm` checks shapes that do not fit."""
    if mat1.ndim == 2 == mat2.ndim:
        product = multiplied(mat1, mat2)
        result = self + product
        if result.shape == product.shape:
            return result
    return operations["addmm"].forward(self, mat1, mat2)


@operation(in_place=True, reads_overwritten=True, on_floats=added_product,
           self=lambda grad, self_sym_sizes: sum_to_size(grad, self_sym_sizes),
           mat1=lambda grad, mat2: mm(grad, t(mat2)), mat2=lambda grad, mat1: mm(t(mat1), grad))  # fmt: skip
def addmm(self, mat1, mat2):
    """self + mat1 @ mat2, with *self* broadcast to the product's shape; RuntimeError if they do not match.

    >>> import autograd_nb as torch
    >>> torch.addmm(torch.tensor([1., 2.]), torch.eye(2), torch.eye(2)).tolist()
    [[2.0, 2.0], [1.0, 3.0]]
    """
    check_matrices(mat1, mat2, ("mat1", "mat2"), ", got {}-D tensor")
    expanded_shape(self, (mat1.shape[0], mat2.shape[1]))
    for name, array in (("self", self), ("mat1", mat1)):
        check_dtypes((array, mat2), name + " and mat2 must have the same dtype, but got {} and {}", "addmm_impl_cpu_")
    return self + multiplied(mat1, mat2)


@internal
def linear(self, weight, bias=None):
    """``self @ weight.T + bias``."""
    a, w = self._array, weight._array
    if bias is None:
        return self @ ops.t(weight)
    if a.ndim == 2 == w.ndim:
        return ops.addmm(bias, self, ops.t(weight))
    if w.ndim == 1 and (a.ndim > 1 or bias._array.ndim):
        raise RuntimeError("mat2 must be a matrix, got 1-D tensor")
    if w.ndim == 1 or not a.ndim:
        return self @ ops.t(weight) + bias
    *batch, inner = a.shape
    folded = ops.reshape(self, (math.prod(batch), inner))
    return ops.view(ops.addmm(bias, folded, ops.t(weight)), (*batch, w.shape[0]))


# -- products made of others ---------------------------------------------------------------------------------------


@row("squeeze_.first", formula="squeeze_first", node_name="SqueezeBackward4",
           self=lambda grad, dim, self_sym_sizes: unsqueezed(grad, dim, self_sym_sizes))  # fmt: skip
def squeeze_first(self, dim):
    """A matrix of one row as a vector: PyTorch removes the dimension in place, hence the node's number."""
    return self[0]


@function
def matmul(self, other):
    """The product of two tensors, each a vector, a matrix or a batch of matrices; batch dimensions broadcast.

    >>> import autograd_nb as torch
    >>> torch.tensor([[1., 2.], [3., 4.]]) @ torch.tensor([1., 1.])
    tensor([3., 7.])
    """
    return __matmul__(self, tensor_argument(other, "matmul", "other", 2))


@function(operator=True, usual_row="mm")
def __matmul__(self, other):
    """The product of two tensors, each a vector, a matrix or a batch of matrices; batch dimensions broadcast."""
    if not isinstance(other, Tensor):
        return NotImplemented
    if self._array.ndim == 2 == other._array.ndim:
        return run_row("mm", self, other)
    ranks = self._array.ndim, other._array.ndim
    if ranks == (1, 1):
        return ops.dot(self, other)
    if ranks == (2, 1):
        return ops.mv(self, other)
    if ranks == (1, 2):
        result = ops.squeeze_first(ops.mm(ops.unsqueeze(self, 0), other), 0)
        result._share().version += 1
        return result
    if 0 in ranks:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {ranks[0]}D and {ranks[1]}D")
    return folded_product(self, other) if can_fold(self, other) else batched_product(self, other)


def watched(*tensors):
    """Whether a graph or a listener sees which operations make a result."""
    _, recording, unusual = state.for_calls
    return unusual or recording and any([tensor.requires_grad for tensor in tensors])


def can_fold(self, other):
    """Whether PyTorch folds the batch into one large matrix instead of expanding the matrix to a batch."""
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
    if len(a) == len(b) == 3 and a[0] == b[0] and not watched(self, other):
        return BMM.call(self, other)
    if len(a) == len(b) == 3 and a[0] != b[0]:
        if a[0] == 1 and self.requires_grad:
            return ops.squeeze(self, 0) @ other
        if b[0] == 1 and other.requires_grad:
            return self @ ops.squeeze(other, 0)
    batch, rows, columns = broadcast_shape(a[:-2], b[:-2]), a[-2:-1], b[-1:] if len(b) > 1 else ()
    count = math.prod(batch)
    if not columns:
        other = ops.unsqueeze(other, 1)
    of_left, of_right = (*(rows or (1,)), a[-1]), other._array.shape[-2:]
    left = ops.reshape(run_row("expand", self, (*batch, *of_left)), (count, *of_left))
    right = ops.reshape(run_row("expand", other, (*batch, *of_right)), (count, *of_right))
    return ops.unsafe_view(BMM.call(left, right), (*batch, *rows, *columns))


@function
def outer(self, vec2):
    """The outer product: the matrix of products of each element of one vector with each of the other."""
    for name, vector in (("self", self), ("vec2", vec2)):
        if vector._array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {vector._array.ndim}-D")
    return ops.reshape(self, (self._array.size, 1)) * vec2


