"""The backward walk: from the roots down the graph, each node once, when all its consumers have run.

Most graphs are walked as a stream: of the nodes that gradients wait at, the latest has got all of its own.  Where
somebody looks on the way, how many gradients each node waits for is counted first, so that a leaf's AccumulateGrad
runs as soon as it is ready.  A gradient that arrives by several paths is summed before the node runs.  There is no
recursion: a chain of a million nodes is a loop of a million turns.

Gradients travel as bare arrays, and as tensors under create_graph, where the walk is itself recorded.
What somebody looks at on the way (a hook, a retained .grad, a user's Function) is wrapped for them.
"""

from heapq import heappop, heappush, heappushpop
from itertools import compress

from .accumulation import Accumulation
from .dtypes import BY_NUMPY, BY_SCALAR
from .graph import ALONE, Node, Output, node_of_edge
from .leaf import AccumulateGrad
from .leaf_order import leaves_in_order
from .modes import state
from .saved import FREED
from .tensor import ndarray, new_tensor
from .visits import Visits

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
                    if edge.__class__ is not AccumulateGrad:
                        stack.append(edge)
        if not stack:
            return found
        node = stack.pop()
        arrivals = (node.first,) if node.second is ALONE else node.edges


def reachable(nodes):
    """Everything that the edges of *nodes* lead to, themselves included."""
    seen, stack = set(), [node for node in nodes if node is not None]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(edge for edge in node.edges if edge is not None)
    return seen


class Walk(Visits, Accumulation):
    """One backward pass.

    *captures* maps an edge to the tensors' positions whose gradient is wanted there, for ``autograd.grad``; *needed*
    holds the nodes that have to run, or is None when all do.
    """

    below = None  # all that the roots lead to, once somebody asks

    def __init__(self, keep_graph, create_graph, captures=None, needed=None):
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.captures = captures or {}
        self.needed = needed
        self.captured = {}
        self.shared = {}  # id -> array of gradients that somebody besides the walk can see

    def will_run(self, node):
        """Whether this pass runs a node; an only root does not count, as in PyTorch."""
        if self.below is None:
            self.below = reachable([edge for edge, _ in self.roots])
            if len(self.roots) == 1:
                self.below.discard(node_of_edge(self.roots[0][0])[0])
        if node not in self.below:
            return False
        if node.__class__ is AccumulateGrad and (node, 0) in self.captures:
            raise RuntimeError("A leaf node was passed to _will_engine_execute_node but we are currently running "
                               "autograd.grad(). This is currently not supported.")
        return self.needed is None or node in self.needed or any([node is place[0] for place in self.captures])

    # -- the loop --------------------------------------------------------------------------------------------------

    def run(self, roots):
        """Send the gradients of *roots*, pairs ``(edge, gradient)``, down the graph; return what was captured."""
        self.roots = roots
        if tell is None and (self.needed is None or all([root in self.needed for root, _ in roots])):
            roots = self.stream(roots) if self.create_graph else state.run(self.stream, roots)
        elif self.needed is not None and len(roots) > 1:  # of several roots those that lead nowhere are not looked at
            wanted = self.needed.keys() | {node for node, _ in self.captures}
            roots = [root for root in roots if node_of_edge(root[0])[0] in wanted]
        if roots:
            self.walk(roots)
        return self.captured

    def stream(self, arrivals):
        """The walk through a graph in which nobody looks at the order: nothing is counted beforehand.

        Edges lead from later operations to earlier ones, so the latest node that a gradient waits at has all of its
        gradients.  Leaves are added up at the end.  Returns where gradients wait when something special is met (a
        hook, user code), for the careful walk to go on from; and after an error adds up the leaves that were complete.
        """
        free, create_graph, needed = not self.keep_graph, self.create_graph, self.needed
        captured = () if needed is None else {edge for edge, _ in self.captures}  # nodes whose gradient is asked for
        self.totals = totals = {}  # leaf -> gradient so far
        # Of the nodes that gradients wait at, the one or two latest are in variables, and most graphs have no more; the
        # others are in a heap, all of them earlier.
        following = spare = gradient = spare_gradient = None
        self.waiting = waiting = {}  # node -> gradient so far
        heap = []  # (-sequence, node) of these nodes, latest first
        highest = -1  # the sequence number of the heap's latest
        latest = -1  # that of the spare node, or else the same
        node = None
        arrivals = iter(arrivals)
        try:
            while True:
                for edge, grad in arrivals:
                    if edge.__class__ is AccumulateGrad:
                        if grad is None or edge.extras is not None:
                            found = (edge, grad), *arrivals
                            return self.frontier((following, gradient), (spare, spare_gradient), *found)
                        if edge not in totals:
                            totals[edge] = grad
                        elif grad.__class__ is ndarray:
                            totals[edge] = self.sum(totals[edge], grad)
                        else:
                            totals[edge] = totals[edge] + grad
                    elif edge is None:
                        continue
                    elif grad is None or edge.__class__ is Output:
                        found = (edge, grad), *arrivals
                        return self.frontier((following, gradient), (spare, spare_gradient), *found)
                    elif edge is following:
                        gradient = gradient + grad
                    elif edge is spare:
                        spare_gradient = self.sum(spare_gradient, grad)
                    elif waiting and edge in waiting:
                        waiting[edge] = self.sum(waiting[edge], grad)
                    elif following is None:
                        following, gradient = edge, grad
                    else:
                        if edge.sequence > following.sequence:
                            following, gradient, edge, grad = edge, grad, following, gradient
                        sequence = edge.sequence
                        if sequence > latest:
                            if spare is not None:
                                waiting[spare] = spare_gradient
                                heappush(heap, (-latest, spare))
                                highest = latest
                            spare, spare_gradient, latest = edge, grad, sequence
                        else:
                            waiting[edge] = grad
                            heappush(heap, (-sequence, edge))
                            highest = -heap[0][0]
                if following is None:
                    if spare is not None:
                        node, grad, spare, spare_gradient, latest = spare, spare_gradient, None, None, highest
                    elif heap:
                        node = heappop(heap)[1]
                        grad = waiting.pop(node)
                        latest = highest = -heap[0][0] if heap else -1
                    else:
                        break
                elif following.sequence > latest:
                    node, grad = following, gradient
                elif spare is not None:
                    node, grad = spare, spare_gradient
                    if following.sequence > highest:
                        spare, spare_gradient, latest = following, gradient, following.sequence
                    else:
                        waiting[following] = gradient
                        heappush(heap, (-following.sequence, following))
                        spare, spare_gradient, latest = None, None, highest
                else:
                    waiting[following] = gradient
                    node = heappushpop(heap, (-following.sequence, following))[1]
                    grad = waiting.pop(node)
                    latest = highest = -heap[0][0]
                following = gradient = None
                while True:
                    plan = node.plan
                    if node.extras is not None or plan.calls_user_code:
                        return self.frontier((node, grad), (spare, spare_gradient))
                    only = plan.only
                    if needed is None:
                        backward = plan.backward_tensors if create_graph else plan.backward
                    else:
                        if node in captured:
                            self.capture(node, [grad])
                            if node not in needed:
                                arrivals = ()
                                break
                        backward, only = self.backward_of(node)
                    grads = backward(node, grad)
                    if free and plan.keeps:
                        node.saved = FREED
                    if only is not None:
                        edge = node.edges[only] if only else node.first
                    else:
                        first, last = grads[0], grads[-1]
                        if first is last and first.__class__ is ndarray:
                            self.share(first)
                        edge, leaf, leads_on = node.first, node.second, False
                        if needed is None and leaf.__class__ is not tuple:
                            # does one of the two end here, like a layer's weights?
                            if edge.__class__ is AccumulateGrad is not leaf.__class__:
                                edge, leaf, first, last = leaf, edge, last, first
                            if leaf.__class__ is AccumulateGrad:
                                if edge.__class__ is Node and leaf not in totals and last is not None is leaf.extras:
                                    totals[leaf], leads_on = last, True
                            elif leaf is None:
                                leads_on = True
                            elif edge.__class__ is Node is leaf.__class__ and spare is None and not waiting:
                                leads_on = edge is not leaf and first is not None is not last
                                if leads_on:  # nothing else is under way: the later comes next, the other waits
                                    if leaf.sequence > edge.sequence:
                                        edge, leaf, first, last = leaf, edge, last, first
                                    spare, spare_gradient, latest = leaf, last, leaf.sequence
                        if not leads_on:
                            arrivals = zip(node.edges, grads)  # noqa: B905 of equal length; strict doubles zip's time
                            if needed is not None:
                                arrivals = compress(arrivals, needed[node])
                            break
                        grads = first
                    if needed is not None and not needed[node][only]:
                        arrivals = ()
                        break
                    if edge.__class__ is not Node or edge.sequence <= latest or grads is None:
                        arrivals = iter(((edge, grads),))
                        break
                    node, grad = edge, grads  # in a chain one node simply follows the other
        except BaseException:
            unfinished = reachable([node, following, spare, *waiting])
            for leaf, grad in totals.items():
                if leaf not in unfinished and (needed is None or leaf in needed):
                    self.accumulate(leaf, grad)
            raise
        shared, simple = self.shared, needed is None and not create_graph
        for leaf, grad in totals.items():
            if simple and leaf.grad is None and grad.base is None and id(grad) not in shared:
                leaf.grad = tensor = new_tensor()  # what accumulate comes to for a first gradient nobody else holds
                tensor._array = grad
                tensor._dtype = BY_SCALAR.get(grad.__class__) or BY_NUMPY[grad.dtype]
                tensor._node = tensor._counter = None
                continue
            if leaf in captured:
                self.capture(leaf, [grad])
            if needed is None or leaf in needed:
                self.accumulate(leaf, grad)
        return None

    def sum(self, total, grad):
        """The sum of a gradient and one that waits, in place when only the walk can see either."""
        if total.__class__ is ndarray and total.shape:
            if total.base is None and id(total) not in self.shared:
                total += grad
                return total
            if grad.base is None and id(grad) not in self.shared:
                grad += total
                return grad
        return total + grad

    def frontier(self, *pairs):
        """All edges at which gradients wait, with these; *pairs* are those that the stream has in its hands."""
        # leaves first: their gradients were there before
        return [*self.totals.items(), *[pair for pair in pairs if pair[0] is not None], *self.waiting.items()]

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
                    arrivals = zip(node.edges, grads)  # noqa: B905 of equal length; strict would double zip's time
                    if len(node.edges) > 2:
                        arrivals = iter(leaves_in_order(arrivals, meetings, len(ready)))
                    break
                edge = node.edges[plan.only] if plan.only else node.first
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
