"""The part of a picture that stays while moments change: the graph's boxes and lanes, folded if it is large.

The drawing makes an `Outline` once, of the whole recording; a `Painter` draws it as it looks at a moment.
"""

from dataclasses import dataclass

from .describe import call_box, norm_lines, value_box
from .folding import APART, modules_of
from .picture import Picture, PictureEdge, PictureNode, longest_way

ABREAST = 12  # lanes between two boxes
LEAST = 36  # pixels from one box to the next


@dataclass(slots=True, eq=False)
class Lane:
    """A way between two boxes: *parts* are inputs of calls, ``(call, number, value)``, or outputs, ``(call, value,
    value)``, or a cut, ``(value, end)``, or a view; of several, in a folded box, the picture shows the first there is.
    """

    source: str
    target: str
    kind: str
    parts: list


class Outline:
    """The boxes of a graph, in order, about as many as the limit, and the lanes between them."""

    def __init__(self, graph, limit, opened=()):
        self.graph, self.scene = graph, graph.scene
        groups, hidden = graph.folded(limit, opened)
        self.modules, self.folded = modules_of(groups), {group.key: group for group in groups}
        self.groups = {key: group for group in groups for key in group.keys}
        # the box at which a lane to a call or value ends: its own, its group's or, if hidden, its producer's
        self.end = end = {key: key for key in (*self.scene.calls, *self.scene.values)}
        end |= {key: group.key for key, group in self.groups.items()}
        for value, call in graph.origin.items():
            if value not in self.groups and value not in self.scene.ends and (call in self.groups or value in hidden):
                end[value] = end[call]
        self.first = {}  # key of a box -> the call that it comes with
        for call in graph.calls.values():
            for key in (*graph.leaves[call.key], call.key, *call.outputs):
                self.first.setdefault(end[key], call.key)
        shown = [end[value] for value in self.scene.values if value in graph.shown]
        self.boxes = dict.fromkeys([*self.first, *shown])
        self.lanes, self.lanes_of = [], {}  # lanes_of: a lane's call, or its end -> lanes
        self.find_lanes()
        self.order = {slot: number for number, slot in enumerate([*self.boxes, *self.lanes])}

    def length(self):
        """How many pixels the longest way through it takes at least."""
        ends = [(lane.source, lane.target) for lane in self.lanes]
        return longest_way(ends, dict.fromkeys(self.boxes, LEAST)) - LEAST

    def find_lanes(self):
        found = {}  # (both boxes, kind) -> lanes
        for value, end, kind, part in self.graph.ways:
            source, target = ends = self.end[value], self.end[end]
            if source == target:
                if kind == "cut" and source in self.folded:
                    self.folded[source].cuts += 1
                continue
            inside = value in self.groups and self.scene.values.get(value) in ("leaf", "constant")
            if inside or kind == "view" and ends != part or not self.boxes.keys() >= {*ends}:
                continue  # a parameter inside a box is no data that goes from there into another
            lanes = found.setdefault((*ends, kind), [])
            if not lanes or len(lanes) < ABREAST and self.folded.keys().isdisjoint(ends):
                lanes.append(Lane(source, target, kind, []))
                self.lanes.append(lanes[-1])
            lanes[-1].parts.append(part)
            for each in part[:1] if kind == "forward" else (part[0], source, target):
                self.lanes_of.setdefault(each, set()).add(lanes[-1])


class Painter:
    """Draws the boxes and lanes of an `Outline` as they look at a moment.

    *values*: whether to show the values of tensors; *saved*: whether calls show their saved values on a second line.
    """

    def __init__(self, outline, moment, values=True, saved=False):
        self.outline, self.moment = outline, moment
        self.values, self.saved = values, saved

    def picture(self):
        """The picture of all that exists by now."""
        nodes = [self.node(key) for key in self.outline.boxes if self.is_there(key)]
        return Picture(nodes=nodes, lanes=[*filter(None, map(self.edges, self.outline.lanes))])

    def is_there(self, key):
        group = self.outline.folded.get(key)
        if key == APART:
            return not self.moment.shown.keys().isdisjoint(group.values)
        comes = self.outline.first.get(key) in self.moment.calls or key in self.moment.shown
        return comes and (key in self.moment.values or key not in self.outline.scene.values)

    def node(self, key):
        group, moment = self.outline.folded.get(key), self.moment
        if group:
            scene, current = self.outline.scene, not group.keys.isdisjoint(moment.now)
            grad = [] if current else norm_lines([  # which changes in each step inside
                moment.entry(scene.tensor_of[leaf])["grad"] for leaf in group.values
                if scene.values.get(leaf) == "leaf" and leaf in scene.tensor_of])  # fmt: skip
            return PictureNode(key, signs=["current"] * current, grad=grad, **group.parts)
        if key in self.moment.calls:
            return call_box(moment, key, self.outline.graph.is_small, self.saved)
        return value_box(moment, key, self.outline.graph.origin.get(key), self.values)

    def changes(self, changed):
        """``(boxes, lanes)`` that may look different after the *changed* parts, in the order of the outline."""
        outline, order = self.outline, self.outline.order.get
        about = changed.union([box for box, call in outline.first.items() if call in changed],
                              [outline.groups[key].key for key in changed & outline.groups.keys()])  # fmt: skip
        lanes = set().union(*map(outline.lanes_of.get, about & outline.lanes_of.keys()))
        return sorted(about & outline.boxes.keys(), key=order), sorted(lanes, key=order)

    def edges(self, lane):
        """The edges that a lane has by now, a tuple: one ahead, and perhaps one back beside it."""
        scene, calls = self.moment, self.moment.calls
        if lane.kind != "forward":
            if not (self.is_there(lane.source) and self.is_there(lane.target)):
                return ()
            known, (part, *_) = scene.cuts if lane.kind == "cut" else scene.views, lane.parts
            label = lane.target != APART and known.get(part) or ""  # its box says the reasons itself
            return (PictureEdge(lane.source, lane.target, lane.kind, label),) if part in known else ()
        is_ahead = back = None  # back: the first way that a gradient took, or else the first of all
        for call, place, value in lane.parts:
            if call in calls and (place != value or value in calls[call].outputs):
                is_ahead = is_ahead or (value, call) not in scene.cuts
                way = scene.sent.get((call, place)) or scene.received.get((call, place))
                if way and (not back or back[-1]["kind"] == "backward" != way["kind"]):
                    back = call, place, value, way
        edges = [PictureEdge(lane.source, lane.target)] * bool(is_ahead)
        if back:
            call, place, value, way = back
            current = way["kind"] == "gradient" and f"{call}:{place}" in scene.now
            if place == value or not (way.get("hook") or lane.source != value or scene.values[value] == "leaf"
                                      or self.outline.graph.readers[value] > 1):  # fmt: skip
                way = {"kind": way["kind"], "hint": way.get("hint", "")}  # the box that it comes to shows the rest
            edges.append(PictureEdge(lane.target, lane.source, current=current, **way))
        return tuple(edges)
