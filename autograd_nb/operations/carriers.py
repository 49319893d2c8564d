"""The functions that derivative formulas call, on arrays.

When ``grad * cos(self)`` runs on arrays, ``cos`` is the function of this module.  When it runs on tensors
(create_graph), ``cos`` is the operation of that name, so every name here also has a meaning for tensors.
A function that is more than a NumPy call is defined here, or beside its row, whose forward it is.
"""

import math

import numpy as np

from ..engine.table import on_tensors, scalar, tensor_names
from ..engine.vjp import ones
from .checks import wrap_dim, wrap_dims

exp, log, sin, cos, tanh, sqrt = np.exp, np.log, np.sin, np.cos, np.tanh, np.sqrt
log1p, sinh, cosh, isnan = np.log1p, np.sinh, np.cosh, np.isnan
logical_and, logical_or, absolute = np.logical_and, np.logical_or, np.abs
flip, reshape, cat = np.flip, np.reshape, np.concatenate
math_nan, math_inf = math.nan, math.inf


def both(function):
    """Decorate a helper of formulas, itself written as a formula, so that it runs on arrays and on tensors."""
    tensor_names[function.__name__] = on_tensors(function)
    return function


@both
def weighted(self, weight):
    """*self* times the weights, if there are any."""
    return self if weight is None else self * weight


def where(condition, self, other):
    return np.where(condition, self, other)[()]


def zeros_like(self):
    return self.dtype.type(0) if self.__class__ is not np.ndarray else np.zeros(self.shape, self.dtype)


def sign(self):
    """-1, 0 or 1; 0 for nan."""
    return self if self.dtype == bool else (self > 0).astype(self.dtype) - (self < 0).astype(self.dtype)


sgn = sign


def ones_like(self):
    return self.dtype.type(1) if self.__class__ is not np.ndarray else np.ones(self.shape, self.dtype)


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


def number_of_zeros(self):
    return self.size - np.count_nonzero(self)


def counted(mask, dim, grad):
    """How many elements of *mask* are true along *dim* (an empty one: in all), in the dtype of *grad*, to divide it."""
    return np.add.reduce(mask, axis=wrap_dims(dim, mask.ndim) if dim and mask.ndim else None, keepdims=True,
                         dtype=grad.dtype)


def masked_fill(self, mask, value):
    return np.where(mask, self.dtype.type(value), self)[()]


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


def own_number(value):
    """A number that a formula computed; on tensors it is marked as the formula's own."""
    return value


def as_type(self, dtype):
    return self if dtype is None else self.astype(dtype.numpy, copy=False)


def expand(self, sizes):
    shape = self.shape
    if shape == sizes:
        return self
    if math.prod(sizes) > LARGE:
        return np.broadcast_to(self, sizes)
    filled = np.empty(sizes, self.dtype)
    if shape:
        filled[...] = self
    else:
        filled.fill(self)  # in half the time
    return filled


LARGE = 16384  # with more elements than this, a broadcast view is cheaper than a filled array


def restored(self, dim, keepdim, sizes):
    """The gradient of a reduction of *sizes* with the dimensions *dim* put back as length 1; no *dim* means all."""
    if keepdim or not sizes:
        return self
    dims = wrap_dims(dim, len(sizes)) or range(len(sizes))
    return self.reshape([1 if i in dims else length for i, length in enumerate(sizes)])


def restored_tensor(self, dim, keepdim, sizes):
    if keepdim or not sizes or dim is None or dim == ():
        return self
    if isinstance(dim, int) or len(dim) == 1:
        return self.unsqueeze(dim if isinstance(dim, int) else dim[0])
    for axis in sorted(wrap_dims(dim, len(sizes))):
        self = self.unsqueeze(axis)
    return self


# -- sums over dimensions -------------------------------------------------------------------------------------------

PRECISE_FROM = 32  # NumPy may add terms one by one, so sums of at least this many are computed more precisely


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
    if precise and self.ndim == 2 and axes == (1,):  # ten times as fast as reducing short rows
        sums = self.dot(ones(self.shape[1], self.dtype))
        return sums[:, None] if keepdim else sums
    return np.add.reduce(self, axis=axes, keepdims=keepdim, dtype=self.dtype)


def in_rows(result, self):
    """The *result* of a reduction of *self*, row-major whatever the layout of *self*, as in PyTorch."""
    return result if self.flags.c_contiguous or result.__class__ is not np.ndarray else result.copy()


def sum(self, dim=None, keepdim=False):
    return total(self, axes_of(dim, self.ndim), keepdim)


tensor_names.update(
    log_of=lambda number: scalar(log_of(number)), own_number=scalar, restored=restored_tensor, math_nan=math_nan,
    math_inf=math_inf, wrap_dim=wrap_dim, reduced_size=reduced_size,
    number_of_zeros=lambda self: number_of_zeros(self._array),
    counted=lambda mask, dim, grad: mask.sum(dim or None, True),
    as_type=lambda self, dtype: self if dtype is None else self.to(dtype),
)  # fmt: skip
