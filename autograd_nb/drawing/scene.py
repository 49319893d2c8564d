"""A graph before it is a picture: calls in the order in which they ran, and the values between them.

An `Outline` is what stays: which boxes and lanes a graph has, folded if it is large.  It is made once, of all that was
recorded; what a box or lane looks like at a moment is asked of the scene of that moment.
"""

from collections import Counter, namedtuple
from dataclasses import dataclass, field

from .folding import fold
from .picture import Edge, Node, Picture

ABREAST = 12  # lanes between two boxes
FEW, LONG = 14, 5  # calls up to which every value gets a box, and those of them one after another
MANY = 200  # values up to which this is so
Call = namedtuple("Call", "key name inputs outputs")  # inputs and outputs: keys of values, a list and a dict


class Noted(dict):
    """A dict that puts into a set which of its keys were given something else."""

    def __init__(self, changed):
        self.changed = changed

    def __setitem__(self, key, it):
        self.changed.add(key)
        super().__setitem__(key, it)

    def setdefault(self, key, it):
        if key not in self:
            self[key] = it
        return self[key]

    def update(self, others):
        for key, it in others.items():
            self[key] = it

    def pop(self, key, *otherwise):
        self.changed.add(key)
        return super().pop(key, *otherwise)

    def clear(self):
        self.changed.update(self)
        super().clear()


@dataclass(slots=True)
class Scene:
    """Calls and values with their relations.

    values: key -> kind of box ("leaf", "constant", "tensor"); roots: those of them at which backward starts; ends:
    those at which any pass did so far. leaves: those into whose .grad is added -> key of what adds. sent: (call, input
    number) -> parts of the `Edge` on which a gradient leaves; received: (call, or what adds into a leaf, and value) ->
    parts of that on which it arrives there. cuts: (value, call or value) -> reason. views: pairs of values that share
    memory. shown: values that get a box though no call has them. What is set in any of these is in *changed* until
    somebody empties it.
    """

    changed: set = field(default_factory=set)
    calls: dict = None
    values: dict = None
    sent: dict = None
    received: dict = None
    leaves: dict = None
    cuts: dict = None
    views: dict = None
    shown: dict = None
    roots: dict = None
    ends: dict = field(default_factory=dict)
    classes: dict = field(default_factory=dict)  # path of a module -> name of its class

    def __post_init__(self):
        for name in ("calls", "values", "sent", "received", "leaves", "cuts", "views", "shown", "roots"):
            setattr(self, name, Noted(self.changed))

    def call(self, key, name, inputs, outputs=()):
        self.calls[key] = Call(key, name, inputs, dict.fromkeys(outputs))

    def keys(self):
        """Of all that may get a box."""
        return [*self.calls, *self.values]

    def origins(self):
        return {value: call.key for call in self.calls.values() for value in call.outputs}


@dataclass(slots=True, eq=False)
class Lane:
    """A way between two boxes: *parts* are inputs of calls ``(call, number)``, an output ``(call, value)``, a cut
    ``(value, end)`` or a view; several where boxes are folded, of which the first that is there is shown.
    """

    source: str
    target: str
    kind: str
    number: int  # of the lanes between these boxes
    parts: list

    def key(self, back=""):
        """A name for the edge ahead, or for one *back* of this kind."""
        ends = f"{self.target}>{self.source}:{back}" if back else f"{self.source}>{self.target}:{self.kind}"
        return ends + (f"#{self.number + 1}" if self.number else "")


class Outline:
    """Which boxes a graph has, in order, and which lanes between them; *name* gives the names of values, or ""."""

    def __init__(self, scene, name, limit, opened=()):
        self.scene = scene
        calls = leave_out_what_is_apart(scene)
        self.is_small = len(calls) <= FEW and len(scene.values) <= MANY
        self.hidden = set()
        if not self.is_small or longest(calls) > LONG:
            self.hidden = {key for key, kind in scene.values.items() if kind == "tensor" and not name(key)
                           and key not in scene.ends}  # fmt: skip
        names = {key: name(key) for key, kind in scene.values.items() if kind == "leaf"}
        self.groups = fold(scene, calls, self.hidden, names, limit, opened)
        self.origin = {value: call.key for call in calls.values() for value in call.outputs}
        self.calls, self.boxes, self.uses = calls, {}, Counter()  # key of a box -> its Group or None
        self.lanes, self.lanes_of = [], {}  # part of a lane, or the call that it is about -> lanes
        self.find_boxes()
        self.find_lanes()

    def end(self, key):
        """The box at which a lane to a call or value ends: its own, its group's or, if hidden, its producer's."""
        while key not in self.groups:
            producer = self.origin.get(key)
            if producer is None or key in self.scene.ends or not (producer in self.groups or key in self.hidden):
                return key
            key = producer
        return self.groups[key].key

    def find_boxes(self):
        for call in self.calls.values():
            for value in call.inputs:
                if value is not None and value not in self.origin:
                    self.put(value)
            self.put(call.key)
            for value in call.outputs:
                if self.end(value) == value:
                    self.put(value)
        for value in self.scene.values:
            if value in self.scene.shown and self.end(value) == value:
                self.put(value)

    def put(self, key):
        group = self.groups.get(key)
        self.boxes.setdefault(key if group is None else group.key, group)

    def find_lanes(self):
        found = {}  # ends and kind -> lanes

        def add(source, target, kind, part, about):
            source, target = self.end(source), self.end(target)
            if source == target or source not in self.boxes or target not in self.boxes:
                return
            lanes = found.setdefault((source, target, kind), [])
            if not lanes or len(lanes) < ABREAST and not (self.boxes[source] or self.boxes[target]):
                lanes.append(Lane(source, target, kind, len(lanes), []))
                self.lanes.append(lanes[-1])
            elif not (self.boxes[source] or self.boxes[target]):
                return
            lanes[-1].parts.append(part)
            self.lanes_of.setdefault(about, {})[lanes[-1]] = None

        for call in self.calls.values():
            for number, value in enumerate(call.inputs):
                if value is not None:
                    self.uses[value] += not call.key.startswith("op")
                    add(value, call.key, "forward", (call.key, number), call.key)
            for value in call.outputs:
                add(call.key, value, "forward", (call.key, value), call.key)
        for ends in self.scene.cuts:
            add(*ends, "cut", ends, ends)
            if (box := self.end(ends[0])) == self.end(ends[1]) and self.boxes.get(box):
                self.boxes[box].cuts += 1
        for ends in self.scene.views:
            if all(self.end(end) == end for end in ends):
                add(*ends, "view", ends, ends)


def longest(calls):
    """How many calls come one after another at most."""
    depth = {}
    for call in calls.values():
        after = 1 + max((depth.get(value, 0) for value in call.inputs), default=0)
        depth |= dict.fromkeys(call.outputs, after)
    return max(depth.values(), default=0)


def leave_out_what_is_apart(scene):
    """The calls of a graph; where there is one, those that neither lead into it nor were cut from it are left out."""
    calls, origin = scene.calls, scene.origins()
    waiting = [key for key in calls if not key.startswith("op")] + [end for _, end in scene.cuts if end in calls]
    wanted = set()
    while waiting:
        key = waiting.pop()
        if key not in wanted:
            wanted.add(key)
            waiting += [origin[value] for value in calls[key].inputs if value in origin]
    return {key: call for key, call in calls.items() if key in wanted} if wanted else dict(calls)


class Painter:
    """What boxes and lanes of an `Outline` look like at the moment that a builder is at.

    The builder has the ``scene`` of the moment, ``now``, keys of what happens in it, and ``describe(key, outline)``,
    the parts of a `Node`.
    """

    def __init__(self, outline, builder):
        self.outline, self.builder, self.scene = outline, builder, builder.scene
        self.there = set()  # boxes of what a call has, of those that are there

    def picture(self, **texts):
        """All that is there."""
        self.look_at(self.outline.calls)
        nodes = [self.node(key) for key in self.outline.boxes if self.is_there(key)]
        edges = [edge for lane in self.outline.lanes for edge in self.edges(lane)]
        return Picture(nodes=nodes, edges=edges, **texts)

    def look_at(self, calls):
        """Find the boxes of calls that are there; gives those of their inputs and outputs that were not before."""
        fresh = set()
        for key in calls:
            call = self.scene.calls.get(key)
            if call is not None and key in self.outline.calls:
                group = self.outline.groups.get(key)
                fresh |= {key if group is None else group.key, *call.outputs, *filter(None, call.inputs)}
                fresh |= {self.outline.groups[value].key for value in call.inputs if value in self.outline.groups}
        fresh -= self.there
        self.there |= fresh
        return fresh

    def is_there(self, key):
        return key in self.there or key in self.scene.shown and key in self.scene.values

    def node(self, key):
        group = self.outline.boxes[key]
        if group is not None:
            return Node(key, current=key in self.builder.now, **group.parts())
        return Node(key, **self.builder.describe(key, self.outline))

    def changes(self):
        """``(boxes, lanes)`` that may look otherwise since this was asked last."""
        changed = self.builder.changed()
        calls = [key for key in changed if key in self.outline.calls]
        calls += [part[0] for part in changed if type(part) is tuple and part[0] in self.outline.calls]
        boxes = self.look_at(dict.fromkeys(calls)) | {
            each for key in changed for each in (key if type(key) is tuple else (key,))}  # fmt: skip
        lanes = {}
        for about in (*calls, *changed):
            lanes |= self.outline.lanes_of.get(about, {})
            if type(about) is tuple:
                lanes |= self.outline.lanes_of.get(about[1], {})
        return [key for key in boxes if key in self.outline.boxes], [*lanes]

    def edges(self, lane):
        """The edges of a lane that are there: one ahead, and perhaps one back beside it."""
        if not (self.is_there(lane.source) and self.is_there(lane.target)):
            return
        scene = self.scene
        if lane.kind != "forward":
            known, (part, *_) = scene.cuts if lane.kind == "cut" else scene.views, lane.parts
            if part in known:
                label = known[part] if lane.kind == "cut" else ""
                yield Edge(lane.source, lane.target, lane.kind, label, key=lane.key())
            return
        parts = [part for part in lane.parts if part[0] in scene.calls]
        if any((self.value_at(part), part[0]) not in scene.cuts and self.value_at(part) is not None for part in parts):
            yield Edge(lane.source, lane.target, key=lane.key())
        ways = [(part, way) for part in parts if (way := scene.sent.get(part) or scene.received.get(part))]
        for part, way in sorted(ways, key=lambda pair: pair[1]["kind"] == "backward")[:1]:
            kind = way["kind"]
            current = kind == "gradient" and f"{part[0]}:{part[1]}" in self.builder.now
            way = way if self.tells(part, way, lane) else {"kind": kind, "hint": way.get("hint", "")}
            yield Edge(lane.target, lane.source, current=current, key=lane.key(kind), **way)

    def value_at(self, part):
        """The value that a call has as this input, or as an output if it is one by now."""
        call = self.scene.calls[part[0]]
        return call.inputs[part[1]] if type(part[1]) is int else part[1] if part[1] in call.outputs else None

    def tells(self, part, way, lane):
        """Whether a gradient stands on its edge: it does not where the box that it comes to shows the same."""
        if type(part[1]) is not int:
            return False
        value = self.value_at(part)
        return (way.get("hook") or lane.source != value or self.scene.values[value] == "leaf"
                or self.outline.uses[value] > 1)  # fmt: skip
