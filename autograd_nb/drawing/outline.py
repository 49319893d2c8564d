"""The part of a picture that stays while moments change: the graph's boxes and lanes, folded if it is large.

The drawing makes an `Outline` once, of the whole recording; a `Painter` draws it as it looks at a moment.
"""

from collections import Counter
from dataclasses import dataclass
from functools import partial

from .describe import call_box, latest, norm_lines, value_box
from .folding import ALL, MODULE, apart, fold
from .picture import Picture, PictureEdge, PictureNode, longest_way

ABREAST = 12  # lanes between two boxes
FEW, LONG = 14, 5  # with up to so many calls, so many of them in a row, every value gets a box
MANY = 200  # and with up to so many values
LEAST = 36  # pixels from one box to the next


@dataclass(slots=True, eq=False)
class Lane:
    """A way between two boxes: *parts* are inputs of calls ``(call, number)``, an output ``(call, value)``, a cut
    ``(value, end)`` or a view; folded boxes have several, and the picture shows the first that exists by now.
    """

    source: str
    target: str
    kind: str
    parts: list


class Outline:
    """The boxes of a *whole*'s graph, in order, about as many as the limit, and the lanes between them."""

    def __init__(self, whole, limit, opened=()):
        self.scene = scene = whole
        name = whole.name
        calls, shown = what_belongs(scene)
        self.is_small = len(calls) <= FEW and len(scene.values) <= MANY
        self.hidden, names = set(), {key: name(key) for key, kind in scene.values.items() if kind == "leaf"}
        ways = [PictureEdge(value, output) for call in calls.values()
                for value in call.inputs for output in call.outputs]  # fmt: skip
        if scene.brief or not self.is_small or longest_way(ways, dict.fromkeys([None, *scene.values], 1)) > LONG + 1:
            self.hide(key for key in scene.values if not name(key))
        known = whole.trace.classes, whole.within
        self.groups = fold(known, calls, self.hidden, names, limit, opened)
        if self.modules and not opened:  # values between them have names only in a module's own code
            self.hide(key for key in scene.values if not (record := latest(whole, key)) or not record.retains_grad)
            self.groups = fold(known, calls, self.hidden, names, limit)
        self.groups |= apart(whole, calls, shown)
        self.origin = {value: call.key for call in calls.values() for value in call.outputs}
        self.calls, self.boxes, self.uses = calls, {}, Counter()  # key of a box -> its Group or None
        self.first = {}  # key of a box -> the call that it comes with
        self.lanes, self.lanes_of = [], {}  # a lane's call, or its end -> lanes
        self.find_boxes(shown)
        self.find_lanes()
        for key, group in self.groups.items():
            if scene.values.get(key) == "leaf" and key in scene.tensor_of:
                group.tensors.append(scene.tensor_of[key])
        for group in filter(None, self.boxes.values()):
            group.told = group.parts()
        self.order = {slot: number for number, slot in enumerate([*self.boxes, *self.lanes])}

    def end(self, key):
        """The box at which a lane to a call or value ends: its own, its group's or, if hidden, its producer's."""
        while key not in self.groups:
            producer = self.origin.get(key)
            if producer is None or key in self.scene.ends or not (producer in self.groups or key in self.hidden):
                return key
            key = producer
        return self.groups[key].key

    def hide(self, keys):
        """Give tensors no box, except where a pass begins."""
        self.hidden |= {key for key in keys if self.scene.values[key] == "tensor" and key not in self.scene.ends}

    @property
    def modules(self):
        """The keys of modules that are folded, each into a box of its own."""
        keys = {group.key for group in self.groups.values()}
        return {key for key in keys - {MODULE + ALL} if key.startswith(MODULE)}

    def length(self):
        """How many pixels the longest way through it takes at least."""
        return longest_way(self.lanes, dict.fromkeys(self.boxes, LEAST)) - LEAST

    def find_boxes(self, shown):
        for call in self.calls.values():
            inputs = [value for value in call.inputs if value is not None and value not in self.origin]
            for key in (*inputs, call.key, *(value for value in call.outputs if self.end(value) == value)):
                group = self.groups.get(key)
                key = key if group is None else group.key
                if key not in self.boxes:
                    self.boxes[key], self.first[key] = group, call.key
        for value in filter(shown.__contains__, self.scene.values):
            self.boxes.setdefault(self.end(value), self.groups.get(value))

    def find_lanes(self):
        add = partial(self.add_to_lane, {})
        for call in self.calls.values():
            for number, value in enumerate(call.inputs):
                if value is not None:
                    self.uses[value] += not call.key.startswith("op")
                    add(value, call.key, "forward", (call.key, number))
            for value in call.outputs:
                add(call.key, value, "forward", (call.key, value))
        for ends in self.scene.cuts:
            add(*ends, "cut", ends)
            if (box := self.end(ends[0])) == self.end(ends[1]) and self.boxes.get(box):
                self.boxes[box].cuts += 1
        for ends in self.scene.views:
            if all(self.end(end) == end for end in ends):
                add(*ends, "view", ends)

    def add_to_lane(self, found, source, target, kind, part):
        """Add a part to the lane between the boxes of *source* and *target*; *found*: lanes by their ends and kind."""
        if source in self.groups and self.scene.values.get(source) in ("leaf", "constant"):
            return  # a parameter inside a box is no data that goes from there into another
        source, target = self.end(source), self.end(target)
        if source == target or source not in self.boxes or target not in self.boxes:
            return
        lanes = found.setdefault((source, target, kind), [])
        folded = self.boxes[source] or self.boxes[target]
        if not lanes or not folded and len(lanes) < ABREAST:
            lanes.append(Lane(source, target, kind, []))
            self.lanes.append(lanes[-1])
        lanes[-1].parts.append(part)
        for each in part[:1] if kind == "forward" else (part[0], source, target):
            self.lanes_of.setdefault(each, set()).add(lanes[-1])


def what_belongs(scene):
    """``(calls, shown)``: the calls that lead into the graph or to values that the picture shows, or were cut off from
    it, and the values that the picture shows by themselves. All calls, if nothing was recorded.

    Of a scene that shows one pass alone only what led to it, also across cuts.
    """
    calls, origin, shown = scene.calls, scene.origins(), scene.shown
    before = {}  # value or call behind a cut -> the values that were cut off
    if scene.is_alone:
        waiting = [key for key in scene.trace.below(node for node, _ in scene.starts) if key in calls]
        for value, end in scene.cuts:
            before.setdefault(end, []).append(value)
    else:
        waiting = [key for key in calls if not key.startswith("op")] + [end for _, end in scene.cuts if end in calls]
        waiting += [origin[value] for value in shown if value in origin]
    wanted, values = set(), {}
    while waiting:
        key = waiting.pop()
        if key not in wanted:
            wanted.add(key)
            inputs = [each for each in calls[key].inputs if each is not None]
            inputs += [each for value in inputs for each in before.get(value, ())]
            values.update(dict.fromkeys(inputs))
            waiting += [origin[value] for value in inputs if value in origin]
    shown = {key: None for key in shown if key in values} if scene.is_alone else shown
    return {key: call for key, call in calls.items() if key in wanted} if wanted else dict(calls), shown


class Painter:
    """Draws the boxes and lanes of an `Outline` as they look at a moment.

    *values*: whether to show the values of tensors; *saved*: whether calls show their saved values on a second line.
    """

    def __init__(self, outline, moment, values=True, saved=False):
        self.outline, self.moment = outline, moment
        self.values, self.saved = values, saved
        self.norms, self.stale = {}, set()  # key of a group -> the lines about its gradients; whose gradients changed

    def picture(self):
        """The picture of all that exists by now."""
        nodes = [self.node(key) for key in self.outline.boxes if self.is_there(key)]
        return Picture(nodes=nodes, lanes=[*filter(None, map(self.edges, self.outline.lanes))])

    def is_there(self, key):
        group = self.outline.boxes.get(key)
        if group and group.apart:
            return not group.apart.isdisjoint(self.moment.shown)
        comes = self.outline.first.get(key) in self.moment.calls or key in self.moment.shown
        return comes and (key in self.moment.values or key not in self.outline.scene.values)

    def node(self, key):
        group, moment = self.outline.boxes[key], self.moment
        if group is not None:
            current = any(self.outline.groups.get(each) is group for each in moment.now)
            if not current and (key not in self.norms or key in self.stale):
                self.norms[key] = norm_lines([moment.entry(leaf)["grad"] for leaf in group.tensors])
                self.stale.discard(key)
            grad = [] if current else self.norms[key]  # which changes in each step inside
            return PictureNode(key, signs=["current"] * current, grad=grad, **group.told)
        if key in self.moment.calls:
            return call_box(moment, key, self.outline.is_small, self.saved)
        return value_box(moment, key, self.outline.origin.get(key), self.values)

    def changes(self, changed):
        """``(boxes, lanes)`` that may look different after the *changed* parts, in the order of the outline."""
        outline = self.outline
        groups = [each for each in outline.boxes.items() if each[1]]
        self.stale.update(key for key, group in groups if not changed.isdisjoint(group.tensors))
        about = changed | {box for box, call in outline.first.items() if call in changed}
        about |= {outline.groups[key].key for key in changed if key in outline.groups}
        lanes = {lane for each in about for lane in outline.lanes_of.get(each, ())}
        order = outline.order.get
        return sorted(about & outline.boxes.keys(), key=order), sorted(lanes, key=order)

    def edges(self, lane):
        """The edges that a lane has by now, a tuple: one ahead, and perhaps one back beside it."""
        scene, edges = self.moment, []
        if not (self.is_there(lane.source) and self.is_there(lane.target)):
            return ()
        if lane.kind != "forward":
            known, (part, *_) = scene.cuts if lane.kind == "cut" else scene.views, lane.parts
            told = self.outline.boxes[lane.target]  # a box of what is apart says the reasons itself
            label = not (told and told.apart) and known.get(part) or ""
            return (PictureEdge(lane.source, lane.target, lane.kind, label),) if part in known else ()
        parts = [(part, value) for part in lane.parts if (value := self.value_at(part)) is not None]
        if any((value, part[0]) not in scene.cuts for part, value in parts):
            edges.append(PictureEdge(lane.source, lane.target))
        ways = [(*part, way) for part in parts if (way := scene.sent.get(part[0]) or scene.received.get(part[0]))]
        for part, value, way in sorted(ways, key=lambda each: each[2]["kind"] == "backward")[:1]:
            current = way["kind"] == "gradient" and f"{part[0]}:{part[1]}" in scene.now
            if part[1] == value or not (way.get("hook") or lane.source != value or scene.values[value] == "leaf"
                                        or self.outline.uses[value] > 1):  # fmt: skip
                way = {"kind": way["kind"], "hint": way.get("hint", "")}  # the box that it comes to shows the rest
            edges.append(PictureEdge(lane.target, lane.source, current=current, **way))
        return tuple(edges)

    def value_at(self, part):
        """The value that a call has as this input, or as an output if it is one by now."""
        call = self.moment.calls.get(part[0])
        if call and type(part[1]) is int:
            return call.inputs[part[1]]
        return part[1] if call and part[1] in call.outputs else None
