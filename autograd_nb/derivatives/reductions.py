"""Reductions that add or multiply: sum, mean, variance, products, norms.

Each has a row for the whole tensor and one for some dimensions, as PyTorch's nodes show; the public operation
chooses.  A gradient goes back by restoring the dimensions that were reduced and spreading over them.
"""

import math

import numpy as np

from .. import dtypes
from ..dispatch import apply, operation, operations, ops, publish_call
from ..plans import tensor_names
from ..warning import warn
from .carriers import as_type, expand, restored, where
from .checks import wrap_dim, wrap_dims
from .public import public

PRECISE_FROM = 32  # float32 sums of this many terms or more along some dimensions are computed in float64


def axes_of(dim, ndim):
    """NumPy's axes for a *dim* that may be None, an int or a sequence; none at all means every dimension."""
    if dim is None or dim.__class__ in (tuple, list) and not dim:
        return None
    axes = wrap_dims(dim, ndim)
    return axes if ndim else ()


def reduced_size(shape, dim):
    """How many elements of a tensor of *shape* become one."""
    axes = axes_of(dim, len(shape))
    return math.prod(shape if axes is None else [shape[axis] for axis in axes])


tensor_names["reduced_size"] = reduced_size


def total(self, axes=None, keepdim=False):
    """The sum over NumPy axes, in the tensor's own dtype, with no more rounding than a pairwise sum has."""
    wide = None
    if self.dtype == np.float16:
        wide = np.float32
    elif axes is not None and self.dtype == np.float32 and reduced_size(self.shape, axes) >= PRECISE_FROM:
        wide = np.float64
    result = np.add.reduce(self, axis=axes, keepdims=keepdim, dtype=wide)
    return result if wide is None else result.astype(self.dtype)


def as_dtype(self, dtype):
    return self if dtype is None else self.astype(dtype.numpy, copy=False)


def check_dim(dim, name):
    """TypeError unless *dim* is an int or a sequence of ints."""
    if not isinstance(dim, int) and not (isinstance(dim, (tuple, list)) and all(isinstance(each, int) for each in dim)):
        raise TypeError(f"{name}(): argument 'dim' (position 2) must be tuple of ints, not {type(dim).__name__}")


def conversion(self, dtype):
    """What rows with a dtype= are given: the dtype to compute in and the one gradients go back to; None for the same."""
    if dtype is None or dtype is self._dtype:
        return None, None
    if not dtype.is_floating_point and self.requires_grad:
        raise RuntimeError(f"Autograd not support dtype: {dtype.legacy_name}")
    return dtype, self._dtype


# -- sum and mean --------------------------------------------------------------------------------------------------


@operation("sum_all", method=False, function=False, node_name="SumBackward0",
           self=lambda grad, self_sym_sizes, self_scalar_type:
           as_type(expand(grad, self_sym_sizes), self_scalar_type))  # fmt: skip
def sum_all(self, dtype, self_scalar_type):
    """The sum of all elements."""
    return total(as_dtype(self, dtype))


@operation("sum_dim", method=False, function=False, node_name="SumBackward1",
           self=lambda grad, self_sym_sizes, dim, keepdim, self_scalar_type:
           as_type(expand(restored(grad, dim, keepdim, self_sym_sizes), self_sym_sizes), self_scalar_type))  # fmt: skip
def sum_dim(self, dim, keepdim, dtype, self_scalar_type):
    """The sum over dimensions."""
    return total(as_dtype(self, dtype), axes_of(dim, self.ndim), keepdim)


@public("sum")
def sum_of(self, dim=None, keepdim=False, *, dtype=None):
    """The sum of the elements, of all or along *dim* (an int or several); integers give int64.

    IndexError for a dimension that the tensor does not have.

    >>> import autograd_nb as torch
    >>> torch.sum(torch.tensor([[1., 2.], [3., 4.]]), dim=0)
    tensor([4., 6.])
    """
    if dtype is None and not self._dtype.is_floating_point:
        dtype = dtypes.int64
    if dim is None and not keepdim:
        return apply(operations["sum_all"], (self, *conversion(self, dtype)))
    dim = () if dim is None else dim
    check_dim(dim, "sum")
    return apply(operations["sum_dim"], (self, dim, keepdim, *conversion(self, dtype)))


@operation("mean_all", method=False, function=False, node_name="MeanBackward0",
           self=lambda grad, self_sym_sizes, self_scalar_type:
           as_type(expand(grad, self_sym_sizes) / reduced_size(self_sym_sizes, None), self_scalar_type))  # fmt: skip
def mean_all(self, dtype, self_scalar_type):
    """The mean of all elements."""
    self = as_dtype(self, dtype)
    return total(self) / self.dtype.type(self.size)


@operation("mean_dim", method=False, function=False, node_name="MeanBackward1",
           self=lambda grad, self_sym_sizes, dim, keepdim, self_scalar_type:
           as_type(expand(restored(grad, dim, keepdim, self_sym_sizes), self_sym_sizes)
                   / reduced_size(self_sym_sizes, dim), self_scalar_type))  # fmt: skip
def mean_dim(self, dim, keepdim, dtype, self_scalar_type):
    """The mean over dimensions."""
    self = as_dtype(self, dtype)
    return total(self, axes_of(dim, self.ndim), keepdim) / self.dtype.type(reduced_size(self.shape, dim))


@public("mean")
def mean_of(self, dim=None, keepdim=False, *, dtype=None):
    """The mean of the elements, of all or along *dim* (an int or several).

    RuntimeError for integers unless *dtype* names a floating-point type to compute in.

    >>> import autograd_nb as torch
    >>> torch.mean(torch.tensor([[1., 2.], [3., 4.]]), dim=0)
    tensor([2., 3.])
    """
    if not (dtype or self._dtype).is_floating_point:
        given = "Input" if dtype is None else "Optional"
        raise RuntimeError(
            f"mean(): could not infer output dtype. {given} dtype must be either a floating point or complex dtype. Got: "
            f"{(dtype or self._dtype).legacy_name}"
        )
    if dim is None and not keepdim:
        return apply(operations["mean_all"], (self, *conversion(self, dtype)))
    dim = () if dim is None else dim
    check_dim(dim, "mean")
    return apply(operations["mean_dim"], (self, dim, keepdim, *conversion(self, dtype)))
