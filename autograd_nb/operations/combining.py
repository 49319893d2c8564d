"""Tensors put together of others' elements: blocks, products of sets, choices, powers, differences; runs of equals."""

import math

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import apply, operation
from ..engine.formulas import tensor_names
from ..engine.table import composite, operations, ops, publish_call
from ..engine.tensor import Tensor, wrap
from .carriers import reshape
from .checks import wrap_dim
from .joining import cut, evenly, tensor_list
from .public import public

# -- blocks --------------------------------------------------------------------------------------------------------


def block_diag_backward(grad, tensors_sym_sizes):
    """Each tensor's block of the gradient."""
    grads, row, column = [], 0, 0
    for shape in tensors_sym_sizes:
        height, width = (1, 1, *shape)[-2:]
        grads.append(reshape(cut(cut(grad, 0, row, row + height), 1, column, column + width), shape))
        row, column = row + height, column + width
    return grads


@operation("block_diag_row", variadic=True, linear=True, method=False, function=False, node_name="BlockDiagBackward0",
           promoted=("tensors",), tensors=block_diag_backward)  # fmt: skip
def block_diag_row(tensors):
    """Matrices along the diagonal of one that is zero elsewhere."""
    blocks = [np.atleast_2d(tensor) for tensor in tensors]
    whole = np.zeros(np.sum([block.shape for block in blocks], axis=0), blocks[0].dtype)
    row = column = 0
    for block in blocks:
        height, width = block.shape
        whole[row : row + height, column : column + width] = block
        row, column = row + height, column + width
    return whole


@composite("block_diag", method=False)
def _block_diag(*tensors):
    """The matrices along the diagonal of one that is zero elsewhere; vectors count as rows, numbers as 1 x 1.

    RuntimeError for tensors of three dimensions or more.

    >>> import autograd_nb as torch
    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor(3))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    tensors = tensor_list("block_diag", tensors)
    for position, tensor in enumerate(tensors):
        if tensor._array.ndim > 2:
            raise RuntimeError("torch.block_diag: Input tensors must have 2 or fewer dimensions. Input "
                               f"{position} has {tensor._array.ndim} dimensions")
    return apply(operations["block_diag_row"], (tensors,)) if tensors else ops.zeros(1, 0)


@composite("row_stack", method=False)
def _row_stack(tensors):
    """Another name of :func:`vstack`."""
    return ops.vstack(tensors)


@public("dsplit")
def _dsplit(self, indices_or_sections):
    """The tensor, of three dimensions or more, cut along the third; RuntimeError for parts that differ."""
    return evenly("dsplit", self, indices_or_sections, 2, 3)


# -- sets and choices ----------------------------------------------------------------------------------------------


def require_vector(tensor):
    if tensor._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(tensor._array.shape)}")


@composite("cartesian_prod", method=False)
def _cartesian_prod(*tensors):
    """All ways of taking one element from each vector, a way in each row.

    >>> import autograd_nb as torch
    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    tensors = tensor_list("cartesian_prod", tensors)
    for tensor in tensors:
        require_vector(tensor)
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if len(tensors) == 1:
        return tensors[0]
    return ops.stack([ops.flatten(grid) for grid in ops.meshgrid(*tensors, indexing="ij")], 1)


@public("combinations", method=False)
def _combinations(self, r=2, with_replacement=False):
    """All choices of *r* elements of a vector, in their order, a choice in each row.

    >>> import autograd_nb as torch
    >>> torch.combinations(torch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    require_vector(self)
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if not r:
        return wrap(np.zeros(0, self._dtype.numpy), self._dtype)
    places = np.indices((self._array.size,) * r)
    rising = np.less_equal if with_replacement else np.less
    mask = wrap(rising(places[:-1], places[1:]).all(0), dtypes.bool)
    grids = ops.meshgrid(*[self] * r, indexing="ij")
    return ops.stack([ops.masked_select(grid, mask) for grid in grids], 1)


@composite("vander", method=False)
def _vander(x, N=None, increasing=False):  # noqa: N803 PyTorch's name
    """The powers of the elements of a vector, *N* of them, as rows; from the highest on unless *increasing*.

    >>> import autograd_nb as torch
    >>> torch.vander(torch.tensor([2, 3]))
    tensor([[2, 1],
            [3, 1]])
    """
    if x._array.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    length = x._array.size
    columns = length if N is None else N
    if columns < 0:
        raise RuntimeError("N must be non-negative.")
    dtype = x._dtype if x._dtype.is_floating_point else dtypes.int64
    result = ops.empty(length, columns, dtype=dtype)
    if columns:
        ops.fill_(ops.select(result, 1, 0), 1)
    if columns > 1:
        ops.copy_(ops.slice(result, 1, 1, None, 1), ops.unsqueeze(x, 1))
        rest = ops.slice(result, 1, 1, None, 1)
        ops.copy_(rest, ops.cumprod(rest, 1))
    return result if increasing else ops.flip(result, (1,))


@composite("unravel_index", method=False)
def _unravel_index(indices, shape):
    """The coordinates in a tensor of *shape* of elements counted flat, a tensor for each dimension.

    >>> import autograd_nb as torch
    >>> torch.unravel_index(torch.tensor([3, 5]), (2, 3))
    (tensor([1, 1]), tensor([0, 2]))
    """
    if indices._dtype.category != dtypes.INTEGER:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices._dtype}")
    if isinstance(shape, int):
        return indices % shape
    if any(length < 0 for length in shape):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(shape)}")
    return tuple(indices // math.prod(shape[place + 1 :]) % length for place, length in enumerate(shape))


# -- runs of equal elements ----------------------------------------------------------------------------------------


def not_implemented_for(name):
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


tensor_names["not_implemented_for"] = not_implemented_for


@operation("unique_consecutive_row", returns=("output", "inverse", "counts"), method=False, function=False,
           node_name="UniqueConsecutiveBackward0", no_forward="unique_consecutive",
           self=lambda grad: not_implemented_for("unique_consecutive"))  # fmt: skip
def unique_consecutive_row(self, dim):
    """The first of each run of equal elements or slices, to which run each belongs, and how long the runs are."""
    slices = self.reshape(-1) if dim is None else np.moveaxis(self, dim, 0)
    differs = (slices[1:] != slices[:-1]).any(tuple(range(1, slices.ndim)))
    starts = np.concatenate([[True] if len(slices) else [], differs]).astype(bool)
    places = np.flatnonzero(starts)
    inverse = np.cumsum(starts) - 1
    found = slices[places] if dim is None else np.moveaxis(slices[places], 0, dim)
    return found, inverse.reshape(self.shape) if dim is None else inverse, np.diff([*places, len(slices)])


@public("unique_consecutive")
def _unique_consecutive(self, return_inverse=False, return_counts=False, dim=None):
    """The tensor without repetitions of neighbours; with *dim* of neighbouring slices.  It has no derivative.

    >>> import autograd_nb as torch
    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]), return_counts=True)
    (tensor([1, 2, 1]), tensor([2, 1, 1]))
    """
    if dim is not None:
        dim = wrap_dim(dim, self._array.ndim)
    output, inverse, counts = apply(operations["unique_consecutive_row"], (self, dim))
    results = (output, *([inverse] if return_inverse else ()), *([counts] if return_counts else ()))
    return results if len(results) > 1 else output


# -- powers in double precision ------------------------------------------------------------------------------------


def doubled(value):
    return ops.to(value, dtypes.float64) if isinstance(value, Tensor) else float(value)


@composite("float_power", function=False)
def float_power(self, exponent):
    """self ** exponent in double precision; one of the two may be a number.

    >>> import autograd_nb as torch
    >>> torch.float_power(torch.tensor([2, 3]), 2)
    tensor([4., 9.], dtype=torch.float64)
    """
    return ops.pow(doubled(self), doubled(exponent))


publish_call("float_power", lambda input, exponent: float_power(input, exponent), float_power.__doc__, method=False)


@public("float_power_", function=False)
def _float_power_(self, exponent):
    """In-place form of :func:`float_power`; RuntimeError for a tensor that is not of double precision."""
    if self._dtype is not dtypes.float64:
        raise RuntimeError(f"the base given to float_power_ has dtype {self._dtype.legacy_name.removesuffix('Tensor')} "
                           "but the operation's result requires dtype Double")
    return ops.pow_(self, doubled(exponent))
