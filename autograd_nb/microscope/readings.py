"""What can be read off tensors, nodes and hooks, without changing or keeping any of them.

All that recordings and pictures know of the engine's inside they know through these few functions; the rest of
two rooms goes by what they return.  An edge leads to a place: a node and the number of one of its outputs.
Tensors and nodes of real PyTorch are looked at by the functions of the same names in `pytorch.readings`.
"""

import sys
from functools import wraps

import numpy as np

from ..engine import dtypes
from ..engine.graph import node_of_edge
from ..engine.modes import state
from ..engine.saved import FREED, PackedVariable, SavedVariable
from ..engine.tensor import AccumulateGrad, Tensor, grad_at, gradient_edge
from .events import MOST_NODES, Value, snapshot
from .labels import LONGEST_NAME, clean
from .pytorch import presence
from .pytorch import readings as theirs
from .things import Saved
from .things import is_leaf_tensor as is_leaf_tensor


def is_tensor(thing):
    """Whether something is a tensor, of this engine or of PyTorch.

    isinstance would ask its ``__class__``, which may be a learner's code.
    """
    return is_ours(thing) or is_theirs(thing)


def is_ours(tensor):
    return issubclass(type(tensor), Tensor)


def is_theirs(thing):
    """Whether it is a tensor or node of PyTorch, of which nothing is asked while nobody has imported that."""
    return "torch" in sys.modules and (type(thing) is theirs.Node or presence.is_tensor(thing))


def either(function):
    """Let a function look at PyTorch's tensors and nodes too, as its namesake in `pytorch.readings` does."""
    other = getattr(theirs, function.__name__)

    @wraps(function)
    def look(thing, *others, **options):
        return (other if is_theirs(thing) else function)(thing, *others, **options)

    return look


def place_at(edge):
    """``(node, output number)`` of an edge; (None, 0) for none."""
    return edge if edge.__class__ is tuple else node_of_edge(edge)


@either
def identity(node):
    """What tells a node from all others, as long as it is there."""
    return id(node)


@either
def place_of(tensor, current=True):
    """``(node, output number)`` where a tensor's gradient goes; a view gets its new history first if *current*."""
    if current:
        try:
            edge = gradient_edge(tensor)
            return (None, 0) if edge is not None and edge.is_dead_end else place_at(edge)
        except RuntimeError:
            pass
    return place_at(tensor._node)


@either
def grad_of(tensor, current=True):
    return grad_at(tensor, place_of(tensor, current)[0])


@either
def retains(tensor, current=True):
    node, number = place_of(tensor, current)
    return node is not None and node.extras is not None and number in node.extras.retained


@either
def hooks_of(tensor):
    """The names of the hooks on a tensor, in the order of registration."""
    node, number = place_of(tensor)
    if node is None or node.extras is None:
        return []
    hooks = [hook for place, hook in node.extras.tensor_hooks.values() if place == number]
    hooks += node.extras.accumulated_hooks.values() if is_leaf(node) else []
    return [getattr(hook, "__name__", type(hook).__name__).strip("<>") for hook in hooks]


def value_of(values):
    """A snapshot of a tensor, or of a gradient as it travels: an array, a tensor, or None."""
    if values.__class__ is Value or not hasattr(values, "dtype"):  # None, or what a backward returned by mistake
        return values if values.__class__ is Value else None
    if is_theirs(values):
        array, dtype = theirs.elements_of(values), theirs.dtype_name(values)
        return Value(tuple(values.shape), dtype, b"", (0, 0)) if array is None else snapshot(array, dtype)
    if isinstance(values, Tensor):
        return snapshot(values._array, values._dtype.name)
    return snapshot(values, dtypes.of_array(values).name)


def version_of(tensor):
    return 0 if tensor.is_inference() else tensor._version


@either
def modes_for(tensor):
    """``(grad_enabled, inference)``: the modes in which operations on a tensor now run."""
    return state.grad_enabled, state.inference


@either
def elements_of(tensor):
    """The array of a tensor's elements; what `detach` gives has the very same."""
    return tensor._array


@either
def twin_key(tensor):
    """What tensors that have the very same elements have in common, or None."""
    return id(tensor._array) if isinstance(tensor._array, np.ndarray) else None


@either
def storage_key(tensor):
    """What tensors on the same storage have in common; None before anything can share it."""
    return None if tensor._counter is None else id(tensor._counter)


@either
def same_counter(tensor, other):
    """Whether changes in place to one tensor count for the other."""
    return tensor._counter is other._counter


@either
def edges_of(node):
    return [place_at(edge) for edge in node.edges]


class TooLarge(ValueError):
    """A graph has more nodes than are looked at."""


def nodes_below(nodes, most=MOST_NODES):
    """These nodes and all that their edges lead to, in the order in which they were made, leaves last.

    TooLarge when they are more than *most*.
    """
    seen, waiting = {}, list(nodes)
    while waiting:
        if len(seen) > most:
            raise TooLarge(f"draw(): the graph has more than {most:,} nodes. Draw a tensor from fewer turns of "
                             "the loop, or cut the graph with detach() before the part to look at")  # fmt: skip
        node = waiting.pop()
        if node is not None and node not in seen:
            seen[node] = True
            waiting += [below for below, _ in edges_of(node)]
    return sorted(seen, key=lambda node: node.sequence)


@either
def is_leaf(node):
    """Whether a node adds gradients into the .grad of a leaf, its ``variable``."""
    return node.__class__ is AccumulateGrad


def name_of(node):
    name = theirs.name_of(node) if type(node) is theirs.Node else node.revealed().name()
    return clean(name.removeprefix("torch::autograd::"), LONGEST_NAME)


@either
def row_of(node):
    """The row of the table that a node came from, or None."""
    return getattr(node.plan, "row", None)


@either
def saved_names(node):
    return tuple(getattr(node.plan, "saves", ()))


@either
def is_freed(node):
    return getattr(node, "saved", None) is FREED  # a pack hook may run before a node has anything


@either
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
        yield from entries_of(name, entry)


def entries_of(name, entry):
    """A :class:`Saved` for an entry of a node, or for each tensor in a list of indices."""
    if hasattr(entry, "entries"):
        for place, each in enumerate(entry.entries):
            if each is not None:
                yield from entries_of(f"{name}[{place}]", each)
    elif isinstance(entry, Tensor):
        yield Saved(name, entry, entry._array, 0 if entry._counter is None else entry._counter.version)
    elif isinstance(entry, PackedVariable):
        yield Saved(name, None, None, packed=True)
    elif isinstance(entry, SavedVariable):
        version = entry.version if entry._counter is None else entry._counter.version
        values = entry.array if entry.tensor is None else entry.tensor._array
        yield Saved(name, entry.tensor, values, version, entry.version)
    else:
        yield Saved(name, None, entry)


def saved_value(saved):
    values = saved.values
    if values is None:
        return None
    if saved.tensor is not None or hasattr(values, "dtype"):
        return value_of(values if saved.tensor is None else saved.tensor)
    dtype = dtypes.of_number(values)
    return snapshot(state.run(dtypes.as_scalar, values, dtype), dtype.name)


def rewritten(node):
    """The node that a change to part of a tensor goes through on its way, for CopySlices; else the node itself."""
    is_part = type(node) is not theirs.Node and node.plan.node_name == "CopySlices"
    return node.saved[0] if is_part and not is_freed(node) and node.saved else node


def inputs_of(node):
    """The parameter's name for each edge of a node."""
    row, count = row_of(node), len(edges_of(node))
    if row is None:
        return tuple(f"input {number}" for number in range(count))
    if row.variadic:
        return tuple(f"{row.differentiable[0]}[{number}]" for number in range(count))
    return row.differentiable


@either
def constants_of(node):
    """``(name, value)`` of what a node's formulas read besides tensors, as far as it is plain data."""
    row = row_of(node)
    if row is None or not node.arguments:
        return ()
    named = zip(row.constants, node.arguments, strict=False)
    return tuple(pair for pair in named if pair[1].__class__ in theirs.PLAIN)


def parameters_read(node):
    row = row_of(node)
    if row is None:
        return {name for name, _ in constants_of(node)}
    return {name for names in row.reads.values() for name in names if name in row.parameters}
