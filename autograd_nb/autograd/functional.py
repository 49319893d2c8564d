"""``torch.autograd.functional``: derivatives of functions, rather than of a graph that has been recorded.

Each calls the function on new tensors in place of the inputs and runs backward through that graph: once for a product
with a vector, once for each element of the output for a whole Jacobian.  The products J @ v and H @ v (jvp, hvp) take
two passes: the first is linear in the gradient that it receives, so a pass back through it computes the transpose.
"""

import numpy as np

from ..engine.modes import enable_grad, set_grad_enabled, state
from ..engine.table import ops
from ..engine.tensor import Tensor, wrap
from ..torch_api.absent import absent_from
from .passes import grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

MISSING_VECTOR = "The vector v can only be None if {} a single Tensor with a single element."
INPUT_NOT_SINGLE = MISSING_VECTOR.format("the input to the user-provided function is")
OUTPUT_NOT_SINGLE = MISSING_VECTOR.format("the user-provided function returns")


# -- what all of them do ---------------------------------------------------------------------------------------------


def as_tensors(values, what, name):
    """Whether a tuple was given, and the tensors as a tuple; TypeError for anything else."""
    several = isinstance(values, tuple)
    tensors = values if several else (values,)
    for index, each in enumerate(tensors):
        if not isinstance(each, Tensor):
            which = f"value at index {index}" if several else f"given {what}"
            raise TypeError(f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the "
                            f"{which} has type {type(each)}.")
    return several, tensors


def separate(tensors, create_graph, requires_grad=True):
    """New tensors in place of those given, so that tensors which the function itself captures are not its inputs."""
    return tuple([
        ops.view_as(each, each) if create_graph and each.requires_grad else each.detach().requires_grad_(requires_grad)
        for each in tensors
    ])  # fmt: skip


def evaluated(func, inputs, name, create_graph):
    several_inputs, inputs = as_tensors(inputs, "inputs", name)
    inputs = separate(inputs, create_graph)
    several_outputs, outputs = as_tensors(func(*inputs), "outputs of the user-provided function", name)
    return several_inputs, inputs, several_outputs, outputs


def vector(v, like, several, name, create_graph, missing):
    """The vector of a product, in the shapes of *like*; None stands for 1 if *like* has a single element."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(missing)
        return (None,)
    tensors = separate(as_tensors(v, "v", name)[1], create_graph, requires_grad=False)
    if len(tensors) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(tensors)}." if several
                           else "The given v should contain a single Tensor.")
    for index, (each, other) in enumerate(zip(tensors, like, strict=True)):
        if each.shape != other.shape:
            entry = f"Entry {index} in " if several else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {other.shape} but got {each.shape}.")
    return tensors


def gradients(outputs, inputs, vectors, create_graph, retain_graph=None):
    """The gradients of the outputs that require grad; None for inputs that none of them depends on."""
    pairs = [(out, v) for out, v in zip(outputs, vectors, strict=True) if out is not None and out.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    outputs, vectors = zip(*pairs, strict=True)
    return grad(outputs, inputs, vectors, retain_graph, create_graph, allow_unused=True)


def zeros_like(tensor, requires_grad=False):
    zeros = wrap(np.zeros(tensor.shape, tensor._dtype.numpy)[()], tensor._dtype)
    return zeros.requires_grad_() if requires_grad else zeros


def product(outputs, inputs, vectors, create_graph):
    with set_grad_enabled(create_graph or state.grad_enabled):
        grads = gradients(outputs, inputs, vectors, create_graph)
    return tuple(zeros_like(input) if each is None else each for each, input in zip(grads, inputs, strict=True))


def given_back(tensors, several, create_graph):
    """The results for the caller: detached unless *create_graph*, and a tuple only if *several*."""
    if not create_graph:
        tensors = tuple(each.detach() for each in tensors)
    return tensors if several else tensors[0]


# -- products with a vector ------------------------------------------------------------------------------------------


def vjp(func, inputs, v=None, create_graph=False):
    """The output of ``func(*inputs)`` and the vector-Jacobian product with *v*, which has the output's shape.

    >>> import autograd_nb as torch
    >>> torch.autograd.functional.vjp(lambda x: x * x, torch.tensor([1., 2.]), torch.tensor([1., 10.]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        several_inputs, inputs, several, outputs = evaluated(func, inputs, "vjp", create_graph)
        v = vector(v, outputs, several, "vjp", create_graph, OUTPUT_NOT_SINGLE)
    products = product(outputs, inputs, v, create_graph)
    return given_back(outputs, several, create_graph), given_back(products, several_inputs, create_graph)


def jvp(func, inputs, v=None, create_graph=False):
    """The output of ``func(*inputs)`` and the Jacobian-vector product with *v*, which has the inputs' shape.

    >>> import autograd_nb as torch
    >>> torch.autograd.functional.jvp(lambda x: x * x, torch.tensor([1., 2.]), torch.tensor([1., 10.]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        several_inputs, tensors = as_tensors(inputs, "inputs", "jvp")
        v = vector(v, tensors, several_inputs, "jvp", create_graph, INPUT_NOT_SINGLE)
        _, inputs, several, outputs = evaluated(func, inputs, "jvp", create_graph)
        weights = tuple(zeros_like(out, requires_grad=True) for out in outputs)
        slope = gradients(outputs, inputs, weights, create_graph=True)
    products = product(slope, weights, v, create_graph)
    return given_back(outputs, several, create_graph), given_back(products, several, create_graph)


def vhp(func, inputs, v=None, create_graph=False):
    """The output of ``func(*inputs)``, a single element, and the vector-Hessian product with *v*.

    >>> import autograd_nb as torch
    >>> torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]), torch.tensor([1., 10.]))
    (tensor(9.), tensor([  6., 120.]))
    """
    return hessian_product(func, inputs, v, "vhp", create_graph)


def hvp(func, inputs, v=None, create_graph=False):
    """The output and the Hessian-vector product with *v*: equal to that of :func:`vhp`, which needs one pass less."""
    return hessian_product(func, inputs, v, "hvp", create_graph)


def hessian_product(func, inputs, v, name, create_graph):
    with enable_grad():
        several_inputs, tensors = as_tensors(inputs, "inputs", name)
        v = vector(v, tensors, several_inputs, name, create_graph, INPUT_NOT_SINGLE)
        _, inputs, several, outputs = evaluated(func, inputs, name, create_graph)
        check_single(outputs, several, name)
        slope, ends = gradients(outputs, inputs, (None,), create_graph=True), inputs
        if name == "hvp":
            ends = tuple(zeros_like(each, requires_grad=True) for each in inputs)
            slope = gradients(slope, inputs, ends, create_graph=True)
    products = product(slope, ends, v, create_graph)
    return given_back(outputs, False, create_graph), given_back(products, several_inputs, create_graph)


def check_single(outputs, several, name):
    if several:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")


# -- whole matrices --------------------------------------------------------------------------------------------------


def jacobian(func, inputs, create_graph=False, *, vectorize=False):
    """The Jacobian of *func* at *inputs*: a tensor of the output's shape followed by the input's.

    For several inputs a tuple, for several outputs a tuple of tuples.  *vectorize* has no effect here.

    >>> import autograd_nb as torch
    >>> torch.autograd.functional.jacobian(lambda x: x * x.sum(), torch.tensor([1., 2.]))
    tensor([[4., 1.],
            [2., 5.]])
    """
    with enable_grad():
        several_inputs, inputs, several, outputs = evaluated(func, inputs, "jacobian", create_graph)
        rows = [jacobian_of(output, inputs, create_graph) for output in outputs]
    rows = tuple(given_back(row, several_inputs, create_graph) for row in rows)
    return rows if several else rows[0]


def jacobian_of(output, inputs, create_graph):
    columns = [[] for _ in inputs]
    for element in ops.reshape(output, (-1,)):
        grads = gradients((element,), inputs, (None,), create_graph, retain_graph=True)
        for column, each, input in zip(columns, grads, inputs, strict=True):
            column.append(zeros_like(input) if each is None else each)
    pairs = zip(columns, inputs, strict=True)
    return tuple([ops.view(ops.stack(column), (*output.shape, *input.shape)) for column, input in pairs])


def hessian(func, inputs, create_graph=False, *, vectorize=False):
    """The Hessian of *func*, which must return a single element: the Jacobian of its gradient.

    >>> import autograd_nb as torch
    >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum() + x.prod(), torch.tensor([1., 2.]))
    tensor([[ 6.,  1.],
            [ 1., 12.]])
    """
    several_inputs, inputs = as_tensors(inputs, "inputs", "hessian")

    def single(*inputs):
        several, outputs = as_tensors(func(*inputs), "outputs of the user-provided function", "hessian")
        check_single(outputs, several, "hessian")
        return ops.reshape(outputs[0], ())

    rows = jacobian(lambda *inputs: jacobian(single, inputs, create_graph=True), inputs, create_graph)
    return rows if several_inputs else rows[0][0]


__getattr__ = absent_from("torch.autograd.functional")
