"""The backward pass: from the roots down the graph, each node once, when all gradients of its outputs are there.

Operations are numbered as they run, so of two nodes the one that sends a gradient to the other has the higher number.
One loop therefore always runs the latest of the nodes that a gradient has reached: it can get no more.
Gradients that meet are summed before the node runs.  There is no recursion, however long a chain is.

A leaf accumulates when its gradient is complete.  Which ones are is worked out at the end, or earlier if somebody could
see the difference (a hook, a Function, a listener, an error): then the gradients that are still to come are counted.
"""

from contextvars import copy_context
from heapq import heappop, heappush
from operator import add, attrgetter, iadd
from types import MappingProxyType

import numpy as np

from . import events
from .graph import Node, OutputEdge, node_of_edge, reachable
from .hooks import Hooks
from .modes import notify, state, warn_once
from .saved import FREED, value_of
from .table import methods
from .tensor import AccumulateGrad, Tensor, gradient_edge, kind_of, ndarray, wrap
from .vjp import Plan


class GraphTask(Hooks):
    """One backward pass.

    *captures* maps ``(node, output number)`` to the positions of the tensors whose gradient is wanted there, for
    ``autograd.grad``; *needed* maps the nodes that have to run to their edges, None where no gradient is wanted, and
    the function that computes the others; it is None when all gradients are wanted.
    """

    dependencies = None  # {node or leaf: how many gradients are still to come}, once they are counted

    def __init__(self, own, roots, keep_graph, create_graph, captures, needed):
        self.roots, self.keep_graph, self.create_graph = roots, keep_graph, create_graph
        self.captures, self.needed, self.captured = captures, needed, {}
        self.targets = {node for node, _ in captures if node.__class__ is not AccumulateGrad} if captures else ()
        self.listeners, self.silently = own["listeners"], own["run"]
        self.ready = []  # a heap of (-sequence, node): the nodes that a gradient has reached
        self.buffers = {}  # each of them, or a leaf -> its gradient so far; a list if it has several outputs
        self.shared = {}  # id -> array, of gradients that not only the pass refers to

    def run(self, edges, grads):
        """Send the gradients of the roots along their edges and down the graph; return what was captured."""
        create_graph, free, run, node = self.create_graph, not self.keep_graph, self.silently, None
        ready, buffers, needed, listeners = self.ready, self.buffers, self.needed, self.listeners
        # whether gradients are captured at nodes, not only at leaves, or the root leads to nothing asked for
        at_nodes = needed is not None and bool(self.targets or edges and edges[0] not in needed)
        watched, counted = at_nodes or bool(listeners), self.count_dependencies(edges) if listeners else None
        try:
            while True:
                latest, number = None, 0  # of the nodes reached just now; it usually runs next
                for edge in edges:
                    grad = grads[number]  # three times as fast as zip
                    number += 1
                    if edge is None:
                        continue
                    if edge in buffers:
                        buffers[edge] = self.add(edge, buffers[edge], grad)
                    elif edge.__class__ is AccumulateGrad:
                        buffers[edge] = grad
                        watched = watched or edge.extras is not None
                    elif edge.__class__ is OutputEdge:
                        self.collect_output(edge, grad)
                    elif latest is None:
                        latest, gradient = edge, grad
                    elif edge is latest:
                        gradient = self.add(edge, gradient, grad)
                    elif edge.sequence > latest.sequence:
                        buffers[latest] = gradient
                        heappush(ready, (-latest.sequence, latest))
                        latest, gradient = edge, grad
                    else:
                        buffers[edge] = grad
                        heappush(ready, (-edge.sequence, edge))
                    if counted is not None:
                        self.one_arrived(edge)
                if latest is not None and (not ready or latest.sequence > -ready[0][0]):
                    node, grad = latest, gradient
                elif ready:
                    if latest is not None:
                        buffers[latest] = gradient
                        heappush(ready, (-latest.sequence, latest))
                    node = heappop(ready)[1]
                    grad = buffers.pop(node)
                else:
                    break
                while True:
                    plan = node.plan
                    if watched or plan.several_outputs or node.extras is not None or grad is None:
                        edges, grads = self.evaluate_function(node, grad if plan.several_outputs else [grad])
                        watched, counted = at_nodes or bool(listeners), self.dependencies
                    else:
                        edges = node.edges
                        backward = plan.backward_tensors if create_graph else plan.backward
                        if needed is not None:
                            edges, backward = needed[node]
                        if plan.user_code:
                            if buffers and counted is None:
                                counted = self.count_dependencies(edges)
                            grads = plan.run(node, [grad], self)
                            watched = bool(listeners)
                        else:  # with arrays, where NumPy gives no warnings
                            grads = backward(node, grad) if create_graph else run(backward, node, grad)
                        if free and plan.keeps:
                            node.saved = FREED
                    only = plan.only  # the one input that needs a gradient
                    if only is None:
                        if plan.shares_grad and grad.__class__ is ndarray:
                            self.share(grad)  # both inputs of an addition get one array
                        break
                    edge = edges[only]
                    if edge.__class__ is not Node or ready or watched or counted is not None:
                        break
                    node, grad = edge, grads[only]
        except BaseException:
            if self.dependencies is None:
                self.count_dependencies(node.edges if node else ())  # PyTorch too accumulates these
            raise
        for leaf in [*buffers]:
            (self.evaluate_leaf if watched or needed is not None else self.accumulate)(leaf, buffers.pop(leaf))
        return self.captured

    def add(self, edge, before, grad):
        """The sum of two gradients that arrive along the same edge or at the same node."""
        if before is None or grad is None:
            return grad if before is None else before
        if self.create_graph:
            total = before + grad
        elif before.__class__ is ndarray and self.owns(before):
            total = self.silently(iadd, before, grad)
        elif before.__class__ is ndarray and self.owns(grad) and not self.listeners:
            total = self.silently(iadd, grad, before)
        else:
            total = self.silently(add, before, grad)
        if self.listeners:
            notify(events.Summed, edge, grad, total)
        return total

    def collect_output(self, edge, grad):
        """Put the gradient of one output of a node beside those of its others."""
        node, buffers = edge.node, self.buffers
        if node not in buffers:
            buffers[node] = [None] * edge.count
            heappush(self.ready, (-node.sequence, node))
        grads = buffers[node]
        grads[edge.number] = self.add(edge, grads[edge.number], grad)

    def count_dependencies(self, edges):
        """Count the gradients still to come, along *edges* and from the nodes that were reached, and return the counts.

        Leaves that get no more are accumulated into.
        """
        reached = [node for _, node in self.ready]
        counted = self.dependencies = {}
        seen, below = set(reached), [edges, *[node.edges for node in reached]]
        for edges in below:  # which grows during the loop
            for edge in edges:
                if edge is not None:
                    node = edge.node if edge.__class__ is OutputEdge else edge
                    counted[node] = counted.get(node, 0) + 1
                    if node not in seen:
                        seen.add(node)
                        below.append(node.edges)
        for leaf in [node for node in self.buffers if node.__class__ is AccumulateGrad and node not in counted]:
            self.evaluate_leaf(leaf, self.buffers.pop(leaf))
        return counted

    def one_arrived(self, edge):
        """Count a gradient that has arrived; a leaf accumulates after the last."""
        node, counted = edge.node if edge.__class__ is OutputEdge else edge, self.dependencies
        counted[node] -= 1
        if not counted[node]:
            notify(events.Ready, node)
            if node.__class__ is AccumulateGrad:
                self.evaluate_leaf(node, self.buffers.pop(node))

    # -- one node --------------------------------------------------------------------------------------------------

    failure = None  # the error that a node itself raised

    def evaluate_function(self, node, grads):
        """Run a node of any kind in a pass of any kind; return its edges and a gradient for each."""
        extras, edges, backward = node.extras, node.edges, None
        if self.needed is not None:
            if node in self.targets or node not in self.needed:
                self.capture(node, grads)
            if node not in self.needed:
                return edges if self.listeners else [None] * len(edges), [None] * len(edges)
            edges, backward = self.needed[node]
        if self.dependencies is None and (self.buffers or self.listeners):  # a leaf may be waiting
            self.count_dependencies(edges)
        if self.listeners or extras is not None and (extras.pre_hooks or extras.post_hooks):
            results = self.evaluate_with_hooks(node, grads, backward)
        else:  # usually
            grads = grads if extras is None else self.call_tensor_hooks(node, grads)
            results = self.call_function(node, grads, backward)
            if node.plan.keeps and not self.keep_graph:
                node.saved = FREED
        if self.listeners and edges is not node.edges:  # they see each gradient arrive
            return node.edges, [None if edge is None else each for edge, each in zip(edges, results)]  # noqa: B905
        return edges, results

    def evaluate_with_hooks(self, node, grads, backward):
        """Run a node that has hooks of its own, or while there are listeners."""
        plan, extras, results = node.plan, node.extras, None
        try:
            if extras is not None:
                grads = self.call_tensor_hooks(node, grads)
                if plan.several_outputs and not plan.user_code and "indices" in (plan.row.returns or ()):
                    grads = [grad for grad, name in zip(grads, plan.row.returns, strict=True) if name != "indices"]
                if extras.pre_hooks:
                    grads = self.call_node_hooks(node, "pre_hooks", grads)
            notify(events.Running, node, grads)
            try:
                results = self.call_function(node, grads, backward)
                notify(events.Ran, node, grads, results)
            except Exception as error:
                self.failure = error
                notify(events.Failed, node, error)
                raise
            if extras is not None and extras.post_hooks:
                results = self.call_node_hooks(node, "post_hooks", results, grads)
        except Exception as error:
            if error is not self.failure:
                notify(events.HookFailed, node, error)
            elif results is not None and plan.keeps and not self.keep_graph:  # anomaly mode found nan in them
                node.saved = FREED
            raise
        if plan.keeps and not self.keep_graph:
            node.saved = FREED
            notify(events.Freed, node)
        return results

    def call_function(self, node, grads, backward):
        """The gradients of a node's inputs, one for each edge, from those of its outputs; by *backward*, if given."""
        plan = node.plan
        if plan.user_code:
            return plan.run(node, grads, self)
        if plan.shares_grad:
            self.share(grads[0])
        if grads[0] is None and all([grad is None for grad in grads]):
            saved = node.saved if node.saved.__class__ is tuple else (node.saved,)
            for entry in saved if plan.keeps else ():
                value_of(node, entry)  # as PyTorch unpacks it, though there is nothing to compute
            return [None] * len(node.edges)
        backward = backward or (plan.backward_tensors if self.create_graph else plan.backward)
        given = grads if plan.several_outputs else grads[0]
        return backward(node, given) if self.create_graph else self.silently(backward, node, given)


# -- starting a pass -----------------------------------------------------------------------------------------------


def run_backward(edges, grads, retain_graph, create_graph, captures=MappingProxyType({}), leaves=None):
    """Send gradients along edges and down the graph, and return what was captured, ``{position: gradient}``.

    With *leaves*, only these are accumulated into, and only nodes that lead there or to a capture run.
    """
    needed, roots = None, (edges, grads)
    if leaves is not None:
        needed = nodes_to_execute(edges, set(captures), leaves, create_graph)
        if len(edges) > 1:  # roots that lead nowhere are left out
            wanted = needed.keys() | {node for node, _ in captures}
            starts = [start for start in zip(edges, grads, strict=True) if node_of_edge(start[0])[0] in wanted]
            edges, grads = zip(*starts, strict=True) if starts else ((), ())
    own = state.__dict__  # reading a thread-local takes as long as reading a dict several times
    run, recording, special = own["hot"]
    grad_mode, graph_task, caller, inference = own["grad_mode"], own["graph_task"], own["caller"], own["inference"]
    hooks, context = own["saved_hooks"], copy_context()  # for unpack hooks, so that a notebook finds their cell
    task = GraphTask(own, edges, retain_graph, create_graph, captures, needed)
    try:  # no call in between, so an interrupt falls before or after all changes
        own["grad_mode"], own["graph_task"], own["caller"] = create_graph, task, context
        own["hot"] = run, create_graph and not inference, special
        if special:
            notify(events.Started, list(zip(*roots, strict=True)), retain_graph, create_graph)
        captured = task.run(edges, grads)
        if own["listeners"]:
            notify(events.Finished)
        return captured
    except BaseException as error:
        notify(events.Stopped, error)
        raise
    finally:
        own["grad_mode"], own["graph_task"], own["caller"] = grad_mode, graph_task, caller
        own["inference"], own["saved_hooks"] = inference, hooks
        own["hot"] = run, recording, True if inference or hooks or own["listeners"] else False


def nodes_to_execute(roots, targets, leaves, create_graph):
    """The nodes that lead to a target or one of the *leaves*, each with what a pass needs to run it.

    That is its edges, with None where no gradient is wanted, and the function that computes the others.
    """
    needed = dict.fromkeys(leaves, ())
    reached = {*leaves, *[node for node, number in targets if number == 0]}
    below = [node for node in reachable([node_of_edge(root)[0] for root in roots]) if node.edges]
    for node in sorted(below, key=attrgetter("sequence")):  # inputs come before their consumers
        edges = [
            edge if edge in reached or edge.__class__ is OutputEdge
            and (edge.node in needed or (edge.node, edge.number) in targets) else None
            for edge in node.edges
        ]  # fmt: skip
        left_out = edges.count(None)
        if left_out < len(edges) or node in needed:
            plan = node.plan
            backward = plan.backward_tensors if create_graph else plan.backward
            if left_out > node.edges.count(None) and plan.__class__ is Plan and not plan.row.variadic:
                backward = plan.partial(tuple([edge is not None for edge in edges]), create_graph)
            needed[node] = edges, backward
            reached.add(node)
    return needed


def root_gradient(index, root, edge, given, create_graph):
    """The gradient of one root: the one given, or 1 for a root of a single element."""
    if given is None:
        if edge is None:
            return None
        if root._array.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if not root._dtype.is_floating_point:
            raise RuntimeError(f"grad can be computed only for real scalar outputs but got {root._dtype}")
        gradient = root._dtype.one
        if root._array.shape:
            gradient = np.full(root._array.shape, gradient)
        return wrap(gradient, root._dtype) if create_graph else gradient
    if not isinstance(given, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {kind_of(given)}")
    if given._array.shape != root._array.shape:
        raise RuntimeError(f"Mismatch in shape: grad_output[{index}] has a shape of {given.shape} and "
                           f"output[{index}] has a shape of {root.shape}.")  # fmt: skip
    gradient = given if given._dtype is root._dtype else given.to(root._dtype)
    array = gradient._array  # in the pass a view of it, for the elements are not its own
    return gradient if create_graph else array[...] if array.__class__ is ndarray else array


def root_gradients(roots, given, create_graph):
    """The edges of the roots and the gradients for them; RuntimeError when a gradient is missing or goes nowhere."""
    edges, grads = [], []
    given = (None,) * len(roots) if given is None else (given,) if isinstance(given, Tensor) else tuple(given)
    for root, each in zip(roots, given):  # noqa: B905 checked below
        if not isinstance(root, Tensor):
            raise AssertionError("Expected output to be a torch.Tensor")
        edge = gradient_edge(root)
        grads.append(root_gradient(len(grads), root, edge, each, create_graph))
        edges.append(edge)
    if len(edges) < len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(edges)} gradients")
    for edge in edges:
        if edge is None or edge.is_dead_end:
            raise RuntimeError(f"element {edges.index(edge)} of tensors does not require grad and does not have a "
                               "grad_fn")  # fmt: skip
    return edges, grads


def input_edge(tensor):
    """Where a tensor's gradient goes; RuntimeError when it does not require grad."""
    if not isinstance(tensor, Tensor):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(tensor).__name__}")
    if (edge := gradient_edge(tensor)) is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge


def backward_from(roots, gradients, retain_graph, create_graph, inputs):
    """Compute the gradients of *roots*, a tuple of tensors, and accumulate them into leaves, or into *inputs* only."""
    if inputs is not None and not inputs:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    edges, grads = root_gradients(roots, gradients, create_graph)
    if create_graph:
        warn_once("Using backward() with create_graph=True will create a reference cycle between the parameter and its "
                  "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to "
                  "avoid this. If you have to use this function, make sure to reset the .grad fields of your "
                  "parameters to None after use to break the cycle and avoid the leak.")  # fmt: skip
    leaves = None
    if inputs is not None:
        for tensor in inputs:
            tensor.retain_grad()
        leaves = {node_of_edge(input_edge(tensor))[0] for tensor in inputs}
    run_backward(edges, grads, create_graph if retain_graph is None else retain_graph, create_graph, leaves=leaves)


def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Add gradients into the ``.grad`` of the leaves this tensor depends on; see :func:`autograd_nb.autograd.backward`.

    *gradient* has the tensor's shape and may be left out for one element.
    """
    if inputs is not None:
        inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    backward_from((self,), gradient, retain_graph, create_graph, inputs)


methods["backward"] = backward
