"""The backward pass: from the roots down the graph. Each node runs once, when it has its gradients.

The pass counts how many gradients each node will receive, and sends the gradients of the roots.
Gradients that meet are summed.  Among the nodes that have received all their gradients, the newest
runs first, and sends its results on along its edges.  A leaf's node has no edges: it adds its
gradient to ``.grad``.  There is no recursion, however long a chain is.

This file rests on the graph, on the plans of nodes (vjp.py) and on hooks.py.  :class:`GraphTask` is
the pass; you may skip the rest, which checks the arguments of ``backward()``.

A pass takes the shorter way of speed.py, to the same gradients, unless somebody watches it.  It
runs here in a debugger, which stops at breakpoints of this file; in a recording; and within
``with engine.speed.off():``.
"""

from heapq import heappop, heappush
from operator import add, attrgetter, index
from types import MappingProxyType

import numpy as np

from . import events
from .graph import OutputEdge, node_of_edge, reachable
from .hooks import hooks_after, hooks_before, tensor_hooks
from .modes import notify, state, warn_once
from .saved import FREED
from .table import methods
from .tensor import AccumulateGrad, Tensor, gradient_edge, kind_of, refuse_foreign, wrap


class GraphTask:
    """One backward pass. *roots* are the edges where it begins.

    For ``autograd.grad``, *captures* maps ``(node, output number)`` to the positions of the tensors
    whose gradients arrive there, and *captured* maps these positions to the gradients.  *needed* is
    the result of ``nodes_to_execute``, or None when every node runs.
    """

    def __init__(self, roots, keep_graph, create_graph, captures, needed):
        self.roots, self.keep_graph, self.create_graph = roots, keep_graph, create_graph
        self.captures, self.needed, self.captured = captures, needed, {}
        self.targets = {node for node, _ in captures}
        self.listeners = state.listeners  # read before each event of a node
        self.dependencies = {}  # node -> how many more gradients it will receive
        self.buffers = {}  # node -> for each of its outputs the sum so far, or None
        self.ready = []  # a heap of (-sequence number, node): the nodes that receive no more

    def run(self, edges, grads):
        """Send the gradients of the roots along their edges and down the graph."""
        notify(
            events.Started, [*zip(edges, grads, strict=True)], self.keep_graph, self.create_graph
        )
        self.count_dependencies(edges)
        self.walk(edges, grads)

    def walk(self, edges, grads):
        """Send gradients along edges; run each node that is ready and send its gradients too."""
        self.send(edges, grads)
        while self.ready:
            _, node = heappop(self.ready)
            self.send(node.edges, self.evaluate(node, self.buffers.pop(node)))

    def count_dependencies(self, edges):
        """Count for each node below *edges* how many edges lead to it."""
        below, dependencies = [*edges], self.dependencies
        for edge in below:  # the list grows during the loop
            if edge is not None:
                node = edge.node if edge.__class__ is OutputEdge else edge
                if node not in dependencies:
                    dependencies[node] = 0
                    below += node.edges
                dependencies[node] += 1

    def send(self, edges, grads):
        """Add each gradient to the sum at the end of its edge, and count it off."""
        for edge, grad in zip(edges, grads):  # noqa: B905 always as many
            if edge is not None:
                node, number, count = edge, 0, 1
                if edge.__class__ is OutputEdge:
                    node, number, count = edge.node, edge.number, edge.count
                waiting = self.buffers.setdefault(node, [None] * count)
                before = waiting[number]
                waiting[number] = grad if before is None else self.add(edge, before, grad)
                self.dependencies[node] = left = self.dependencies[node] - 1
                if left == 0:
                    self.is_ready(node)

    def is_ready(self, node):
        """A node has all its gradients: a leaf accumulates at once, any other waits its turn."""
        if self.listeners:
            notify(events.Ready, node)
        if node.__class__ is AccumulateGrad:
            self.evaluate(node, self.buffers.pop(node))
        else:
            heappush(self.ready, (-node.sequence, node))

    def evaluate(self, node, grads):
        """Run a node if its results are wanted; return a gradient (or None) for each edge."""
        runs = self.needed is None or node in self.needed
        if not runs and node.extras is not None and any([grad is not None for grad in grads]):
            grads = tensor_hooks(node, grads)  # else they are called before the node runs
        if node in self.targets:
            self.capture(node, grads)
        return self.apply(node, grads) if runs else [None] * len(node.edges)

    # -- the parts of the walk --------------------------------------------------------------------

    def add(self, edge, before, grad):
        """The sum of two gradients that arrive at the same place."""
        if grad is None:
            return before
        total = before + grad if self.create_graph else state.run(add, before, grad)
        notify(events.Summed, edge, grad, total)
        return total

    def apply(self, node, grads):
        """Run a node and its hooks, free its saved values, return its results; report errors."""
        failure = events.HookFailed
        try:
            if node.extras is not None:
                grads = hooks_before(node, grads)
            if self.listeners:
                notify(events.Running, node, grads)
            failure = events.Failed
            results = node.plan.apply(node, grads)
            if self.listeners:
                notify(events.Ran, node, grads, results)  # a listener may refuse them
            failure = events.HookFailed
            if node.extras is not None:
                results = hooks_after(node, results, grads)
        except Exception as error:
            notify(failure, node, error)
            raise
        if not self.keep_graph and node.plan.can_be_freed:
            node.saved = FREED
            if self.listeners:
                notify(events.Freed, node)
        return results

    def capture(self, node, grads):
        """Keep a gradient that ``autograd.grad`` returns."""
        for number, grad in enumerate(grads):
            if positions := self.captures.get((node, number)):
                for position in positions:
                    self.captured[position] = grad
                notify(events.Captured, node, number, grad)


new_task = GraphTask  # unless speed.py has a quicker pass


# -- starting a pass -----------------------------------------------------------------------------


def run_backward(
    edges, grads, retain_graph, create_graph, captures=MappingProxyType({}), leaves=None
):
    """Send gradients along edges and down the graph; return ``{position: captured gradient}``.

    With *leaves*, only these accumulate, and only nodes that lead to them or to a capture run.
    """
    needed = None if leaves is None else nodes_to_execute(edges, captures.keys(), leaves)
    task = new_task(edges, retain_graph, create_graph, captures, needed)
    state.run_pass(task, edges, grads)
    return task.captured


def nodes_to_execute(roots, targets, leaves):
    """The nodes that lead to a target or a leaf, each with the gradients that it must compute.

    *targets* are ``(node, output number)`` pairs, *leaves* nodes.  The result maps a node to true
    or false for each of its edges, or to None for all of them.
    """
    needed = dict.fromkeys(leaves)
    goals = {node for node, _ in targets}.union(leaves).difference([None])  # None is a dead end
    ends = {None, *goals}  # a node whose edges all lead to one of these computes all its gradients
    # inputs come before their consumers; an edge to one of several outputs counts as one
    for node in sorted(reachable(roots), key=attrgetter("sequence")):
        edges = node.edges
        if node in needed or not goals.isdisjoint(edges):
            goals.add(node)
            ends.add(node)
            needed[node] = None if ends.issuperset(edges) else tuple(map(ends.__contains__, edges))
    return needed


def root_gradient(index, root, edge, given, create_graph):
    """The gradient of one root: the caller's, or 1 for a root of a single element."""
    shape, dtype = root._array.shape, root._dtype
    if given is None:
        if edge is None:
            return None
        if root._array.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if not dtype.is_floating_point:
            raise RuntimeError(f"grad can be computed only for real scalar outputs but got {dtype}")
        gradient = np.full(shape, dtype.one) if shape else dtype.one
        return wrap(gradient, dtype) if create_graph else gradient
    if not isinstance(given, Tensor):
        kind = kind_of(given).removeprefix("numpy.")
        raise TypeError(f"gradients can be either Tensors or None, but got {kind}")
    if given._array.shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{index}] has a shape of {given.shape} and "
            f"output[{index}] has a shape of {root.shape}."
        )
    gradient = given.to(dtype)
    return gradient if create_graph else gradient._array


def root_gradients(roots, given, create_graph):
    """The edges of the roots, and a gradient for each.

    RuntimeError when a gradient is missing or goes nowhere.
    """
    edges, grads = [], []
    if given is None:
        given = [None] * len(roots)
    elif isinstance(given, Tensor):
        given = [given]
    for root, each in zip(roots, given):  # noqa: B905 checked below
        if not isinstance(root, Tensor):
            raise AssertionError("Expected output to be a torch.Tensor")
        edges.append(edge := gradient_edge(root))
        grads.append(root_gradient(len(grads), root, edge, each, create_graph))
    if len(edges) < len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(edges)} gradients")
    for edge in edges:
        if not edge:
            raise RuntimeError(
                f"element {edges.index(edge)} of tensors does not require grad and does not have a "
                "grad_fn"
            )
    return edges, grads


def input_edge(tensor):
    """The edge of a tensor's gradient; RuntimeError when the tensor does not require grad."""
    if not isinstance(tensor, Tensor):
        raise RuntimeError(
            f"all inputs have to be Tensors or GradientEdges, but got {kind_of(tensor)}"
        )
    if (edge := gradient_edge(tensor)) is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge


def backward_from(roots, gradients, retain_graph, create_graph, inputs):
    """Accumulate the gradients of the tensors *roots* into all leaves, or only into *inputs*."""
    if inputs is not None and not inputs:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    create_graph = bool(index(create_graph))  # PyTorch takes 0 and 1 as well
    edges, grads = root_gradients(roots, gradients, create_graph)
    if create_graph:
        warn_once(
            "Using backward() with create_graph=True will create a reference cycle between the "
            "parameter and its gradient which can cause a memory leak. We recommend using "
            "autograd.grad when creating the graph to avoid this. If you have to use this "
            "function, make sure to reset the .grad fields of your parameters to None after use "
            "to break the cycle and avoid the leak."
        )
    leaves = None
    if inputs is not None:
        refuse_foreign(*inputs)
        for tensor in inputs:
            tensor.retain_grad()
        leaves = {node_of_edge(input_edge(tensor))[0] for tensor in inputs}
    keep_graph = create_graph if retain_graph is None else bool(index(retain_graph))
    run_backward(edges, grads, keep_graph, create_graph, leaves=leaves)


def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Add gradients into the ``.grad`` of the leaves that this tensor depends on.

    *gradient* has the tensor's shape and may be left out for one element; for the rest see
    :func:`autograd_nb.autograd.backward`.
    """
    if inputs is not None:
        inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    backward_from((self,), gradient, retain_graph, create_graph, inputs)


methods["backward"] = backward
