"""The events that the engine sends to its listeners, a class for each kind.

The engine sends every event, always; a listener is a function of one event.  Tensors, nodes and
gradients are the real ones: a listener that keeps one keeps it alive, and must not change it.
A gradient is an array (under create_graph a tensor) or None; an edge leads to a node, or to one of
its outputs.
"""

from operator import itemgetter


class Notification(tuple):
    """One event, a tuple of its details; its class names them in order, and they are attributes."""

    fields = __slots__ = ()

    def __new__(cls, *details):
        return tuple.__new__(cls, details)

    def __init_subclass__(cls):
        for place, name in enumerate(cls.fields):
            setattr(cls, name, property(itemgetter(place)))


class Operation(Notification):
    """An operation ran; *row* has its name and formulas, *node* is None if it was not recorded."""

    fields = "row", "node", "inputs", "outputs", "in_place"


class Started(Notification):
    """A backward pass begins; *starts* has an ``(edge, gradient)`` pair for each root."""

    fields = "starts", "retain_graph", "create_graph"


class Summed(Notification):
    """Another gradient, *added*, arrived along *edge*; *total* is the sum of all so far."""

    fields = "edge", "added", "total"


class Ready(Notification):
    """All gradients that lead to a node have arrived."""

    fields = ("node",)


class Hooked(Notification):
    """A tensor's own hook saw its gradient, *before*, and returned *after*."""

    fields = "node", "output", "hook", "before", "after"


class NodeHooked(Notification):
    """A hook of a node received these tuples; *stage* names its dict in :class:`Extras`."""

    fields = "node", "stage", "hook", "before", "after"


class Retained(Notification):
    """A tensor that is not a leaf kept its gradient in ``.grad``."""

    fields = "node", "tensor", "grad"


class Captured(Notification):
    """A gradient that ``autograd.grad`` returns has arrived."""

    fields = "node", "output", "grad"


class Running(Notification):
    """A node is about to turn gradients of its outputs into those of its inputs."""

    fields = "node", "grads"


class Ran(Notification):
    """The node ran; *results* has a gradient for each of its edges."""

    fields = "node", "grads", "results"


class Failed(Notification):
    """The node raised an error."""

    fields = "node", "error"


class HookFailed(Notification):
    """A hook of a node, or of a tensor that it made, raised an error."""

    fields = "node", "error"


class Freed(Notification):
    """A node freed its saved tensors."""

    fields = ("node",)


class Accumulated(Notification):
    """A leaf added a gradient to its ``.grad``, which is now *total*."""

    fields = "node", "grad", "total"


class Read(Notification):
    """Code took the numbers of these tensors, as ``item()`` does."""

    fields = "name", "tensors"


class Assigned(Notification):
    """Code, not a backward pass, replaced a tensor's ``.grad`` or removed it."""

    fields = ("tensor",)


class Entered(Notification):
    """A module of a network is called."""

    fields = ("module",)


class Left(Notification):
    """That call is over."""

    fields = ("module",)


class Finished(Notification):
    """A backward pass is over."""


class Stopped(Notification):
    """An error ended a backward pass."""

    fields = ("error",)


class Unseen(Notification):
    """Code began whose steps listeners cannot observe."""
