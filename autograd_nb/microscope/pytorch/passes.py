"""PyTorch's backward passes, reported to a listener as the engine reports its own.

While a pass runs, every node below its roots has a hook before and after it; PyTorch reveals nothing more.
What happens between two nodes (gradients are summed, nodes become ready) follows from the edges: a :class:`Pass`
counts how many gradients each node still waits for, as PyTorch's engine does.
"""

import sys
from collections import Counter
from contextlib import ExitStack
from functools import partial, wraps
from heapq import heappop, heappush
from itertools import count
from threading import get_ident
from typing import NamedTuple

from ...engine import events
from ..presence import loaded
from ..readings import TooLarge, edges_of, nodes_below, place_of, value_of
from .readings import Node, keeps

SMALL = 64  # gradients of up to this many elements are copied, to compute their sums
arrival = count().__next__


class Engine:
    """Takes the place of PyTorch's *real* engine, and reports each pass to the watches of the thread that starts it."""

    def __init__(self, real, watches_of_this_thread):
        self.real, self.watches_of_this_thread = real, watches_of_this_thread

    def __getattr__(self, name):
        return getattr(self.real, name)

    def run_backward(self, roots, grads, keep_graph, create_graph, inputs=(), *others, **options):
        given = roots, grads, keep_graph, create_graph, tuple(inputs or ())
        accumulates = options.get("accumulate_grad", others[1] if len(others) > 1 else False)
        run = partial(self.real.run_backward, *given, *others, **options)
        for watch in self.watches_of_this_thread():
            run = partial(reported, watch, run, *given, accumulates)
        return run()


def reported(watch, run, roots, grads, keep_graph, create_graph, inputs, accumulates):
    """What ``run()``, a backward pass of PyTorch, gives; it is reported to *watch*."""
    if watch.is_off or watch.transforms():
        return run()
    starts = [(place(root), grad) for root, grad in zip(roots, grads, strict=False)]
    watch.report()
    if len(roots) != len(grads) or any(at[0] is None for at, _ in starts):  # an error before any node runs
        return run()
    with ExitStack() as around:
        if watch.inside:  # a mode is off while it handles a call
            around.enter_context(watch.mode)
        calls, watch.calls = watch.calls, []
        before, watch.dispatching = watch.dispatching, bool(create_graph)
        if create_graph and not before:
            around.enter_context(watch.dispatch)
        try:
            with Pass(watch, starts, keep_graph, create_graph, inputs, accumulates):
                return run()
        finally:
            watch.calls, watch.dispatching = calls, before


def place(root):
    """``(node, output number)`` of a tensor or of a GradientEdge."""
    return (Node(root.node), root.output_nr) if isinstance(root, tuple) else place_of(root)


def hooked(method):
    """Decorate a method that a hook calls: it does nothing when the node runs in a pass that is not this one.

    Its own operations on tensors are not reported.
    """
    def call(self, *arguments):
        if self.is_running():
            with self.watch.quiet():
                method(self, *arguments)

    return call


def end_of(leaf):
    """PyTorch's node that adds up a leaf's gradient."""
    with loaded().inference_mode(False), loaded().enable_grad():
        (node,) = (below for below, _ in leaf.view_as(leaf).grad_fn.next_functions)
    return node


class Walk:
    """What happens between two nodes of a pass: gradients are summed, and nodes become ready."""

    def __init__(self, watch, starts, inputs, accumulates):
        self.watch, self.starts = watch, starts
        self.targets = {place(each): each for each in inputs}
        self.captures = {} if accumulates else self.targets
        self.accumulates = accumulates or not inputs
        self.edges, self.sums, self.ready, self.cursor = {}, {}, [], iter(())
        self.late = set()  # nodes to report as ready once their sums are known

    def explore(self):
        """Find all that can be reached; where that is too much, the recording is over."""
        roots = [at for at, _ in self.starts]
        try:
            self.edges = {node: edges_of(node) for node in nodes_below(node for node, _ in roots)}
        except TooLarge:
            self.watch.listener.end()
            return
        self.left = Counter(node for edges in (roots, *self.edges.values()) for node, _ in edges)
        self.needed = self.nodes_to_execute() if self.targets else None

    def nodes_to_execute(self):
        """``{node: for each of its edges, whether a gradient is wanted}`` for the nodes that must run."""
        needed = {node: () for node, _ in self.targets if self.accumulates}
        for node, edges in self.edges.items():  # inputs come before their consumers, but for leaves, which have none
            wanted = tuple(edge[0] in needed or edge in self.targets for edge in edges)
            if True in wanted or node in needed:
                needed[node] = wanted
        return needed

    def proceed(self, further=None):
        """Pass gradients along these edges, or the rest of those before, up to a leaf, which runs next."""
        self.cursor = iter(self.cursor if further is None else further)
        for (node, number), added in self.cursor:
            if node is None:
                continue
            if added is not None:
                self.add((node, number), added)
            self.left[node] -= 1
            if self.left[node]:
                continue
            if node.is_leaf and (self.needed is None or node in self.needed or (node, 0) in self.captures):
                return
            if any((node, other) in self.sums and self.sums[node, other].value is None for other in range(number + 1)):
                self.late.add(node)
            else:
                self.watch.inform(events.Ready, node)
            if not node.is_leaf:
                heappush(self.ready, (-node.sequence, arrival(), node))

    def add(self, edge, added):
        before = self.sums.get(edge)
        if before is None:
            self.sums[edge] = added
        elif before.elements is None or added.elements is None:
            self.sums[edge] = Sum(None, None, added.value)
        else:
            total = before.elements + added.elements
            self.sums[edge] = Sum(value_of(total), total)
            self.watch.inform(events.Summed, edge, added.value, self.sums[edge].value)

    def drain(self, node):
        """Report the nodes that were ready before *node* and had nothing to do."""
        self.proceed()
        while self.ready and (node is None or self.ready[0][2] != node):
            _, _, passed = heappop(self.ready)
            self.proceed((edge, None) for edge in self.edges[passed])
        if self.ready:
            heappop(self.ready)


class Pass(Walk):
    """One backward pass: a context manager around it, which registers hooks on the nodes and removes them again."""

    task = watch = None  # PyTorch's number of the pass, when it runs; and who is told, until it is over

    def __init__(self, watch, starts, keep_graph, create_graph, inputs, accumulates):
        super().__init__(watch, starts, inputs, accumulates)
        self.keep_graph, self.create_graph = keep_graph, create_graph
        self.running, self.in_hook, self.undo = None, False, []

    def is_running(self):
        """Whether what runs in this thread is this pass.

        Nodes may be shared with the pass of another thread; and PyTorch's own threads, which have no frames below the
        hook, run the nodes of other devices.
        """
        if self.watch is None or self.watch.is_over:
            return False
        task = self.watch.torch._C._current_graph_task_id()
        if self.task is None:
            frame = sys._getframe()
            while frame is not None and frame.f_globals is globals():
                frame = frame.f_back
            if frame is None or get_ident() == self.watch.thread:
                self.task = task
        return task == self.task

    def __enter__(self):
        with self.watch.quiet():
            self.explore()
            if not self.watch.is_over:
                self.watch.inform(events.Started, self.starts, self.keep_graph, self.create_graph)
            if not self.watch.is_over:
                for node in self.edges:
                    self.attach(node)
                self.proceed((at, None if grad is None else Sum(value_of(grad), grad)) for at, grad in self.starts)

    def attach(self, node):
        """Register one hook before a node and two after it, and make the learner's hooks report what they do."""
        real = node.real = node.real or end_of(node.variable)
        before = real.register_prehook(lambda grads: self.before(node, grads))
        self.wrap(before.hooks_dict_ref(), before.id, node, "pre_hooks")
        self.undo.append(before.remove)
        first = real.register_hook(lambda results, grads: self.ran(node, results, grads))
        hooks = first.hooks_dict_ref()
        others = [(key, hook) for key, hook in hooks.items() if key != first.id]
        for key, _ in others:  # ours runs first
            hooks[key] = hooks.pop(key)
        self.wrap(hooks, first.id, node, "post_hooks")
        last = real.register_hook(lambda results, grads: self.after(node, results))
        self.undo += [first.remove, last.remove]
        with_hooks = [node.variable] if node.is_leaf else self.watch.listener.tensors_of(node)
        for tensor in with_hooks:
            self.wrap(tensor._backward_hooks, None, node, "tensor", tensor.output_nr)
            if node.is_leaf:
                self.wrap(tensor._post_accumulate_grad_hooks, None, node, "accumulated_hooks")
        for (owner, number), tensor in self.captures.items():
            if owner == node and not isinstance(tensor, tuple):
                had, hook = tensor._backward_hooks, tensor.register_hook(
                    lambda grad, number=number: self.captured(node, number, grad))  # fmt: skip
                self.undo.append(hook.remove)
                if had is None:
                    self.undo.append(lambda tensor=tensor: setattr(tensor, "_backward_hooks", None))

    def wrap(self, hooks, mine, node, stage, number=0):
        """Make each hook of a dict, except *mine*, report what it did to a gradient."""
        for key, hook in list((hooks or {}).items()):
            if key != mine:
                ours = self.reporting(hook, node, stage, number)
                self.undo.append(partial(unwrap, hooks, key, ours))
                hooks[key] = ours

    def reporting(self, hook, node, stage, number):
        @wraps(hook, updated=())  # PyTorch's errors name the hook
        def call(seen, *others):
            if not self.is_running():
                return hook(seen, *others)
            if stage in ("tensor", "pre_hooks"):
                self.arrived(node, {number: seen} if stage == "tensor" else dict(enumerate(seen)))
            elif stage == "accumulated_hooks":
                self.accumulated(node)
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
            with self.watch.quiet():
                self.tell_end(error)
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
        if error is None or self.running is None:  # the error for an unused input comes when all is done
            self.drain(None)
            self.watch.inform(events.Finished)
        else:
            if not self.in_hook:
                self.watch.inform(events.Failed, self.running, error)
            self.watch.inform(events.Stopped, error)

    @hooked
    def arrived(self, node, grads):
        """PyTorch has reached a node with these gradients; report what happened before that."""
        if self.running == node:
            return
        self.watch.report(walking=True)
        if not node.is_leaf:
            self.drain(node)
        self.grads = {}
        for number, grad in grads.items():
            sum_ = self.sums.pop((node, number), None)
            self.grads[number] = value_of(grad) if sum_ is None or sum_.value is None else sum_.value
            if sum_ is not None and sum_.value is None and grad is not None:  # the sum was not known before
                self.watch.inform(events.Summed, (node, number), sum_.added, self.grads[number])
        self.running, self.changed = node, False
        if node.is_leaf or node in self.late:
            self.watch.inform(events.Ready, node)

    @hooked
    def before(self, node, grads):
        self.in_hook = False
        self.arrived(node, dict(enumerate(grads)))
        if self.changed or len(self.grads) < len(grads):  # by a hook
            self.grads = dict(enumerate(map(value_of, grads)))
        if node.is_leaf:
            self.is_first = node.variable.grad is None
            return
        for tensor in self.watch.listener.tensors_of(node):
            if tensor.retains_grad and grads[tensor.output_nr] is not None:
                self.watch.inform(events.Retained, node, tensor, tensor.grad)
        self.freed = not self.keep_graph and keeps(node)
        self.watch.inform(events.Running, node, grads)

    @hooked
    def ran(self, node, results, grads):
        self.in_hook = self.changed = False
        self.watch.report(walking=node.is_leaf)
        if node.is_leaf:
            self.accumulated(node)
            return
        row = node.row
        missing = len(row.returns or ()) - len(grads) if row is not None else 0
        self.results = [value_of(each) for each in results]
        self.watch.inform(events.Ran, node, [*self.grads.values(), *[None] * missing], self.results)

    def accumulated(self, node):
        if self.grads is not None:
            total = self.grads[0] if self.is_first else node.variable.grad
            self.watch.inform(events.Accumulated, node, self.grads[0], total)
            self.grads = None

    @hooked
    def after(self, node, results):
        self.running = None
        if node.is_leaf:
            self.proceed()
            return
        if self.freed:
            self.watch.inform(events.Freed, node)
        if self.changed:
            self.results = [value_of(each) for each in results]
        wanted = self.needed[node] if self.needed is not None else [True] * len(results)
        self.proceed(zip(self.edges[node], [
            Sum(value, None if self.create_graph or each.numel() > SMALL else each.detach().clone())
            if want and each is not None else None
            for want, value, each in zip(wanted, self.results, results, strict=True)
        ], strict=True))  # fmt: skip

    @hooked
    def captured(self, node, number, grad):
        self.arrived(node, {number: grad})
        self.watch.inform(events.Captured, node, number, grad)
        if self.needed is not None and node not in self.needed:
            self.running = None
            self.proceed((edge, None) for edge in self.edges[node])


def unwrap(hooks, key, ours):
    """Put a hook back where ours is; another thread may have wrapped that once more, and does this when it is done."""
    if hooks.get(key) is ours:
        hook = ours.__wrapped__
        while hasattr(hook, "pass_") and hook.pass_.watch is None:
            hook = hook.__wrapped__
        hooks[key] = hook


class Sum(NamedTuple):
    """The sum at one edge: its *value*, None while unknown; its *elements*, if they are few; what was *added* last.

    No gradient of PyTorch's own is kept: PyTorch copies a gradient that something else refers to.
    """

    value: object
    elements: object
    added: object = None
