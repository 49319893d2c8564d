"""The graph that a forward pass leaves behind: nodes, and edges along which gradients flow back.

A node stands for one recorded operation.  Its *plan* says how the gradient of its output becomes
gradients of its inputs, its *edges* lead to the nodes that made those inputs, and *saved* holds the
values that the formulas need.  Edges point only from later operations to earlier ones, so a graph
has no cycles and dies with its last tensor.  Few nodes have hooks; these are in the slot *extras*,
which is None on most nodes.

For speed all nodes share a class until somebody looks at one: ``revealed`` gives it its own.

This file rests on no other.  Nodes and edges are the graph; the part from Extras on serves hooks.
"""

import sys
from functools import cache
from itertools import count
from types import MappingProxyType

next_sequence_number = count().__next__
# PyTorch shows these with their namespace
WRITTEN_BY_HAND = "AccumulateGrad", "CopySlices", "CopyBackwards", "NotImplemented", "Error"


class Node:
    """A recorded operation; ``tensor.grad_fn`` shows one.

    All operations share this class, which keeps recording fast.  Before a user sees a node it is
    ``revealed``: from then on its class has the operation's name, such as ``PowBackward0``.
    """

    __slots__ = ("plan", "edges", "saved", "arguments", "extras", "sequence", "__weakref__")

    def name(self):
        """PyTorch's name of this node."""
        name = self.__class__.__name__
        return "torch::autograd::" + name if name in WRITTEN_BY_HAND else name

    @property
    def metadata(self):
        """A dict for the user's own data."""
        return of_its_own(self, "metadata")

    def _sequence_nr(self):
        """The number of this node, in the order in which nodes were recorded."""
        return self.sequence

    requires_grad = True  # of every node, as in PyTorch

    @property
    def next_functions(self):
        """A ``(node, output number)`` pair for each input; ``(None, 0)`` where nothing flows."""
        pairs = [(None, 0) if edge is None else node_of_edge(edge) for edge in self.edges]
        return tuple([(node and node.revealed(), number) for node, number in pairs])

    def revealed(self):
        """This node, with the class name that PyTorch shows."""
        if self.__class__ is Node:
            self.__class__ = class_named(self.plan.node_name)
        return self

    def register_hook(self, fn):
        """Call ``fn(grad_inputs, grad_outputs)`` after this node ran.

        A tuple that it returns replaces grad_inputs.
        """
        return RemovableHandle(of_its_own(self, "post_hooks"), fn)

    def register_prehook(self, fn):
        """Call ``fn(grad_outputs)`` before this node runs.

        A tuple that it returns replaces grad_outputs.
        """
        return RemovableHandle(of_its_own(self, "pre_hooks"), fn)

    def __call__(self, *grad_outputs, **keywords):
        """Run this node alone on gradients (tensors or None) of all its outputs."""
        if keywords:
            raise TypeError("keyword arguments are not supported")
        wanted = self.plan.output_count(self) - (self.plan.index_output is not None)
        if len(grad_outputs) != wanted:
            raise TypeError(f"expected {wanted} arguments, got {len(grad_outputs)} instead")
        for number, grad in enumerate(grad_outputs):
            if grad is not None and not hasattr(grad, "_node"):
                raise TypeError(f"argument {number} is not a Variable")
        results = self.plan.call(self, [*grad_outputs])
        return results[0] if len(results) == 1 else tuple(results)


held = [False]  # whether a call of release() is at work, and then what dead nodes held


def release(node):
    """Let go of what a dying node holds, without recursion.

    A node takes the nodes behind it along, thousands in a chain.  Python does that by calls within
    calls, for which a browser has too little room.
    """
    held.append((node.edges, node.saved, node.arguments))
    node.edges = node.saved = node.arguments = None
    if not held[0]:
        held[0] = True
        while held[1:]:
            held.pop()  # a node that dies of this adds its own
        held[0] = False


if sys.platform == "emscripten":
    Node.__del__ = release


class Revealed(Node):
    """A node that a user has seen; its saved values can be read as ``_saved_NAME``.

    Node itself has no ``__getattr__``, which would make every attribute five times as slow.
    """

    __slots__ = ()

    def __dir__(self):
        # those of PyTorch
        names = {*object.__dir__(self)}.difference(Node.__slots__, ("revealed",))
        return [*names, *(f"_saved_{name}" for name in getattr(self.plan, "readable", ()))]

    def __getattr__(self, name):
        if name.startswith(("_saved_", "_raw_saved_")):
            return self.plan.saved_attribute(self, name)
        raise AttributeError(f"'{self.__class__.__name__}' object has no attribute '{name}'")


@cache
def class_named(name):
    """The class of nodes with this name, made once: a subclass of Revealed."""
    return type(name, (Revealed,), {"__slots__": (), "__module__": "builtins"})


Node.__module__ = Revealed.__module__ = "torch.autograd.graph"


class BasePlan:
    """The work that all nodes of one kind do.  The defaults: one output, nothing saved."""

    can_be_freed = several_outputs = runs_user_code = False
    index_output = None  # the number of an output that is an index and so has no gradient

    def apply(self, node, grads):
        """The gradients of a node's inputs, one for each edge, from the gradients of its outputs.

        Both are lists of arrays (under create_graph of tensors), with None where there is no
        gradient.
        """

    def call(self, node, grads):
        """Run the node alone, on tensors; ``node(*grads)`` returns the result."""
        return self.apply(node, grads)

    def output_count(self, node):
        """The number of a node's outputs."""
        return 1

    def result_shared(self, node, number, tensor):
        """The storage of output *number* will be shared: from now on its version counts."""

    def saved_attribute(self, node, name):
        """The value of ``node._saved_NAME``."""
        raise AttributeError(f"'{self.node_name}' object has no attribute '{name}'")


class OutputEdge:
    """An edge to one output of a node that has several; any other edge is the node itself.

    Code that follows edges can treat it as a node whose one edge leads to *node*.
    """

    __slots__ = ("node", "number", "count", "edges")

    def __init__(self, node, number, count):
        self.node, self.number = node, number
        self.count = count  # of the node's outputs
        self.edges = (node,)

    def __bool__(self):
        return self.node is not None

    @property
    def sequence(self):
        """Sorts right after the node, before all nodes made later."""
        return self.node.sequence + 0.5


# the edge of a tensor that requires grad but has lost its graph: its gradient goes nowhere; this
# edge counts as false
DEAD_END = OutputEdge(None, 0, 1)


def numbered(node, plan, edges, arguments=None, saved=None):
    """Fill in a new node; it gets the next number."""
    node.plan, node.edges, node.arguments, node.saved = plan, edges, arguments, saved
    node.extras, node.sequence = None, next_sequence_number()
    return node


def node_of_edge(edge):
    """The node an edge leads to, and the number of its output there."""
    return (edge.node, edge.number) if edge.__class__ is OutputEdge else (edge, 0)


def reachable(nodes):
    """*nodes*, and all nodes below them."""
    seen, below = set(), [*nodes]
    for node in below:  # the list grows during the loop
        if node is not None and node not in seen:
            seen.add(node)
            below += node.edges
    return seen


def retained_at(edge):
    """Whether a tensor whose gradients go to this edge retains its gradient."""
    node, number = node_of_edge(edge)
    return node is not None and node.extras is not None and number in node.extras.retained


class Extras:
    """State that few nodes have: hooks of each kind, and tensors that retain their gradient.

    It always has *tensor_hooks* and *retained*; ``of_its_own`` adds other dicts when first needed.
    """

    # handle number -> hook, in order of registration; for tensor hooks (output number, hook); for
    # retained, output number -> weak reference to the tensor that keeps its .grad
    pre_hooks = post_hooks = accumulated_hooks = MappingProxyType({})
    traceback = None  # where forward stood, in anomaly mode
    # on an AccumulateGrad whose leaf no longer requires grad: True, or "moved" if that tensor has a
    # history now
    inactive = False

    def __init__(self):
        self.tensor_hooks, self.retained = {}, {}


def extras_of(node):
    """The node's Extras, made when first needed."""
    if node.extras is None:
        node.extras = Extras()
    return node.extras


def of_its_own(node, name):
    """The dict of this name in the node's Extras, made when first needed."""
    return extras_of(node).__dict__.setdefault(name, {})


class RemovableHandle:
    """A hook in a dict of hooks: ``remove()``, or the end of a ``with``, takes it out."""

    __slots__ = "id", "hooks"

    def __init__(self, hooks, hook):
        self.id = number = next_handle_number()
        self.hooks = hooks
        hooks[number] = hook

    def remove(self):
        """Remove the hook; does nothing the second time."""
        self.hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()


RemovableHandle.__module__ = "torch.utils.hooks"
next_handle_number = count().__next__
