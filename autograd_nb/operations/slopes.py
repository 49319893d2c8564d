"""Differences of neighbours as estimates of a derivative: torch.gradient."""

from ..engine.dtypes import PYTHON_NUMBERS
from ..engine.table import ops
from ..engine.tensor import Tensor
from .checks import wrap_dim
from .public import public


def part(self, dim, start, end):
    return ops.slice(self, dim, start, end, 1)


def over(self, step):
    return ops.div_number(self, step) if self._dtype.is_floating_point else self / step


def even(self, dim, step, order):
    """The slopes along *dim* where neighbours are *step* apart, to the first or second order at the ends."""
    n = self._array.shape[dim]
    middle = over(part(self, dim, 2, n) - part(self, dim, 0, n - 2), 2 * step)
    near = [part(self, dim, place, place + 1) for place in range(3)]
    far = [part(self, dim, n - 1 - place, n - place) for place in range(min(n, 3))]
    if order == 1:
        first, last = near[1] - near[0], far[0] - far[1]
    else:
        first, last = weighted(near, -1.5, 2, -0.5), weighted(far, 1.5, -2, 0.5)
    return ops.cat([over(first, step), middle, over(last, step)], dim)


def weighted(parts, *weights):
    first, *others = [ops.mul_number(each, weight) for each, weight in zip(parts, weights, strict=True)]
    return first + others[0] + others[1]


def uneven(self, dim, places, order):
    """The same for neighbours that stand at *places*."""
    n = self._array.shape[dim]
    shape = [1] * self._array.ndim
    shape[dim] = -1
    steps = ops.view(part(places, 0, 1, n) - part(places, 0, 0, n - 1), shape)
    left, right = part(steps, dim, 0, n - 2), part(steps, dim, 1, n - 1)
    a, b, c = -right / (left * (left + right)), (right - left) / (left * right), left / (right * (left + right))
    middle = a * part(self, dim, 0, n - 2) + b * part(self, dim, 1, n - 1) + c * part(self, dim, 2, n)

    ends = []
    for sign, values, (one, two) in (
        (1, [part(self, dim, place, place + 1) for place in range(min(n, 3))],
         [part(steps, dim, place, place + 1) for place in (0, min(1, n - 2))]),
        (-1, [part(self, dim, n - 1 - place, n - place) for place in range(min(n, 3))],
         [part(steps, dim, place, place + 1) for place in (n - 2, max(n - 3, 0))]),
    ):  # fmt: skip
        if order == 1:
            ends.append(sign * (values[1] - values[0]) / one)
        else:
            outer, inner = -(2 * one + two) / (one * (one + two)), (one + two) / (one * two)
            ends.append(sign * (outer * values[0] + inner * values[1] - one / (two * (one + two)) * values[2]))
    return ops.cat([ends[0], middle, ends[1]], dim)


@public("gradient", method=False)
def _gradient(self, *, spacing=1, dim=None, edge_order=1):
    """The slopes of the values of a function along each dimension, or those *dim*, as a list of tensors.

    *spacing* is how far neighbours are apart, one number for all dimensions or one for each, or a list of vectors of
    coordinates.  RuntimeError for fewer than edge_order + 1 elements.

    >>> import autograd_nb as torch
    >>> torch.gradient(torch.tensor([0., 1., 4., 9.]))
    (tensor([1., 2., 4., 5.]),)
    """
    ndim = self._array.ndim
    given = list(range(ndim)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if isinstance(spacing, (Tensor, *PYTHON_NUMBERS)):
        spacing = [spacing] * len(given)
    elif len(spacing) != len(given):
        where = f"'self.dim() = {ndim}', since dim argument was not given" if dim is None else "the dims"
        raise RuntimeError(f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
                           f"{where}, but got a list of length {len(spacing)}")
    dims = [wrap_dim(each, ndim) for each in given]
    if any(self._array.shape[each] < edge_order + 1 for each in dims):
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple((uneven if isinstance(step, Tensor) else even)(self, each, step, edge_order)
                 for each, step in zip(dims, spacing, strict=True))  # fmt: skip
