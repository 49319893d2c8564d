"""The backward pass: from the roots down the graph, each node once, when its gradients are there.

It counts how many gradients each node is going to get, and sends the first ones, those of the
roots.  Gradients that meet are summed.  Of the nodes that have all of theirs, the one made last
runs first; what it computes is sent on along its edges.  A leaf's node has no edges: it adds what
came to ``.grad``.  There is no recursion, however long a chain is.

This rests on the graph, on the plans of nodes (vjp.py) and on hooks.py.  :class:`GraphTask` is the
pass; the rest of the file, which can be skipped, checks what ``backward()`` was given.

A pass takes the shorter way of speed.py, to the same gradients, unless somebody looks: in a
debugger (a breakpoint here is met), while it is recorded, and within ``with engine.speed.off():``.
"""

from contextvars import copy_context
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
    """One backward pass from the *roots*, edges.

    *captures* maps ``(node, output number)`` to the positions of the tensors whose gradient is
    wanted there, for ``autograd.grad``, and *captured* positions to these gradients.  *needed* is
    what ``nodes_to_execute`` found, or None when all gradients are wanted.
    """

    def __init__(self, roots, keep_graph, create_graph, captures, needed):
        self.roots, self.keep_graph, self.create_graph = roots, keep_graph, create_graph
        self.captures, self.needed, self.captured = captures, needed, {}
        self.targets = {node for node, _ in captures}
        self.listeners = state.listeners  # asked before telling what every node does
        self.dependencies = {}  # node -> how many gradients are still to come
        self.buffers = {}  # node -> for each of its outputs the sum of those that came, or None
        self.ready = []  # a heap of (-sequence number, node) of the nodes that get no more

    def run(self, edges, grads):
        """Send the gradients of the roots along their edges and down the graph."""
        notify(
            events.Started, [*zip(edges, grads, strict=True)], self.keep_graph, self.create_graph
        )
        self.count_dependencies(edges)
        self.walk(edges, grads)

    def walk(self, edges, grads):
        """Send gradients along edges, and then those of each node that is ready."""
        self.send(edges, grads)
        while self.ready:
            _, node = heappop(self.ready)
            self.send(node.edges, self.evaluate(node, self.buffers.pop(node)))

    def count_dependencies(self, edges):
        """Count the edges that lead to each node, of *edges* and of all nodes below them."""
        below, dependencies = [*edges], self.dependencies
        for edge in below:  # which grows during the loop
            if edge is not None:
                node = edge.node if edge.__class__ is OutputEdge else edge
                if node not in dependencies:
                    dependencies[node] = 0
                    below += node.edges
                dependencies[node] += 1

    def send(self, edges, grads):
        """Add gradients to those that came before where the edges lead; count them off."""
        for edge, grad in zip(edges, grads):  # noqa: B905 as many, always
            if edge is None:
                continue
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
        """A node has all of its gradients: a leaf accumulates at once, others await their turn."""
        if self.listeners:
            notify(events.Ready, node)
        if node.__class__ is AccumulateGrad:
            self.evaluate(node, self.buffers.pop(node))
        else:
            heappush(self.ready, (-node.sequence, node))

    def evaluate(self, node, grads):
        """Run a node, if its gradients are wanted: one for each of its edges, or None."""
        if self.needed is not None:
            if node in self.targets:
                self.capture(node, grads)
            if node not in self.needed:
                return [None] * len(node.edges)
        results = self.apply(node, grads)
        if not self.keep_graph and node.plan.can_be_freed:
            node.saved = FREED
            if self.listeners:
                notify(events.Freed, node)
        return results

    # -- what the walk calls ---------------------------------------------------------------------

    def add(self, edge, before, grad):
        """The sum of two gradients that arrive along edges to one place."""
        if grad is None:
            return before
        total = before + grad if self.create_graph else state.run(add, before, grad)
        notify(events.Summed, edge, grad, total)
        return total

    def apply(self, node, grads):
        """What a node computes, its hooks before and after it; an error is told of."""
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
        return results

    def capture(self, node, grads):
        """Keep the gradients that ``autograd.grad`` was asked for.

        Tensor hooks are called first where the pass ends.
        """
        if node not in self.needed and node.extras is not None:
            if any([grad is not None for grad in grads]):
                grads = tensor_hooks(node, grads)
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
    """Send gradients along edges and down the graph; what was captured, ``{position: gradient}``.

    With *leaves*, only these are accumulated into, and only nodes that lead there or to a capture
    run.
    """
    needed = None if leaves is None else nodes_to_execute(edges, captures.keys(), leaves)
    task = new_task(edges, retain_graph, create_graph, captures, needed)
    own = state.__dict__  # reading a thread-local takes as long as reading a dict several times
    run, recording, unusual = own["for_calls"]
    mode, inference, hooks = own["grad_mode"], own["inference"], own["saved_hooks"]
    outer, caller = own["graph_task"], own["caller"]
    for_calls = run, create_graph and not inference, unusual
    try:  # all modes at once: an interrupt falls before or after the whole change
        own.update(
            grad_mode=create_graph,
            graph_task=task,
            caller=copy_context(),  # for unpack hooks, so that a notebook finds their cell
            for_calls=for_calls,
        )
        task.run(edges, grads)
        notify(events.Finished)
        return task.captured
    except BaseException as error:
        notify(events.Stopped, error)
        raise
    finally:
        unusual = inference or hooks or own["listeners"] or own["plain"]
        own.update(
            grad_mode=mode,
            inference=inference,
            saved_hooks=hooks,
            graph_task=outer,
            caller=caller,
            for_calls=(run, recording, True if unusual else False),
        )


def nodes_to_execute(roots, targets, leaves):
    """The nodes that lead to a target or a leaf: ``{node: which gradients it has to compute}``.

    *targets* are ``(node, output number)`` pairs, *leaves* nodes.  Which gradients: true or false
    for each edge, or None for all.
    """
    needed = dict.fromkeys(leaves)
    goals = {node for node, _ in targets}.union(leaves)
    ends = {None, *goals}  # where the edges lead of a node all of whose gradients are wanted
    # inputs come before their consumers; an edge to one of several outputs is one of them
    for node in sorted(reachable(roots), key=attrgetter("sequence")):
        edges = node.edges
        if node in needed or not goals.isdisjoint(edges):
            goals.add(node)
            ends.add(node)
            needed[node] = None if ends.issuperset(edges) else tuple(map(ends.__contains__, edges))
    return needed


def root_gradient(index, root, edge, given, create_graph):
    """The gradient of one root: the one given, or 1 for a root of a single element."""
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
        raise TypeError(f"gradients can be either Tensors or None, but got {kind_of(given)}")
    if given._array.shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{index}] has a shape of {given.shape} and "
            f"output[{index}] has a shape of {root.shape}."
        )
    gradient = given.to(dtype)
    return gradient if create_graph else gradient._array


def root_gradients(roots, given, create_graph):
    """The edges of the roots and the gradients for them.

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
    """Where a tensor's gradient goes; RuntimeError when it does not require grad."""
    if not isinstance(tensor, Tensor):
        raise RuntimeError(
            f"all inputs have to be Tensors or GradientEdges, but got {kind_of(tensor)}"
        )
    if (edge := gradient_edge(tensor)) is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge


def backward_from(roots, gradients, retain_graph, create_graph, inputs):
    """Accumulate the gradients of *roots*, tensors, into leaves, or into *inputs* only."""
    if inputs is not None and not inputs:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    create_graph = bool(index(create_graph))  # a bool, or what PyTorch takes for one
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
