"""What the engine tells its listeners: a class for each kind of event.

The engine tells everything, always; a listener is a function of one event.  Tensors, nodes and
gradients are the real ones: a listener that keeps them keeps them alive, and must not change them.
A gradient is an array, with create_graph a tensor, or None; an edge leads to a node, or to one of
its outputs.
"""


class Event:
    """Something that happened; its fields are given in the order in which its class lists them."""

    __slots__ = ()

    def __init__(self, *details):
        for name, value in zip(self.__slots__, details, strict=True):
            setattr(self, name, value)


class Operation(Event):
    """*row* (its name and its formulas) was computed; *node* is None when it was not recorded."""

    __slots__ = "row", "node", "inputs", "outputs", "in_place"


class Started(Event):
    """A backward pass begins; *starts* has an ``(edge, gradient)`` pair for each root."""

    __slots__ = "starts", "retain_graph", "create_graph"


class Summed(Event):
    """A further gradient, *added*, arrived along *edge*; *total* is the sum with those before."""

    __slots__ = "edge", "added", "total"


class Ready(Event):
    """All gradients that lead to a node have arrived."""

    __slots__ = ("node",)


class Hooked(Event):
    """A tensor's own hook saw its gradient, *before*, and returned *after*."""

    __slots__ = "node", "output", "hook", "before", "after"


class NodeHooked(Event):
    """A hook of a node saw these tuples; *stage* is the name of its dict in :class:`Extras`."""

    __slots__ = "node", "stage", "hook", "before", "after"


class Retained(Event):
    """The gradient of a tensor that is no leaf was kept in its ``.grad``."""

    __slots__ = "node", "tensor", "grad"


class Captured(Event):
    """What ``autograd.grad`` asked for has arrived."""

    __slots__ = "node", "output", "grad"


class Running(Event):
    """A node is about to turn gradients of its outputs into those of its inputs."""

    __slots__ = "node", "grads"


class Ran(Event):
    """It did; *results* has a gradient for each of its edges."""

    __slots__ = "node", "grads", "results"


class Failed(Event):
    """It raised an error."""

    __slots__ = "node", "error"


class HookFailed(Event):
    """A hook of a node, or of a tensor that it made, raised an error."""

    __slots__ = "node", "error"


class Freed(Event):
    """What a node had saved was let go."""

    __slots__ = ("node",)


class Accumulated(Event):
    """A leaf's gradient was added to its ``.grad``, which is now *total*."""

    __slots__ = "node", "grad", "total"


class Assigned(Event):
    """Code, not a backward pass, gave a tensor another ``.grad`` or took it away."""

    __slots__ = ("tensor",)


class Finished(Event):
    """A backward pass is over."""


class Stopped(Event):
    """An error ended a backward pass."""

    __slots__ = ("error",)


class Unseen(Event):
    """Something began inside which nothing can be observed."""
