"""What the recorder reads off tensors, nodes and hooks, without changing or keeping any of them."""

import weakref

from ..engine import dtypes, vjp
from ..engine.graph import Output, node_of_edge
from ..engine.saved import FREED, Kept
from ..engine.tensor import AccumulateGrad, Tensor
from .events import FIELDS, snapshot


def forgetting(known, thing):
    """A weak reference to a thing that takes its entry out of *known* when it dies, as its id may be given again."""
    place = id(thing)
    return weakref.ref(thing, lambda _: known.pop(place, None))


def keys_in(kept):
    """The keys of tensors and nodes that events speak of."""
    found, waiting = set(), [getattr(event, name) for event in kept for name in FIELDS[event.kind]]
    while waiting:
        each = waiting.pop()
        if each.__class__ is str:
            found.add(each)
        elif each.__class__ is tuple:
            waiting += each
    return found


def shot(tensor):
    return snapshot(tensor._array, tensor._dtype.name)


def version_of(tensor):
    return 0 if tensor._inference else tensor._version


def value_of(grad):
    """A snapshot of a gradient as it travels: an array, a tensor, or None."""
    if grad is None:
        return None
    return shot(grad) if isinstance(grad, Tensor) else snapshot(grad, dtypes.of_array(grad).name)


def number_of(edge):
    return edge.number if edge.__class__ is Output else 0


def retains(edge):
    """Whether the tensor whose gradient goes to an edge keeps it."""
    if edge is None or edge.__class__ is AccumulateGrad:
        return False
    node, number = node_of_edge(edge)
    return node.extras is not None and number in node.extras.retained


def called(hook):
    return getattr(hook, "__name__", type(hook).__name__)


def inputs_of(row, edges):
    """The parameter's name for each edge of a node."""
    if row is None:
        return tuple(f"input {number}" for number in range(len(edges)))
    if row.variadic:
        return tuple(f"{row.differentiable[0]}[{number}]" for number in range(len(edges)))
    return row.differentiable


PLAIN = (bool, int, float, str, tuple, list, type(None))


def constants_of(node):
    """``(name, value)`` of what a node's formulas read besides tensors, as far as it is plain data."""
    row = getattr(node.plan, "row", None)
    if row is None or not node.arguments:
        return ()
    values = vjp.constants_of(node)
    named = zip((*row.parameters, *row.shape_names), values or (), strict=False)
    return tuple((name, frozen(value)) for name, value in named if value.__class__ in PLAIN and name not in row.tensors)


def frozen(value):
    if value.__class__ in (list, tuple):
        return tuple(frozen(each) if each.__class__ in PLAIN else str(each) for each in value)
    return value


def saved_values(node):
    """``(name, tensor, value, version, expected version)`` of what a node saved and is about to read.

    The tensor is None for its own result, the value None for what a pack hook took and for lists of indices.
    """
    if node.saved is FREED or node.saved is None:
        return
    if hasattr(node.plan, "entries"):
        entries = node.plan.entries(node).items()
    elif isinstance(node.saved, tuple) and hasattr(node, "saved_tensors"):
        entries = [(f"saved_tensors[{place}]", entry) for place, entry in enumerate(node.saved)]
    else:
        return
    for name, entry in entries:
        if isinstance(entry, Tensor):
            version = 0 if entry._counter is None else entry._counter.version
            yield name, entry, shot(entry), version, 0
        elif entry.__class__ is not Kept and isinstance(entry, Kept):
            yield name, None, None, 0, 0
        elif entry.__class__ is Kept:
            version = entry.version if entry._counter is None else entry._counter.version
            value = value_of(entry.array if entry.tensor is None else entry.tensor)
            yield name, entry.tensor, value, version, entry.version
        elif entry is not None:
            dtype = dtypes.of_array(entry) if hasattr(entry, "dtype") else dtypes.of_number(entry)
            yield name, None, snapshot(dtype.scalar(entry) if not hasattr(entry, "dtype") else entry, dtype.name), 0, 0
