"""A graph before it is a picture: calls in the order in which they ran, and the values between them.

Living graphs and traces are both brought to a `Scene`, which `paint` folds if it is large and makes a `Picture` of.
"""

from collections import Counter, namedtuple
from dataclasses import dataclass, field
from math import inf

from .folding import fold
from .layers import ranks
from .layout import PAGE
from .model import Picture
from .wrapping import DOUBLE, MOST

ABREAST = 12  # edges of one kind between two boxes
CHARACTER, BORDER, GAP, LINE = 7, 20, 55, 17  # about how wide things are, and how high a line


Call = namedtuple("Call", "key name inputs outputs")  # inputs and outputs: keys of values, a list and a dict


@dataclass(slots=True)
class Scene:
    """Calls and values with their relations.

    values: key -> kind of box ("leaf", "constant", "tensor", "root"); `hidden` ones are passed over, their producer
    leads straight on to their consumers.  leaves: value -> key of its "+=".  sent: (call, input number) -> parts of the
    `Edge` on which a gradient leaves; received: (call or "+=", value) -> parts of that on which it arrived there, or
    goes on into .grad.  cuts: (value, call or value) -> reason.  views: pairs of values that share memory.  shown:
    values that get a box though no call has them.
    """

    calls: dict = field(default_factory=dict)
    values: dict = field(default_factory=dict)
    hidden: set = field(default_factory=set)
    sent: dict = field(default_factory=dict)
    received: dict = field(default_factory=dict)
    leaves: dict = field(default_factory=dict)
    cuts: dict = field(default_factory=dict)
    views: list = field(default_factory=list)
    shown: set = field(default_factory=set)
    names: dict = field(default_factory=dict)  # of leaves
    classes: dict = field(default_factory=dict)  # path of a module -> name of its class
    opened: tuple = ()  # paths of modules that are not to be folded

    def call(self, key, name, inputs, outputs=()):
        self.calls[key] = Call(key, name, inputs, dict.fromkeys(outputs))

    def keys(self):
        """Of all that may get a box."""
        return [*self.calls, *(value for value in self.values if value not in self.hidden), *self.leaves.values()]

    def origins(self):
        return {value: call.key for call in self.calls.values() for value in call.outputs}


def paint(scene, describe, limit, **texts):
    """The `Picture` of a scene, folded to about `limit` boxes; *describe* gives the parts of a `Node` by key."""
    painter = _Painter(scene, describe, fold(scene, limit))
    picture = Picture(nodes=[], **texts)
    for key, parts in painter.boxes().items():
        picture.node(key, **parts)
    for source, target, parts in painter.edges():
        picture.edge(source, target, **parts)
    picture.direction = suitable_direction(picture)
    return picture


class _Painter:
    def __init__(self, scene, describe, groups):
        self.scene = scene
        self.describe = describe
        self.groups = groups  # key of a folded call or leaf -> its Group
        self.origin = scene.origins()
        self.placed = {}

    def boxes(self):
        scene = self.scene
        for call in scene.calls.values():
            for value in call.inputs:
                if value is not None and value not in self.origin:
                    self.put(value, scene.values[value])
            self.put(call.key, "function", call.name)
            for value in call.outputs:
                if self.end(value) == value:
                    self.put(value, scene.values[value])
        for value in scene.values:
            if value in scene.shown and self.end(value) == value:
                self.put(value, scene.values[value])
        for value, circle in scene.leaves.items():
            if value in self.placed:
                self.placed[circle] = {"kind": "accumulate", "title": "AccumulateGrad"} | self.describe(circle)
        return self.placed

    def put(self, key, kind, title=""):
        group = self.groups.get(key)
        key = key if group is None else group.key
        if key not in self.placed:
            parts = self.describe(key) if group is None else group.parts()
            self.placed[key] = {"kind": kind, "title": title} | parts

    def end(self, key):
        """The box at which an edge to a call or value ends: its own, its group's or, if hidden, its producer's."""
        group = self.groups.get(key)
        if group is not None:
            return group.key
        producer = self.origin.get(key)
        if producer is None or self.scene.values[key] == "root":
            return key
        return self.end(producer) if producer in self.groups or key in self.scene.hidden else key

    def edges(self):
        drawn = Counter()
        for source, target, parts in self.all_edges():
            if source == target or source not in self.placed or target not in self.placed:
                continue
            ends = source, target, parts["kind"]
            folded = self.placed[source]["kind"] == "group" or self.placed[target]["kind"] == "group"
            drawn[ends] += 1
            if drawn[ends] <= (1 if folded else ABREAST):
                yield source, target, parts

    def all_edges(self):
        scene = self.scene
        for call in scene.calls.values():
            place = self.end(call.key)
            for number, value in enumerate(call.inputs):
                if value is None:
                    continue
                source = self.end(value)
                if (value, call.key) not in scene.cuts:
                    yield source, place, {"kind": "forward"}
                if (call.key, number) in scene.sent:
                    end = scene.leaves.get(value, source) if source == value else source
                    yield place, end, scene.sent[call.key, number]
            for value in call.outputs:
                box = self.end(value)
                yield place, box, {"kind": "forward"}
                if (call.key, value) in scene.received:
                    yield box, place, scene.received[call.key, value]
        for value, circle in scene.leaves.items():
            yield circle, value, scene.received[circle, value]
        for (source, target), reason in scene.cuts.items():
            yield self.end(source), self.end(target), {"kind": "cut", "label": reason}
        for first, second in scene.views:
            if self.end(first) == first and self.end(second) == second:
                yield first, second, {"kind": "view"}


def suitable_direction(picture):
    """"right" for a graph that fits on a page so, or in rows that are less high than it is from top to bottom, else
    "down" when that is narrower; sizes are estimated.
    """
    number = {node.key: index for index, node in enumerate(picture.nodes)}
    pairs, labels = [], [0] * len(number)
    for edge in picture.edges:
        source, target = map(number.get, edge.ends)
        if edge.kind != "view":
            pairs.append((source, target, 1))
            labels[source] = max(labels[source], len(edge.label) + len(edge.hook))
    places = ranks(len(number), pairs)
    columns = [[] for _ in range(max(places, default=-1) + 1)]  # of each rank: its boxes' widths, heights and labels
    for node, place, label in zip(picture.nodes, places, labels, strict=True):
        width = 2 * BORDER if node.kind == "accumulate" else BORDER + CHARACTER * max(
            map(len, (node.title, *node.lines, *node.notes)), default=0)  # fmt: skip
        width = max(width, BORDER + node.grid.size[0] if node.grid else 0)
        lines = len(node.lines) + len(node.notes) + bool(node.title) + bool(node.flags) + bool(node.grad)
        height = BORDER + LINE * lines + sum(grid.size[1] for grid in (node.grid, node.grad_grid) if grid)
        columns[place].append((width, height, CHARACTER * label))
    long = [max(width + GAP + label for width, _, label in column) for column in columns]
    high = [sum(height + BORDER for _, height, _ in column) for column in columns]
    broad = max((sum(width + BORDER for width, _, _ in column) for column in columns), default=0)
    deep = sum(GAP + max(height for _, height, _ in column) for column in columns) if broad <= PAGE + GAP else inf
    return "right" if sum(long) <= max(PAGE, broad) or height_in_rows(pairs, places, long, high) < deep else "down"


def height_in_rows(pairs, places, long, high):
    """How high columns, of the widths *long*, are in rows with few edges from one to the next; infinite if they cannot
    stand so."""
    ways = [set() for _ in long]  # behind each column: what passes, as often as it takes a way
    for (source, target, _), count in Counter(pairs).items():
        for place in range(places[source], places[target]):
            ways[place].add((source, target if places[target] - places[source] == 1 else None, count > 1))
    start = end = total = 0  # of the row: its first column, and the last one after which it could end
    for place in range(len(ways)):
        if sum(long[each] for each in range(start, place + 1)) > PAGE:
            if end == start:
                return inf
            total += max(high[each] for each in range(start, end)) + GAP
            start = end
        if sum(DOUBLE if doubled else 1 for *_, doubled in ways[place]) <= MOST:
            end = place + 1
    return total + max(high[each] for each in range(start, len(ways)))
