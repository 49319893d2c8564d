"""The backward walk: from the roots down the graph, each node once, when all its consumers have run.

Dependencies are counted first.  Nodes that are ready wait in a queue in which later operations come
first; a leaf's AccumulateGrad runs as soon as it is ready.  A gradient that arrives by several
paths is summed in a buffer before the node runs.  There is no recursion: a chain of a million nodes
is a loop of a million turns.

Gradients travel as bare arrays, and as tensors under create_graph, where the walk is itself recorded.
What somebody looks at on the way (a hook, a retained .grad, a user's Function) is wrapped for them.
"""

from heapq import heappop, heappush, heappushpop

from .dispatch import ops
from .dtypes import BY_NUMPY, BY_SCALAR
from .grad_mode import state
from .graph import Output, node_of_edge
from .leaf_order import leaves_in_order
from .plans import Plan
from .saved import FREED
from .tensors import AccumulateGrad, Tensor, ndarray, new, wrap

tell = None  # called as tell(event, node, *details) while somebody listens


class Meeting:
    """A node that several gradients lead to: how many have yet to arrive, and the sum of those that have."""

    __slots__ = ("left", "total", "own")

    def __init__(self):
        self.left = 1
        self.total = None
        self.own = False  # whether the sum is an array made here, which may be added to in place


def meetings(roots):
    """``{node: Meeting}`` for everything that more than one edge below *roots* leads to."""
    found = {}
    seen = set()
    stack = []
    arrivals = roots
    while True:
        for edge in arrivals:
            if edge is not None:
                if edge in seen:
                    if edge in found:
                        found[edge].left += 1
                    else:
                        found[edge] = meeting = Meeting()
                        meeting.left = 2
                else:
                    seen.add(edge)
                    if edge.edges:
                        stack.append(edge)
        if not stack:
            return found
        arrivals = stack.pop().edges


def reachable(nodes):
    """Everything that the edges of *nodes* lead to, themselves included."""
    seen, stack = set(), [node for node in nodes if node is not None]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(edge for edge in node.edges if edge is not None)
    return seen


class Walk:
    """One backward pass.

    *captures* maps an edge to the tensors' positions whose gradient is wanted there, for ``autograd.grad``; *needed*
    holds the nodes that have to run, or is None when all do.
    """

    def __init__(self, keep_graph, create_graph, captures=None, needed=None):
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.captures = captures or {}
        self.needed = needed
        self.captured = {}
        self.shared = {}  # id -> array of gradients that somebody besides the walk can see
        self.below = None  # all that the roots lead to, once somebody asks

    def will_run(self, node):
        """Whether this pass runs a node; an only root does not count, as in PyTorch."""
        if node.__class__ is AccumulateGrad and (node, 0) in self.captures:
            raise RuntimeError("A leaf node was passed to _will_engine_execute_node but we are currently running "
                               "autograd.grad(). This is currently not supported.")
        if self.below is None:
            self.below = reachable(self.roots)
            if len(self.roots) == 1:
                self.below.discard(node_of_edge(self.roots[0])[0])
        return node in self.below and (self.needed is None or node in self.needed)

    # -- the loop --------------------------------------------------------------------------------------------------

    def run(self, roots):
        """Send the gradients of *roots*, pairs ``(edge, gradient)``, down the graph; return what was captured."""
        self.roots = [edge for edge, _ in roots]
        if tell is None and (self.needed is None or all([root in self.needed for root in self.roots])):
            roots = self.stream(roots) if self.create_graph else state.run(self.stream, roots)
        if roots:
            self.walk(roots)
        return self.captured

    def stream(self, arrivals):
        """The walk through a graph in which nobody looks at the order: nothing is counted beforehand.

        Edges lead from later operations to earlier ones, so the latest node that a gradient waits at has all of its
        gradients.  Leaves are added up at the end.  Returns where gradients wait when something special is met (a
        hook, user code), for the careful walk to go on from; and after an error adds up the leaves that were complete.
        """
        keep_graph, create_graph = self.keep_graph, self.create_graph
        self.waiting = waiting = {}  # node -> gradient so far
        self.totals = totals = {}  # leaf -> gradient so far
        heap = []  # (-sequence, node) of the waiting nodes, latest first
        node = None
        arrivals = iter(arrivals)
        needed = self.needed
        captured = {edge for edge, _ in self.captures}  # nodes whose gradient is asked for
        try:
            while True:
                following = gradient = None  # a node that a gradient arrived at while no other waited
                for edge, grad in arrivals:
                    if edge is None or needed is not None and edge not in needed and edge not in captured and (
                        edge.__class__ is not Output
                    ):  # fmt: skip
                        continue
                    if edge.__class__ is AccumulateGrad and edge.extras is None and grad is not None:
                        if edge not in totals:
                            totals[edge] = grad
                        elif grad.__class__ is ndarray:
                            self.add(totals, edge, grad)
                        else:
                            totals[edge] = totals[edge] + grad
                    elif edge in waiting and grad is not None:
                        self.add(waiting, edge, grad)
                    elif grad is None or edge.__class__ is Output or edge.__class__ is AccumulateGrad:
                        return self.frontier(following, ((edge, grad), *arrivals), gradient)
                    elif following is None:
                        following, gradient = edge, grad
                    elif following is edge:
                        gradient = gradient + grad
                    else:
                        if edge.sequence > following.sequence:
                            following, gradient, edge, grad = edge, grad, following, gradient
                        waiting[edge] = grad
                        heappush(heap, (-edge.sequence, edge))
                if following is not None and (not heap or following.sequence > -heap[0][0]):
                    node, grad = following, gradient
                elif heap:
                    if following is not None:
                        waiting[following] = gradient
                        heappush(heap, (-following.sequence, following))
                    node = heappop(heap)[1]
                    grad = waiting.pop(node)
                else:
                    break
                while True:
                    plan = node.plan
                    if node.extras is not None or plan.calls_user_code:
                        return self.frontier(node, (), grad)
                    if node in captured:
                        self.capture(node, [grad])
                        if node not in needed:
                            arrivals = ()
                            break
                    if needed is not None and plan.only is None:
                        grads = self.backward_of(node)(node, grad)
                    else:
                        grads = plan.backward_tensors(node, grad) if create_graph else plan.backward(node, grad)
                    if plan.keeps and not keep_graph:
                        node.saved = FREED
                    if plan.only is None:
                        first = grads[0]
                        if first.__class__ is ndarray and first is grads[-1]:
                            self.share(first)
                        arrivals = zip(node.edges, grads)
                        break
                    edge = node.edges[plan.only]
                    if heap or needed is not None or edge.__class__ is AccumulateGrad or edge.__class__ is Output or (
                        grads is None
                    ):  # fmt: skip
                        arrivals = iter(((edge, grads),))
                        break
                    node, grad = edge, grads  # in a chain one node simply follows the other
        except BaseException:
            unfinished = reachable([node, *waiting])
            for leaf, grad in totals.items():
                if leaf not in unfinished and (needed is None or leaf in needed):
                    self.accumulate(leaf, grad)
            raise
        for leaf, grad in totals.items():
            if leaf in captured:
                self.capture(leaf, [grad])
            if needed is None or leaf in needed:
                self.accumulate(leaf, grad)
        return None

    def add(self, totals, edge, grad):
        """Add a gradient to the one that waits at an edge, in place when only the walk can see that one."""
        total = totals[edge]
        if total.__class__ is ndarray and total.shape and total.base is None and id(total) not in self.shared:
            total += grad
        else:
            totals[edge] = total + grad

    def frontier(self, node, arrivals, grad):
        """All edges at which gradients wait, with these."""
        return [*([] if node is None else [(node, grad)]), *self.waiting.items(), *self.totals.items(), *arrivals]

    def walk(self, roots):
        """The walk with everything that may be attached to nodes: hooks, captures, user code, somebody listening.

        What has to arrive at each node is counted first, so that a leaf's AccumulateGrad can run as soon as it is
        ready, before any operation, as in PyTorch.
        """
        self.meetings = meetings([edge for edge, _ in roots])
        self.outputs = {}  # node of several outputs -> their gradients so far
        self.ready = []  # a heap of (-sequence, node, gradient); later nodes first
        arrivals = leaves_in_order(roots, self.meetings, 0) if len(roots) > 2 else roots
        while True:
            # NumPy stays silent while the loop runs; user code runs outside of it, with the user's own settings
            special = self.loop(arrivals) if self.create_graph else state.run(self.loop, arrivals)
            if special is None:
                return
            node, grad, arrivals = special
            if node.__class__ is AccumulateGrad:
                self.accumulate_with_hooks(node, grad)
                continue
            arrivals = self.visit(node, grad)

    def loop(self, arrivals):
        """Run ready nodes until none is left (None) or one needs more than its formulas: it, its gradient, the rest."""
        meetings, ready, shared = self.meetings, self.ready, self.shared
        keep_graph, create_graph = self.keep_graph, self.create_graph
        careful = bool(self.captures) or self.needed is not None or tell is not None
        arrivals = iter(arrivals)
        while True:
            following = None  # a node that became ready while no other was
            for edge, grad in arrivals:
                if edge is None:
                    continue
                meeting = meetings.get(edge)
                if meeting is not None:
                    if grad is not None:
                        self.meet(edge, meeting, grad)
                    meeting.left -= 1
                    if meeting.left:
                        continue
                    grad = meeting.total
                if edge.__class__ is AccumulateGrad:
                    if careful or edge.extras is not None:
                        if following is not None:
                            heappush(ready, (-following[0].sequence, *following))
                        return edge, grad, arrivals
                    self.accumulate(edge, grad)
                elif edge.__class__ is Output:
                    self.deposit(edge, grad)
                else:
                    if tell is not None:
                        tell("ready", edge)
                    if following is None:
                        following = edge, grad
                    else:
                        heappush(ready, (-edge.sequence, edge, grad))
            if following is None:
                if not ready:
                    return None
                _, node, grad = heappop(ready)
            elif ready:
                _, node, grad = heappushpop(ready, (-following[0].sequence, *following))
            else:
                node, grad = following
            while True:
                plan = node.plan
                if careful or node.extras is not None or grad is None or plan.calls_user_code:
                    return node, grad, ()
                grads = plan.backward_tensors(node, grad) if create_graph else plan.backward(node, grad)
                if plan.keeps and not keep_graph:
                    node.saved = FREED
                if plan.only is None:
                    first = grads[0]
                    if first.__class__ is ndarray and first is grads[-1]:
                        shared[id(first)] = first
                    arrivals = zip(node.edges, grads)
                    if len(node.edges) > 2:
                        arrivals = iter(leaves_in_order(arrivals, meetings, len(ready)))
                    break
                edge = node.edges[plan.only]
                if ready or edge in meetings or edge.__class__ is AccumulateGrad or edge.__class__ is Output:
                    arrivals = iter(((edge, grads),))
                    break
                node, grad = edge, grads  # nothing else is under way: in a chain one node simply follows the other

    def meet(self, edge, meeting, grad):
        """Add a gradient to those that arrived before."""
        total = meeting.total
        if total is None:
            meeting.total = grad
        elif meeting.own:
            total += grad
        else:
            meeting.total = total + grad
            meeting.own = meeting.total.__class__ is ndarray
        if tell is not None and total is not None:
            tell("summed", edge, grad, meeting.total)

    def deposit(self, output, grad):
        """Put the gradient of one output of a node with several; the node is ready once all its outputs are."""
        node = output.node
        grads = self.outputs.setdefault(node, [None] * output.count)
        if grad is not None:
            before = grads[output.number]
            grads[output.number] = grad if before is None else before + grad
            if tell is not None and before is not None:
                tell("summed", output, grad, grads[output.number])
        meeting = self.meetings.get(node)
        if meeting is not None:
            meeting.left -= 1
        if meeting is None or not meeting.left:
            if tell is not None:
                tell("ready", node)
            heappush(self.ready, (-node.sequence, node, self.outputs.pop(node)))

    # -- one node, with all that may be attached to it ---------------------------------------------------------------

    def visit(self, node, grad):
        """Run a node that needs more than its formulas, and in a chain those that follow it; where gradients arrive.

        The usual: tensor hooks, retained gradients and user code at nodes of one output, in one loop.
        """
        run, create_graph, keep_graph, meetings = state.run, self.create_graph, self.keep_graph, self.meetings
        unusual = self.needed is not None
        while True:
            plan, extras = node.plan, node.extras
            if unusual or tell is not None or grad is None or plan.several_outputs or extras is not None and (
                extras.pre_hooks or extras.post_hooks
            ):  # fmt: skip
                return self.arrivals(node, self.visit_with_care(node, grad if plan.several_outputs else [grad]))
            if extras is not None:
                hooks = extras.tensor_hooks
                if hooks:
                    for _, hook in [*hooks.values()]:  # a hook may add others
                        grad = self.hooked(node, 0, hook, grad)
                if extras.retained:
                    self.retain(node, extras.retained[0](), grad)
            only = plan.only
            if plan.calls_user_code:
                grads, only = plan.run_one(node, grad, self)
            elif create_graph:
                grads = plan.backward_tensors(node, grad)
            else:
                grads = run(plan.backward, node, grad)
            if plan.keeps and not keep_graph:
                node.saved = FREED
            if only is None:
                self.share_twins(grads)
                return self.arrivals(node, grads)
            edge = node.edges[only]
            if self.ready or edge is None or edge in meetings or edge.__class__ is AccumulateGrad or (
                edge.__class__ is Output or edge.extras is None and not edge.plan.calls_user_code
            ):  # fmt: skip
                return ((edge, grads),)
            node, grad = edge, grads

    def arrivals(self, node, grads):
        """The gradients of a node's inputs with the edges at which they arrive."""
        pairs = zip(node.edges, grads, strict=True)
        return leaves_in_order(pairs, self.meetings, len(self.ready)) if len(node.edges) > 2 else pairs

    def visit_with_care(self, node, grads):
        """Run a node with all that may be attached to it or to the walk; its gradients, one for each edge."""
        plan, extras = node.plan, node.extras
        if self.needed is not None:
            self.capture(node, grads)
            if node not in self.needed:
                return [None] * len(node.edges)
        if extras is not None:
            grads = self.look(node, extras, grads)
            if extras.pre_hooks:
                grads = self.node_hooks(node, "pre_hooks", grads)
        results = self.perform(node, grads) if tell is None else self.told(node, grads)
        if extras is not None and extras.post_hooks:
            results = self.node_hooks(node, "post_hooks", results, grads)
        if plan.keeps and not self.keep_graph:
            node.saved = FREED
            if tell is not None:
                tell("freed", node)
        return results

    def perform(self, node, grads):
        """The gradients of a node's inputs, one for each edge, None where nobody wants one."""
        results = node.plan.run(node, grads, self) if node.plan.calls_user_code else self.derive(node, grads)
        if self.needed is not None:
            results = [each if self.wants(edge) else None for edge, each in zip(node.edges, results, strict=True)]
        return results

    def wants(self, edge):
        """Whether what was asked for lies on the other side of an edge, or is there."""
        return edge is not None and (edge in self.needed or node_of_edge(edge) in self.captures or (
            edge.__class__ is Output and edge.node in self.needed
        ))  # fmt: skip

    def told(self, node, grads):
        """Run a node while somebody listens; its gradients, one for each edge."""
        tell("run", node, grads)
        try:
            results = self.perform(node, grads)
            tell("ran", node, grads, results)
        except Exception as error:
            tell("failed", node, error)
            raise
        return results

    def backward_of(self, node):
        """What computes the gradients of a node's inputs, or only of those inputs of which somebody wants one."""
        plan = node.plan
        if self.needed is not None and plan.only is None and plan.__class__ is Plan and not plan.row.variadic:
            wanted = self.needed[node]
            if False in wanted:
                return plan.partial(wanted, self.create_graph)
        return plan.backward_tensors if self.create_graph else plan.backward

    def derive(self, node, grads):
        """The gradients of a node's inputs, one for each edge, from those of its outputs, by its formulas."""
        plan = node.plan
        given = grads if plan.several_outputs else grads[0]
        if given is None or plan.several_outputs and all(each is None for each in grads):
            if node.saved is FREED:
                FREED.value(node)  # what a node saved is looked at first, also where there is nothing to do with it
            return [None] * len(node.edges)
        backward = self.backward_of(node)
        results = backward(node, given) if self.create_graph else state.run(backward, node, given)
        if plan.only is not None:
            grads = [None] * len(node.edges)
            grads[plan.only] = results
            return grads
        self.share_twins(results)
        return results

    def look(self, node, extras, grads):
        """The gradients of a node's outputs after tensor hooks, retained on the way."""
        grads = list(grads)
        for number, hook in [*extras.tensor_hooks.values()]:
            grads[number] = self.hooked(node, number, hook, grads[number])
        for number, reference in extras.retained.items():
            self.retain(node, reference(), grads[number])
        return grads

    def hooked(self, node, number, hook, grad):
        """The gradient of an output after a tensor hook was shown it, which may replace it."""
        shown = None if grad is None else self.shown(grad)
        after = hook(shown)
        if tell is not None:
            tell("hook", node, number, hook, shown, after)
        if after is None:
            if shown is grad or shown._array is grad:
                return grad  # what the hook changed in place is that very array
            after = shown  # whose elements became another array, when the hook changed a scalar in place
        else:
            check_replacement(hook, shown, after)
        return self.taken(after)

    def retain(self, node, tensor, grad):
        """Keep the gradient of an intermediate result, if that is still there, in its ``.grad``."""
        if tensor is None or grad is None:
            return
        if tensor._kept_grad is not None:
            kept = tensor._kept_grad + self.shown(grad)
        elif self.create_graph:
            kept = duplicate(grad, "clone")
        else:
            kept = new(Tensor)
            kept._array = grad.copy() if grad.__class__ is ndarray else grad
            kept._dtype, kept._node = tensor._dtype, None
        tensor._kept_grad = kept
        if tell is not None:
            tell("retained", node, tensor, kept)

    def capture(self, node, grads):
        """Keep the gradients that ``autograd.grad`` was asked for.

        Tensor hooks come before where the walk ends, and at a root that leads to nothing that was asked for.
        """
        places = [(number, self.captures.get((node, number))) for number in range(len(grads))]
        wanted = [(number, positions) for number, positions in places if positions]
        if node not in self.needed and node.extras is not None and any([grad is not None for grad in grads]):
            grads = self.look(node, node.extras, grads)
        for number, positions in wanted:
            self.share(grads[number])
            self.captured.update(dict.fromkeys(positions, grads[number]))
            if tell is not None:
                tell("captured", node, number, grads[number])

    def node_hooks(self, node, kind, grads, *others):
        """Gradients after a node's own hooks of a *kind*, which may replace them; *others* are shown to them too."""
        hooks = getattr(node.extras, kind)
        shown = tuple([None if grad is None else self.shown(grad) for grad in grads])
        others = [tuple([None if grad is None else self.shown(grad) for grad in other]) for other in others]
        for hook in [*hooks.values()]:
            after = hook(shown, *others)
            if tell is not None:
                tell("node_hook", node, kind, hook, shown, after)
            if after is None:
                continue
            if not isinstance(after, tuple):
                raise TypeError(f"expected tuple, but hook returned '{type(after).__name__}'")
            if len(after) != len(shown):
                raise RuntimeError(
                    f"hook '{hook_name(hook)}' has returned an incorrect number of values (got {len(after)}, but "
                    f"expected {len(shown)})"
                )
            for before, replacement in zip(shown, after, strict=True):
                if replacement is not None:
                    check_replacement(hook, before, replacement)
            shown = after
        return [None if grad is None else self.taken(grad) for grad in shown]

    # -- leaves ----------------------------------------------------------------------------------------------------

    def accumulate(self, leaf, grad):
        """Add a gradient into a leaf's .grad, which never shares memory with anything else."""
        if grad is None:
            return
        if self.create_graph:
            held = leaf.grad
            leaf.grad = duplicate(grad, "copied") if held is None else held + grad
        elif leaf.held is None and leaf.unseen is None:
            if grad.__class__ is ndarray and (grad.base is not None or id(grad) in self.shared):
                leaf.grad = written(grad)
            else:
                leaf.unseen = grad
        else:
            add_in_place(leaf.grad, grad)

    def accumulate_with_hooks(self, leaf, grad):
        """Run a leaf's AccumulateGrad with all that is attached to it."""
        extras = leaf.extras
        if tell is not None:
            tell("ready", leaf)
        if self.needed is not None:
            self.capture(leaf, [grad])
            if leaf not in self.needed:
                return
        if extras is not None:
            grads = self.look(leaf, extras, [grad])
            if extras.pre_hooks:
                grads = self.node_hooks(leaf, "pre_hooks", grads)
            (grad,) = grads
            if extras.resting:
                return
        self.accumulate(leaf, grad)
        if tell is not None:
            tell("accumulated", leaf, grad, leaf.grad)
        if extras is not None:
            for hook in [*extras.accumulated_hooks.values()]:
                after = hook(leaf.variable)
                if after is not None and after is not leaf.variable:
                    check_replacement(hook, leaf.variable, after)
                    raise RuntimeError("Tensor post accumulate grad hooks should return None.")
                if tell is not None:
                    tell("node_hook", leaf, "accumulated_hooks", hook, (leaf.grad,), None)
            if extras.post_hooks:
                self.node_hooks(leaf, "post_hooks", [], [grad])

    # -- between the walk and whoever looks ------------------------------------------------------------------------

    def shown(self, grad):
        """A gradient of the walk as a tensor that user code may look at and keep."""
        dtype = BY_SCALAR.get(grad.__class__)
        if dtype is None:
            if grad.__class__ is not ndarray:
                return grad
            self.shared[id(grad)] = grad
            dtype = BY_NUMPY[grad.dtype]
        tensor = new(Tensor)  # wrap written out: hooks and user code are shown something at every node
        tensor._array, tensor._dtype, tensor._node = grad, dtype, None
        return tensor

    def taken(self, tensor):
        """A tensor from user code as a gradient of the walk."""
        if self.create_graph:
            return tensor
        array = tensor._array
        if array.__class__ is ndarray:
            if not array.shape:
                return array[()]
            self.shared[id(array)] = array
        return array

    def share_twins(self, grads):
        """Both edges of an addition are given one array."""
        if grads and grads[0] is grads[-1]:
            self.share(grads[0])

    def share(self, grad):
        if grad.__class__ is ndarray:
            self.shared[id(grad)] = grad


def duplicate(tensor, operation):
    """A copy, made by *operation* when it is to be part of the graph."""
    if tensor._node is not None and state.grad_enabled:
        return getattr(ops, operation)(tensor)
    array = tensor._array
    return wrap(array.copy() if array.__class__ is ndarray else array, tensor._dtype)


def written(array):
    """A tensor into which an array was copied, which counts as a change in place."""
    tensor = wrap(array.copy(), BY_NUMPY[array.dtype])
    tensor._share().version = 1
    return tensor


def add_in_place(held, grad):
    """Add an array to a gradient that somebody may hold: the tensor stays the same and its version moves on."""
    array = held._array
    if array.__class__ is ndarray and array.flags.writeable:
        array += grad
    elif 0 in getattr(array, "strides", ()) and array.size > 1:
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )
    else:
        held._set_array(array + grad)
    held._share().version += 1


def hook_name(hook):
    return getattr(hook, "__name__", type(hook).__name__)


def check_replacement(hook, before, after):
    """What a hook returned in place of a gradient has to be a tensor like it."""
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(after, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(after).__name__}'")
    if after._dtype is not before._dtype:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the type of value (was "
                           f"torch.{before._dtype.legacy_name}"
                           f"Tensor got torch.{after._dtype.legacy_name}Tensor)")
    if after._array.shape != before._array.shape:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the size of value")
