"""The way back: from the roots down the graph, each node once, when all gradients of its outputs have arrived.

First the dependencies are counted: how many gradients each node waits for.  Then one loop runs the nodes that are
ready, later operations first, and hands their gradients on along the edges.  Gradients that meet are summed before
the node runs; a leaf accumulates as soon as its gradient is complete.  There is no recursion: a chain of a million
nodes is a loop of a million turns.
"""

from contextvars import copy_context
from heapq import heappop, heappush, heappushpop
from operator import attrgetter

import numpy as np

from .dtypes import BY_NUMPY, BY_SCALAR
from .graph import Node, Output, node_of_edge, reachable
from .hooks import Hooks, duplicate
from .modes import state, tell, warn_once
from .saved import FREED, value_of
from .table import methods
from .tensor import AccumulateGrad, Tensor, current_node, ndarray, wrap
from .vjp import Plan


class GraphRoot:
    """Where a pass begins: its edges lead to the roots, its gradients are those that were given for them."""

    def __init__(self, starts):
        self.edges, self.grads = zip(*starts, strict=True) if starts else ((), ())


class Dependency:
    """Something that several gradients lead to: how many have yet to arrive, and the sum of those that have."""

    __slots__ = ("left", "total", "own")

    def __init__(self):
        self.left, self.total = 1, None
        self.own = False  # whether the sum is an array made here, which may be added to in place


def count_dependencies(root):
    """``{edge: Dependency}`` for everything below the root that more than one edge leads to."""
    seen, found, nodes = set(), {}, [root]
    for node in nodes:  # which grows meanwhile
        for edge in node.edges:
            if edge in seen:
                if edge not in found:
                    found[edge] = Dependency()
                found[edge].left += 1
            elif edge is not None:
                seen.add(edge)
                nodes.append(edge)
    return found


class Backward(Hooks):
    """One backward pass.

    *captures* maps ``(node, output number)`` to the positions of the tensors whose gradient is wanted there, for
    ``autograd.grad``; *needed* maps the nodes that have to run to which of their edges a gradient is wanted for, or is
    None when all are.
    """

    def __init__(self, keep_graph, create_graph, captures=None, needed=None):
        self.keep_graph, self.create_graph = keep_graph, create_graph
        self.captures, self.needed, self.captured = captures or {}, needed, {}
        self.outputs = {}  # node of several outputs -> their gradients so far
        self.shared = {}  # id -> array of gradients that somebody besides the pass can see

    def run(self, root):
        """Send the root's gradients down the graph; return what was captured."""
        self.root = node = root
        for grad in root.grads:
            self.share(grad)
        create_graph, free, listeners, run = self.create_graph, not self.keep_graph, state.listeners, state.run
        watched = self.needed is not None or bool(listeners)
        # as long as one node follows the other there is nothing to count: it is done when paths part
        self.waiting = waiting = count_dependencies(root) if watched or len(root.edges) > 1 else None
        ready = []  # a heap of (-sequence, node, gradient)
        grads = root.grads
        while True:
            following = None  # the latest of the nodes that became ready just now
            number = 0
            for edge in node.edges:
                grad = grads[number]  # so much faster than zip
                number += 1
                if edge is None:
                    continue
                if waiting and edge in waiting:
                    complete, grad = self.meet(edge, grad)
                    if not complete:
                        continue
                if edge.__class__ is Output:
                    edge, grad = self.deposit(edge, grad)
                    if edge is None:
                        continue
                if watched and listeners:
                    tell("ready", edge)
                if edge.__class__ is AccumulateGrad:
                    if watched or edge.extras is not None:
                        self.visit_leaf(edge, grad)
                    else:
                        self.accumulate(edge, grad)
                elif following is None:
                    following, gradient = edge, grad
                elif edge.sequence > following.sequence:
                    heappush(ready, (-following.sequence, following, gradient))
                    following, gradient = edge, grad
                else:
                    heappush(ready, (-edge.sequence, edge, grad))
            if following is None:
                if not ready:
                    return self.captured
                _, node, grad = heappop(ready)
            elif ready:
                _, node, grad = heappushpop(ready, (-following.sequence, following, gradient))
            else:
                node, grad = following, gradient

            while True:
                plan = node.plan
                if watched or plan.special or node.extras is not None or grad is None:
                    grads = self.visit(node, grad if plan.several_outputs else [grad])
                    watched = self.needed is not None or bool(listeners)  # which user code may have changed
                else:
                    if create_graph:
                        grads = plan.backward_tensors(node, grad)
                    else:
                        grads = run(plan.backward, node, grad)  # NumPy stays silent in there
                    if free and plan.keeps:
                        node.saved = FREED
                only = plan.only  # the one input that needs a gradient
                if only is None:
                    if plan.twins:
                        self.share(grad)  # both edges of an addition are given one array
                    break
                edge = node.edges[only]
                if edge.__class__ is not Node or ready or watched or waiting and edge in waiting:
                    break
                node, grad = edge, grads[only]
            if waiting is None:
                self.waiting = waiting = count_dependencies(node)

    def meet(self, edge, grad):
        """Add a gradient to those that arrived before; whether it was the last, and the sum."""
        dependency = self.waiting[edge]
        before = dependency.total
        if before is None:
            dependency.total = grad
        elif grad is not None:
            if dependency.own:
                before += grad
            else:
                dependency.total = before + grad
                dependency.own = dependency.total.__class__ is ndarray
            if state.listeners:
                tell("summed", edge, grad, dependency.total)
        dependency.left -= 1
        return not dependency.left, dependency.total

    def deposit(self, output, grad):
        """Put the gradient of one output of a node by; ``(node, all of them)`` when it was the last, else Nones."""
        node = output.node
        grads = self.outputs.setdefault(node, [None] * output.count)
        before = grads[output.number]  # two edges may stand for one output
        grads[output.number] = grad if before is None else before if grad is None else before + grad
        dependency = self.waiting and self.waiting.get(node)
        if dependency:
            dependency.left -= 1
            if dependency.left:
                return None, None
        return node, self.outputs.pop(node)

    # -- one node --------------------------------------------------------------------------------------------------

    failure = None  # the error of a node itself, that was told

    def visit(self, node, grads):
        """Run a node with all that may be attached to it or to the pass; its gradients, one for each edge."""
        plan, extras, results = node.plan, node.extras, None
        if not (self.needed is not None or state.listeners or extras is not None and extras.of_node):  # the usual
            results = self.perform(node, grads if extras is None else self.look(node, grads))
            if plan.keeps and not self.keep_graph:
                node.saved = FREED
            return results
        if self.needed is not None:
            self.capture(node, grads)
            if node not in self.needed:
                return [None] * len(node.edges)
        try:
            if extras is not None:
                grads = self.look(node, grads)
                if plan.several_outputs and not plan.user_code and "indices" in (plan.row.returns or ()):
                    grads = [grad for grad, name in zip(grads, plan.row.returns, strict=True) if name != "indices"]
                if extras.pre_hooks:
                    grads = self.node_hooks(node, "pre_hooks", grads)
            tell("run", node, grads)
            try:
                results = self.perform(node, grads)
                tell("ran", node, grads, results)
            except Exception as error:
                self.failure = error
                tell("failed", node, error)
                raise
            if extras is not None and extras.post_hooks:
                results = self.node_hooks(node, "post_hooks", results, grads)
        except Exception as error:
            if error is not self.failure:
                tell("hook_failed", node, error)
            elif results is not None and plan.keeps and not self.keep_graph:  # anomaly mode found nan in them
                node.saved = FREED
            raise
        if plan.keeps and not self.keep_graph:
            node.saved = FREED
            tell("freed", node)
        if self.needed is None:
            return results
        return [each if wanted else None for wanted, each in zip(self.needed[node], results, strict=True)]

    def perform(self, node, grads):
        """The gradients of a node's inputs, one for each edge, from those of its outputs."""
        plan = node.plan
        if plan.user_code:
            return plan.run(node, grads, self)
        if plan.twins:
            self.share(grads[0])
        if all([grad is None for grad in grads]):
            saved = node.saved if node.saved.__class__ is tuple else (node.saved,)
            for entry in saved if plan.keeps else ():
                value_of(node, entry)  # what a node saved is looked at first, also where there is nothing to do with it
            return [None] * len(node.edges)
        backward = plan.backward_tensors if self.create_graph else plan.backward
        if self.needed is not None and plan.__class__ is Plan and not plan.row.variadic:
            wanted = self.needed[node]
            if False in wanted:
                backward = plan.partial(wanted, self.create_graph)
        given = grads if plan.several_outputs else grads[0]
        return backward(node, given) if self.create_graph else state.run(backward, node, given)

    # -- leaves ----------------------------------------------------------------------------------------------------

    def accumulate(self, leaf, grad):
        """Add a gradient into a leaf's ``.grad``, which never shares memory with anything else.

        The first gradient becomes ``.grad`` as it is, unless somebody holds its elements; then it is copied.  Later
        ones are added in place, for ``.grad`` stays the same tensor.
        """
        if grad is None:
            return
        held = leaf.grad
        if self.create_graph:
            leaf.grad = duplicate(grad, "copied") if held is None else held + grad
        elif held is not None:
            add_in_place(held, grad)
        elif grad.__class__ is ndarray and (grad.base is not None or id(grad) in self.shared):
            leaf.grad = copy = wrap(grad.copy(), BY_NUMPY[grad.dtype])
            copy._share().version = 1  # a copy into it counts as a change in place
        else:
            leaf.grad = wrap(grad, BY_SCALAR.get(grad.__class__) or BY_NUMPY[grad.dtype])

    def visit_leaf(self, leaf, grad):
        """Accumulate with all that may be attached to the leaf or to the pass."""
        extras = leaf.extras
        if self.needed is not None:
            self.capture(leaf, [grad])
            if leaf not in self.needed:
                return
        if extras is not None:
            grads = self.look(leaf, [grad])
            (grad,) = self.node_hooks(leaf, "pre_hooks", grads) if extras.pre_hooks else grads
            if extras.inactive:
                tensor = leaf.leaf()
                if extras.inactive == "moved" if tensor is None else tensor._node is not None:
                    raise RuntimeError("leaf variable has been moved into the graph interior")
        if extras is None or not extras.inactive:
            self.accumulate(leaf, grad)
            if state.listeners:
                tell("accumulated", leaf, grad, leaf.grad)
        if extras is not None:
            self.after_accumulation(leaf, grad)


def add_in_place(held, grad):
    """Add an array to a gradient that somebody may hold: the tensor stays the same and its version moves on."""
    array = held._array
    if array.__class__ is ndarray and array.flags.writeable:
        array += grad
    else:
        held._set_array(array + grad)
    held._share().version += 1


# -- starting a pass -----------------------------------------------------------------------------------------------


def run_backward(starts, retain_graph, create_graph, captures=None, leaves=()):
    """Run one backward pass from pairs ``(edge, gradient)`` and return what was captured, ``{position: gradient}``."""
    needed = None
    if captures is not None:
        needed = on_the_way([edge for edge, _ in starts], set(captures), leaves)
        if len(starts) > 1:  # of several roots those that lead nowhere are not looked at
            wanted = needed.keys() | {node for node, _ in captures}
            starts = [start for start in starts if node_of_edge(start[0])[0] in wanted]
    own = state.__dict__  # this thread's: one look at a thread's state takes as long as several at a dict
    before = own["switched_on"], own["walk"], own["caller"]
    run, recording, special = own["hot"]
    own["switched_on"], own["hot"] = create_graph, (run, create_graph and not own["inference"], special)
    own["caller"] = copy_context()  # unpack hooks run in it: a notebook finds by it the cell that prints
    own["walk"] = pass_ = Backward(retain_graph, create_graph, captures, needed)
    try:
        tell("started", None, starts, retain_graph, create_graph)
        captured = pass_.run(GraphRoot(starts))
        tell("finished", None)
        return captured
    except BaseException as error:
        tell("stopped", None, error)
        raise
    finally:
        own["switched_on"], own["walk"], own["caller"] = before
        state.refresh(recording)


def on_the_way(roots, targets, leaves):
    """The nodes that have to run, each with which of its edges a gradient is wanted for.

    These are the nodes from which a target lies further down, and the *leaves* to accumulate into.
    """
    needed = dict.fromkeys(leaves, ())
    reached = {*leaves, *[node for node, number in targets if number == 0]}
    below = reachable([node_of_edge(root)[0] for root in roots])
    for node in sorted(below, key=attrgetter("sequence")):  # inputs come before their consumers
        wanted = tuple([
            edge in reached if edge.__class__ is not Output
            else edge.node in needed or (edge.node, edge.number) in targets
            for edge in node.edges
        ])  # fmt: skip
        if True in wanted or node in needed:
            needed[node] = wanted
            reached.add(node)
    return needed


def root_gradient(index, root, given, create_graph):
    """``(edge, gradient)`` for one root: the gradient given for it, or the 1 that a single element implies."""
    if not isinstance(root, Tensor):
        raise AssertionError("Expected output to be a torch.Tensor")
    edge, gradient = current_node(root), None
    if isinstance(given, Tensor):
        if given._array.shape != root._array.shape:
            raise RuntimeError(f"Mismatch in shape: grad_output[{index}] has a shape of {given.shape} and "
                               f"output[{index}] has a shape of {root.shape}.")  # fmt: skip
        gradient = given if given._dtype is root._dtype else given.to(root._dtype)
        gradient = gradient if create_graph else gradient._array
    elif given is not None:
        raise TypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}")
    elif edge is not None or root.requires_grad:
        if root._array.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if not root._dtype.is_floating_point:
            raise RuntimeError(f"grad can be computed only for real scalar outputs but got {root._dtype}")
        gradient = root._dtype.one
        if root._array.shape:
            gradient = np.full(root._array.shape, gradient)
        gradient = wrap(gradient, root._dtype) if create_graph else gradient
    return edge, gradient


def root_gradients(roots, grads, create_graph):
    """``(edge, gradient)`` for each root; RuntimeError when one has none, or when no gradient goes on from it."""
    grads = (None,) * len(roots) if grads is None else (grads,) if isinstance(grads, Tensor) else tuple(grads)
    starts = [root_gradient(index, *pair, create_graph) for index, pair in enumerate(zip(roots, grads, strict=False))]
    if len(grads) < len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(grads)} gradients")
    for index, (edge, _) in enumerate(starts):
        if edge is None or edge.is_dead_end:
            raise RuntimeError(f"element {index} of tensors does not require grad and does not have a grad_fn")
    return starts


def input_edge(tensor):
    """Where a tensor's gradient goes; RuntimeError when it does not require grad."""
    if not isinstance(tensor, Tensor):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(tensor).__name__}")
    if (edge := current_node(tensor)) is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge


def backward_from(roots, gradients, retain_graph, create_graph, inputs):
    """Compute the gradients of *roots*, a tuple of tensors, and accumulate them into leaves, or into *inputs* only."""
    if inputs is not None and not inputs:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    starts = root_gradients(roots, gradients, create_graph)
    if create_graph:
        warn_once("Using backward() with create_graph=True will create a reference cycle between the parameter and its "
                  "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to "
                  "avoid this. If you have to use this function, make sure to reset the .grad fields of your "
                  "parameters to None after use to break the cycle and avoid the leak.")  # fmt: skip
    retain_graph = create_graph if retain_graph is None else retain_graph
    if inputs is None:
        run_backward(starts, retain_graph, create_graph)
        return
    for tensor in inputs:
        tensor.retain_grad()
    nodes = {node_of_edge(input_edge(tensor))[0] for tensor in inputs}
    run_backward(starts, retain_graph, create_graph, {}, nodes)


def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Add gradients into the ``.grad`` of the leaves this tensor depends on; see :func:`autograd_nb.autograd.backward`.

    *gradient* has the tensor's shape and may be left out for one element.
    """
    inputs = (inputs,) if isinstance(inputs, Tensor) else inputs
    backward_from((self,), gradient, retain_graph, create_graph, inputs if inputs is None else tuple(inputs))


methods["backward"] = backward
