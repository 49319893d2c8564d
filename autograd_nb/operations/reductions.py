"""Reductions that add or multiply: sums, means, products, variances; cumulative sums and products.

There is one row for the whole tensor and one for some dimensions, as PyTorch has two nodes; the public operation
chooses.  The backward puts the reduced dimensions back and expands the gradient over them.
"""

import math

import numpy as np

from ..engine import dtypes
from ..engine.call import apply
from ..engine.modes import warn
from ..engine.table import operations, ops, scalar, tensor_names
from .carriers import (
    as_type,
    axes_of,
    both,
    cat,
    expand,
    flip,
    in_rows,
    masked_fill,
    math_inf,
    math_nan,
    narrow,
    number_of_zeros,
    ones_like,
    own_number,
    reduced_size,
    restored,
    total,
    where,
    zeros_like,
)
from .checks import as_int, conversion, wrap_dim
from .public import chosen, doc, public, row

# -- sum and mean --------------------------------------------------------------------------------------------------

row("sum_all", node_name="SumBackward0", self=lambda grad, self_sym_sizes, self_scalar_type:
    as_type(expand(grad, self_sym_sizes), self_scalar_type))(
    lambda self, dtype, self_scalar_type: np.add.reduce(as_type(self, dtype), None, dtype and dtype.numpy))  # fmt: skip
row("sum_dim", node_name="SumBackward1", self=lambda grad, self_sym_sizes, dim, keepdim, self_scalar_type:
    as_type(expand(restored(grad, dim, keepdim, self_sym_sizes), self_sym_sizes), self_scalar_type))(
    lambda self, dim, keepdim, dtype, self_scalar_type:
    in_rows(total(as_type(self, dtype), axes_of(dim, self.ndim), keepdim), self))  # fmt: skip


@public("sum", example=("torch.sum(torch.tensor([[1., 2.], [3., 4.]]), dim=0)", "tensor([4., 6.])"))
def sum_of(self, dim=..., keepdim=False, *, dtype=None):
    """The sum of all elements, or along *dim* (an int or several); integers give int64."""
    if dtype is None and not self._dtype.is_floating_point:
        dtype = dtypes.int64
    if dim is ... and not keepdim:
        return apply(operations["sum_all"], (self, *conversion(self, dtype)))
    return apply(operations["sum_dim"], (self, dims_given(dim), keepdim, *conversion(self, dtype)))


def dims_given(dim):
    """*dim* as a tuple, or None for all dimensions, also if *dim* was left out, which is ``...``."""
    if dim.__class__ is int:
        return (dim,)
    if dim is None or dim is ...:
        return None
    return tuple(dim) if isinstance(dim, tuple | list) else (dim,)


def shared_out(grad, sizes):
    """The gradient of a mean for each of its terms; dividing before expanding is less work."""
    return expand(grad / math.prod(sizes), sizes)


tensor_names["shared_out"] = lambda grad, sizes: ops.expand(grad, sizes) / scalar(math.prod(sizes))


@row("mean_all", node_name="MeanBackward0", self=lambda grad, self_sym_sizes, self_scalar_type:
     as_type(shared_out(grad, self_sym_sizes), self_scalar_type))  # fmt: skip
def mean_all(self, dtype, self_scalar_type):
    self = as_type(self, dtype)
    return np.add.reduce(self, None) / (self.size or self.dtype.type(0))


@row("mean_dim", node_name="MeanBackward1", self=lambda grad, self_sym_sizes, dim, keepdim, self_scalar_type:
     as_type(expand(restored(grad, dim, keepdim, self_sym_sizes), self_sym_sizes)
             / own_number(reduced_size(self_sym_sizes, dim)), self_scalar_type))  # fmt: skip
def mean(self, dim=None, keepdim=False, dtype=None, self_scalar_type=None):
    self = as_type(self, dtype)
    result = total(self, axes_of(dim, self.ndim), keepdim) / self.dtype.type(reduced_size(self.shape, dim))
    return in_rows(result, self)


@public("mean", example=("torch.mean(torch.tensor([[1., 2.], [3., 4.]]), dim=0)", "tensor([2., 3.])"))
def mean_of(self, dim=..., keepdim=False, *, dtype=None):
    """The mean of all elements, or along *dim* (an int or several); integers need a floating *dtype*."""
    if not (dtype or self._dtype).is_floating_point:
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Optional' if dtype else 'Input'} dtype must be either a floating "
            f"point or complex dtype. Got: {(dtype or self._dtype).legacy_name}"
        )
    if dim is ... and not keepdim:
        return apply(operations["mean_all"], (self, *conversion(self, dtype)))
    return apply(operations["mean_dim"], (self, dims_given(dim), keepdim, *conversion(self, dtype)))


# -- cumulative sums and products -----------------------------------------------------------------------------------


def accumulated(ufunc, self, dim):
    if not self.shape:
        return self
    wide = np.float64 if self.dtype.kind == "f" else self.dtype
    return ufunc.accumulate(self, axis=dim, dtype=wide).astype(self.dtype, order="C")


def cumsum(self, dim):
    return accumulated(np.add, self, dim)


def cumprod(self, dim):
    return accumulated(np.multiply, self, dim)


@both
def sums_from_here(self, dim):
    """For each element the sum of itself and all after it along *dim*: the reversed cumsum."""
    alone = not self.shape or self.shape[dim] == 1 or 0 in self.shape
    return self if alone else flip(cumsum(flip(self, (dim,)), dim), (dim,))


@both
def cumprod_backward(grad, self, dim, result):
    """The gradient of cumprod, also where elements are zero."""
    if not self.shape:
        return grad
    dim = wrap_dim(dim, len(self.shape))
    if not number_of_zeros(self):
        return sums_from_here(result * grad, dim) / self
    parts, length = [], self.shape[dim]
    before = ones_like(narrow(self, dim, 0, 1))
    for place in range(length):  # for each element: the products that contain it, without it
        after = before * cumprod(narrow(self, dim, place + 1, length - place - 1), dim)
        terms = narrow(grad, dim, place, length - place) * cat([before, after], dim)
        parts.append(narrow(sums_from_here(terms, dim), dim, 0, 1))
        before = before * narrow(self, dim, place, 1)
    return cat(parts, dim)


def publish_scan(name, accumulate, gradient, what, shows):
    """Publish cumsum or cumprod."""

    def values(self, dim, *, dtype=None):
        dim = as_int(dim, name, "dim", 2)
        wrap_dim(dim, self._array.ndim)
        if dtype is None and not self._dtype.is_floating_point:
            dtype = dtypes.int64
        return operations[name + "_row"], (self, dim, *conversion(self, dtype))

    row(name + "_row", node_name=name.capitalize() + "Backward0", self=gradient)(
        lambda self, dim, dtype, self_scalar_type: accumulate(as_type(self, dtype), dim))  # fmt: skip
    values.__doc__ = doc(f"For each element the {what} of all up to and including it along *dim*; integers give int64.",
                         f"torch.{name}(torch.tensor([1., 2., 3.]), 0)", shows)  # fmt: skip
    chosen(name)(values)


publish_scan("cumsum", cumsum, lambda grad, dim, self_scalar_type:
             as_type(sums_from_here(grad, dim), self_scalar_type), "sum", "tensor([1., 3., 6.])")  # fmt: skip
publish_scan("cumprod", cumprod, lambda grad, self, dim, result, dtype, self_scalar_type:
             as_type(cumprod_backward(grad, as_type(self, dtype), dim, result), self_scalar_type),
             "product", "tensor([1., 2., 6.])")  # fmt: skip

# -- products ------------------------------------------------------------------------------------------------------


@both
def products_of_others(self, dim):
    """For each element the product of all others along *dim*: those before it times those after it."""
    length = self.shape[dim]
    one = ones_like(narrow(self, dim, 0, 1))
    before = cumprod(cat([one, narrow(self, dim, 0, length - 1)], dim), dim)
    after = flip(cumprod(cat([one, flip(narrow(self, dim, 1, length - 1), (dim,))], dim), dim), (dim,))
    return before * after


@both
def prod_backward(grad, self, result):
    """The gradient of a product of all elements, also where some of them are zero."""
    if not self.shape:
        return grad
    zeros = number_of_zeros(self)
    if not zeros:
        return grad * (result / self)
    if zeros > 1:
        return zeros_like(self)
    return (grad * products_of_others(self.reshape((-1,)), 0)).reshape(self.shape)


@both
def prod_dim_backward(grad, self, result, dim, keepdim):
    """The gradient of products along a dimension."""
    if not self.shape:
        return grad
    dim = wrap_dim(dim, len(self.shape))
    grad, result = restored(grad, dim, keepdim, self.shape), restored(result, dim, keepdim, self.shape)
    if number_of_zeros(self):
        return grad * products_of_others(self, dim)
    return grad * (result / self)


row("prod_all", node_name="ProdBackward0", self=lambda grad, self, result, dtype, self_scalar_type:
    as_type(prod_backward(grad, as_type(self, dtype), result), self_scalar_type))(
    lambda self, dtype, self_scalar_type: np.multiply.reduce(as_type(self, dtype), axis=None))  # fmt: skip
row("prod_dim", node_name="ProdBackward1", self=lambda grad, self, result, dim, keepdim, dtype, self_scalar_type:
    as_type(prod_dim_backward(grad, as_type(self, dtype), result, dim, keepdim), self_scalar_type))(
    lambda self, dim, keepdim, dtype, self_scalar_type:
    np.multiply.reduce(as_type(self, dtype), axis=axes_of(dim, self.ndim), keepdims=keepdim))  # fmt: skip


@public("prod", example=("torch.prod(torch.tensor([[1., 2.], [3., 4.]]), 1)", "tensor([ 2., 12.])"))
def prod_of(self, dim=None, keepdim=False, *, dtype=None):
    """The product of all elements, or along the dimension *dim*; integers give int64."""
    if dtype is None and not self._dtype.is_floating_point:
        dtype = dtypes.int64
    if dim is None:
        return apply(operations["prod_all"], (self, *conversion(self, dtype)))
    dim = as_int(dim, "prod", "dim", 2)
    return apply(operations["prod_dim"], (self, dim, keepdim, *conversion(self, dtype)))


# -- variance and standard deviation -------------------------------------------------------------------------------


@both
def var_backward(grad, self, dim, correction, keepdim):
    """The gradient of a variance: twice the distance from the mean, over the degrees of freedom."""
    freedom = reduced_size(self.shape, dim) - (1 if correction is None else correction)
    grad = restored(grad, dim, keepdim, self.shape) if len(self.shape) > 1 else grad
    distance = self - (mean(self) if dim is None else mean(self, dim, True))
    if freedom <= 0:
        return where(distance == 0, grad * math_nan, grad * math_inf)
    return own_number(2.0 / freedom) * grad * distance


def std_backward(grad, self, dim, correction, keepdim, result):
    """The gradient of a standard deviation, by way of the variance; zero where the deviation is zero."""
    return var_backward(masked_fill(grad / (result * 2), result == 0, 0), self, dim, correction, keepdim)


def variance(self, dim, correction, keepdim):
    """The variance, computed in float64."""
    wide = self.astype(np.float64, copy=False)
    axes, size = axes_of(dim, self.ndim), reduced_size(self.shape, dim)
    distance = wide - np.add.reduce(wide, axis=axes, keepdims=True) / np.float64(size)
    freedom = np.float64(max(size - (1 if correction is None else correction), 0))
    return np.add.reduce(distance * distance, axis=axes, keepdims=keepdim) / freedom


row("var_row", node_name="VarBackward0", self=var_backward)(
    lambda self, dim, correction, keepdim: variance(self, dim, correction, keepdim).astype(self.dtype, "C"))
row("std_row", node_name="StdBackward0", self=std_backward)(
    lambda self, dim, correction, keepdim: np.sqrt(variance(self, dim, correction, keepdim)).astype(self.dtype, "C"))


def publish_spread(name, what, shows):
    def call(self, dim=..., unbiased=None, keepdim=False, *, correction=None):
        if isinstance(dim, bool):  # x.var(False)
            dim, unbiased = ..., dim
        if not self._dtype.is_floating_point:
            raise RuntimeError("std and var only support floating point and complex dtypes")
        if unbiased is not None or correction is None and dim is not ...:
            correction = 1 if unbiased is None else int(unbiased)
        dim = dims_given(dim)
        freedom = reduced_size(self.shape, dim) * bool(self._array.size) - (1 if correction is None else correction)
        result = apply(operations[name + "_row"], (self, dim, correction, keepdim))
        if freedom <= 0:
            warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
                 "(input numel divided by output numel).")
        return result

    call.__doc__ = doc(
        f"The {what} of all elements, or along *dim*; integers are refused.\n\n"
        "The sum of squared deviations is divided by n - *correction*: by n - 1 unless *unbiased* is False.",
        f"torch.{name}(torch.tensor([1., 2., 3., 4.]))", shows)  # fmt: skip
    public(name)(call)


publish_spread("var", "variance", "tensor(1.6667)")
publish_spread("std", "standard deviation", "tensor(1.2910)")
