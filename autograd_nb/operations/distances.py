"""Distances between tensors and between points, and slices kept within a distance from zero."""

import math

import numpy as np

from ..engine.dispatch import operation
from ..engine.formulas import tensor_names
from ..engine.inplace import publish_in_place
from ..engine.table import composite, ops
from .axes import sum
from .carriers import both, where
from .checks import wrap_dim
from .norms import linalg_vector_norm, vector_norm_backward
from .products import transpose


@both
def distance_backward(grad, difference, p, result):
    """The gradient of a norm of a difference."""
    if p == 0:
        return difference * 0
    return vector_norm_backward(grad, difference, p, result, (), False)


@operation("dist", promoted=("self", "other"), broadcasts=True,
           self=lambda grad, self, other, p, result: distance_backward(grad, self - other, p, result),
           other=lambda grad, self, other, p, result: -distance_backward(grad, self - other, p, result))  # fmt: skip
def dist(self, other, p=2):
    """The *p*-norm of the difference of two tensors.

    >>> import autograd_nb as torch
    >>> torch.dist(torch.tensor([3., 0.]), torch.tensor([0., 4.]))
    tensor(5.)
    """
    return norm_along(np.asarray(self - other).reshape(-1), p, -1)


def norm_along(difference, p, axis):
    size = np.abs(difference.astype(np.float64, copy=False))
    if p == 0:
        found = np.count_nonzero(size, axis=axis)
    elif p == math.inf:
        found = np.maximum.reduce(size, axis=axis, initial=0)
    elif p == 1:
        found = np.add.reduce(size, axis=axis)
    elif p == 2:
        found = np.sqrt(np.add.reduce(size * size, axis=axis))
    else:
        found = np.add.reduce(size**p, axis=axis) ** (1 / p)
    return np.asarray(found, difference.dtype)[()]


@operation("cdist_row", method=False, function=False, node_name="CdistBackward0", no_forward="_cdist_forward",
           x1=lambda grad, x1, x2, p, result: cdist_backward(grad, x1, x2, p, result),
           x2=lambda grad, x1, x2, p, result:
           cdist_backward(transpose(grad, -2, -1), x2, x1, p, transpose(result, -2, -1)))  # fmt: skip
def cdist_row(x1, x2, p):
    """The distance of each point of one list from each of another."""
    return norm_along(x1[..., :, None, :] - x2[..., None, :, :], p, -1)


def not_implemented(name):
    """What a formula does where PyTorch has none."""
    raise RuntimeError(f"the derivative for '{name}' is not implemented.")


tensor_names["not_implemented"] = not_implemented

operation_of_points = operation(
    "cdist_backward", method=False, function=False, node_name="NotImplemented",
    **{name: lambda grad: not_implemented("_cdist_backward") for name in ("grad_output", "x1", "x2", "result")},
)  # fmt: skip


@operation_of_points
def cdist_backward(grad_output, x1, x2, p, result):
    """The gradient of the first list of points; PyTorch has no derivative of it."""
    difference = x1[..., :, None, :] - x2[..., None, :, :]
    grad_output, distance = grad_output[..., None], result[..., None]
    if p == 0:
        return np.zeros_like(x1)
    if p == 1:
        each = np.sign(difference)
    elif p == math.inf:
        each = np.sign(difference) * (np.abs(difference) == distance)
    else:
        each = np.sign(difference) * np.abs(difference) ** (p - 1) / distance ** (p - 1)
        each = np.where(distance == 0, 0, each)
    return np.add.reduce(grad_output * each, axis=-2).astype(x1.dtype)


@composite("cdist", method=False)
def _cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The *p*-norm distances of each row of *x1* from each row of *x2*.

    RuntimeError when the rows differ in length.

    >>> import autograd_nb as torch
    >>> torch.cdist(torch.tensor([[0., 0.]]), torch.tensor([[3., 4.], [0., 1.]]))
    tensor([[5., 1.]])
    """
    for number, each in ((1, x1), (2, x2)):
        if not each._dtype.is_floating_point:
            raise RuntimeError(f"cdist only supports floating-point dtypes, X{number} got: {each._dtype.legacy_name}")
        if each._array.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{number} got: {each._array.ndim}D")
    if x1._array.shape[-1] != x2._array.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1._array.shape[-1]} X2: "
                           f"{x2._array.shape[-1]}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    batch = np.broadcast_shapes(x1._array.shape[:-2], x2._array.shape[:-2])
    points = [x if x._array.shape[:-2] == batch else ops.expand(x, (*batch, *x._array.shape[-2:])) for x in (x1, x2)]
    return ops.cdist_row(*points, float(p))


# -- rows kept short -------------------------------------------------------------------------------------------------


@operation("renorm", self=lambda grad, self, p, dim, maxnorm: renorm_backward(grad, self, p, dim, maxnorm))
def renorm(self, p, dim, maxnorm):
    """Each slice along *dim* shortened to the *p*-norm *maxnorm* if it is longer.

    RuntimeError for a negative *maxnorm* or a *p* that is not positive.

    >>> import autograd_nb as torch
    >>> torch.renorm(torch.tensor([[3., 4.], [0., 1.]]), 2, 0, 1.)
    tensor([[0.6000, 0.8000],
            [0.0000, 1.0000]])
    """
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if self.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {self.ndim} dimensions")
    dim = wrap_dim(dim, self.ndim)
    norm = np.add.reduce(np.abs(self) ** p, axis=other_dims(self.shape, dim), keepdims=True) ** (1 / p)
    return (self * np.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1)).astype(self.dtype, order="C")


def other_dims(shape, dim):
    """All dimensions but *dim*."""
    return tuple(i for i in range(len(shape)) if i != dim % len(shape))


tensor_names["other_dims"] = other_dims


@both
def renorm_backward(grad, self, p, dim, maxnorm):
    """The gradient of slices that were shortened, and of those that were not."""
    rest = other_dims(self.shape, dim)
    norm = linalg_vector_norm(self, p, rest, True, None, None)
    scale = maxnorm / (norm + 1e-7)
    turned = sum(grad * self, rest, True) * scale / (norm + 1e-7)
    turned = scale * grad - vector_norm_backward(turned, self, p, norm, rest, True)
    return where(norm > maxnorm, turned, grad)


publish_in_place("renorm")
