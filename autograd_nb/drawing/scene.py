"""A graph before it is a picture: calls in the order in which they ran, and the values between them.

Living graphs and traces are both brought to a `Scene`, which `paint` folds if it is large and makes a `Picture` of.
"""

from dataclasses import asdict, dataclass, field

from .folding import fold
from .layers import ranks
from .model import AHEAD, Picture

PAGE = 1250  # pixels up to which a graph runs from left to right
CHARACTER, BORDER, GAP = 7, 20, 55  # about how wide things are


@dataclass(slots=True)
class Call:
    key: str
    name: str
    inputs: list
    outputs: list


@dataclass(slots=True)
class Sent:
    label: str = ""
    hook: str = ""
    current: bool = False
    hint: str = ""
    kind: str = "gradient"


@dataclass(slots=True)
class Scene:
    """Calls and values with their relations.

    values: key -> kind of box ("leaf", "constant", "tensor", "root"); `hidden` ones are passed over, their producer
    leads straight on to their consumers.  sent: (call, input number) -> `Sent`; received: (call, value) -> `Sent`;
    leaves: value -> (key of its "+=", `Sent` from there).  cuts: (value, call or value) -> reason.  views: pairs of
    values that share memory.  shown: values that get a box though no call has them.
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

    def call(self, key, name, inputs, outputs=()):
        self.calls[key] = Call(key, name, inputs, list(outputs))

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
        for value, (circle, _) in scene.leaves.items():
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
        drawn = set()
        for source, target, parts in self.all_edges():
            if source == target or source not in self.placed or target not in self.placed:
                continue
            ends = source, target, parts["kind"]
            folded = self.placed[source]["kind"] == "group" or self.placed[target]["kind"] == "group"
            if not folded or ends not in drawn:
                drawn.add(ends)
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
                sent = scene.sent.get((call.key, number))
                if sent is not None:
                    circle = scene.leaves.get(value)
                    yield place, circle[0] if circle and source == value else source, asdict(sent)
            for value in call.outputs:
                box = self.end(value)
                yield place, box, {"kind": "forward"}
                received = scene.received.get((call.key, value))
                if received is not None:
                    yield box, place, asdict(received)
        for value, (circle, written) in scene.leaves.items():
            yield circle, value, asdict(written)
        for (source, target), reason in scene.cuts.items():
            yield self.end(source), self.end(target), {"kind": "cut", "label": reason}
        for first, second in scene.views:
            if self.end(first) == first and self.end(second) == second:
                yield first, second, {"kind": "view"}


def suitable_direction(picture):
    """"right" for a graph that fits on a page so, else "down" when that is narrower; sizes are estimated."""
    number = {node.key: index for index, node in enumerate(picture.nodes)}
    pairs, labels = [], [0] * len(number)
    for edge in picture.edges:
        ends = number[edge.source], number[edge.target]
        source, target = ends if edge.kind in AHEAD else ends[::-1]
        if edge.kind != "view":
            pairs.append((source, target, 1))
            labels[source] = max(labels[source], len(edge.label) + len(edge.hook))
    long, broad = {}, {}  # of each rank: its width from left to right, and from top to bottom
    for node, place, label in zip(picture.nodes, ranks(len(number), pairs), labels, strict=True):
        width = 2 * BORDER if node.kind == "accumulate" else BORDER + CHARACTER * max(
            map(len, (node.title, *node.lines, *node.notes)), default=0)  # fmt: skip
        width = max(width, BORDER + node.grid.size[0] if node.grid else 0)
        long[place] = max(long.get(place, 0), width + GAP + CHARACTER * label)
        broad[place] = broad.get(place, 0) + width + BORDER
    return "right" if sum(long.values()) <= max(PAGE, max(broad.values(), default=0)) else "down"
