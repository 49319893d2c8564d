"""``torch.autograd.graph``: nodes and edges, hooks on several tensors, and hooks on saved tensors."""

from contextlib import contextmanager
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..engine.graph import Node, RemovableHandle, node_of_edge, reachable
from ..engine.modes import state
from ..engine.tensor import AccumulateGrad, Tensor, gradient_edge, refuse_foreign, wrap
from ..torch_api.keywords import stands_for


class GradientEdge(NamedTuple):
    """The edge of a tensor's gradient: a node, and the number of its output that is the tensor.

    ``autograd.grad`` and ``backward`` accept it in place of the tensor, which may no longer exist.
    """

    node: Node
    output_nr: int
    ownership_token: Any = None

    def __eq__(self, other):  # the token, a tensor, is not compared
        return isinstance(other, GradientEdge) and self[:2] == other[:2]

    def __hash__(self):
        return hash(self[:2])


def get_gradient_edge(tensor):
    """The edge at which the gradient of *tensor* is computed; RuntimeError if it does not require grad.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(3., requires_grad=True)
    >>> edge = torch.autograd.graph.get_gradient_edge(x * 2)
    >>> edge.node.name(), edge.output_nr, torch.autograd.grad(edge, x)
    ('MulBackward0', 0, (tensor(2.),))
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    edge = gradient_edge(tensor)
    node, number = node_of_edge(edge)
    if getattr(node, "leaf", node) is None:
        raise AssertionError("Expected gradient function to be set")
    # the parts of a tensor that a pass needs to start or end at its edge; they keep the node alive, not the elements
    token = wrap(np.broadcast_to(tensor._dtype.scalar(0), tensor.shape)[()], tensor._dtype, edge)
    return GradientEdge(node.revealed(), number, token)


def tensor_at(edge):
    if edge.ownership_token is None:
        raise TypeError("a GradientEdge must come from get_gradient_edge, which also keeps the shape of the tensor")
    return edge.ownership_token


def increment_version(tensor):
    """Raise the version of one tensor or several, after a change in place that the engine did not see."""
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not each._inference:
            each._share().version += 1


# -- saved tensors -------------------------------------------------------------------------------------------------


class saved_tensors_hooks:
    """Operations inside save ``pack_hook(tensor)``; backward calls ``unpack_hook`` on it to get a tensor.

    >>> import autograd_nb as torch
    >>> x = torch.tensor(3., requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda number: torch.tensor(number)):
    ...     y = x * x
    >>> torch.autograd.grad(y, x)
    (tensor(6.),)
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self):
        if state.saved_hooks_off is not None:
            raise RuntimeError(state.saved_hooks_off)
        switch((*state.saved_hooks, (self.pack_hook, self.unpack_hook)))

    def __exit__(self, *exception):
        switch(state.saved_hooks[:-1])


@contextmanager
def disable_saved_tensors_hooks(error_message):
    """In a ``with``, saved-tensor hooks raise a RuntimeError with this message."""
    if state.saved_hooks:
        raise RuntimeError(error_message)
    before, state.saved_hooks_off = state.saved_hooks_off, error_message
    try:
        yield
    finally:
        state.saved_hooks_off = before


def switch(hooks):
    state.change(state.recording, state.grad_mode, state.inference, hooks)


class save_on_cpu(saved_tensors_hooks):
    """Keeps saved tensors on the CPU, where all tensors are here anyway."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda tensor: wrap(tensor._array, tensor._dtype), lambda tensor: tensor)


# -- hooks over several tensors ------------------------------------------------------------------------------------


class _MultiHandle(RemovableHandle):
    def __init__(self, handles):
        self.handles = handles

    def remove(self):
        for handle in self.handles:
            handle.remove()


def will_run(pass_, node):
    """Whether a backward pass runs a node; a single root does not count, as in PyTorch."""
    below = reachable(pass_.roots)
    if len(pass_.roots) == 1:
        below.discard(node_of_edge(pass_.roots[0])[0])
    if node not in below:
        return False
    if node.__class__ is AccumulateGrad and (node, 0) in pass_.captures:
        raise RuntimeError("A leaf node was passed to _will_engine_execute_node but we are currently running "
                           "autograd.grad(). This is currently not supported.")  # fmt: skip
    return pass_.needed is None or node in pass_.needed or any([node is place[0] for place in pass_.captures])


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Call *fn* once per backward pass: in mode "all" with the list of the gradients of *tensors*.

    The call comes when the last gradient that the pass computes is ready; gradients that it does not compute are None.
    In mode "any" the call comes with the first gradient that is ready.  Returns a handle with ``remove()``.

    >>> import autograd_nb as torch
    >>> x, y = torch.tensor(2., requires_grad=True), torch.tensor(3., requires_grad=True)
    >>> handle = torch.autograd.graph.register_multi_grad_hook((x, y), print)
    >>> (x * y + 1).backward()
    [tensor(3.), tensor(2.)]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    refuse_foreign(*tensors)
    nodes = [node_of_edge(gradient_edge(tensor))[0] for tensor in tensors]
    if mode == "all" and None in nodes:
        raise AssertionError("Expected gradient function to be set")
    passes = WeakKeyDictionary()  # a running pass -> how many gradients it still expects, and those that arrived

    def arrived(index, grad):
        if state.graph_task not in passes:
            expected = 1 if mode == "any" else sum([will_run(state.graph_task, node) for node in nodes])
            passes[state.graph_task] = [expected, [None] * len(tensors)]
        entry = passes[state.graph_task]
        entry[0] -= 1
        entry[1][index] = grad
        if not entry[0]:
            if mode == "all":
                del passes[state.graph_task]  # PyTorch counts from the start again if further gradients come
            fn(grad if mode == "any" else entry[1])

    return _MultiHandle([tensor.register_hook(lambda grad, i=i: arrived(i, grad))
                         for i, tensor in enumerate(tensors) if tensor.requires_grad])  # fmt: skip


__getattr__ = stands_for("torch.autograd.graph", globals())
