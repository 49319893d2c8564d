"""The two ways to start a backward pass: ``backward`` accumulates into .grad, ``grad`` returns.

Both check their arguments as PyTorch does, find the gradients that flow into the roots, and hand
over to the walk.
"""

from contextvars import copy_context
from operator import attrgetter

import numpy as np

from ..engine import backward as engine
from ..engine import dtypes
from ..engine.backward import Walk
from ..engine.graph import Output, node_of_edge
from ..engine.leaf import AccumulateGrad
from ..engine.modes import state
from ..engine.table import composite, ops
from ..engine.tensor import Tensor, current_node, ndarray, wrap
from ..engine.warning import warn, warn_once
from .graph import GradientEdge, tensor_at


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Compute the gradients of *tensors* and add them into the ``.grad`` of the leaves they depend on.

    *tensors* is a tensor or a sequence of them, *grad_tensors* as many gradients of their shapes (None for a tensor of
    one element).  Without *retain_graph* what the graph saved is freed on the way.  With *create_graph* the pass is
    recorded itself.  *inputs* limits accumulation to these tensors.

    >>> import autograd_nb as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> torch.autograd.backward([x * 3, x ** 2], [torch.ones(2), torch.ones(2)])
    >>> x.grad
    tensor([5., 7.])
    """
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                               "`backward()`. Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    roots = sequence(tensors)
    inputs = None if inputs is None else sequence(inputs)
    if inputs is not None and not inputs:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    if retain_graph is None:
        retain_graph = create_graph
    starts = root_gradients(roots, grad_tensors, create_graph or state.dual is not None)
    if create_graph:
        warn_once(
            "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
            "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to "
            "avoid this. If you have to use this function, make sure to reset the .grad fields of your parameters to "
            "None after use to break the cycle and avoid the leak."
        )
    if inputs is None:
        walk(starts, retain_graph, create_graph)
        return
    for tensor in inputs:
        tensor.retain_grad()
    nodes = {node_of_edge(input_edge(tensor))[0] for tensor in inputs}
    walk(starts, retain_graph, create_graph, {}, nodes)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):  # fmt: skip
    """Compute and return the gradients of *outputs* with respect to *inputs*, a tuple with one for each input.

    Nothing is accumulated.  *grad_outputs* as in :func:`backward`.  An input that *outputs* do not depend on raises
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
    if not only_inputs:
        warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
             "other parts of the graph, please use torch.autograd.backward.", FutureWarning)
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    roots, inputs = sequence(outputs), sequence(inputs)
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if retain_graph is None:
        retain_graph = create_graph
    if is_grads_batched:
        given = sequence_of_gradients(grad_outputs, len(roots))
        return batched(roots, inputs, given, retain_graph, create_graph, allow_unused, materialize_grads)
    starts = root_gradients(roots, grad_outputs, create_graph or state.dual is not None)
    captures = {}
    for position, tensor in enumerate(inputs):
        captures.setdefault(node_of_edge(input_edge(tensor)), []).append(position)
    grads = walk(starts, retain_graph, create_graph, captures)
    results = []
    for position, tensor in enumerate(inputs):
        each = grads.get(position)
        if each is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {position} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
        if each is None and materialize_grads:
            results.append(wrap(np.zeros_like(tensor._array)[()], tensor._dtype))
        else:
            results.append(None if each is None else as_tensor(each))
    return tuple(results)


def batched(roots, inputs, given, retain_graph, create_graph, allow_unused, materialize_grads):
    """Gradients for a batch of gradients of the roots, one pass for each along their first dimension, stacked."""
    for index, (root, each) in enumerate(zip(roots, given, strict=True)):
        if each is not None and each.shape[1:] != root.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{index}] has a shape of {each.shape[2:]} and "
                f"output[{index}] has a shape of {root.shape}. If you only want some tensors in `grad_output` to be "
                "considered batched, consider using vmap."
            )
    lengths = {len(each) for each in given if each is not None}
    if len(lengths) != 1:
        raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                         f"{[len(each) for each in given if each is not None]} for the mapped dimension")
    (length,) = lengths
    rows = [
        grad(roots, inputs, [each if each is None else each[i] for each in given], retain_graph or i < length - 1,
             create_graph, allow_unused=allow_unused)
        for i in range(length)
    ]  # fmt: skip
    results = [None if column[0] is None else ops.stack(column) for column in zip(*rows, strict=True)]
    zero = [ops.zeros_like(each) if materialize_grads else None for each in inputs]
    return tuple([zero[i] if each is None else each for i, each in enumerate(results)])


@composite("backward", function=False)
def tensor_backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Compute the gradients of this tensor and add them into the ``.grad`` of the leaves it depends on.

    *gradient* has the tensor's shape and may be left out for one element; see :func:`autograd_nb.autograd.backward`.
    """
    start = None if create_graph or not (gradient is inputs is None) else plain_start(self, False)
    if start is None:
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)
    else:
        walk([start], retain_graph, False)


def plain_start(root, create_graph):
    """``(edge, gradient)`` for a 0-d loss, with nothing to check; None for any other root."""
    one = ONES.get(root._array.__class__)
    if one is None or root._node is None:
        return None
    edge = root._node if root._counter is None else current_node(root)
    return edge, wrap(one, root._dtype) if create_graph else one


ONES = {each.scalar: each.scalar(1) for each in dtypes.ALL if each.is_floating_point}  # what flows into a 0-d root


def walk(starts, retain_graph, create_graph, captures=None, leaves=()):
    """Run one backward pass and return what was captured, ``{position: gradient}``."""
    needed, on_tensors = None, create_graph
    own = state.__dict__
    if own["dual"] is not None and not create_graph:  # the gradients have tangents, too
        on_tensors = True
        starts = [(edge, as_tensor(given)) for edge, given in starts]
    if captures is not None:
        needed = on_the_way([edge for edge, _ in starts], set(captures), leaves)
    before = own["hot"], own["switched_on"], own["walk"], own["caller"]
    try:
        state.set_grad_enabled(bool(create_graph))
        own["caller"] = copy_context()  # unpack hooks run in it: a notebook finds by it the cell that prints
        own["walk"] = pass_ = Walk(retain_graph, on_tensors, captures, needed)
        for _, given in starts:
            if given.__class__ is ndarray:
                pass_.share(given)
        if engine.tell is None:
            return pass_.run(starts)
        return told(pass_, starts)
    finally:
        own["hot"], own["switched_on"], own["walk"], own["caller"] = before


def told(pass_, starts):
    """Run a pass and tell of its beginning and its end."""
    engine.tell("started", None, starts, pass_.keep_graph, pass_.create_graph)
    try:
        captured = pass_.run(starts)
    except BaseException as error:
        if engine.tell is not None:
            engine.tell("stopped", None, error)
        raise
    if engine.tell is not None:  # whoever listened may have stopped in a hook
        engine.tell("finished", None)
    return captured


def on_the_way(roots, targets, leaves):
    """The nodes that have to run, each with which of its edges a gradient is wanted for.

    These are the nodes from which a target lies further down, and the *leaves* to accumulate into.
    """
    below, outputs = set(), False
    stack = [node_of_edge(root)[0] for root in roots]
    while stack:
        node = stack.pop()
        if node not in below:
            below.add(node)
            for edge in node.edges:
                if edge.__class__ is Output:
                    edge, outputs = edge.node, True
                if edge is not None and edge.__class__ is not AccumulateGrad:
                    stack.append(edge)
    needed = dict.fromkeys(leaves, ())
    reached = {*leaves, *[node for node, number in targets if number == 0]}
    for node in sorted(below, key=sequence_number):  # inputs come before their consumers
        wanted = map(reached.__contains__, node.edges)
        if outputs:
            wanted = [
                edge in reached if edge.__class__ is not Output
                else edge.node in needed or (edge.node, edge.number) in targets
                for edge in node.edges
            ]  # fmt: skip
        wanted = tuple(wanted)
        if True in wanted or node in needed:
            needed[node] = wanted
            reached.add(node)
    return needed


sequence_number = attrgetter("sequence")


def sequence(tensors):
    """A tensor or a sequence of them as a tuple; an edge stands for the tensor that it was made of."""
    if tensors.__class__ is Tensor:
        return (tensors,)
    tensors = (tensors,) if isinstance(tensors, (Tensor, GradientEdge)) else tuple(tensors)
    return tuple([tensor_at(each) if isinstance(each, GradientEdge) else each for each in tensors])


def sequence_of_gradients(grads, count):
    """The gradients given for *count* roots, None where there are none; those too many do not count."""
    if grads is None:
        return (None,) * count
    return (grads,) if isinstance(grads, Tensor) else tuple(grads)[:count]


def root_gradients(roots, grads, create_graph):
    """``(edge, gradient)`` for each root."""
    if grads is None and len(roots) == 1 and isinstance(roots[0], Tensor):
        start = plain_start(roots[0], create_graph)
        if start is not None:
            return [start]
    grads = sequence_of_gradients(grads, len(roots))
    starts = [root_gradient(index, *pair, create_graph) for index, pair in enumerate(zip(roots, grads, strict=False))]
    if len(grads) < len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(grads)} gradients")
    return [leading_on(index, start) for index, start in enumerate(starts)]


def leading_on(index, start):
    """The pair for a root; RuntimeError when no gradient goes on from it."""
    edge = start[0]
    if edge is None or edge.__class__ is AccumulateGrad and edge.leaf is None:
        raise RuntimeError(f"element {index} of tensors does not require grad and does not have a grad_fn")
    return start


def root_gradient(index, root, given, create_graph):
    """``(edge, gradient)`` for one root: the gradient given for it, or the 1 that a single element implies."""
    if not isinstance(root, Tensor):
        raise AssertionError("Expected output to be a torch.Tensor")
    if given is None:
        if current_node(root) is not None or root.requires_grad:
            if root._array.size != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            if not root._dtype.is_floating_point:
                raise RuntimeError(f"grad can be computed only for real scalar outputs but got {root._dtype}")
            array = root._array
            gradient = np.ones_like(array) if array.__class__ is ndarray and array.ndim else root._dtype.scalar(1)
            if create_graph:
                gradient = wrap(gradient, root._dtype)
        else:
            gradient = None
    elif isinstance(given, Tensor):
        if given._array.shape != root._array.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{index}] has a shape of {given.shape} and output[{index}] has a "
                f"shape of {root.shape}."
            )
        if not create_graph:
            gradient = given._array.astype(root._dtype.numpy, copy=False)
        else:
            gradient = given if given._dtype is root._dtype else given.to(root._dtype)
    else:
        raise TypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}")
    return current_node(root), gradient


def input_edge(tensor):
    """Where a tensor's gradient goes; RuntimeError when it does not require grad."""
    if not isinstance(tensor, Tensor):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(tensor).__name__}")
    edge = current_node(tensor)
    if edge is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge


def as_tensor(grad):
    return grad if isinstance(grad, Tensor) else wrap(grad, dtypes.of_array(grad))
