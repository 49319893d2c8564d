"""Sums, products and extremes so far: cumsum, cumprod, logcumsumexp, cummax, cummin."""

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import apply, operation
from ..engine.dtypes import CPP_NAMES
from ..engine.formulas import tensor_names
from ..engine.inplace import in_place
from ..engine.table import operations, ops
from ..engine.tensor import wrap
from .axes import as_dtype, conversion
from .carriers import (
    add_at,
    as_type,
    both,
    cat,
    exp,
    flip,
    log,
    math_inf,
    narrow,
    number_of_zeros,
    ones_like,
    picked,
    where,
)  # fmt: skip
from .checks import as_int, wrap_dim
from .products import kind
from .public import public
from .return_types import return_type


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
    """For each element the sum of it and those after it along *dim*."""
    alone = not self.shape or self.shape[dim] == 1 or 0 in self.shape
    return self if alone else flip(cumsum(flip(self, (dim,)), dim), (dim,))


@both
def cumprod_backward(grad, self, dim, result):
    """The gradient of products so far, also where elements are zero."""
    if not self.shape:
        return grad
    dim = wrap_dim(dim, len(self.shape))
    if not number_of_zeros(self):
        return sums_from_here(result * grad, dim) / self
    parts, length, place = [], self.shape[dim], 0
    before = ones_like(narrow(self, dim, 0, 1))
    while place < length:  # element by element: each product that holds it, without it
        after = [before]
        if place + 1 < length:
            after.append(before * cumprod(narrow(self, dim, place + 1, length - place - 1), dim))
        terms = narrow(grad, dim, place, length - place) * cat(after, dim)
        parts.append(narrow(sums_from_here(terms, dim), dim, 0, 1))
        before = before * narrow(self, dim, place, 1)
        place += 1
    return cat(parts, dim)


@operation("cumsum_row", method=False, function=False, linear=True, node_name="CumsumBackward0",
           self=lambda grad, dim, self_scalar_type: as_type(sums_from_here(grad, dim), self_scalar_type))  # fmt: skip
def cumsum_row(self, dim, dtype, self_scalar_type):
    """Sums so far."""
    return cumsum(as_dtype(self, dtype), dim)


@operation("cumprod_row", method=False, function=False, node_name="CumprodBackward0",
           self=lambda grad, self, dim, result, dtype, self_scalar_type:
           as_type(cumprod_backward(grad, as_type(self, dtype), dim, result), self_scalar_type))  # fmt: skip
def cumprod_row(self, dim, dtype, self_scalar_type):
    """Products so far."""
    return cumprod(as_dtype(self, dtype), dim)


def scan(name, self, dim, dtype):
    """The row and values of a running sum or product; integers give int64."""
    dim = as_int(dim, name, "dim", 2)
    wrap_dim(dim, self._array.ndim)
    if dtype is None and not self._dtype.is_floating_point:
        dtype = dtypes.int64
    return operations[name + "_row"], (self, dim, *conversion(self, dtype))


@public("cumsum")
def cumsum_of(self, dim, *, dtype=None):
    """For each element the sum of those up to it along *dim*; integers give int64.

    >>> import autograd_nb as torch
    >>> torch.cumsum(torch.tensor([1., 2., 3.]), 0)
    tensor([1., 3., 6.])
    """
    return apply(*scan("cumsum", self, dim, dtype))


@public("cumprod")
def cumprod_of(self, dim, *, dtype=None):
    """For each element the product of those up to it along *dim*; integers give int64.

    >>> import autograd_nb as torch
    >>> torch.cumprod(torch.tensor([1., 2., 3.]), 0)
    tensor([1., 2., 6.])
    """
    return apply(*scan("cumprod", self, dim, dtype))


def check_written(self, dtype, name):
    """Errors for writing sums or products so far into a bool tensor, or in another dtype."""
    if dtype is not None and dtype is not self._dtype:
        raise RuntimeError(
            f"Bad in-place call: input tensor dtype {CPP_NAMES[self._dtype.name]} and output tensor dtype "
            f"{CPP_NAMES[dtype.name]} should match"
        )
    if self._dtype is dtypes.bool:
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")


@public("cumsum_", function=False)
def cumsum_in_place(self, dim, *, dtype=None):
    """In-place form of :func:`cumsum`; changes the tensor and returns it."""
    check_written(self, dtype, "cumsum")
    return in_place(*scan("cumsum", self, dim, None))


@public("cumprod_", function=False)
def cumprod_in_place(self, dim, *, dtype=None):
    """In-place form of :func:`cumprod`; changes the tensor and returns it."""
    check_written(self, dtype, "cumprod")
    return in_place(*scan("cumprod", self, dim, None))


# -- sums of exponentials so far -----------------------------------------------------------------------------------


def logcumsumexp_row(self, dim):
    """The logarithms of sums of exponentials so far."""
    wrap_dim(dim, self.ndim)
    if self.dtype.kind != "f":
        raise NotImplementedError(f"\"logcumsumexp_out_cpu\" not implemented for '{kind(self)}'")
    return accumulated(np.logaddexp, self, dim)


def logcumsumexp_backward(grad, self, result, dim):
    """Sums from here on of what each sum's exponential got; positive and negative parts by their logarithms."""
    if not self.shape:
        return grad
    low = np.finfo(grad.dtype).min
    parts = [where(part > 0, log(where(part > 0, part, 1)), low) for part in (grad, -grad)]
    above, below = [exp(flip(logcumsumexp_row(flip(part - result, (dim,)), dim), (dim,)) + self) for part in parts]
    return above - below


def share_of_each(grad, self, result, dim):
    """The same as a sum over all pairs, which is plainly linear in the gradient, as forward mode asks."""
    if not self.shape:
        return grad
    term, total = (ops.movedim(each, dim, -1) for each in (self, result))
    later = wrap(np.tri(term.shape[-1], dtype=bool).T, dtypes.bool)
    shares = ops.where(later, ops.unsqueeze(term, -1) - ops.unsqueeze(total, -2), -math_inf).exp()
    return ops.movedim((shares * ops.unsqueeze(ops.movedim(grad, dim, -1), -2)).sum(-1), -1, dim)


tensor_names["logcumsumexp_backward"] = share_of_each
operation("logcumsumexp_row", method=False, function=False, node_name="LogcumsumexpBackward0",
          self=lambda grad, self, result, dim: logcumsumexp_backward(grad, self, result, dim))(
    logcumsumexp_row)  # fmt: skip


@public("logcumsumexp")
def logcumsumexp_of(self, dim):
    """For each element log(sum(exp(...))) of those up to it along *dim*, without overflow.

    >>> import autograd_nb as torch
    >>> torch.logcumsumexp(torch.tensor([0., 0., 0.]), 0)
    tensor([0.0000, 0.6931, 1.0986])
    """
    return apply(operations["logcumsumexp_row"], (self, as_int(dim, "logcumsumexp", "dim", 2)))


# -- extremes so far -----------------------------------------------------------------------------------------------


@operation("added_at", tensors=("self", "indices"), method=False, function=False, node_name="ScatterAddBackward0",
           self=lambda grad, dim, indices: picked(grad, dim, indices))  # fmt: skip
def added_at(self, dim, indices):
    """Each element goes to the place whose value was the extreme so far; what comes to one place is added up."""
    return add_at(np.zeros_like(self), dim, indices, self)


def running_places(self, dim, better):
    """Where along *dim* the extreme so far stands, the last of equal ones; nan counts as the extreme."""
    if not self.shape:
        return np.int64(0)
    moved = np.moveaxis(self, dim, 0)
    places = np.zeros(moved.shape, np.int64)
    for i in range(1, len(moved)):
        best = np.take_along_axis(moved, places[i - 1 : i], 0)[0]
        takes = better(moved[i], best) | np.isnan(moved[i]) if self.dtype.kind == "f" else better(moved[i], best)
        places[i] = np.where(takes & ~(np.isnan(best) & ~np.isnan(moved[i])), i, places[i - 1])
    return np.asarray(np.moveaxis(places, 0, dim), order="C")


def running(self, dim, better):
    wrap_dim(dim, self.ndim)
    places = running_places(self, dim, better)
    return (np.take_along_axis(self, places, dim) if self.shape else self), places


@operation("cummax_row", method=False, function=False, node_name="CummaxBackward0", returns=("values", "indices"),
           self=lambda grad, self, indices, dim: added_at(grad[0], dim, indices))  # self: as PyTorch saves it
def cummax_row(self, dim):
    """The largest so far."""
    return running(self, dim, np.greater_equal)


@operation("cummin_row", method=False, function=False, node_name="CumminBackward0", returns=("values", "indices"),
           self=lambda grad, self, indices, dim: added_at(grad[0], dim, indices))  # self: as PyTorch saves it
def cummin_row(self, dim):
    """The smallest so far."""
    return running(self, dim, np.less_equal)


@public("cummax")
def cummax_of(self, dim):
    """For each element the largest of those up to it along *dim*, as ``values``, and where it stands, as ``indices``.

    >>> import autograd_nb as torch
    >>> torch.cummax(torch.tensor([1., 3., 2.]), 0).values
    tensor([1., 3., 3.])
    """
    dim = as_int(dim, "cummax", "dim", 2)
    return return_type("cummax", "values", "indices")(apply(operations["cummax_row"], (self, dim)))


@public("cummin")
def cummin_of(self, dim):
    """For each element the smallest of those up to it along *dim*, as ``values``, and where it stands, as ``indices``.

    >>> import autograd_nb as torch
    >>> torch.cummin(torch.tensor([3., 1., 2.]), 0).values
    tensor([3., 1., 1.])
    """
    dim = as_int(dim, "cummin", "dim", 2)
    return return_type("cummin", "values", "indices")(apply(operations["cummin_row"], (self, dim)))
