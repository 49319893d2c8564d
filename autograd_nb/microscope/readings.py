"""Reads tensors, nodes and hooks, without changing or keeping any of them.

Recordings and pictures know the engine's inside only through :class:`EngineReader`, and PyTorch's only through the
class in `pytorch.readings`, which has the same methods; `of` chooses.  An edge leads to a place: a node and the number
of one of its outputs.
"""

from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from ..engine import dtypes
from ..engine.graph import OutputEdge
from ..engine.modes import state
from ..engine.saved import FREED, PackedVariable, SavedVariable
from ..engine.tensor import AccumulateGrad, Tensor, grad_at, gradient_edge
from ..torch_api.contents import load_module
from .events import MOST_NODES, Value, snapshot
from .labels import LONGEST_NAME, clean
from .presence import PYTORCHS, TENSORS, Lasting, kinds

PLAIN = (bool, int, float, str, tuple, list, type(None))  # types of the nodes' constants that are kept


def grad_fn_of(tensor):
    """The grad_fn of a tensor of either library; None for a view whose history was lost by a change to its base."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def is_leaf_tensor(tensor):
    """Whether a tensor of either library is a leaf; a view whose history was lost by a change to its base is none."""
    try:
        return tensor.is_leaf
    except RuntimeError:
        return False


def dtype_name(tensor):
    return name_of_dtype(tensor.dtype)


@lru_cache
def name_of_dtype(dtype):
    return str(dtype).removeprefix("torch.")


class Saved(NamedTuple):
    name: str
    tensor: object  # None for the node's own result, and for a number
    values: object  # the elements or the number; None if a pack hook took them
    version: int = 0  # of the tensor now
    expected: int = 0  # when it was saved
    packed: bool = False

    @property
    def is_modified(self):
        return self.version != self.expected


def is_tensor(thing):
    """Whether something is a tensor, of this engine or of PyTorch."""
    return kinds[type(thing)] in TENSORS


class EngineReader:
    """Reads tensors and nodes of this engine."""

    identity = staticmethod(id)  # a key that identifies a node as long as it exists

    def graph_of(self, tensor, current=True):
        """``(requires_grad, whether it is a leaf, whether it retains its .grad, node, output number)``."""
        node, number = place_at(edge_of(tensor, current) if current else tensor._node)
        is_leaf = node.__class__ is AccumulateGrad or node is None and (not current or is_leaf_tensor(tensor))
        retains = node is not None and node.extras is not None and number in node.extras.retained
        return tensor.requires_grad, is_leaf, retains, node, number

    def version_of(self, tensor):
        return 0 if tensor._inference or tensor._counter is None else tensor._counter.version

    def place_of(self, tensor, current=True):
        """``(node, output number)`` where a tensor's gradient goes; a view gets its new history first if *current*."""
        return place_at(edge_of(tensor, current))

    def grad_of(self, tensor, current=True):
        return grad_at(tensor, edge_of(tensor, current))

    def hooks_of(self, tensor):
        """The names of the hooks on a tensor, in the order of registration."""
        node, number = self.place_of(tensor)
        if node is None or node.extras is None:
            return []
        hooks = [hook for place, hook in node.extras.tensor_hooks.values() if place == number]
        return names_of([*hooks, *node.extras.accumulated_hooks.values()])

    def modes_for(self, tensor):
        """``(grad_enabled, inference)``: the modes in which operations on a tensor now run."""
        return state.grad_enabled, state.inference

    def snapshot_of(self, tensor):
        """The :class:`Value` of a tensor's elements."""
        return snapshot(tensor._array, name_of_dtype(tensor._dtype))

    def shard_of(self, tensor):
        """The part that this process holds of a tensor spread over several, in words; "" of any other."""
        return ""

    def twin_key(self, tensor):
        """A key that tensors with the very same elements share, or None."""
        return id(tensor._array) if isinstance(tensor._array, np.ndarray) else None

    def storage_key(self, tensor):
        """A key that tensors on the same storage share; None before anything can share it."""
        return None if tensor._counter is None else id(tensor._counter)

    def is_held(self, tensor):
        """Whether the storage of a tensor still holds all of its elements."""
        return True

    def same_counter(self, tensor, other):
        """Whether changes in place to one tensor count for the other."""
        return tensor._counter is other._counter

    def edges_of(self, node):
        return [place_at(edge) for edge in node.edges]

    def is_leaf(self, node):
        """Whether a node adds gradients into the .grad of a leaf, its ``variable``."""
        return node.__class__ is AccumulateGrad

    def name_of(self, node):
        return clean(node.revealed().name().removeprefix("torch::autograd::"), LONGEST_NAME)

    def row_of(self, node):
        """The row of the table that a node came from, or None."""
        return getattr(node.plan, "row", None)

    def saved_names(self, node, saved):
        """The names of a node's saved entries; *saved* is the result of `saved_of`."""
        return tuple(getattr(node.plan, "saves", ()))

    def is_freed(self, node):
        return getattr(node, "saved", None) is FREED  # a pack hook may run before a node has anything

    def saved_of(self, node):
        """A :class:`Saved` for each entry that a node still holds; this calls no hook that packed one."""
        if node.saved is FREED or node.saved is None:
            return
        if hasattr(node.plan, "entries"):
            entries = node.plan.entries(node).items()
        elif hasattr(type(node), "saved_tensors"):
            entries = [(f"saved_tensors[{place}]", entry) for place, entry in enumerate(node.saved)]
        else:
            return
        for name, entry in entries:
            yield from entries_of(name, entry)

    def held_by(self, node):
        """The same for the node itself or, for CopySlices, for the node of the change that goes through it."""
        is_part = node.plan.node_name == "CopySlices" and not self.is_freed(node) and node.saved
        return self.saved_of(node.saved[0] if is_part else node)

    def constants_of(self, node):
        """``(name, value)`` of the constants that a node's formulas read, if these are plain data."""
        row = self.row_of(node)
        if row is None or not node.arguments:
            return ()
        named = zip(row.constants, node.arguments, strict=False)
        return tuple([pair for pair in named if pair[1].__class__ in PLAIN])

    def inputs_of(self, node):
        """The parameter's name for each edge of a node."""
        row = self.row_of(node)
        if row is not None and not row.variadic:
            return row.differentiable
        name = "input {}" if row is None else row.differentiable[0] + "[{}]"
        return tuple(map(name.format, range(len(self.edges_of(node)))))

    def parameters_read(self, node):
        row = self.row_of(node)
        if row is None:
            return {name for name, _ in self.constants_of(node)}
        return {name for names in row.reads.values() for name in names if name in row.parameters}


def edge_of(tensor, current):
    try:
        return gradient_edge(tensor) if current else tensor._node
    except RuntimeError:  # a view whose history was lost by a change to its base
        return None


def place_at(edge):
    """``(node, output number)`` of an edge; (None, 0) for none."""
    return edge if edge.__class__ is tuple else (edge.node, edge.number) if edge.__class__ is OutputEdge else (edge, 0)


def names_of(hooks):
    return [getattr(hook, "__name__", type(hook).__name__).strip("<>") for hook in hooks]


def entries_of(name, entry):
    """A :class:`Saved` for an entry of a node, or for each tensor in a list of indices."""
    if hasattr(entry, "entries"):
        for place, each in enumerate(entry.entries):
            if each is not None:
                yield from entries_of(f"{name}[{place}]", each)
    elif isinstance(entry, Tensor):
        yield Saved(name, entry, entry, ENGINE.version_of(entry))
    elif isinstance(entry, PackedVariable):
        yield Saved(name, None, None, packed=True)
    elif isinstance(entry, SavedVariable):
        held = entry.array if entry.tensor is None else entry.tensor
        yield Saved(name, entry.tensor, held, entry._counter.version, entry.version)
    else:
        yield Saved(name, None, entry)


# -- of either library -------------------------------------------------------------------------------------------------

ENGINE = EngineReader()


@Lasting
def readers(kind):
    """The reader of tensors or nodes of a class; PyTorch's reader is not loaded before PyTorch is."""
    return load_module("microscope.pytorch.readings").READER if kinds[kind] == PYTORCHS else ENGINE


def reading(name):
    """A function that calls the method of this name, of the reader of its first argument."""
    def read(thing, *others):
        return getattr(readers[type(thing)], name)(thing, *others)

    return read


globals().update({name: reading(name) for name in vars(EngineReader) if not name.startswith("_")})


def value_of(values):
    """A snapshot of a tensor, or of a gradient as it travels: an array, a tensor, or None."""
    kind = type(values)
    if values is None or kind is Value:
        return values
    if kinds[kind] in TENSORS:
        return readers[kind].snapshot_of(values)
    if not hasattr(values, "dtype"):
        if not isinstance(values, int | float):  # returned by a backward by mistake
            return None
        values = state.run(dtypes.as_scalar, values, dtypes.of_number(values))
    return snapshot(values, dtypes.of_array(values).name)


class TooLarge(ValueError):
    """A graph has more nodes than are looked at."""


def nodes_below(nodes, most=MOST_NODES):
    """``{node: edges}`` of these nodes and of all that they lead to, in the order in which they were made, leaves last.

    TooLarge when they are more than *most*.
    """
    seen, waiting = {}, list(nodes)
    while waiting:
        if len(seen) > most:
            raise TooLarge(f"draw(): the graph has more than {most:,} nodes. Draw a tensor from fewer turns of "
                             "the loop, or cut the graph with detach() before the part to look at")  # fmt: skip
        node = waiting.pop()
        if node is not None and node not in seen:
            seen[node] = edges = readers[type(node)].edges_of(node)
            waiting += [below for below, _ in edges]
    return {node: seen[node] for node in sorted(seen, key=attrgetter("sequence"))}
