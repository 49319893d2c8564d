"""Max, min and median, their indices (argmax), amax and amin, which share the gradient; sorting and histograms.

Of several equal extremes, max along a dimension sends the gradient to the one whose index it returns; amax, amin and
the max of a whole tensor divide it evenly among them.
"""

import numpy as np

from ..engine import dtypes
from ..engine.table import ops
from ..engine.tensor import Tensor
from .arithmetic import no_derivative
from .array_functions import (
    axes_of,
    counted,
    in_rows,
    isnan,
    logical_and,
    logical_or,
    masked_fill,
    placed,
    restored,
    zeros_like,
)
from .checks import as_int, require_elements, require_floating, require_number, whole, wrap_dim
from .gathering import places as along
from .publishing import tensor_argument
from .return_types import return_type
from .rows import function, row, run_row

# -- gradients of the chosen elements -------------------------------------------------------------------------------


def to_the_chosen(grads, dim, indices, self_sym_sizes, keepdim):
    """The gradient goes to the one element that was chosen."""
    grad, indices = restored(grads[0], dim, keepdim, self_sym_sizes), restored(indices, dim, keepdim, self_sym_sizes)
    return placed(grad, dim, indices, self_sym_sizes)


def shared_by_equals(grad, self, result):
    """The gradient is shared by all elements that equal the result."""
    mask = logical_or(self == result, logical_and(isnan(self), isnan(result)))
    return masked_fill(zeros_like(self), mask, grad / counted(mask, (), grad).reshape(()))


def shared_along(grad, self, dim, keepdim, result):
    """The same along *dim*."""
    mask = restored(result, dim, keepdim, self.shape) == self
    return restored(grad, dim, keepdim, self.shape) / counted(mask, dim, grad) * mask


def extreme_along(choose, self, dim, keepdim, name):
    """The extreme along *dim* and its index: nan if there is one; the first of several equal ones."""
    if name == "median":
        require_number(self, "median_cpu")
    require_elements(self.shape, [dim], name)
    dim = wrap_dim(dim, self.ndim)
    if not self.shape:
        return self, np.int64(0)
    places = np.int64(choose(self, axis=dim, keepdims=True))  # also where NumPy's indices have 32 bits
    values = self[along(places, dim)]
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))


# -- max and min, amax and amin, argmax and argmin ------------------------------------------------------------------


NO_ELEMENTS = ("{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
               "the 'dim' argument.")


MATRIX = "torch.tensor([[1., 5.], [4., 2.]])"


def add_extreme(name, word, ufunc, choose, shows):
    """Add max, amax and argmax, or min, amin and argmin."""
    row(name, node_name=f"{name.capitalize()}Backward1", self=shared_by_equals)(
        lambda self: ufunc.reduce(self, axis=None))
    row(f"{name}.dim", returns=("values", "indices"), self=to_the_chosen)(
        lambda self, dim, keepdim: extreme_along(choose, self, dim, keepdim, name))
    row(f"a{name}", self=shared_along)(lambda self, dim, keepdim:
        in_rows(ufunc.reduce(self, axis=axes_of(dim, self.ndim), keepdims=keepdim), self))  # fmt: skip
    row(f"arg{name}")(lambda self, dim, keepdim:
        np.int64(choose(self, axis=dim if self.shape else None, keepdims=keepdim)))

    def extreme(self, dim=None, keepdim=False, *, other=None):
        if isinstance(dim, Tensor) or other is not None:
            whole(name, keepdim)
            return getattr(ops, name + "imum")(self, dim if other is None else other)
        if dim is None and not self._array.size:
            raise RuntimeError(NO_ELEMENTS.format(name))
        return whole_or_along(name, self, dim, keepdim)

    def shared_extreme(self, dim=(), keepdim=False):
        dims = [dim] if isinstance(dim, int) else () if dim is None else dim
        require_elements(self._array.shape, dims, "a" + name)
        if not dims and not self._array.size:
            raise RuntimeError(NO_ELEMENTS.format("a" + name))
        return run_row("a" + name, self, dims, keepdim)

    def place_of_extreme(self, dim=None, keepdim=False):
        called = "arg" + name
        if dim is not None:
            require_elements(self._array.shape, [dim], called)
            dim = wrap_dim(dim, self._array.ndim)
        elif not self._array.size:
            raise IndexError(NO_ELEMENTS.format(called).partition(" Specify")[0])
        if self._dtype is dtypes.bool:
            raise RuntimeError(f"{called}(): does not support bool input")
        return run_row(called, self, dim, keepdim)

    for call, prefix, text, given, found in (
        (extreme, "", f"The {word} element; along *dim* the {word} ``values`` with their ``indices``; of two: "
         f":func:`{name}imum`.", ", 1).values", shows[0]),
        (shared_extreme, "a", f"The {word} of all elements, or along *dim* (an int or several); equal ones share the "
         "gradient.", ", 1)", shows[0]),
        (place_of_extreme, "arg", f"The index of the {word} element, in the flattened tensor or along *dim*; the first "
         "of equal ones.", ")", shows[1]),
    ):  # fmt: skip
        call.__name__ = prefix + name
        call.__doc__ = f"{text}\n\n>>> import autograd_nb as torch\n>>> torch.{prefix}{name}({MATRIX}{given}\n{found}\n"
        function(call)


def whole_or_along(name, self, dim, keepdim):
    """Run max, min or median of all elements, or along *dim*."""
    if dim is None:
        whole(name, keepdim)
        return run_row(name, self)
    results = run_row(name + ".dim", self, as_int(dim), keepdim)
    return return_type(name, "values", "indices")(results)


add_extreme("max", "largest", np.maximum, np.argmax, ("tensor([5., 4.])", "tensor(1)"))
add_extreme("min", "smallest", np.minimum, np.argmin, ("tensor([1., 2.])", "tensor(0)"))

# -- median --------------------------------------------------------------------------------------------------------


def median_place(self, axis, keepdims=True):
    """The index of the lower median along a dimension, or of the first nan if there is one."""
    order = np.argsort(self, axis=axis, kind="stable")
    count, nans = self.shape[axis], np.isnan(self).sum(axis, keepdims=True)
    return np.take_along_axis(order, np.where(nans > 0, count - nans, (count - 1) // 2), axis)


@row("median", self=shared_by_equals)
def median_of_all(self):
    require_number(self, "median_cpu")
    if not self.size:
        return np.array(np.nan).astype(self.dtype)[()]
    flat = self.reshape(-1)
    return np.take(flat, median_place(flat, 0))[0]


row("median.dim", node_name="MedianBackward1", returns=("values", "indices"), self=to_the_chosen)(
    lambda self, dim, keepdim: extreme_along(median_place, self, dim, keepdim, "median"))


@function
def median(self, dim=None, keepdim=False):
    """The median of all elements, the lower of two middle ones; along *dim* the ``values`` with their ``indices``.

    >>> import autograd_nb as torch
    >>> torch.median(torch.tensor([1., 5., 4., 2.]))
    tensor(2.)
    """
    return whole_or_along("median", self, dim, keepdim)


# -- sorting, and the indices of nonzero elements --------------------------------------------------------------------


def in_order(self, dim, descending):
    """The elements sorted along *dim*, and their indices; equal ones keep their order, NaN counts as greatest."""
    if not self.shape:
        return self, np.int64(0)
    order = np.argsort(np.flip(self, dim) if descending else self, dim, kind="stable")
    if descending:
        order = self.shape[dim] - 1 - np.flip(order, dim)
    values, indices = np.empty_like(self), np.empty_like(self, np.int64)  # laid out as the input is
    values[...], indices[...] = np.take_along_axis(self, order, dim), order
    return values, indices


def first_in_order(self, k, dim, largest):
    """The first *k* elements in this order along *dim*, and their indices."""
    return tuple(np.take(array, range(k), dim) if self.shape else array for array in in_order(self, dim, largest))


for name, node_name, forward in (("sort", "SortBackward0", in_order), ("sort.stable", "SortBackward1", in_order),
                                 ("topk", "TopkBackward0", first_in_order)):  # fmt: skip
    row(name, returns=("values", "indices"), node_name=node_name,
        self=lambda grads, dim, indices, self_sym_sizes: placed(grads[0], dim, indices, self_sym_sizes))(forward)


@function
def sort(self, dim=-1, descending=False, *, stable=None):
    """``(values, indices)``: the elements sorted along *dim*, and the indices that they had.

    >>> import autograd_nb as torch
    >>> torch.tensor([3, 1, 2]).sort().values
    tensor([1, 2, 3])
    """
    wrap_dim(dim, self._array.ndim)
    results = run_row("sort" if stable is None else "sort.stable", self, dim, descending)
    return return_type("sort", "values", "indices")(results)


@function
def argsort(self, dim=-1, descending=False, *, stable=False):
    """The indices that sort the tensor along *dim*."""
    return ops.sort(self, dim, descending)[1]


@function
def topk(self, k, dim=-1, largest=True, sorted=True):
    """``(values, indices)`` of the *k* largest (or smallest) elements along *dim*, sorted.

    >>> import autograd_nb as torch
    >>> torch.tensor([3, 1, 2]).topk(2).values
    tensor([3, 2])
    """
    k = as_int(k)
    wrap_dim(dim, self._array.ndim)
    if self._dtype is dtypes.bool:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if not 0 <= k <= (self._array.shape[dim] if self._array.ndim else 1):
        raise RuntimeError("selected index k out of range")
    return return_type("topk", "values", "indices")(run_row("topk", self, k, dim, largest))


row("nonzero")(lambda self: np.argwhere(self).astype(np.int64))


@function
def nonzero(self, *, as_tuple=False):
    """The indices of the elements that are not zero: a row for each, or with *as_tuple* a vector for each dimension."""
    rows = run_row("nonzero", tensor_argument(self, "nonzero"))
    if not as_tuple:
        return rows
    return ops.unbind(rows if self._array.ndim else nonzero(ops.unsqueeze(self, 0)), 1)


def bin_edges(self, bins, range):
    """The ends of *bins* bins of one width that cover *range*, by default the range of the elements."""
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    low, high = range or ((self.min(), self.max()) if self.size else (0.0, 0.0))
    if not np.isfinite([low, high]).all():
        raise RuntimeError(f"torch.histogramdd: dimension 0's range [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for "
                           "dimension 0")  # fmt: skip
    if low == high:
        low, high = (low - 0.5, high + 0.5) if self.size or range else (low, high + 1)
    return ops.linspace(low, high, bins + 1, dtype=dtypes.of_array(self))._array


@row("histogram", returns=("hist", "bin_edges"), node_name="NotImplemented",
     self=lambda grads: no_derivative("histogram"))  # fmt: skip
def counts_in_bins(self, bins, range, density):
    require_floating(self, "histogramdd")
    edges = bin_edges(self, as_int(bins), range)
    counts = np.histogram(self, edges)[0].astype(self.dtype)
    return counts / (counts.sum() * np.diff(edges)) if density else counts, edges


@function
def histogram(self, bins=100, *, range=None, density=False):
    """``(hist, bin_edges)``: how many elements lie in each of the *bins* of one width; with *density* the area is 1.

    >>> import autograd_nb as torch
    >>> torch.histogram(torch.tensor([1., 2., 1.]), bins=2, range=(0., 2.)).hist
    tensor([0., 3.])
    """
    results = run_row("histogram", tensor_argument(self, "histogram"), bins, range, density)
    return return_type("histogram", "hist", "bin_edges")(results)
