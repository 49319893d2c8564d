"""The events that the engine sends to its listeners, a class for each kind.

The engine sends every event, always; a listener is a function of one event.  Tensors, nodes and
gradients are the real ones: a listener that keeps one keeps it alive, and must not change it.
A gradient is an array, with create_graph a tensor, or None; an edge leads to a node, or to one of
its outputs.
"""


class Event:
    """One event; its arguments follow the order in which its class lists the fields."""

    __slots__ = ()

    def __init__(self, *details):
        for name, value in zip(self.__slots__, details, strict=True):
            setattr(self, name, value)


class Operation(Event):
    """An operation ran; *row* has its name and formulas, *node* is None if it was not recorded."""

    __slots__ = "row", "node", "inputs", "outputs", "in_place"


class Started(Event):
    """A backward pass begins; *starts* has an ``(edge, gradient)`` pair for each root."""

    __slots__ = "starts", "retain_graph", "create_graph"


class Summed(Event):
    """Another gradient, *added*, arrived along *edge*; *total* is the sum of all so far."""

    __slots__ = "edge", "added", "total"


class Ready(Event):
    """All gradients that lead to a node have arrived."""

    __slots__ = ("node",)


class Hooked(Event):
    """A tensor's own hook saw its gradient, *before*, and returned *after*."""

    __slots__ = "node", "output", "hook", "before", "after"


class NodeHooked(Event):
    """A hook of a node received these tuples; *stage* names its dict in :class:`Extras`."""

    __slots__ = "node", "stage", "hook", "before", "after"


class Retained(Event):
    """A tensor that is not a leaf kept its gradient in ``.grad``."""

    __slots__ = "node", "tensor", "grad"


class Captured(Event):
    """A gradient that ``autograd.grad`` returns has arrived."""

    __slots__ = "node", "output", "grad"


class Running(Event):
    """A node is about to turn gradients of its outputs into those of its inputs."""

    __slots__ = "node", "grads"


class Ran(Event):
    """The node ran; *results* has a gradient for each of its edges."""

    __slots__ = "node", "grads", "results"


class Failed(Event):
    """The node raised an error."""

    __slots__ = "node", "error"


class HookFailed(Event):
    """A hook of a node, or of a tensor that it made, raised an error."""

    __slots__ = "node", "error"


class Freed(Event):
    """A node freed its saved tensors."""

    __slots__ = ("node",)


class Accumulated(Event):
    """A leaf added a gradient to its ``.grad``, which is now *total*."""

    __slots__ = "node", "grad", "total"


class Assigned(Event):
    """Code, not a backward pass, replaced a tensor's ``.grad`` or removed it."""

    __slots__ = ("tensor",)


class Entered(Event):
    """A module of a network is called."""

    __slots__ = ("module",)


class Left(Event):
    """That call is over."""

    __slots__ = ("module",)


class Finished(Event):
    """A backward pass is over."""


class Stopped(Event):
    """An error ended a backward pass."""

    __slots__ = ("error",)


class Unseen(Event):
    """Code began whose inside listeners cannot observe."""
