"""The largest and the smallest: max and min of a tensor or along a dimension, amax, amin, argmax, median.

Where several elements are the extreme, amax, amin and the max of a whole tensor share the gradient evenly; max along
a dimension gives it to the one whose place it returns.
"""

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import apply, operation
from ..engine.formulas import tensor_names
from ..engine.table import operations, ops
from ..engine.tensor import Tensor, wrap
from .axes import axes_of, check_dim, in_rows
from .carriers import (
    add_at,
    both,
    counted,
    isnan,
    logical_and,
    logical_or,
    masked_fill,
    picked,
    reshape,
    restored,
    zeros_like,
)  # fmt: skip
from .checks import as_int, wrap_dim
from .public import public
from .return_types import return_type

# -- between a reduction and the elements it chose ------------------------------------------------------------------


def placed(self, dim, indices, sizes):
    """Zeros of shape *sizes* with each element at its place of *indices* along *dim*."""
    return add_at(np.zeros(sizes, self.dtype), dim, indices, self) if sizes else self


operation("picked", tensors=("self", "indices"), method=False, function=False, node_name="GatherBackward0",
          self=lambda grad, dim, indices, self_sym_sizes:
          placed(grad, dim, indices, self_sym_sizes))(picked)  # fmt: skip


tensor_names["placed"] = lambda self, dim, indices, sizes: ops.scatter(
    wrap(np.zeros(sizes, self._array.dtype)[()], self._dtype), dim, indices, self)  # fmt: skip


@both
def value_selecting_reduction_backward(grad, dim, indices, sizes, keepdim):
    """The gradient goes to the one element that was chosen."""
    return placed(restored(grad, dim, keepdim, sizes), dim, restored(indices, dim, keepdim, sizes), sizes)


@both
def evenly_distribute_backward(grad, self, result):
    """The gradient is shared by all elements that equal the result."""
    mask = logical_or(self == result, logical_and(isnan(self), isnan(result)))
    return masked_fill(zeros_like(self), mask, grad / reshape(counted(mask, (), grad), ()))


@both
def scale_grad_by_count(grad, mask, dim):
    return grad / counted(mask, dim, grad) * mask


def extreme(ufunc, self, dim, keepdim):
    return ufunc.reduce(self, axis=axes_of(dim, self.ndim), keepdims=keepdim)


def place(choose, self, dim, keepdim):
    """The value and the place of the extreme along *dim*; nan is the extreme, the first of equal ones is taken."""
    if not self.shape:
        return self, np.int64(0)
    dim = wrap_dim(dim, self.ndim)
    places = choose(self, axis=dim, keepdims=True)
    values = np.take_along_axis(self, places, dim)
    return (values, places) if keepdim else (np.squeeze(values, dim), np.squeeze(places, dim))


# -- all of the elements -------------------------------------------------------------------------------------------


@operation("max_all", method=False, function=False, node_name="MaxBackward1",
           self=lambda grad, self, result: evenly_distribute_backward(grad, self, result))  # fmt: skip
def max_all(self):
    """The largest element."""
    return np.maximum.reduce(self, axis=None)


@operation("min_all", method=False, function=False, node_name="MinBackward1",
           self=lambda grad, self, result: evenly_distribute_backward(grad, self, result))  # fmt: skip
def min_all(self):
    """The smallest element."""
    return np.minimum.reduce(self, axis=None)


@operation("max_dim", method=False, function=False, node_name="MaxBackward0", returns=("values", "indices"),
           self=lambda grad, dim, indices, self_sym_sizes, keepdim:
           value_selecting_reduction_backward(grad[0], dim, indices, self_sym_sizes, keepdim))  # fmt: skip
def max_dim(self, dim, keepdim):
    """The largest elements along a dimension, and where they stand."""
    return place(np.argmax, self, dim, keepdim)


@operation("min_dim", method=False, function=False, node_name="MinBackward0", returns=("values", "indices"),
           self=lambda grad, dim, indices, self_sym_sizes, keepdim:
           value_selecting_reduction_backward(grad[0], dim, indices, self_sym_sizes, keepdim))  # fmt: skip
def min_dim(self, dim, keepdim):
    """The smallest elements along a dimension, and where they stand."""
    return place(np.argmin, self, dim, keepdim)


INVALID = (
    "{0}() received an invalid combination of arguments - got (Tensor, {1}), but expected one of:\n"
    " * (Tensor input, *, Tensor out = None)\n"
    " * (Tensor input, Tensor other, *, Tensor out = None)\n"
    " * (Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)\n"
)


def require_elements(self, dim, name):
    """Errors for an extreme of no elements."""
    shape = self._array.shape
    if dim is None:
        if 0 in shape:
            raise RuntimeError(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
                "with the 'dim' argument."
            )
        return
    for each in (dim,) if isinstance(dim, int) else dim:
        wrapped = wrap_dim(each, len(shape))
        if shape and not shape[wrapped]:
            shown = each if name in ("amax", "amin") else wrapped
            raise IndexError(f"{name.removeprefix('nan')}(): Expected reduction dim {shown} to have non-zero size.")


def publish_extreme(name, which, of_two, shows):
    """Publish max or min, whose second argument decides: a dimension, another tensor, or none."""
    names = return_type(name, "values", "indices")

    def call(self, dim=None, keepdim=False, *, other=None):
        if isinstance(dim, Tensor) or other is not None:
            return getattr(ops, of_two)(self, dim if other is None else other)
        if dim is None:
            require_elements(self, None, name)
            return apply(operations[name + "_all"], (self,))
        if not isinstance(dim, int) or isinstance(dim, bool):
            raise TypeError(INVALID.format(name, type(dim).__name__))
        require_elements(self, dim, name)
        return names(apply(operations[name + "_dim"], (self, dim, keepdim)))

    call.__doc__ = (
        f"The {which} element; along *dim* the {which} ``values`` with their ``indices``; with a tensor as second\n"
        f"argument the {which} of each pair of elements, as :func:`{of_two}`.\n\n"
        "RuntimeError or IndexError when there are no elements to choose from.\n\n"
        f">>> import autograd_nb as torch\n>>> torch.{name}(torch.tensor([[1., 5.], [4., 2.]]), 1).values\n{shows}\n"
    )
    public(name)(call)


publish_extreme("max", "largest", "maximum", "tensor([5., 4.])")
publish_extreme("min", "smallest", "minimum", "tensor([1., 2.])")

# -- amax, amin, aminmax -------------------------------------------------------------------------------------------


@operation("amax_row", method=False, function=False, node_name="AmaxBackward0",
           self=lambda grad, self, dim, keepdim, result:
           scale_grad_by_count(restored(grad, dim, keepdim, self.shape),
                               restored(result, dim, keepdim, self.shape) == self, dim))  # fmt: skip
def amax_row(self, dim, keepdim):
    """The largest elements."""
    return in_rows(extreme(np.maximum, self, dim, keepdim), self)


@operation("amin_row", method=False, function=False, node_name="AminBackward0",
           self=lambda grad, self, dim, keepdim, result:
           scale_grad_by_count(restored(grad, dim, keepdim, self.shape),
                               restored(result, dim, keepdim, self.shape) == self, dim))  # fmt: skip
def amin_row(self, dim, keepdim):
    """The smallest elements."""
    return in_rows(extreme(np.minimum, self, dim, keepdim), self)


def publish_shared_extreme(name, which, shows):
    def call(self, dim=(), keepdim=False):
        dim = () if dim is None else dim
        check_dim(dim, name)
        axes_of(dim, self._array.ndim)
        require_elements(self, dim if dim != () else None, name)
        return apply(operations[name + "_row"], (self, [dim] if isinstance(dim, int) else dim, keepdim))

    call.__doc__ = (
        f"The {which} of the elements, of all or along *dim* (an int or several); equal ones share the gradient.\n\n"
        "RuntimeError or IndexError when there are no elements to choose from.\n\n"
        f">>> import autograd_nb as torch\n>>> torch.{name}(torch.tensor([[1., 5.], [4., 2.]]), 1)\n{shows}\n"
    )
    public(name)(call)


publish_shared_extreme("amax", "largest", "tensor([5., 4.])")
publish_shared_extreme("amin", "smallest", "tensor([1., 2.])")


@both
def aminmax_backward(grad, self, dim, keepdim, min, max):
    """The gradients of both extremes, each shared by the elements that equal it."""
    total, sizes = None, self.shape
    for part, result in zip(grad, (min, max), strict=True):
        if part is not None:
            shared = scale_grad_by_count(
                restored(part, dim, keepdim, sizes), restored(result, dim, keepdim, sizes) == self, dim
            )
            total = shared if total is None else total + shared
    return total


@operation("aminmax_row", method=False, function=False, node_name="AminmaxBackward0", returns=("min", "max"),
           self=lambda grad, self, dim, keepdim, min, max:
           aminmax_backward(grad, self, dim, keepdim, min, max))  # fmt: skip
def aminmax_row(self, dim, keepdim):
    """The smallest and the largest elements."""
    return extreme(np.minimum, self, dim, keepdim), extreme(np.maximum, self, dim, keepdim)


@public("aminmax")
def aminmax_of(self, *, dim=None, keepdim=False):
    """The smallest and the largest elements, as ``min`` and ``max``.

    >>> import autograd_nb as torch
    >>> torch.aminmax(torch.tensor([1., 5., 4.])).max
    tensor(5.)
    """
    shape = self._array.shape
    if dim is None and 0 in shape:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    if dim is not None and shape and not shape[wrap_dim(dim, len(shape))]:
        raise IndexError(f"aminmax: Expected reduction dim {dim} to have non-zero size.")
    return return_type("aminmax", "min", "max")(
        apply(operations["aminmax_row"], (self, () if dim is None else [dim], keepdim))
    )


# -- places --------------------------------------------------------------------------------------------------------


@operation("argmax_row", method=False, function=False)
def argmax_row(self, dim, keepdim):
    """Where the largest elements stand."""
    return np.argmax(self, axis=dim if self.shape else None, keepdims=keepdim)


@operation("argmin_row", method=False, function=False)
def argmin_row(self, dim, keepdim):
    """Where the smallest elements stand."""
    return np.argmin(self, axis=dim if self.shape else None, keepdims=keepdim)


def publish_place(name, which, shows):
    def call(self, dim=None, keepdim=False):
        if dim is not None:
            dim = as_int(dim, name, "dim", 2)
            require_elements(self, dim, name)
            dim = wrap_dim(dim, self._array.ndim)
        elif not self._array.size:
            raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
        if self._dtype is dtypes.bool:
            raise RuntimeError(f"{name}(): does not support bool input")
        return apply(operations[name + "_row"], (self, dim, keepdim))

    call.__doc__ = (
        f"Where the {which} element stands, counted flat, or along *dim*; the first of equal ones.\n\n"
        "IndexError when there are no elements, RuntimeError for bool.\n\n"
        f">>> import autograd_nb as torch\n>>> torch.{name}(torch.tensor([1., 5., 4.]))\n{shows}\n"
    )
    public(name)(call)


publish_place("argmax", "largest", "tensor(1)")
publish_place("argmin", "smallest", "tensor(0)")

# -- medians -------------------------------------------------------------------------------------------------------


def median_place(self, dim, ignore_nan):
    """Where the lower median along *dim* stands; nan, unless ignored, comes before every number."""
    order = np.argsort(self, axis=dim, kind="stable")
    count = self.shape[dim]
    nans = np.isnan(self).sum(dim, keepdims=True) if self.dtype.kind == "f" else np.zeros((1,) * self.ndim, np.int64)
    middle = np.maximum(count - nans - 1, 0) // 2 if ignore_nan else np.where(nans > 0, count - nans, (count - 1) // 2)
    shape = tuple(1 if i == dim else n for i, n in enumerate(self.shape))
    return np.take_along_axis(order, np.broadcast_to(middle, shape), dim)


def flat_median(self, ignore_nan):
    if not self.size:
        return self.dtype.type(np.nan)
    flat = self.reshape(-1)
    return np.take(flat, median_place(flat, 0, ignore_nan))[0]


def median_along(self, dim, keepdim, ignore_nan):
    return place(lambda self, axis, keepdims: median_place(self, axis, ignore_nan), self, dim, keepdim)


@operation("median_all", method=False, function=False, node_name="MedianBackward0",
           self=lambda grad, self, result: evenly_distribute_backward(grad, self, result))  # fmt: skip
def median_all(self):
    """The lower median of all elements."""
    return flat_median(self, False)


@operation("nanmedian_all", method=False, function=False, node_name="NanmedianBackward0",
           self=lambda grad, self, result: evenly_distribute_backward(grad, self, result))  # fmt: skip
def nanmedian_all(self):
    """The lower median of all elements that are not nan."""
    return flat_median(self, True)


@operation("median_dim", method=False, function=False, node_name="MedianBackward1", returns=("values", "indices"),
           self=lambda grad, dim, indices, self_sym_sizes, keepdim:
           value_selecting_reduction_backward(grad[0], dim, indices, self_sym_sizes, keepdim))  # fmt: skip
def median_dim(self, dim, keepdim):
    """The lower medians along a dimension, and where they stand."""
    return median_along(self, dim, keepdim, False)


@operation("nanmedian_dim", method=False, function=False, node_name="NanmedianBackward1", returns=("values", "indices"),
           self=lambda grad, dim, indices, self_sym_sizes, keepdim:
           value_selecting_reduction_backward(grad[0], dim, indices, self_sym_sizes, keepdim))  # fmt: skip
def nanmedian_dim(self, dim, keepdim):
    """The lower medians along a dimension of what is not nan, and where they stand."""
    return median_along(self, dim, keepdim, True)


def publish_median(name, text):
    def call(self, dim=None, keepdim=False):
        if dim is None:
            return apply(operations[name + "_all"], (self,))
        dim = as_int(dim, name, "dim", 2)
        require_elements(self, dim, name)
        values = apply(operations[name + "_dim"], (self, dim, keepdim))
        return return_type(name, "values", "indices")(values)

    call.__doc__ = (
        f"{text}, of all elements or along *dim* as ``values`` with their ``indices``.\n\n"
        f">>> import autograd_nb as torch\n>>> torch.{name}(torch.tensor([1., 5., 4., 2.]))\ntensor(2.)\n"
    )
    public(name)(call)


publish_median("median", "The median, the lower of two middle ones; nan when there is a nan")
publish_median("nanmedian", "The median, the lower of two middle ones, nan left out")
