"""What is asked of samples: quantiles, the mode, differences and areas, covariance."""

import numpy as np

from ..engine import dtypes
from ..engine.dispatch import operation
from ..engine.table import ops
from ..engine.tensor import Tensor, wrap
from ..engine.warning import warn
from .checks import wrap_dim
from .extremes import value_selecting_reduction_backward
from .public import public
from .return_types import return_type

# -- order -----------------------------------------------------------------------------------------------------------

BETWEEN = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile_of(name, self, q, dim, keepdim, interpolation, ignore_nan):
    """Both kinds of quantiles, by the same steps as PyTorch's, so that the nodes are the same."""
    if not self._dtype.is_floating_point:
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
        q = wrap(self._dtype.scalar(q), self._dtype)
    elif q._array.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    elif q._dtype is not self._dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    elif np.any((q._array < 0) | (q._array > 1)):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    if interpolation not in BETWEEN:
        raise RuntimeError(f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
                           f"{interpolation}")
    if not self._array.size:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    shape = list(self._array.shape)
    if dim is None:
        shape, rows = [1] * len(shape) if keepdim else [], ops.flatten(self)
    else:
        dim = wrap_dim(dim, len(shape))
        last = dim >= len(shape) - 1
        if shape:
            shape[dim : dim + 1] = [1] * keepdim
        rows = self if last else ops.transpose(ops.unsqueeze(self, -1), dim, -1)
    ordered = ops.sort(rows)[0]
    ordered = ops.view(ordered, (*shape, ordered._array.shape[-1] if ordered._array.ndim else 1))
    ranks = ranks_of(ordered._array, q._array.reshape(-1), interpolation, ignore_nan)
    below = np.floor(ranks)
    values = ops.gather(ordered, -1, wrap(below.astype(np.int64), dtypes.int64))
    if interpolation in ("linear", "midpoint"):
        weights = np.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
        above = ops.gather(ordered, -1, wrap(np.ceil(ranks).astype(np.int64), dtypes.int64))
        values.lerp_(above, wrap(weights, self._dtype))
    if q._array.ndim:
        values.unsqueeze_(0).transpose_(0, -1)
    return values.squeeze_(-1)


def ranks_of(ordered, q, interpolation, ignore_nan):
    """How many elements come before each quantile, with a fraction."""
    nans = np.count_nonzero(np.isnan(ordered), axis=-1)[..., None]
    last = ordered.shape[-1] - 1
    if ignore_nan:
        ranks = np.maximum((q * (last - nans)).astype(ordered.dtype), 0)
    else:
        ranks = np.where(nans > 0, ordered.dtype.type(last), q * ordered.dtype.type(last))
    rounded = {"lower": np.floor, "higher": np.ceil, "nearest": np.round}.get(interpolation)
    return rounded(ranks) if rounded else ranks


@public("quantile")
def _quantile(self, q, dim=None, keepdim=False, *, interpolation="linear"):
    """The value below which a part *q* of the elements lies, of all or along *dim*; *q* may be a vector.

    RuntimeError for a *q* outside [0, 1], and for integers.

    >>> import autograd_nb as torch
    >>> torch.quantile(torch.tensor([1., 2., 3.]), 0.25)
    tensor(1.5000)
    """
    return quantile_of("quantile", self, q, dim, keepdim, interpolation, False)


@public("nanquantile")
def _nanquantile(self, q, dim=None, keepdim=False, *, interpolation="linear"):
    """:func:`quantile` of the elements that are not nan."""
    return quantile_of("nanquantile", self, q, dim, keepdim, interpolation, True)


@operation("mode_row", method=False, function=False, node_name="ModeBackward0", returns=("values", "indices"),
           self=lambda grad, dim, indices, self_sym_sizes, keepdim:
           value_selecting_reduction_backward(grad[0], dim, indices, self_sym_sizes, keepdim))  # fmt: skip
def mode_row(self, dim, keepdim):
    """The most frequent elements along a dimension, and where they stand last."""
    if not np.ndim(self):
        return self, np.int64(0)
    dim = wrap_dim(dim, self.ndim)
    if not self.shape[dim]:
        raise IndexError(f"mode(): Expected reduction dim {dim} to have non-zero size.")
    rows = np.moveaxis(self, dim, -1)
    values, places = np.empty(rows.shape[:-1], self.dtype), np.empty(rows.shape[:-1], np.int64)
    for row in np.ndindex(rows.shape[:-1]):
        kinds, counts = np.unique(rows[row], return_counts=True)
        values[row] = kinds[np.argmax(counts)]
        places[row] = np.flatnonzero(rows[row] == values[row])[-1]
    return (np.expand_dims(values, dim), np.expand_dims(places, dim)) if keepdim else (values, places)


@public("mode")
def _mode(self, dim=-1, keepdim=False):
    """``(values, indices)``: the element that comes most often along *dim*, the smallest of these, and its last place.

    >>> import autograd_nb as torch
    >>> torch.mode(torch.tensor([1, 2, 2])).values
    tensor(2)
    """
    wrap_dim(dim, self._array.ndim)
    return return_type("mode", "values", "indices")(ops.mode_row(self, dim, keepdim))


@public("nanmean")
def _nanmean(self, dim=None, keepdim=False, *, dtype=None):
    """The mean of the elements that are not nan.

    >>> import autograd_nb as torch
    >>> torch.nanmean(torch.tensor([1., float("nan"), 3.]))
    tensor(2.)
    """
    if not self._dtype.is_floating_point:
        raise RuntimeError("nanmean(): expected input to have floating point or complex dtype but got "
                           f"{self._dtype.legacy_name}")
    count = ops.sum(ops.logical_not(ops.isnan(self.detach())), dim, keepdim)
    return ops.nansum(self, dim, keepdim, dtype=dtype) / count


# -- differences -----------------------------------------------------------------------------------------------------


@public("diff")
def _diff(self, n=1, dim=-1, prepend=None, append=None):
    """The differences of neighbours along *dim*, taken *n* times.

    RuntimeError for a 0-d tensor and for a negative *n*.

    >>> import autograd_nb as torch
    >>> torch.diff(torch.tensor([1, 3, 2]))
    tensor([ 2, -1])
    """
    ndim = self._array.ndim
    if not ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    wrapped = wrap_dim(dim, ndim)
    if not n:
        return ops.copy_(ops.zeros_like(self.detach()), self)
    parts = [each for each in (prepend, self, append) if each is not None]
    if len(parts) > 1:
        self = ops.cat(parts, dim)
    for _ in range(min(n, self._array.shape[wrapped])):
        length = self._array.shape[wrapped]
        later, sooner = ops.narrow(self, dim, 1, length - 1), ops.narrow(self, dim, 0, length - 1)
        self = ops.logical_xor(later, sooner) if self._dtype is dtypes.bool else later - sooner
    return self


@public("trapezoid", method=False)
def _trapezoid(y, x=None, *, dx=1, dim=-1):
    """The area under the points *y*, which lie *dx* apart or at *x*, along *dim*.

    >>> import autograd_nb as torch
    >>> torch.trapezoid(torch.tensor([1., 3., 2.]))
    tensor(4.5000)
    """
    if not y._array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    length = y._array.shape[wrap_dim(dim, y._array.ndim)]
    if not length:
        return ops.zero_(ops.sum(y.detach(), dim))
    if x is None:
        last = ops.select(y, dim, -1)  # which PyTorch's compiled code takes before the first
        ends = ops.mul_number(ops.select(y, dim, 0) + last, 0.5)
        return ops.mul_number(ops.sum(y, dim) - ends, dx)
    widths = spaces(y, x, wrap_dim(dim, y._array.ndim))
    pairs = ops.narrow(y, dim, 1, length - 1) + ops.narrow(y, dim, 0, length - 1)
    return ops.div_number(ops.sum(pairs * widths, dim), 2.0)


def spaces(y, x, dim):
    """How far neighbours of *x* lie apart, in a shape that broadcasts with *y*."""
    if x._array.ndim == 1:
        x = ops.view(x, [-1 if i == dim else 1 for i in range(y._array.ndim)])
        along = dim
    else:
        along = wrap_dim(dim - y._array.ndim, x._array.ndim)
    length = x._array.shape[along]
    return ops.narrow(x, along, 1, length - 1) - ops.narrow(x, along, 0, length - 1)


@public("trapz", method=False)
def _trapz(y, x=None, *, dx=1, dim=-1):
    """Another name of :func:`trapezoid`."""
    return _trapezoid(y, x, dx=dx, dim=dim)


@public("cumulative_trapezoid", method=False)
def _cumulative_trapezoid(y, x=None, *, dx=1, dim=-1):
    """The areas under the points *y* up to each of them along *dim*.

    >>> import autograd_nb as torch
    >>> torch.cumulative_trapezoid(torch.tensor([1., 3., 2.]))
    tensor([2.0000, 4.5000])
    """
    if not y._array.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    wrapped = wrap_dim(dim, y._array.ndim)
    length = y._array.shape[wrapped]
    pairs = ops.narrow(y, dim, 1, length - 1) + ops.narrow(y, dim, 0, length - 1)
    if x is None:
        return ops.cumsum(ops.mul_number(pairs, dx / 2.0), dim)
    return ops.div_number(ops.cumsum(pairs * spaces(y, x, wrapped), dim), 2.0)


# -- how samples vary together ---------------------------------------------------------------------------------------


@public("cov")
def _cov(self, *, correction=1, fweights=None, aweights=None):
    """The covariance of variables, one in each row, over their observations in the columns.

    RuntimeError for more than two dimensions.

    >>> import autograd_nb as torch
    >>> torch.cov(torch.tensor([[1., 2., 3.], [3., 2., 1.]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if self._array.ndim > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {self._array.ndim} dimensions"
        )
    if self._dtype is dtypes.bool:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = self if self._array.ndim == 2 else ops.view(self, (1, -1))
    weights = None
    if fweights is not None or aweights is not None:
        weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    total = rows.new_tensor(rows._array.shape[1], dtype=dtypes.int64) if weights is None else ops.sum(weights)
    if weights is None:
        mean = ops.sum(rows, 1) / total
        rest = total - correction
    else:
        mean = ops.sum(rows * weights, 1) / total
        rest = total - correction * (ops.sum(weights * aweights) / total if aweights is not None else 1)
    if rest._array <= 0:
        warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.")
    rest = ops.clamp_min(rest, 0)
    centred = rows - ops.unsqueeze(mean, 1)
    return ops.squeeze(ops.mm(centred, (centred if weights is None else centred * weights).t()) / rest)


@public("corrcoef")
def _corrcoef(self):
    """The correlation coefficients of variables, one in each row.

    >>> import autograd_nb as torch
    >>> torch.corrcoef(torch.tensor([[1., 2., 3.], [3., 2., 1.]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if self._array.ndim > 2:
        raise RuntimeError("corrcoef(): expected input to have two or fewer dimensions but got an input with "
                           f"{self._array.ndim} dimensions")
    both_ways = _cov(self)
    if not both_ways._array.ndim:
        return both_ways / both_ways
    deviation = ops.sqrt(ops.diagonal(both_ways))
    return ops.clamp(both_ways / ops.view(deviation, (-1, 1)) / ops.view(deviation, (1, -1)), -1, 1)
