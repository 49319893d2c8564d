"""The two ways to start a backward pass: ``backward`` accumulates into ``.grad``, ``grad`` returns the gradients."""

from operator import index

import numpy as np

from ..engine import backward as engine
from ..engine import dtypes
from ..engine.backward import input_edge, root_gradients, run_backward
from ..engine.graph import node_of_edge
from ..engine.tensor import Tensor, is_foreign, wrap
from .graph import GradientEdge, tensor_at


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, *, inputs=None):
    """Compute the gradients of *tensors* and add them into the ``.grad`` of the leaves they depend on.

    *grad_tensors* has a gradient of the same shape for each tensor (None is 1 for a tensor of one element).  Without
    *retain_graph*, saved tensors are freed as nodes run.  With *create_graph* the pass itself is recorded.  *inputs*
    limits accumulation to these tensors.

    >>> import autograd_nb as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> torch.autograd.backward([x * 3, x ** 2], [torch.ones(2), torch.ones(2)])
    >>> x.grad
    tensor([5., 7.])
    """
    inputs = None if inputs is None else sequence(inputs)
    engine.backward_from(sequence(tensors), grad_tensors, retain_graph, create_graph, inputs)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, *, materialize_grads=False):  # fmt: skip
    """Compute and return the gradients of *outputs* with respect to *inputs*, a tuple with one for each input.

    Nothing is accumulated.  *grad_outputs* as for :func:`backward`.  An input that *outputs* do not depend on raises
    RuntimeError unless *allow_unused* (None is returned for it) or *materialize_grads* (zeros are).

    >>> import autograd_nb as torch
    >>> x = torch.tensor(3., requires_grad=True)
    >>> (slope,) = torch.autograd.grad(x ** 2, x, create_graph=True)
    >>> torch.autograd.grad(slope, x)
    (tensor(2.),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    roots, inputs = sequence(outputs), sequence(inputs)
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    create_graph = bool(index(create_graph))  # PyTorch takes 0 and 1 as well
    retain_graph = create_graph if retain_graph is None else bool(index(retain_graph))
    edges, grads = root_gradients(roots, grad_outputs, create_graph)
    captures = {}
    for position, tensor in enumerate(inputs):
        captures.setdefault(node_of_edge(input_edge(tensor)), []).append(position)
    grads = run_backward(edges, grads, retain_graph, create_graph, captures, ())
    results = []
    for position, tensor in enumerate(inputs):
        each = grads.get(position)
        if each is None and not allow_unused:
            raise RuntimeError(f"The differentiated Tensor at index {position} appears to not have been used in the "
                               "graph. Set allow_unused=True if this is the desired behavior.")
        if each is None and materialize_grads:
            each = wrap(np.zeros_like(tensor._array)[()], tensor._dtype)
        results.append(None if each is None else row_major(each))
    return tuple(results)


def row_major(grad):
    """A gradient as a tensor that ``view(-1)`` can flatten, as in PyTorch for the weight of a layer."""
    array = getattr(grad, "_array", grad)
    if isinstance(grad, Tensor) and array.flags.c_contiguous:
        return grad
    order = "K" if 0 in array.strides else "C"  # an expanded one stays so
    result = wrap(np.asarray(array, order=order)[()], dtypes.of_array(array))
    result._node = getattr(grad, "_node", None)
    return result


def sequence(tensors):
    """A tensor or a sequence of tensors as a tuple; an edge stands for its tensor."""
    if isinstance(tensors, Tensor):
        return (tensors,)
    tensors = (tensors,) if isinstance(tensors, GradientEdge) or is_foreign(tensors) else tuple(tensors)
    return tuple([tensor_at(each) if isinstance(each, GradientEdge) else each for each in tensors])
