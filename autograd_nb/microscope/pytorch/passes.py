"""PyTorch's backward passes, reported to a listener as the engine reports its own.

While a pass runs, every node below its roots has a hook before and after it; PyTorch reveals nothing more.
What happens between two nodes (gradients are summed, nodes become ready) follows from the edges: a :class:`Pass`
counts how many gradients each node still waits for, as PyTorch's engine does.
"""

import sys
from collections import Counter
from contextlib import nullcontext
from functools import partial, wraps
from heapq import heappop, heappush
from operator import add
from threading import get_ident

from ...engine import events
from ..presence import rank
from ..readings import TooLarge, grad_fn_of, nodes_below, place_of, value_of
from .readings import GraphNode, is_function, torch

watches = []  # of all threads


def watches_of_this_thread():
    return [watch for watch in watches if watch.thread == get_ident() and not watch.listener.is_elsewhere()]


class ReportingEngine:
    """Takes the place of PyTorch's *own* engine, and reports each pass to the watches of the thread that starts it."""

    def __init__(self, own):
        self.own = own

    def __getattr__(self, name):
        return getattr(self.own, name)

    def run_backward(self, roots, grads, keep_graph, create_graph, inputs=(), allow_unreachable=False,
                     accumulate_grad=False):  # fmt: skip
        given, inputs = (roots, grads, keep_graph, create_graph), tuple(inputs or ())
        run = partial(self.own.run_backward, *given, inputs, allow_unreachable, accumulate_grad)
        for watch in watches_of_this_thread():
            run = partial(Pass(given, watch, inputs, accumulate_grad).reported, run)
        return run()


def node_and_output(root):
    """``(node, output number)`` of a tensor or of a GradientEdge."""
    return (GraphNode(root.node), root.output_nr) if isinstance(root, tuple) else place_of(root)


def hooked(method):
    """Decorate a method that a hook calls: it does nothing when the node runs in a pass that is not this one.

    Its own operations on tensors are not reported.
    """
    def call(self, *arguments):
        if self.is_running():
            self.watch.quietly(method, self, *arguments)

    return call


def end_of(leaf):
    """PyTorch's node that adds up a leaf's gradient."""
    with torch.inference_mode(False):
        return torch.autograd.graph.get_gradient_edge(leaf).node


class Pass:
    """One backward pass: a context manager around it, which registers hooks on the nodes and removes them again."""

    nodes = ()  # those that the pass has not reached yet
    task = watch = running = None  # PyTorch's number of the pass; the watch until the pass is over; the running node
    in_hook = False

    def __init__(self, given, watch, inputs, accumulates):
        self.given, self.watch, self.inputs, self.accumulates, self.undo = given, watch, inputs, accumulates, []
        self.tell = watch.listener.write
        self.totals = {}  # node of a leaf -> the leaf's .grad after the node has added to it

    # -- what happens between two nodes: gradients are summed, and nodes become ready ----------------------------------

    def explore(self):
        """Find the nodes that can be reached, and those that must run."""
        places, roots = [node_and_output(each) for each in self.inputs], [at for at, _ in self.starts]
        self.captures = {} if self.accumulates else dict(zip(places, self.inputs, strict=True))
        self.edges = nodes_below(node for node, _ in roots)
        self.left = Counter(node for edges in (roots, *self.edges.values()) for node, _ in edges)
        # {node that must run: for each of its edges, whether a gradient is wanted}
        self.needed = dict.fromkeys((node for node, _ in places if self.accumulates) if places else self.edges, ())
        for node, edges in self.edges.items():  # inputs come before their consumers; leaves have none
            wanted = [edge[0] in self.needed or edge in self.captures for edge in edges]
            if True in wanted or node in self.needed:
                self.needed[node] = wanted
        self.sums = {}  # {edge: (the value that arrived along it, its elements if there is more to come)}
        self.nodes = self.reached((at, grad is not None and (value_of(grad), grad)) for at, grad in self.starts)

    def reached(self, passing):
        """Each node when its turn comes, whether it runs or not; *passing*: ``(edge, gradient)`` pairs."""
        ready = []
        while True:
            for edge, added in passing:
                node, _ = edge
                if node is None:
                    continue
                if added:
                    self.add(edge, *added)
                self.left[node] -= 1
                if self.left[node]:
                    continue
                self.tell(events.Ready, node)
                if node.is_leaf:
                    yield node
                else:
                    heappush(ready, (-node.sequence, node.key, node))
            if not ready:
                return
            _, _, node = heappop(ready)
            self.passed = [(edge, None) for edge in self.edges[node]]  # a node that runs replaces this
            yield node
            passing = self.passed

    def add(self, edge, value, elements):
        if edge in self.sums:
            dense_first = sorted((self.sums[edge][1], elements), key=lambda each: each.is_sparse)  # PyTorch's order
            elements = add(*dense_first)
            total = value_of(elements)
            self.tell(events.Summed, edge, value, total)
            value = total
        self.sums[edge] = value, elements

    def copy(self, edge, grad):
        """Elements to add to others later; PyTorch copies a gradient that something else refers to."""
        return grad.detach().clone() if self.left[edge[0]] > 1 or edge in self.sums else None

    def tell_averages(self):
        """Report each .grad that is another now than its node left it: several processes have exchanged theirs."""
        _, count = rank()
        for leaf, total in self.totals.items() if count > 1 else ():
            if leaf.variable.grad is not None and value_of(leaf.variable.grad) != total:
                modules = [module() for _, module in self.watch.listener.names.modules.values()]
                plain = [each for each in modules if type(each).__name__ == "DistributedDataParallel"
                         and not each._comm_hooks]  # fmt: skip
                self.watch.report_change(f"{'mean' if plain else 'exchange'}(processes={count})", leaf.variable.grad)

    # -- hooks on the nodes ------------------------------------------------------------------------------------------

    def reported(self, run):
        """The result of ``run()``, PyTorch's own pass."""
        watch, (roots, grads, self.keep_graph, self.create_graph) = self.watch, self.given
        if watch.is_off or watch.transforms():
            return run()
        self.starts = [(node_and_output(root), grad) for root, grad in zip(roots, grads, strict=False)]
        watch.report()
        if len(roots) != len(grads) or any(at[0] is None for at, _ in self.starts):  # an error before any node runs
            return run()
        dispatch = watch.entered(watch.dispatch) if self.create_graph else nullcontext()
        with watch.entered(watch.mode), dispatch, self:
            return run()

    def is_running(self):
        """Whether this thread is running this pass.

        Nodes may be shared with the pass of another thread; and PyTorch's own threads, which have no frames below the
        hook, run the nodes of other devices.
        """
        if self.watch is None or self.watch.is_over:
            return False
        task = torch._C._current_graph_task_id()
        if self.task is None:
            frame = sys._getframe()
            while frame is not None and frame.f_globals is globals():
                frame = frame.f_back
            if frame is None or get_ident() == self.watch.thread:
                self.task = task
        return task == self.task

    def __enter__(self):
        self.watch.quietly(self.begin)

    def begin(self):
        try:
            self.explore()
        except TooLarge:
            self.watch.listener.end()
            return
        self.tell(events.Started, self.starts, self.keep_graph, self.create_graph)
        for node in self.edges:
            self.attach(node)
        for (node, number), tensor in self.captures.items():
            if node in self.edges and not isinstance(tensor, tuple):
                had, hook = tensor._backward_hooks, tensor.register_hook(partial(self.captured, node, number))
                self.undo.append(hook.remove)
                if had is None:
                    self.undo.append(partial(setattr, tensor, "_backward_hooks", None))

    def attach(self, node):
        """Register hooks before and after a node, behind the learner's, and make these report what they do."""
        real, listener = node.real or end_of(node.variable), self.watch.listener
        key, node.real = listener.node(node), real
        node.made = listener.at_nodes.get(key, ())  # weak references to tensors that had this node once
        node.holds = is_function(node) or node.name == "CopySlices" or key and listener.node_records[key].saves
        for register, hook, stage in (
            (real.register_prehook, self.before, "pre_hooks"), (real.register_hook, self.after, "post_hooks")
        ):  # fmt: skip
            mine = register(partial(hook, node))
            self.undo.append(mine.remove)
            if len(hooks := mine.hooks_dict_ref()) > 1:
                self.wrap(hooks, node, stage)
        for tensor in [node.variable] if node.is_leaf else made_by(node):
            self.wrap(tensor._backward_hooks, node, "tensor", tensor.output_nr)
            if node.is_leaf:
                self.wrap(tensor._post_accumulate_grad_hooks, node, "accumulated_hooks")

    def wrap(self, hooks, node, stage, number=0):
        """Make each hook of a dict, except those of recordings, report what it did to a gradient."""
        for key, hook in list((hooks or {}).items()):
            if not isinstance(getattr(getattr(hook, "func", None), "__self__", None), Pass):
                ours = self.reporting(hook, node, stage, number)
                self.undo.append(partial(unwrap, hooks, key, ours))
                hooks[key] = ours

    def reporting(self, hook, node, stage, number):
        @wraps(hook, updated=())  # so that PyTorch's errors name the learner's hook
        def call(seen, *others):
            if not self.is_running():
                return hook(seen, *others)
            if stage in ("tensor", "pre_hooks"):
                self.watch.quietly(self.arrived, node, {number: seen} if stage == "tensor" else dict(enumerate(seen)))
            else:
                self.watch.quietly(self.ran, node, seen)
            self.in_hook = True
            result = hook(seen, *others)
            if not self.is_running():  # the recording has become too long
                return result
            self.changed = True  # a hook may also change the gradient in place
            self.watch.report()
            if stage == "tensor":
                self.watch.inform(events.Hooked, node, number, hook, seen, seen if result is None else result)
            elif stage == "accumulated_hooks":
                self.watch.inform(events.NodeHooked, node, stage, hook, (seen.grad,), None)
            else:
                self.watch.inform(events.NodeHooked, node, stage, hook, seen, result)
            return result

        call.pass_ = self
        return call

    def __exit__(self, kind, error, traceback):
        try:
            self.watch.quietly(self.tell_end, error)
        finally:
            try:
                self.unhook()
            finally:  # an interrupt
                self.unhook()
                vars(self).clear()  # hooks refer to the pass, and the pass to the graph

    def unhook(self):
        while self.undo:
            self.undo[-1]()
            self.undo.pop()

    def tell_end(self, error):
        self.watch.calls = []
        if error is None or self.running is None:  # the error for an unused input comes when all is done
            for _ in self.nodes:
                pass
            self.tell_averages()
            self.tell(events.Finished)
        else:
            if not self.in_hook:
                self.tell(events.Failed, self.running, error)
            self.tell(events.Stopped, error)

    def arrived(self, node, grads):
        """PyTorch has reached a node with these gradients; report the events before that."""
        if self.running == node:
            return
        self.watch.report(walking=True)
        if not node.is_leaf or self.left[node]:  # leaves may come in another order
            while next(self.nodes, node) != node:
                pass
        self.grads = {
            number: self.sums.pop((node, number), (None,))[0] or value_of(grad) for number, grad in grads.items()
        }
        self.running, self.changed, self.results = node, False, None

    @hooked
    def before(self, node, grads):
        self.in_hook = False
        self.arrived(node, dict(enumerate(grads)))
        if self.changed or len(self.grads) < len(grads):  # by a hook
            self.grads = dict(enumerate(map(value_of, grads)))
        if node.is_leaf:
            self.is_first = node.variable.grad is None
            return
        for tensor in made_by(node):
            if tensor.retains_grad and grads[tensor.output_nr] is not None:
                self.tell(events.Retained, node, tensor, tensor.grad)
        self.tell(events.Running, node, grads)

    def ran(self, node, results):
        """Report what a node did, unless a hook of the learner's came before; a leaf has no results."""
        if self.results is not None:
            return
        self.in_hook = self.changed = False
        self.watch.report(walking=node.is_leaf)
        if node.is_leaf:
            self.results = ()
            total = self.grads[0] if self.is_first else node.variable.grad
            self.totals[node] = total = value_of(total)
            self.tell(events.Accumulated, node, self.grads[0], total)
            return
        row = node.row
        missing = len(row.returns or ()) - len(self.grads) if row is not None else 0
        self.results = [value_of(each) for each in results]
        self.tell(events.Ran, node, [*self.grads.values(), *[None] * missing], self.results)

    @hooked
    def after(self, node, results, grads):
        self.ran(node, results)
        self.running = None
        if node.is_leaf:
            return
        if node.holds and not self.keep_graph:
            self.tell(events.Freed, node)
        values = map(value_of, results) if self.changed else self.results
        self.passed = [(edge, wanted and value is not None and (value, self.copy(edge, grad)))
                       for edge, wanted, value, grad in zip(self.edges[node], self.needed[node], values, results,
                                                            strict=True)]  # fmt: skip

    @hooked
    def captured(self, node, number, grad):
        self.arrived(node, {number: grad})
        self.tell(events.Captured, node, number, grad)
        if node not in self.needed:
            self.running = None


def made_by(node):
    """The tensors still there that a node made, as far as they are known."""
    tensors = [reference() for reference in node.made]
    return [each for each in tensors if each is not None and grad_fn_of(each) is node.real]


def unwrap(hooks, key, ours):
    """Put a hook back in place of ours; another thread that has wrapped ours too does this when it is done."""
    if hooks.get(key) is ours:
        hook = ours.__wrapped__
        while hasattr(hook, "pass_") and hook.pass_.watch is None:
            hook = hook.__wrapped__
        hooks[key] = hook
