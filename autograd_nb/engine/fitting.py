"""What a node that broadcasts, or mixes dtypes, does last: it brings each gradient to its input's shape and dtype."""

from functools import lru_cache

import numpy as np

from .tensor import ndarray


class Fit(tuple):
    """What the gradients of a broadcasting or type-mixing node are brought to: the shapes, one for each edge.

    A plain tuple of shapes does where there is nothing else to tell.  *dtypes* are those of the edges (None when all
    are alike), *dtype* the one in which the operation was computed, *constants* what else the node's formulas read.
    """

    dtypes = dtype = constants = None

    def cast(self, value):
        """A saved array in the dtype of the computation."""
        if isinstance(value, ndarray | np.generic) and value.dtype.kind != "b" and value.dtype != self.dtype.numpy:
            return value.astype(self.dtype.numpy)
        return value


def arguments_of(node):
    """What a node's formulas read besides tensors, in the order of the row's parameters, or None."""
    return getattr(node.arguments, "constants", None) if node.plan.fit else node.arguments


def fit_arrays(shapes, grads):
    """The gradients of a node's inputs in these shapes, and in the dtypes that a Fit names."""
    grads = [None if grad is None else fitted(grad, shape) for grad, shape in zip(grads, shapes, strict=True)]
    wanted = getattr(shapes, "dtypes", None)
    if wanted is None:
        return grads
    return [None if grad is None else grad.astype(each.numpy) for grad, each in zip(grads, wanted, strict=True)]


def fit_tensors(shapes, grads):
    """The same for gradients that are tensors, as operations that are recorded."""
    wanted = getattr(shapes, "dtypes", None) or [None] * len(shapes)
    fitting = []
    for grad, shape, each in zip(grads, shapes, wanted, strict=True):
        if grad is not None:
            grad = fitted_tensor(grad, shape)
            if each is not None:
                grad = grad.to(each)
        fitting.append(grad)
    return fitting


@lru_cache(64)
def ones(length, dtype):
    """A vector of ones: its product with a matrix adds up rows or columns three times as fast as a reduction."""
    return np.ones(length, dtype)


def sum_to(grad, shape):
    """*grad* summed over the dimensions that broadcasting added or stretched."""
    full = grad.shape
    if len(full) == 2 and full[1:] == shape and grad.itemsize > 2:
        return ones(full[0], grad.dtype).dot(grad)  # what the bias of a layer needs
    lead = len(full) - len(shape)
    axes = (*range(lead), *(lead + i for i, length in enumerate(shape) if length == 1 != full[lead + i]))
    return np.add.reduce(grad, axis=axes or None, keepdims=True).reshape(shape)[()]


def fitted(grad, shape):
    """*grad* summed to *shape* unless it has it."""
    return grad if grad.shape == shape else sum_to(grad, shape)


def fitted_tensor(grad, shape):
    """The same for a gradient that is a tensor."""
    return grad if grad._array.shape == shape else grad.sum_to_size(shape)


def repeated(one, shape):
    """An array of one element seen as many in *shape*: what is made of it costs next to nothing within a walk."""
    if one.__class__ is not ndarray:
        return one
    one.flags.writeable = False  # by which written_out() knows it from what PyTorch leaves so
    return np.broadcast_to(one, shape)


def written_out(grad):
    """A gradient as it leaves the walk, each of its elements in a place of its own if it was *repeated*."""
    base = grad.base
    single = base is not None and base.size == 1 < grad.size and not base.flags.writeable
    return np.array(grad, order="C") if single else grad


def fit_array(grad, shape, dtype):
    """*grad* in this shape and dtype."""
    grad = fitted(grad, shape)
    return grad if grad.dtype == dtype.numpy else grad.astype(dtype.numpy)
