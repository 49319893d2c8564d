"""Sums and products so far: cumsum and cumprod."""

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import apply
from ..engine.inplace import in_place
from ..engine.table import operations
from .axes import as_dtype, conversion
from .carriers import as_type, both, cat, flip, narrow, number_of_zeros, ones_like
from .checks import as_int, refuse_dtype, wrap_dim
from .public import public, row


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


@row("cumsum_row", linear=True, node_name="CumsumBackward0",
     self=lambda grad, dim, self_scalar_type: as_type(sums_from_here(grad, dim), self_scalar_type))  # fmt: skip
def cumsum_row(self, dim, dtype, self_scalar_type):
    return cumsum(as_dtype(self, dtype), dim)


@row("cumprod_row", node_name="CumprodBackward0",
     self=lambda grad, self, dim, result, dtype, self_scalar_type:
     as_type(cumprod_backward(grad, as_type(self, dtype), dim, result), self_scalar_type))  # fmt: skip
def cumprod_row(self, dim, dtype, self_scalar_type):
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


def publish_in_place_form(name):
    def call(self, dim, *, dtype=None):
        if dtype is not None and dtype is not self._dtype:
            its, given = (dtypes.CPP_NAMES[each.name] for each in (self._dtype, dtype))
            raise RuntimeError(
                f"Bad in-place call: input tensor dtype {its} and output tensor dtype {given} should match"
            )
        if self._dtype is dtypes.bool:
            refuse_dtype(self._array, f"{name}_out_cpu")
        return in_place(*scan(name, self, dim, None))

    call.__doc__ = f"In-place form of :func:`{name}`; changes the tensor and returns it."
    public(name + "_", function=False)(call)


publish_in_place_form("cumsum")
publish_in_place_form("cumprod")
