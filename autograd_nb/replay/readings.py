"""What can be read off tensors, nodes and hooks, without changing or keeping any of them.

All that recordings and pictures know of the engine's inside they know through these few functions; the rest of
`replay` and `drawing` goes by what they return.  An edge leads to a place: a node and the number of one of its outputs.
"""

from typing import NamedTuple

from ..engine import dtypes, vjp
from ..engine.graph import node_of_edge as place_at  # (None, 0) for none
from ..engine.saved import FREED, Kept, Packed
from ..engine.tensor import AccumulateGrad, Tensor, current_node, grad_at
from .events import snapshot


def place_of(tensor, current=True):
    """``(node, output number)`` where a tensor's gradient goes; a view gets its new history first if *current*."""
    if current:
        try:
            return place_at(current_node(tensor))
        except RuntimeError:
            pass
    return place_at(tensor._node)


def grad_of(tensor, current=True):
    return grad_at(tensor, place_of(tensor, current)[0])


def retains(tensor, current=True):
    node, number = place_of(tensor, current)
    return node is not None and node.extras is not None and number in node.extras.retained


def value_of(values):
    """A snapshot of a tensor, or of a gradient as it travels: an array, a tensor, or None."""
    if values is None:
        return None
    if isinstance(values, Tensor):
        return snapshot(values._array, values._dtype.name)
    return snapshot(values, dtypes.of_array(values).name)


def version_of(tensor):
    return 0 if tensor._inference else tensor._version


def base_of(tensor):
    """The tensor whose elements a view shows, or None."""
    return None if tensor._view is None else tensor._view.base


def elements_of(tensor):
    """The array of a tensor's elements; what `detach` gives has the very same."""
    return tensor._array


def counter_of(tensor):
    """What counts the changes to a tensor's storage: one object for all that share it, None before it is asked for."""
    return tensor._counter


def edges_of(node):
    return [place_at(edge) for edge in node.edges]


def nodes_below(nodes):
    """These nodes and all that their edges lead to, in the order in which they were made, leaves last."""
    seen, waiting = {}, list(nodes)
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen[node] = True
            waiting += [below for below, _ in edges_of(node)]
    return sorted(seen, key=lambda node: node.sequence)


def is_leaf(node):
    """Whether a node adds gradients into the .grad of a leaf, its ``variable``."""
    return node.__class__ is AccumulateGrad


def name_of(node):
    return node.revealed().name().removeprefix("torch::autograd::")


def row_of(node):
    """The row of the table that a node came from, or None."""
    return getattr(node.plan, "row", None)


def saved_names(node):
    return tuple(getattr(node.plan, "saves", ()))


def is_freed(node):
    return getattr(node, "saved", None) is FREED  # a pack hook may run before a node has anything


class Saved(NamedTuple):
    name: str
    tensor: object  # None for the node's own result, and for a number
    values: object  # the elements or the number; None for what a pack hook took, () for a list of indices
    version: int = 0  # of the tensor now
    expected: int = 0  # when it was saved
    packed: bool = False

    @property
    def is_modified(self):
        return self.version != self.expected


def saved_of(node):
    """A :class:`Saved` for all that a node still holds; hooks that packed something are not asked for it."""
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
            yield Saved(name, entry, entry._array, 0 if entry._counter is None else entry._counter.version)
        elif entry.__class__ is Kept:
            version = entry.version if entry._counter is None else entry._counter.version
            values = entry.array if entry.tensor is None else entry.tensor._array
            yield Saved(name, entry.tensor, values, version, entry.version)
        elif isinstance(entry, Kept):  # a list of indices is neither a tensor nor a number
            packed = isinstance(entry, Packed)
            yield Saved(name, None, None if packed else (), packed=packed)
        else:
            yield Saved(name, None, entry)


def saved_value(saved):
    values = saved.values
    if values is None or values.__class__ is tuple:
        return None
    if saved.tensor is not None or hasattr(values, "dtype"):
        return value_of(values if saved.tensor is None else saved.tensor)
    dtype = dtypes.of_number(values)
    return snapshot(dtype.scalar(values), dtype.name)


def rewritten(node):
    """The node that a change to part of a tensor goes through on its way, for CopySlices; else the node itself."""
    return node.saved[0] if node.plan.node_name == "CopySlices" and not is_freed(node) and node.saved else node


def inputs_of(node):
    """The parameter's name for each edge of a node."""
    row, count = row_of(node), len(node.edges)
    if row is None:
        return tuple(f"input {number}" for number in range(count))
    if row.variadic:
        return tuple(f"{row.differentiable[0]}[{number}]" for number in range(count))
    return row.differentiable


PLAIN = (bool, int, float, str, tuple, list, type(None))


def constants_of(node):
    """``(name, value)`` of what a node's formulas read besides tensors, as far as it is plain data."""
    row = row_of(node)
    if row is None or not node.arguments:
        return ()
    named = zip((*row.parameters, *row.shape_names), vjp.constants_of(node) or (), strict=False)
    return tuple(pair for pair in named if pair[1].__class__ in PLAIN and pair[0] not in row.tensors)


def parameters_read(node):
    row = row_of(node)
    return set() if row is None else {name for names in row.reads.values() for name in names if name in row.parameters}
