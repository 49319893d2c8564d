"""The functions that derivative formulas call, on arrays.

When ``grad * cos(self)`` runs on arrays, ``cos`` is the function of this module.  When it runs on tensors
(create_graph), ``cos`` is the operation of that name, so every name here also has a meaning for tensors.
The forwards of rows, which formulas may call too, are beside their rows.  So is a long formula, unless it calls a
function whose name means the public one there.
"""

import math
import operator

import numpy as np

from ..engine import dtypes
from ..engine.dtypes import BY_NUMPY
from ..engine.table import ops, parts, scalar, tensor_names
from ..engine.tensor import wrap
from ..engine.vjp import ones, sum_to
from .checks import wrap_dim, wrap_dims

exp, log, sin, cos, tanh, sqrt = np.exp, np.log, np.sin, np.cos, np.tanh, np.sqrt
log1p, sinh, cosh, isnan = np.log1p, np.sinh, np.cosh, np.isnan
logical_and, logical_or, absolute = np.logical_and, np.logical_or, np.abs
flip, reshape, cat, stack = np.flip, np.reshape, np.concatenate, np.stack
math_nan, math_inf = math.nan, math.inf
create_graph = False  # True on tensors: PyTorch has other formulas for some gradients that are differentiated again


def both(function):
    """Decorate a helper of formulas, itself written as a formula, so that it runs on arrays and on tensors."""
    parts[function.__name__] = function
    return function


@both
def weighted(self, weight):
    """*self* times the weights, if there are any."""
    return self if weight is None else self * weight


def where(condition, self, other):
    return np.where(condition, self, other)[()]


def zeros_of(self, shape):
    """Zeros of *shape* in the dtype of this array."""
    return np.zeros(shape, self.dtype)[()]


def zeros_like(self):
    return self.dtype.type(0) if self.__class__ is not np.ndarray else np.zeros(self.shape, self.dtype)


def sign(self):
    """-1, 0 or 1; 0 for nan."""
    return self if self.dtype == bool else (self > 0).astype(self.dtype) - (self < 0).astype(self.dtype)


sgn = sign


def ones_like(self):
    return np.ones(self.shape, self.dtype)


def t(self):
    return self.T


def transpose(self, dim0, dim1):
    return self.swapaxes(dim0, dim1)


def ger(self, vec2):
    return self[:, None] * vec2


def multiplied(self, other):
    """The product of arrays; of float16 in float32, since NumPy would round every partial sum."""
    if self.ndim < 3 and self.itemsize > 2:
        return self.dot(other) if self.size < LARGE else self @ other  # `dot` is a quicker call but writes zeros first
    if self.dtype == np.float16:
        return np.matmul(self.astype(np.float32), other.astype(np.float32)).astype(np.float16)
    return np.matmul(self, other)


@both
def times(self, factor):
    """self * factor, or self itself if the factor is 1."""
    return self if factor == 1 else self * factor


def narrow(self, dim, start, length):
    return self[(slice(None),) * dim + (slice(start, start + length),)]


def add_at(self, dim, index, source):
    """A copy with *source* added at the places *index* along *dim*."""
    if not self.shape:
        return self + source
    total = self.copy()
    places = list(np.indices(index.shape, sparse=True))
    places[dim] = index
    np.add.at(total, tuple(places), source)
    return total


def placed(self, dim, indices, sizes):
    """Zeros of shape *sizes* with each element at its index in *indices* along *dim*."""
    return add_at(np.zeros(sizes, self.dtype), dim, indices, self) if sizes else self


def number_of_zeros(self):
    return self.size - np.count_nonzero(self)


def counted(mask, dim, grad):
    """The number of true elements of *mask* along *dim* (if empty, of all), in the dtype of *grad*, to divide it."""
    return np.add.reduce(mask, axis=wrap_dims(dim, mask.ndim) if dim and mask.ndim else None, keepdims=True,
                         dtype=grad.dtype)


def masked_fill(self, mask, value):
    return np.where(mask, self.dtype.type(value), self)[()]


def reciprocal(self):
    return 1 / self


def rsqrt(self):
    return 1 / np.sqrt(self)


def sigmoid(self):
    return 1 / (1 + np.exp(-self))


def erf(self):
    """The error function, which NumPy lacks: ``math.erf`` of each element."""
    if self.__class__ is not np.ndarray:
        return self.dtype.type(math.erf(self))
    result = np.empty_like(self)  # with the memory layout of self
    result[...] = np.fromiter(map(math.erf, self.ravel().tolist()), np.float64, self.size).reshape(self.shape)
    return result


def log_of(number):
    """The logarithm of a Python number: -inf for 0 and nan for negative ones, as IEEE 754 has it."""
    return math.log(number) if number > 0 else -math.inf if number == 0 else math.nan


SPECIAL_POWERS = {  # computed as PyTorch computes them
    1: operator.pos, 2: lambda self: self * self, 3: lambda self: self * self * self, 0.5: np.sqrt, -0.5: rsqrt,
    -1: lambda self: 1 / self, -2: lambda self: 1 / (self * self),
}  # fmt: skip


def power(self, exponent):
    """An array to the power of a number."""
    special = SPECIAL_POWERS.get(exponent)
    if exponent.__class__ is np.bool_ and self.dtype.kind == "b":  # NumPy has no power of bools
        return self if exponent else np.ones_like(self)
    return self**exponent if special is None else special(self)


def pow_slope(self, exponent):
    """exponent * self ** (exponent - 1); NumPy multiplies an array by a 0-d array faster than by a Python number."""
    number = BY_NUMPY[self.dtype].numbers[exponent] if self.__class__ is np.ndarray else exponent
    return number * (self if exponent == 2 else power(self, exponent - 1))


def xlogy(self, other):
    """self * log(other) on arrays, 0 wherever *self* is 0."""
    other = np.asarray(other, self.dtype)[()]
    return where(np.isnan(other), np.nan, where(self == 0, 0, self * np.log(other)))


@both
def inverse_square(self, other):
    """1 / (self² + other²), and 0 where both are 0."""
    squares = self * self + other * other
    return masked_fill(reciprocal(squares), squares == 0, 0)


@both
def xlogy_slope(grad, self, other):
    """The gradient of the first of two tensors: that of the output times log(other)."""
    return masked_fill(xlogy(grad, other), logical_and(self == 0, other <= 0), 0)


def own_number(value):
    """A number that a formula computed; on tensors it is marked as the formula's own."""
    return value


def cast(array, dtype, copy=False):
    """*array* (or NumPy scalar) in *dtype*; from double to half by way of float, as in PyTorch."""
    if array.dtype == dtype.numpy:
        return array.copy() if copy else array
    with np.errstate(all="ignore"):
        return rounded(array, dtype)


def rounded(array, dtype):
    """The same, for callers that have turned off NumPy's warnings."""
    if dtype is dtypes.float16 and array.dtype == np.float64:
        array = array.astype(np.float32)
    return array.astype(dtype.numpy, copy=False)


def as_type(self, dtype):
    return self if dtype is None else self.astype(dtype.numpy, copy=False)


def expand(self, sizes):
    """A view of *sizes*, whose repeated elements share memory: as in PyTorch, nobody may change it in place."""
    if self.shape == sizes:
        return self
    self = np.asarray(self)
    lead = len(sizes) - self.ndim
    dims = zip(self.strides, self.shape, sizes[lead:], strict=True)
    steps = [0] * lead + [step if length == wanted else 0 for step, length, wanted in dims]
    if self.flags.forc:  # then this is ten times as fast
        return np.ndarray(sizes, self.dtype, self, 0, steps)
    return np.lib.stride_tricks.as_strided(self, sizes, steps)


LARGE = 16384  # with more elements than this, `dot` is slower than `matmul`


def unsqueeze(self, dim):
    return self[(slice(None),) * dim + (None, ...)]


@both
def restored(self, dim, keepdim, sizes):
    """The gradient of a reduction of *sizes* with the dimensions *dim* put back as length 1; for all: as it is."""
    if keepdim or not sizes or dim is None or dim == ():
        return self
    for axis in sorted(wrap_dims(dim, len(sizes))):
        self = unsqueeze(self, axis)
    return self


def inverse_order(dims):
    """The order of dimensions that undoes a permutation."""
    wrapped = wrap_dims(dims, len(dims))
    return tuple(wrapped.index(dim) for dim in range(len(dims)))


@both
def unsqueezed(grad, dim, sizes):
    """The gradient of a squeeze of *dim* (None: of all), with the removed dimensions put back."""
    for axis in sorted(wrap_dims(range(len(sizes)) if dim is None else dim, len(sizes))):
        grad = unsqueeze(grad, axis) if sizes and sizes[axis] == 1 else grad
    return grad


@both
def opposite(shifts):
    """The shifts that undo *shifts*."""
    return tuple(-shift for shift in shifts)


# -- sums over dimensions -------------------------------------------------------------------------------------------

PRECISE_FROM = 33  # NumPy may add terms one by one, so sums of at least this many are computed more precisely


def axes_of(dim, ndim):
    """NumPy's axes for a *dim* that may be None, an int or a sequence; None or an empty one means all."""
    if dim is None or dim.__class__ in (tuple, list) and not dim:
        return None
    axes = wrap_dims(dim, ndim)
    return axes if ndim else ()


def reduced_size(shape, dim):
    """How many elements of a tensor of *shape* are reduced to one."""
    axes = axes_of(dim, len(shape))
    return math.prod(shape if axes is None else [shape[axis] for axis in axes])


def total(self, axes=None, keepdim=False):
    """The sum over NumPy axes, in the tensor's own dtype, with no more rounding error than a pairwise sum."""
    precise = axes and self.dtype.char in "fd"
    if precise and math.prod([self.shape[axis] for axis in axes]) >= PRECISE_FROM:
        if self.dtype.char == "f":
            return np.add.reduce(self, axis=axes, keepdims=keepdim, dtype=np.float64).astype(self.dtype)
        kept = [axis for axis in range(self.ndim) if axis not in axes]  # NumPy sums pairwise along the last dimension
        rows = self.transpose(*kept, *axes).reshape(*(self.shape[axis] for axis in kept), -1)
        result = np.add.reduce(np.ascontiguousarray(rows), axis=-1)
        return np.expand_dims(result, axes) if keepdim else result
    if precise and self.ndim == 2 and len(axes) == 1:  # ten times as fast as reducing short rows
        terms = ones(self.shape[axes[0]], self.dtype)
        sums = self.dot(terms) if axes[0] else terms.dot(self)  # as sum_to adds up a gradient, to the last bit
        return (sums[:, None] if axes[0] else sums[None]) if keepdim else sums
    return np.add.reduce(self, axis=axes, keepdims=keepdim, dtype=self.dtype)


def in_rows(result, self):
    """The *result* of a reduction of *self*, row-major whatever the layout of *self*, as in PyTorch."""
    return result if self.flags.c_contiguous or result.__class__ is not np.ndarray else result.copy()


def sum(self, dim=None, keepdim=False):
    return total(self, axes_of(dim, self.ndim), keepdim)


def mean(self, dim=None, keepdim=False):
    return total(self, axes_of(dim, self.ndim), keepdim) / self.dtype.type(reduced_size(self.shape, dim))


def mean_over(self, dims):
    return np.add.reduce(self, dims, keepdims=True) / math.prod(self.shape[dim] for dim in dims)


def last_dims(normalized_shape):
    return tuple(range(-len(normalized_shape), 0))


def all_but_channels(ndim):
    return (0, *range(2, ndim))


def of_channels(values, ndim):
    """A number for each channel, in a shape that broadcasts over the others; None stays None."""
    return None if values is None else values.reshape((-1,) + (1,) * (ndim - 2))


def sum_to_size(self, size):
    """An array summed over the dimensions that broadcasting to its shape from *size* added or stretched."""
    return self if self.shape == tuple(size) else sum_to(self, tuple(size))


@both
def summed(grad, self_sym_sizes):
    """The gradient of a tensor of these sizes that was expanded."""
    return sum_to_size(grad, self_sym_sizes)


def shared_out(grad, sizes):
    """The gradient of a mean for each of its terms."""
    return full(grad / math.prod(sizes), sizes)


def full(number, sizes):
    """An array of *sizes* with this number everywhere, in memory of its own."""
    filled = np.empty(sizes, number.dtype)
    filled.fill(number)
    return filled[()]


# -- cumulative sums and products; variances ----------------------------------------------------------------------


def accumulated(ufunc, self, dim):
    if not self.shape:
        return self
    wide = np.float64 if self.dtype.kind == "f" else self.dtype
    return ufunc.accumulate(self, axis=dim, dtype=wide).astype(self.dtype, order="C")


def cumsum(self, dim):
    return accumulated(np.add, self, dim)


def cumprod(self, dim):
    return accumulated(np.multiply, self, dim)


def prod(self, dim, keepdim):
    return np.multiply.reduce(self, dim, keepdims=keepdim)


@both
def sums_from_here(self, dim):
    """For each element the sum of itself and all after it along *dim*: the reversed cumsum."""
    alone = not self.shape or self.shape[dim] == 1 or 0 in self.shape
    return self if alone else flip(cumsum(flip(self, (dim,)), dim), (dim,))


@both
def cumprod_backward(grad, self, dim, result):
    """The gradient of cumprod, also where elements are zero."""
    dim = wrap_dim(dim, len(self.shape))
    if not self.shape or self.shape[dim] == 1:
        return grad
    if not number_of_zeros(self):
        return sums_from_here(result * grad, dim) / self
    if not create_graph:
        return cumprod_backward_with_zeros(grad, self, dim, result)
    parts, length = [], self.shape[dim]
    for place in range(length):  # for each element: the products that contain it, with it left out
        before = prod(narrow(self, dim, 0, place), dim, True)
        after = before * cumprod(narrow(self, dim, place + 1, length - place - 1), dim)
        parts.append(sum(narrow(grad, dim, place, length - place) * cat([before, after], dim), dim, True))
    return cat(parts, dim)


def cumprod_backward_with_zeros(grad, self, dim, result):
    """The same in one go: a product with one zero gives a gradient to that zero only, one with two zeros to none."""
    zeros = np.cumsum(self == 0, dim)  # up to and including each element
    first = (self == 0) & (zeros == 1)
    before = sums_from_here(np.where(zeros == 0, result * grad, 0), dim) / self
    from_first = cumprod(np.where((zeros == 1) & ~first, self, 1), dim) * np.where(zeros == 1, grad, 0)
    product_before = np.multiply.reduce(self, dim, keepdims=True, where=zeros == 0)
    at_first = np.add.reduce(from_first, dim, keepdims=True) * product_before
    return np.where(zeros == 0, before, np.where(first, at_first, 0)).astype(self.dtype)


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
    if zeros > 1 and not create_graph:
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


@both
def var_backward(grad, self, dim, correction, keepdim):
    """The gradient of a variance: twice the distance from the mean, over the degrees of freedom."""
    freedom = reduced_size(self.shape, dim) - (1 if correction is None else correction)
    grad = restored(grad, dim, keepdim, self.shape) if len(self.shape) > 1 else grad
    centre = mean(self) if dim is None else mean(self, dim, True)
    if freedom <= 0:
        return where(self == centre, grad * math_nan, grad * math_inf)
    return own_number(2.0 / freedom) * grad * (self - centre)


def std_backward(grad, self, dim, correction, keepdim, result):
    """The gradient of a standard deviation, by way of the variance; zero where the deviation is zero."""
    return var_backward(masked_fill(grad / (result * 2), result == 0, 0), self, dim, correction, keepdim)


# -- parts, chosen elements ----------------------------------------------------------------------------------------


def unbound(self, dim):
    return list(np.moveaxis(self, dim, 0))


@both
def complete(grads, shapes):
    """The gradients of parts of these shapes, zeros where one is missing."""
    some = [grad for grad in grads if grad is not None][0]
    grads = [*grads, *[None] * (len(shapes) - len(grads))]
    return [zeros_of(some, shape) if grad is None else grad for grad, shape in zip(grads, shapes, strict=True)]


@both
def joined(grads, shape, dim, sizes):
    """The gradients of parts of these sizes joined again."""
    dim = dim % len(shape)
    return cat(complete(grads, [(*shape[:dim], size, *shape[dim + 1 :]) for size in sizes]), dim)


@both
def stacked(grads, shape, dim):
    """The gradients of slices stacked again."""
    dim = dim % len(shape)
    return stack(complete(grads, [(*shape[:dim], *shape[dim + 1 :])] * shape[dim]), dim)


@both
def equal_sizes(length, size):
    """The sizes of the parts when *length* is split by *size*; the last may be smaller."""
    return [size] * (length // size) + [length % size] * (length % size > 0) if length else [0]


@both
def clamp_backward(grad, self, min, max):
    """The gradient passes where the element was within the bounds, the bounds included."""
    if min is None:
        return where(self <= max, grad, 0)
    if max is None:
        return where(self >= min, grad, 0)
    return where(logical_and(self >= min, self <= max), grad, 0)


def to_the_larger(grad, self, other):
    return masked_fill(where(self == other, grad / 2, grad), self < other, 0)


def to_the_smaller(grad, self, other):
    return masked_fill(where(self == other, grad / 2, grad), self > other, 0)


@both
def where_true(grad, condition):
    """The gradient of the values chosen where the condition is true."""
    return where(condition, grad, 0)


@both
def where_false(grad, condition):
    """The gradient of the values chosen where the condition is false."""
    return where(condition, 0, grad)


@both
def where_unmasked(grad, mask):
    """The gradient of the values kept where the mask is false."""
    return masked_fill(grad, mask, 0)


tensor_names.update(
    log_of=lambda number: scalar(log_of(number)), own_number=scalar, math_nan=math_nan,
    math_inf=math_inf, create_graph=True, wrap_dim=wrap_dim, wrap_dims=wrap_dims, reduced_size=reduced_size,
    last_dims=last_dims, inverse_order=inverse_order, all_but_channels=all_but_channels, of_channels=of_channels,
    number_of_zeros=lambda self: number_of_zeros(self._array),
    counted=lambda mask, dim, grad: mask.sum(dim or None, True),
    as_type=lambda self, dtype: self if dtype is None else self.to(dtype),
    pow_slope=lambda self, exponent: exponent * self ** (exponent - 1),
    mean_over=lambda self, dims: self.mean(dims, True),
    shared_out=lambda grad, sizes: ops.expand(grad, sizes) / scalar(math.prod(sizes)),
    unbound=lambda self, dim: [ops.select(self, dim, place) for place in range(self._array.shape[dim])],
    placed=lambda self, dim, indices, sizes: ops.scatter(
        wrap(np.zeros(sizes, self._array.dtype)[()], self._dtype), dim, indices, self),
)  # fmt: skip
