"""Two Jacobians of one function: from difference quotients, and from backward.

The quotient ``(f(x + eps) - f(x - eps)) / (2 eps)`` gives a row of the first for each element of an input; a backward
pass gives a column of the second for each element of an output.  The two agree if the formulas are right.
"""

import numpy as np

from ..engine import dtypes
from ..engine.tensor import Tensor, ndarray, wrap
from .passes import grad


def as_tuple(values):
    return tuple(values) if isinstance(values, tuple | list) else (values,)


def differentiable(values):
    return tuple(value for value in as_tuple(values) if value.requires_grad)


def tensors_of(inputs):
    return [(i, x) for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]


def matrix(array):
    return wrap(array, dtypes.of_array(array))


# -- by difference quotients ----------------------------------------------------------------------------------------


def difference_quotients(func, inputs, tensor, index, eps):
    """The difference quotients of all outputs by the element of *tensor* at *index*: a flat array for each output."""
    original = np.array(tensor._array)
    nudged = []
    for step in (-eps, eps):
        changed = original.copy()
        changed[index] = original[index] + step
        try:
            put_elements(tensor, changed)
            nudged.append([output_elements(output) for output in as_tuple(func(*inputs))])
        finally:
            put_elements(tensor, original)
    with np.errstate(all="ignore"):
        return [np.reshape((after - before) / (2 * eps), -1) for before, after in zip(*nudged, strict=True)]


def put_elements(tensor, array):
    """Change elements without raising the version; tensors that share the storage change too."""
    if tensor._array.__class__ is ndarray:
        tensor._array[...] = array
    else:
        tensor._set_array(array[()])


def output_elements(output):
    array = np.array(output._array)
    return array if output._dtype.is_floating_point else array.astype(np.float64)


def numerical_jacobian(func, inputs, eps=1e-6):
    """Jacobians by difference quotients: ``result[i][j]`` for output *i* and the input at position *j*.

    A tensor of shape (elements of the input, elements of the output); None for inputs that do not require grad.
    """
    inputs = as_tuple(inputs)
    outputs = as_tuple(func(*inputs))
    by_input = [None] * len(inputs)
    for position, tensor in tensors_of(inputs):
        rows = [difference_quotients(func, inputs, tensor, index, eps) for index in np.ndindex(tensor.shape)]
        by_input[position] = [np.stack(each) for each in zip(*rows, strict=True)] or [
            np.zeros((0, output._array.size), output._dtype.numpy) for output in outputs
        ]  # without elements no input was nudged
    return [[each and matrix(each[i]) for each in by_input] for i in range(len(outputs))]


# -- by backward -----------------------------------------------------------------------------------------------------


def analytical_jacobian(func, inputs):
    """Jacobians by backward, one pass for each element of an output; laid out as by :func:`numerical_jacobian`."""
    inputs = as_tuple(inputs)
    positions = [position for position, _ in tensors_of(inputs)]
    result = []
    for output in as_tuple(func(*inputs)):
        rows = dict(zip(positions, jacobian_rows(output, inputs), strict=True)) if output.requires_grad else {}
        result.append([matrix(rows[i]) if i in rows else None for i in range(len(inputs))])
    return result


def jacobian_rows(output, inputs):
    tensors = [tensor for _, tensor in tensors_of(inputs)]
    jacobians = [np.zeros((tensor._array.size, output._array.size), tensor._dtype.numpy) for tensor in tensors]
    for column, index in enumerate(np.ndindex(output.shape)):
        one = np.zeros(output.shape, output._dtype.numpy)
        one[index] = 1
        grads = grad(output, tensors, wrap(one[()], output._dtype), retain_graph=True, allow_unused=True)
        for jacobian, each in zip(jacobians, grads, strict=True):
            if each is not None:
                jacobian[:, column] = np.reshape(each._array, -1)
    return jacobians
