"""Shows a living graph as a recording in which nothing has happened yet: its nodes, and the values still known.

A value is known when its tensor is alive under a name, or when a node saved it.  Nothing here holds a tensor once it is
written down.
"""

from collections import defaultdict

from ..words import of
from . import readings
from .cuts import Twins
from .expressions import saved_numbers
from .labels import in_line, printed, shape_of
from .moments import Moment
from .readings import value_of
from .register import record_of, tensor_record
from .trace import Trace

SAY, CHANGED = of("microscope")["values"], of("drawing")["CHANGED"]
SHOWN = bool | int | float | str | tuple  # types of a node's constants that are shown


class Standing(Moment):
    """The graph that leads to *roots*; *known*: id -> (tensor, names) of the tensors that the caller can name."""

    def __init__(self, roots, known, classes=None):
        super().__init__(Trace((), classes=classes))
        self.trace.operands = {}
        self.read = read = readings.readers[type(roots[0])]
        self.known = {key: pair for key, pair in known.items() if readings.readers[type(pair[0])] is read}
        self.written, self.bases = {}, []  # id of a tensor -> its key; pairs (a view's base, the view's key)
        self.places, self.results = {}, {}  # (node, output number) -> key of a tensor; or Value of a lost one
        ends = list(map(read.place_of, roots))
        nodes, cuts = Twins(self.known).with_cuts(roots, [node for node, _ in ends])
        self.numbers = {node: f"n{number}" for number, node in enumerate(nodes)}
        for node in nodes:
            if read.is_leaf(node):
                self.tensor(node.variable)
        used = self.used_outputs(nodes, ends)
        for tensor in [*roots, *(source for source, _, _ in cuts), *(tensor for tensor, _ in self.known.values())]:
            node, number = read.place_of(tensor)
            if number in used[self.numbers.get(node)]:
                self.tensor(tensor)
        for node in nodes:
            self.node(node)
        roots = list(map(self.tensor, roots))
        cuts = [(self.tensor(source), self.tensor(target), reason) for source, target, reason in cuts]
        for node in self.trace.nodes:
            self.add_outputs(node, sorted(used[node]))
        for place, value in self.results.items():
            if place in self.keys:
                self.kept[self.keys[place]] = {"value": value, "version": 0}
        self.starts = [(self.trace.tensors[root].node, self.trace.tensors[root].output) for root in roots]
        self.mark(roots, cuts)
        del self.known, self.bases, self.numbers  # a picture holds no tensor

    def used_outputs(self, nodes, ends):
        """``{key of a node: numbers of its outputs that an edge or a root uses}``."""
        used = defaultdict(set)
        for owner, number in [*(place for node in nodes for place in self.read.edges_of(node)), *ends]:
            if owner is not None:
                used[self.numbers[owner]].add(number)
        return used

    def mark(self, roots, cuts):
        """Mark the roots, the places where the graph is cut, and the views."""
        for key in map(self.latest_value, roots):
            self.shown[key] = self.ends[key] = None
        for *ends, reason in cuts:
            ends = tuple(map(self.latest_value, ends))
            self.cuts[ends] = reason
            self.shown.update(dict.fromkeys(ends))
        for base, key in self.bases:
            if self.at.keys() >= {key, self.written.get(id(base))}:
                self.views[self.at[self.written[id(base)]], self.at[key]] = None

    def add_outputs(self, node, outputs):
        """Add a node with its inputs, and its outputs with these numbers."""
        record, operands = self.trace.nodes[node], self.trace.operands.get(node, {})
        if record.leaf is None:
            operands = {record.inputs.index(name): self.latest_value(tensor) for name, tensor in operands.items()}
            self.add_node(node)
            inputs = self.calls[node].inputs
            for number, key in operands.items():
                inputs[number] = key
            for number in outputs:
                self.arriving((node, number))

    def tensor(self, tensor):
        """The key of a tensor, or of an earlier one that has the same place in the graph."""
        node, number = self.read.place_of(tensor)
        place = self.numbers.get(node), number
        key = self.places.get(place) if node is not None else self.written.get(id(tensor))
        if key is None:
            key = self.written[id(tensor)] = f"t{len(self.trace.tensors)}"
            if node is not None:
                self.places[place] = key
            names = self.known.get(id(tensor), (None, ()))[1][:2]
            names = ((" = ".join(names), None),) if names else ()
            self.trace.tensors[key] = tensor_record(tensor, key, self.numbers.get, names)
            flags = [SAY["view"]] if tensor._base is not None else []
            self.flags[key] = [*flags, *(f"{SAY['hooked']} {name}" for name in readings.hooks_of(tensor))]
            self.bases.append((tensor._base, key))
        return key

    def node(self, node):
        read, key = self.read, self.numbers[node]
        row, inputs, wanted = read.row_of(node), read.inputs_of(node), read.parameters_read(node)
        edges = tuple((self.numbers.get(below), number) for below, number in read.edges_of(node))
        constants = {name: str(it) if isinstance(it, tuple) else it for name, it in read.constants_of(node)
                     if name in wanted and isinstance(it, SHOWN)}  # fmt: skip
        leaf = self.tensor(node.variable) if read.is_leaf(node) else None
        entries = [*read.saved_of(node)] if leaf is None else []
        for name, it in saved_numbers(edges, entries):
            constants.setdefault(name, it)
        self.trace.nodes[key] = record_of(node, key, edges, (*constants.items(),), leaf, entries)
        if read.is_freed(node):
            self.freed[key] = None
        self.saved[key] = {}
        for saved in read.held_by(node) if leaf is None else ():
            self.saved[key][saved.name] = self.saved_text(saved)
            if saved.is_modified:
                self.troubles[key] = CHANGED
            elif row and saved.name in (row.returns or ()) and saved.name not in inputs and saved.values is not None:
                place = key, row.returns.index(saved.name)
                if place not in self.places:
                    self.results[place] = value_of(saved.values)
            if row and saved.name in inputs and saved.tensor is not None:
                edge, place = edges[inputs.index(saved.name)], read.place_of(saved.tensor)
                if edge[0] is None and place[0] is None:
                    self.trace.operands.setdefault(key, {})[saved.name] = self.tensor(saved.tensor)
                elif edge == (self.numbers.get(place[0]), place[1]) and not saved.is_modified:
                    self.tensor(saved.tensor)

    def saved_text(self, saved):
        """A saved tensor or number in a few characters."""
        if saved.packed or saved.values is None:
            return SAY["packed" if saved.packed else "none"]
        if not hasattr(saved.values, "dtype"):
            return printed(saved.values)
        value, names = value_of(saved.values), self.known.get(id(saved.tensor), (None, ()))[1]
        text = in_line(value)
        return f"{names[0]} {text}" if names and text == shape_of(value) else text
