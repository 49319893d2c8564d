"""Reductions that add or multiply: sums, means, products, variances; cumulative sums and products.

There is one row for the whole tensor and one for some dimensions, as PyTorch has two nodes; the public operation
chooses.  The backward puts the reduced dimensions back and expands the gradient over them.
"""


import numpy as np

from ..engine.modes import warn
from . import array_functions
from .array_functions import (
    as_type,
    axes_of,
    cumprod_backward,
    expand,
    in_rows,
    own_number,
    prod_backward,
    prod_dim_backward,
    reduced_size,
    restored,
    shared_out,
    std_backward,
    sums_from_here,
    total,
    var_backward,
)
from .checks import as_int, conversion, whole, wrap_dim
from .rows import choice, function, row, run_row

# -- sum and mean --------------------------------------------------------------------------------------------------

row("sum", self=lambda grad, self_sym_sizes:
    expand(grad, self_sym_sizes))(
    lambda self, dtype: np.add.reduce(as_type(self, dtype), None, dtype and dtype.numpy))  # fmt: skip
row("sum.dim_IntList", node_name="SumBackward1", self=lambda grad, self_sym_sizes, dim, keepdim:
    expand(restored(grad, dim, keepdim, self_sym_sizes), self_sym_sizes))(
    lambda self, dim, keepdim, dtype:
    in_rows(total(as_type(self, dtype), axes_of(dim, self.ndim), keepdim), self))  # fmt: skip


@function
def sum(self, dim=..., keepdim=False, *, dtype=None):
    """The sum of all elements, or along *dim* (an int or several); integers give int64.

    >>> import autograd_nb as torch
    >>> torch.sum(torch.tensor([[1., 2.], [3., 4.]]), dim=0)
    tensor([4., 6.])
    """
    if dim is ...:
        whole("sum", keepdim)
        return run_row("sum", self, conversion(self, dtype))
    return run_row("sum.dim_IntList", self, dims_given(dim), keepdim, conversion(self, dtype))


def dims_given(dim):
    """*dim* as a tuple, or None for all dimensions; ``...`` says that *dim* was left out, and means all."""
    if dim.__class__ is int:
        return (dim,)
    if dim is None or dim is ...:
        return None
    return tuple(dim) if isinstance(dim, tuple | list) else (dim,)


@row("mean", self=lambda grad, self_sym_sizes: shared_out(grad, self_sym_sizes))
def mean_of_all(self, dtype):
    self = as_type(self, dtype)
    return np.add.reduce(self, None) / (self.size or self.dtype.type(0))


@row("mean.dim", node_name="MeanBackward1",
     self=lambda grad, self_sym_sizes, dim, keepdim:
     expand(restored(grad, dim, keepdim, self_sym_sizes), self_sym_sizes)
     / own_number(reduced_size(self_sym_sizes, dim)))  # fmt: skip
def mean_along(self, dim, keepdim, dtype):
    self = as_type(self, dtype)
    return in_rows(array_functions.mean(self, dim, keepdim), self)


@function
def mean(self, dim=..., keepdim=False, *, dtype=None):
    """The mean of all elements, or along *dim* (an int or several); integers need a floating *dtype*.

    >>> import autograd_nb as torch
    >>> torch.mean(torch.tensor([[1., 2.], [3., 4.]]), dim=0)
    tensor([2., 3.])
    """
    if not (dtype or self._dtype).is_floating_point:
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Optional' if dtype else 'Input'} dtype must be either a floating "
            f"point or complex dtype. Got: {(dtype or self._dtype).legacy_name}"
        )
    if dim is ...:
        whole("mean", keepdim)
        return run_row("mean", self, conversion(self, dtype))
    return run_row("mean.dim", self, dims_given(dim), keepdim, conversion(self, dtype))


# -- cumulative sums and products -----------------------------------------------------------------------------------


row("cumsum", self=lambda grad, dim:
    sums_from_here(grad, dim))(
    lambda self, dim, dtype: array_functions.cumsum(as_type(self, dtype), dim))  # fmt: skip
row("cumprod", self=lambda grad, self, dim, result, dtype:
    cumprod_backward(grad, as_type(self, dtype), dim, result))(
    lambda self, dim, dtype: array_functions.cumprod(as_type(self, dtype), dim))  # fmt: skip


def scan(name, self, dim, dtype):
    """The row and values of cumsum or cumprod."""
    dim = as_int(dim)
    wrap_dim(dim, self._array.ndim)
    return name, (self, dim, conversion(self, dtype))


@choice
def cumsum(self, dim, *, dtype=None):
    """For each element the sum of all up to and including it along *dim*; integers give int64.

    >>> import autograd_nb as torch
    >>> torch.cumsum(torch.tensor([1., 2., 3.]), 0)
    tensor([1., 3., 6.])
    """
    return scan("cumsum", self, dim, dtype)


@choice
def cumprod(self, dim, *, dtype=None):
    """For each element the product of all up to and including it along *dim*; integers give int64.

    >>> import autograd_nb as torch
    >>> torch.cumprod(torch.tensor([1., 2., 3.]), 0)
    tensor([1., 2., 6.])
    """
    return scan("cumprod", self, dim, dtype)


# -- products ------------------------------------------------------------------------------------------------------


row("prod", self=lambda grad, self, result, dtype:
    prod_backward(grad, as_type(self, dtype), result))(
    lambda self, dtype: np.multiply.reduce(as_type(self, dtype), axis=None))  # fmt: skip
row("prod.dim_int", node_name="ProdBackward1", self=lambda grad, self, result, dim, keepdim, dtype:
    prod_dim_backward(grad, as_type(self, dtype), result, dim, keepdim))(
    lambda self, dim, keepdim, dtype:
    np.multiply.reduce(as_type(self, dtype), axis=axes_of(dim, self.ndim), keepdims=keepdim))  # fmt: skip


@function
def prod(self, dim=..., keepdim=False, *, dtype=None):
    """The product of all elements, or along the dimension *dim*; integers give int64.

    >>> import autograd_nb as torch
    >>> torch.prod(torch.tensor([[1., 2.], [3., 4.]]), 1)
    tensor([ 2., 12.])
    """
    if dim is ...:
        whole("prod", keepdim)
        return run_row("prod", self, conversion(self, dtype))
    return run_row("prod.dim_int", self, as_int(dim), keepdim, conversion(self, dtype))


# -- variance and standard deviation -------------------------------------------------------------------------------


def variance(self, dim, correction, keepdim):
    """The variance, computed in float64."""
    wide = self.astype(np.float64, copy=False)
    axes, size = axes_of(dim, self.ndim), reduced_size(self.shape, dim)
    distance = wide - np.add.reduce(wide, axis=axes, keepdims=True) / np.float64(size)
    freedom = np.float64(max(size - (1 if correction is None else correction), 0))
    return np.add.reduce(distance * distance, axis=axes, keepdims=keepdim) / freedom


row("var", self=var_backward)(
    lambda self, dim, correction, keepdim: variance(self, dim, correction, keepdim).astype(self.dtype, "C"))
row("std", self=std_backward)(
    lambda self, dim, correction, keepdim: np.sqrt(variance(self, dim, correction, keepdim)).astype(self.dtype, "C"))


def spread(name, self, dim, unbiased, keepdim, correction):
    """Run var or std."""
    if isinstance(dim, bool):  # x.var(False)
        whole(name, keepdim or unbiased is not None)
        dim, unbiased = ..., dim
    if unbiased is not None and dim is ...:
        whole(name, keepdim)
    if not self._dtype.is_floating_point:
        raise RuntimeError("std and var only support floating point and complex dtypes")
    if unbiased is not None or correction is None and dim is not ...:
        correction = 1 if unbiased is None else int(unbiased)
    dim = dims_given(dim)
    freedom = reduced_size(self.shape, dim) * bool(self._array.size) - (1 if correction is None else correction)
    result = run_row(name, self, dim, correction, keepdim)
    if freedom <= 0:
        warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
             "(input numel divided by output numel).")
    return result


@function
def var(self, dim=..., unbiased=None, keepdim=False, *, correction=None):
    """The variance of all elements, or along *dim*; integers are refused.

    The sum of squared deviations is divided by n - *correction*: by n - 1 unless *unbiased* is False.

    >>> import autograd_nb as torch
    >>> torch.var(torch.tensor([1., 2., 3., 4.]))
    tensor(1.6667)
    """
    return spread("var", self, dim, unbiased, keepdim, correction)


@function
def std(self, dim=..., unbiased=None, keepdim=False, *, correction=None):
    """The standard deviation of all elements, or along *dim*; integers are refused.

    The sum of squared deviations is divided by n - *correction*: by n - 1 unless *unbiased* is False.

    >>> import autograd_nb as torch
    >>> torch.std(torch.tensor([1., 2., 3., 4.]))
    tensor(1.2910)
    """
    return spread("std", self, dim, unbiased, keepdim, correction)
