"""The graph that a forward pass leaves behind: nodes, and the edges along which gradients flow back.

A node stands for one operation that was recorded.  It knows its *plan* (which formulas turn the
gradient of its output into gradients of its inputs), its *edges* (the nodes that made those
inputs, newest first consumers never appear: edges point from later to earlier) and what it saved.
Everything rare about a node, hooks above all, stands in one slot that is None on most.
"""

from functools import cache
from itertools import count
from types import MappingProxyType

next_sequence_number = count().__next__
new = object.__new__
ALONE = ()  # in place of an edge that a node does not have
OF_AUTOGRAD = ("CopySlices", "CopyBackwards", "NotImplemented", "Error")  # by hand in PyTorch; their name() tells where


class Node:
    """A recorded operation, what ``tensor.grad_fn`` shows.

    Its class is given a name (``PowBackward0``) when somebody looks at it; until then all operations share this
    one, which keeps recording fast.

    >>> import autograd_nb as torch
    >>> y = torch.tensor(5., requires_grad=True) ** 3
    >>> y.grad_fn.name(), y.grad_fn.next_functions[0][0].name()
    ('PowBackward0', 'torch::autograd::AccumulateGrad')
    """

    __slots__ = ("plan", "first", "second", "saved", "arguments", "extras", "sequence", "__weakref__")

    @property
    def edges(self):
        """Where the gradient of each input goes, a tuple; None for an input that needs none.

        Most nodes have one edge or two.  They stand in fields of their own, which saves a tuple at every node:
        ``second`` is ALONE when there is only one, and the tuple of all others when there are more.
        """
        first, second = self.first, self.second
        if second is ALONE:
            return () if first is ALONE else (first,)
        return (first, *second) if second.__class__ is tuple else (first, second)

    @edges.setter
    def edges(self, edges):
        self.first, *others = edges or (ALONE,)
        self.second = tuple(others) if len(others) > 1 else others[0] if others else ALONE

    def name(self):
        """PyTorch's name of this node."""
        name = self.__class__.__name__
        return "torch::autograd::" + name if name in OF_AUTOGRAD else name

    @property
    def next_functions(self):
        """One ``(node, output number)`` pair for each input; ``(None, 0)`` where no gradient flows."""
        return tuple(
            (None, 0) if edge is None or getattr(edge, "leaf", edge) is None else (edge.node.revealed(), edge.number)
            if edge.__class__ is Output else (edge.revealed(), 0)
            for edge in self.edges
            if edge is not None or self.plan is None or self.plan.node_name != "NotImplemented"
        )

    def revealed(self):
        """This node under the class name that PyTorch shows."""
        if self.__class__ is Node:
            self.__class__ = class_named(self.plan.node_name)
        return self

    @property
    def metadata(self):
        """A dict for the user's notes about this node."""
        return rare(self).own("metadata")

    def _sequence_nr(self):
        return self.sequence

    def register_hook(self, hook):
        """Call ``hook(grad_inputs, grad_outputs)`` after this node ran; a tuple it returns replaces grad_inputs."""
        return add_hook(rare(self).own("post_hooks"), hook)

    def register_prehook(self, hook):
        """Call ``hook(grad_outputs)`` before this node runs; a tuple it returns replaces grad_outputs."""
        return add_hook(rare(self).own("pre_hooks"), hook)

    def __call__(self, *grad_outputs):
        """Run this node alone on gradients (tensors or None) of its outputs."""
        plan = self.plan
        names = plan.row.returns or grad_outputs if plan.several_outputs else ("result",)
        count = len([name for name in names if name != "indices"])  # which have no gradient
        if len(grad_outputs) != count:
            raise TypeError(f"expected {count} arguments, got {len(grad_outputs)} instead")
        return plan.call(self, grad_outputs)


class Revealed(Node):
    """A node that somebody looks at: what it saved can be read as ``_saved_NAME``.

    The node's own class has no ``__getattr__``, with which Python would read each of its attributes, and a walk reads
    a dozen at every node, five times as slowly.
    """

    __slots__ = ()

    def __dir__(self):
        return [*object.__dir__(self), *(f"_saved_{name}" for name in getattr(self.plan, "readable", ()))]

    def __getattr__(self, name):
        if name.startswith(("_saved_", "_raw_saved_")):
            return self.plan.saved_attribute(self, name)
        raise AttributeError(f"'{self.__class__.__name__}' object has no attribute '{name}'")


@cache
def class_named(name):
    """The class of nodes with this name; made once, indistinguishable from Revealed but for the name."""
    return type(name, (Revealed,), {"__slots__": (), "__module__": "builtins"})


Node.__module__ = Revealed.__module__ = "torch.autograd.graph"


class Output:
    """One output of a node that has several: where its consumers send that output's gradient."""

    __slots__ = ("node", "number", "count", "first")
    extras = None
    second = ALONE
    edges = property(Node.edges.fget)

    def __init__(self, node, number, count):
        self.node = node
        self.number = number
        self.count = count  # of the node's outputs
        self.first = node


def node_of_edge(edge):
    """The node an edge leads to, and the number of its output there."""
    return (edge.node, edge.number) if edge.__class__ is Output else (edge, 0)


NONE = MappingProxyType({})


class Rare:
    """What few nodes have: hooks by kind, tensors that retain their gradient, notes, where forward stood.

    Each kind is a dict of the node's own from when it is first filled.
    """

    __slots__ = ("tensor_hooks", "retained", "around", "__dict__")  # most have a hook or retain, and nothing else
    pre_hooks = post_hooks = accumulated_hooks = metadata = NONE
    traceback = None
    # whether it is the AccumulateGrad of a leaf that no longer requires grad, and accumulates nothing; "moved" once a
    # change in place gave that tensor a history
    resting = False

    def __init__(self):
        self.tensor_hooks = NONE  # (output number, hook), in order of registration
        self.retained = NONE  # output number -> weak reference to the tensor whose .grad is kept
        self.around = False  # whether there ever were hooks of the node itself

    def own(self, kind):
        """The dict of this kind, to be filled."""
        found = getattr(self, kind)
        if found is NONE:
            found = {}
            setattr(self, kind, found)
            self.around = self.around or kind in ("pre_hooks", "post_hooks")
        return found


def rare(node):
    """The node's record of rare things, made when first needed."""
    if node.extras is None:
        node.extras = Rare()
    return node.extras


class RemovableHandle:
    """What registering a hook returns: ``remove()`` takes the hook away, as does the end of a ``with``."""

    __slots__ = ("id", "hooks")

    def remove(self):
        """Take the hook away; nothing happens when it is gone already."""
        self.hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()


RemovableHandle.__module__ = "torch.utils.hooks"
next_handle_number = count().__next__


def add_hook(hooks, hook):
    """Register *hook* in the dict *hooks*."""
    handle = RemovableHandle()
    handle.id = number = next_handle_number()
    handle.hooks = hooks
    hooks[number] = hook
    return handle
