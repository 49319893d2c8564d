"""Two Jacobians of one function: from difference quotients, and from backward.

The quotient ``(f(x + eps) - f(x - eps)) / (2 eps)`` gives a row of the first for each element of an input; a backward
pass gives a column of the second for each element of an output.  The two agree if the formulas are right.

In both, ``result[i][j]`` belongs to output *i* and the input at position *j*: a tensor of shape (elements of the input,
elements of the output), or None if either does not require grad.
"""

import numpy as np

from ..engine.table import ops
from ..engine.tensor import Tensor
from .functional import jacobian_of


def as_tuple(values):
    return tuple(values) if isinstance(values, tuple | list) else (values,)


def differentiable(values):
    return tuple(value for value in as_tuple(values) if value.requires_grad)


def tensors_of(inputs):
    return [(i, x) for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]


# -- by difference quotients ----------------------------------------------------------------------------------------


def difference_quotients(func, inputs, tensor, index, eps):
    """The difference quotients of all outputs for the element of *tensor* at *index*: a flat array for each output."""
    elements = tensor.numpy(force=True)  # shares the memory; a change does not raise the version
    original = elements[index]
    nudged = []
    for step in (-eps, eps):
        try:
            elements[index] = original + step
            nudged.append([output_elements(output) for output in as_tuple(func(*inputs))])
        finally:
            elements[index] = original
    with np.errstate(all="ignore"):
        return [np.reshape((after - before) / (2 * eps), -1) for before, after in zip(*nudged, strict=True)]


def output_elements(output):
    array = np.array(output._array)
    return array if output._dtype.is_floating_point else array.astype(np.float64)


def numerical_jacobian(func, inputs, eps=1e-6):
    """Jacobians by difference quotients."""
    inputs = as_tuple(inputs)
    outputs = as_tuple(func(*inputs))
    blocks = [[None] * len(inputs) for _ in outputs]
    for position, tensor in tensors_of(inputs):
        rows = [difference_quotients(func, inputs, tensor, index, eps) for index in np.ndindex(tensor.shape)]
        for i, output in enumerate(outputs):
            block = np.reshape([row[i] for row in rows], (tensor.numel(), output.numel()))
            blocks[i][position] = ops.from_numpy(block)
    return blocks


# -- by backward -----------------------------------------------------------------------------------------------------


def analytical_jacobian(func, inputs):
    """Jacobians by backward, one pass for each element of an output."""
    inputs = as_tuple(inputs)
    return [jacobian_blocks(output, inputs) for output in as_tuple(func(*inputs))]


def jacobian_blocks(output, inputs):
    blocks, needed = [None] * len(inputs), tensors_of(inputs)
    if output.requires_grad and output.numel():
        for (place, x), rows in zip(needed, jacobian_of(output, [x for _, x in needed], False), strict=True):
            blocks[place] = rows.reshape(output.numel(), x.numel()).T
    return blocks
