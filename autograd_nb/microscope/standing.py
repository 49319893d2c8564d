"""A living graph as a recording in which nothing has happened yet: its nodes as they stand, and what is still known.

A value is known when its tensor is alive under a name or a node saved it; what else went by is not kept.  Nothing here
holds a tensor once it is written down.
"""

from typing import NamedTuple

from ..words import of
from . import readings
from .cuts import Twins
from .events import TensorRecord
from .expressions import saved_numbers
from .readings import value_of
from .register import place_in_graph, record_of
from .trace import Trace
from .values import in_line, shape_of, short

SAY = of("microscope")["values"]
SHOWN = bool | int | float | str | tuple  # constants of a node that are told


class Standing(NamedTuple):
    """What a trace of a living graph knows besides its records."""

    roots: list  # keys of the tensors that are looked at
    outputs: dict  # node -> numbers of the outputs that somebody uses
    values: dict  # (node, output number) -> Value of a result whose tensor is gone, as a node saved it
    inputs: dict  # node -> pairs (input number, key of a tensor without a gradient that it saved)
    saved: dict  # node -> {name: what it holds, in a few characters}
    changed: list  # nodes that saved what was changed in place since
    flags: dict  # key of a tensor -> what else is told of it
    cuts: list  # (tensor, tensor, reason)
    views: list  # (tensor, its view)


def standing(roots, known, classes=None):
    """The trace of what leads to tensors, *roots*; known: id -> (tensor, names) of those that the caller can name."""
    writer = Writer(roots, known)
    return Trace((), writer.tensors, writer.nodes, classes=classes, standing=writer.facts)


class Writer:
    def __init__(self, roots, known):
        self.read = read = readings.of(roots[0])
        self.known = {key: pair for key, pair in known.items() if readings.of(pair[0]) is read}
        self.written = {}  # id of a tensor -> its key
        self.tensors, self.nodes, self.places = {}, {}, {}  # records; (node, output number) -> key of a tensor
        self.facts, self.bases = Standing([], {}, {}, {}, {}, [], {}, [], []), []
        ends = list(map(read.place_of, roots))
        nodes, cuts = Twins(self.known).with_cuts(roots, [node for node, _ in ends])
        self.keys = {node: f"n{number}" for number, node in enumerate(nodes)}
        for node in nodes:
            if read.is_leaf(node):
                self.tensor(node.variable)
        for owner, number in [*(place for node in nodes for place in read.edges_of(node)), *ends]:
            if owner is not None:
                self.facts.outputs.setdefault(self.keys[owner], set()).add(number)
        for tensor in [*roots, *(source for source, _, _ in cuts), *(tensor for tensor, _ in self.known.values())]:
            node, number = read.place_of(tensor)
            if number in self.facts.outputs.get(self.keys.get(node), ()):
                self.tensor(tensor)
        for node in nodes:
            self.node(node)
        self.facts.roots.extend(map(self.tensor, roots))
        self.facts.cuts.extend((self.tensor(source), self.tensor(target), reason) for source, target, reason in cuts)
        self.facts.views.extend((self.written[id(base)], key) for base, key in self.bases if id(base) in self.written)

    def tensor(self, tensor):
        """The key of a tensor, or of the one before it that has its place in the graph."""
        read, (node, number) = self.read, self.read.place_of(tensor)
        place = self.keys.get(node), number
        key = self.places.get(place) if node is not None else self.written.get(id(tensor))
        if key is None:
            key = self.written[id(tensor)] = f"t{len(self.tensors)}"
            if node is not None:
                self.places[place] = key
            names = self.known.get(id(tensor), (None, ()))[1][:2]
            self.tensors[key] = TensorRecord(
                key=key, names=((" = ".join(names), None),) if names else (), dtype="", born=0,
                version=readings.version_of(tensor), value=value_of(tensor), grad=value_of(read.grad_of(tensor)),
                **place_in_graph(tensor, self.keys.get),
            )  # fmt: skip
            flags = [SAY["view"]] if tensor._base is not None else []
            self.facts.flags[key] = [*flags, *(f"{SAY['hooked']} {name}" for name in readings.hooks_of(tensor))]
            self.bases.append((tensor._base, key))
        return key

    def node(self, node):
        read, key = self.read, self.keys[node]
        row, inputs, wanted = read.row_of(node), read.inputs_of(node), read.parameters_read(node)
        edges = tuple((self.keys.get(below), number) for below, number in read.edges_of(node))
        constants = [(name, str(it) if isinstance(it, tuple) else it) for name, it in read.constants_of(node)
                     if name in wanted and isinstance(it, SHOWN)]  # fmt: skip
        numbers = [pair for pair in saved_numbers(node) if pair[0] not in dict(constants)]
        leaf = self.tensor(node.variable) if read.is_leaf(node) else None
        self.nodes[key] = record_of(node, key, edges, (*constants, *numbers), leaf)
        self.facts.saved[key] = {}
        for saved in read.held_by(node) if leaf is None else ():
            self.facts.saved[key][saved.name] = self.told(saved)
            if saved.is_modified:
                self.facts.changed.append(key)
            elif row and saved.name in (row.returns or ()) and saved.name not in inputs and saved.values is not None:
                place = key, row.returns.index(saved.name)
                if place not in self.places:
                    self.facts.values[place] = value_of(saved.values)
            if row and saved.name in inputs and saved.tensor is not None:
                number, place = inputs.index(saved.name), read.place_of(saved.tensor)
                if edges[number][0] is None and place[0] is None:
                    self.facts.inputs.setdefault(key, []).append((number, self.tensor(saved.tensor)))
                elif edges[number] == (self.keys.get(place[0]), place[1]) and not saved.is_modified:
                    self.tensor(saved.tensor)

    def told(self, saved):
        """What a node holds, in a few characters."""
        if saved.packed or saved.values is None:
            return SAY["packed" if saved.packed else "none"]
        if not hasattr(saved.values, "dtype"):
            return short(saved.values)
        value, names = value_of(saved.values), self.known.get(id(saved.tensor), (None, ()))[1]
        text = in_line(value)
        return f"{names[0]} {text}" if names and text == shape_of(value) else text
