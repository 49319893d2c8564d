"""A trace as a story for a view: every form that each part of its picture ever has, and which it has at each step.

The picture after every step is described, but all of them are drawn at once: boxes and arrows that look the same after
two steps are one form.  A view puts all forms into the page once and then only shows and hides them.  The layout has
room for the largest form of everything, so that nothing moves while one steps.
"""

import json
import textwrap
import zlib

from ..drawing.layout import layout
from ..drawing.model import AHEAD, Edge, Picture
from ..drawing.render import render
from ..drawing.scene import paint
from ..drawing.shapes import Group
from ..drawing.svg import write
from ..drawing.traced import Traced
from ..drawing.values import exact, in_line
from . import words

LARGE = 25_000  # steps times nodes, from which on only the last picture is drawn
MOST = 400  # boxes up to which none are folded
SAY = words.STEP


def story_of(trace, detail):
    """A story as plain data: slots and forms of the picture, sentences, code, values, and changes by step."""
    steps = trace.steps(detail)
    book = Book()
    notice = trace.notice
    if len(steps) * len(trace.nodes) > LARGE:
        scenes = [book.scene(picture_after(trace, steps[-1]))] * len(steps)
        notice = f"{notice} {SAY['large']}".strip()
    else:
        scenes = [book.scene(picture_after(trace, step)) for step in steps]
    slots, size = book.drawn()
    code = trace.code
    places = {(line.file, line.number): place for place, line in enumerate(code)}
    first, changes = trace.changes(detail)
    texts = textwrap.dedent("\n".join(line.text for line in code)).split("\n")
    names = {key: label for key, label in trace.labels.items() if label}
    row = {key: row_of(trace, key) for key in names}
    state, before, told = first.copy(), {}, []
    for step, scene, change in zip(steps, scenes, changes, strict=True):
        state.change(change)
        touched = [key for key in change.get("tensors", {}) if key in names]
        now = {slot: form for slot, form in scene.items() if before.get(slot) != form}
        now |= {slot: -1 for slot in before if slot not in scene}
        told.append({
            "sentence": step.sentence, "line": places.get((step.file, step.line), -1), "lit": list(step.highlights),
            "picture": {book.places[slot]: form for slot, form in now.items()},
            "rows": {key: row[key](state.tensors[key]) if key in state.tensors else None for key in touched},
        })  # fmt: skip
        before = scene
    return {
        "size": size, "slots": slots, "steps": told, "notice": notice, "names": names,
        "first": {key: row[key](entry) for key, entry in first.tensors.items() if key in names},
        "code": [{"file": line.file, "number": line.number, "text": text}
                 for line, text in zip(code, texts, strict=False)],
        "files": len({line.file for line in code}),
    }  # fmt: skip


def packed(story):
    """A story as bytes: JSON, deflated."""
    return zlib.compress(json.dumps(story, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(), 6)


def picture_after(trace, step):
    """The picture of a trace after a step, its graph from left to right or downwards as suits the whole."""
    traced = Traced(trace, step.events[-1].index + 1)
    traced.mark(step.highlights)
    return paint(traced.scene, traced.describe, MOST)


def row_of(trace, key):
    """A function from a tensor's entry in a state to the cells of its row: value, .grad, flags, and exact texts."""
    record = trace.tensors[key]

    def cells(entry):
        grad = entry["grad"]
        flags = [SAY["leaf"]] if record.is_leaf else []
        flags += [SAY["retained"]] if record.retains_grad else []
        flags += [SAY["needs_grad"]] if record.requires_grad else []
        flags += [SAY["version"].format(number=entry["version"])] if entry["version"] else []
        flags += [SAY["cut"].format(how=entry["cut"])] if entry["cut"] else []
        value = entry["value"]
        return [in_line(value) if value is not None else SAY["unknown"], in_line(grad), ", ".join(flags),
                exact(value) if value is not None else "", exact(grad) if grad is not None else ""]  # fmt: skip

    return cells


class Book:
    """The forms of everything that pictures show.

    A slot is a box, ``("box", key)``, or a lane, ``("lane", source, target, kind, number)`` with the forward edge and
    the gradient beside it, as `render` pairs them.
    """

    def __init__(self):
        self.boxes, self.lanes = {}, {}  # slot -> its forms, in the order of appearance
        self.kinds = {}
        self.direction = "right"
        self.places = {}  # slot -> its place in what is drawn

    def scene(self, picture):
        """``{slot: number of its form}`` of a picture."""
        found = {}
        self.direction = picture.direction
        for node in picture.nodes:
            found["box", node.key] = self.form(self.boxes, ("box", node.key), node)
        for slot, edges in lanes_of(picture.edges).items():
            found[slot] = self.form(self.lanes, slot, edges)
        return found

    def form(self, slots, slot, what):
        forms = slots.setdefault(slot, [])
        if not forms or forms[-1] != what and what not in forms:
            forms.append(what)
        return len(forms) - 1 if forms[-1] == what else forms.index(what)

    def drawn(self):
        """``(slots, size)``: markup of every form of every slot, lanes before boxes; and the size of the picture.

        One picture with all forms in it is drawn; each lane's form has ends of its own, which are then left out.
        """
        catalog = Picture(direction=self.direction)
        home, lane_of = {}, []  # key in the catalog -> box; lanes of the catalog -> slot
        for (_, key), forms in self.boxes.items():
            for number, node in enumerate(forms):
                home[f"{key}|{number}"] = key
                catalog.nodes.append(like(node, f"{key}|{number}"))
        for slot, forms in self.lanes.items():
            _, source, target, *_ = slot
            for number, edges in enumerate(forms):
                ends = {}
                for key in dict.fromkeys((source, target)):
                    ends[key] = f"{key}|{len(lane_of)}|"
                    home[ends[key]] = key
                    catalog.nodes.append(like(self.boxes["box", key][-1], ends[key]))
                for edge in edges:
                    catalog.edges.append(moved(edge, ends[edge.source], ends[edge.target]))
                lane_of.append((slot, number))
        order = {slot: place for place, slot in enumerate(self.lanes)}

        def place(sizes, edges, direction):
            rooms = {}
            for key, size in sizes.items():
                rooms[home[key]] = larger(size, rooms.get(home[key], (0, 0)))
            wanted = {}
            for edge, (slot, _) in zip(edges, lane_of, strict=True):
                known = wanted.get(slot)
                label = larger(edge.label or (0, 0), known.label if known else (0, 0))
                thickness = max(edge.thickness, known.thickness if known else 0)
                wanted[slot] = edge._replace(source=slot[1], target=slot[2], label=label, thickness=thickness)
            union = [edge._replace(label=edge.label if any(edge.label) else None) for edge in wanted.values()]
            for_ports(rooms, union, direction == "down")
            plan = layout(rooms, union, direction)
            return plan._replace(
                boxes={key: plan.boxes[home[key]] for key in sizes},
                routes=[plan.routes[order[slot]] for slot, _ in lane_of],
                labels=[plan.labels[order[slot]] for slot, _ in lane_of],
            )

        shapes, size = render(catalog, place)
        markup = {}
        for shape in shapes:
            if isinstance(shape, Group):
                markup.setdefault(shape.key, []).append(write(bare(shape), False))
        slots, place_of = [], {}
        lane_forms = {}
        for lane, (slot, number) in enumerate(lane_of):
            parts = [part for edge in self.lanes[slot][number] for part in markup.get(catalog_key(edge, lane), [])]
            lane_forms.setdefault(slot, []).append("".join(parts))
        for slot, forms in lane_forms.items():
            place_of[slot] = len(slots)
            slots.append({"keys": [slot[1], slot[2]], "kind": "lane", "forms": forms})
        for slot, forms in self.boxes.items():
            place_of[slot] = len(slots)
            drawn = ["".join(markup[f"{slot[1]}|{number}"]) for number in range(len(forms))]
            slots.append({"keys": [slot[1]], "kind": "box", "forms": drawn})
        self.places = place_of
        return slots, size


def lanes_of(edges):
    """The lanes of a picture: ``{slot: its edges}``, each edge back beside the forward edge that it answers."""
    lanes, waiting, counts = {}, {}, {}

    def slot_for(source, target, kind):
        number = counts[source, target, kind] = counts.get((source, target, kind), -1) + 1
        return "lane", source, target, kind, number

    for edge in edges:
        if edge.kind in AHEAD:
            slot = slot_for(edge.source, edge.target, edge.kind)
            lanes[slot] = (edge,)
            if edge.kind == "forward":
                waiting.setdefault((edge.source, edge.target), []).append(slot)
    for edge in edges:
        if edge.kind not in AHEAD:
            partners = waiting.get((edge.target, edge.source))
            if partners:
                lanes[partners.pop(0)] += (edge,)
            else:
                lanes[slot_for(edge.target, edge.source, "back")] = (edge,)
    return lanes


def for_ports(rooms, edges, down):
    """Boxes long enough for the arrows that end there."""
    for side in ("source", "target"):
        needed = {}
        for edge in edges:
            key = getattr(edge, side)
            needed[key] = needed.get(key, 8) + 10 + int(edge.thickness)
        for key, length in needed.items():
            width, height = rooms[key]
            if min(width, height) > 30:  # no circle or diamond
                length = 2 * (min(length, 80) // 2)
                rooms[key] = (max(width, length), height) if down else (width, max(height, length))


def like(node, key):
    """A node under another key."""
    return type(node)(**{name: getattr(node, name) for name in node.__slots__} | {"key": key})


def moved(edge, source, target):
    """An edge between other ends; its key tells them."""
    parts = {name: getattr(edge, name) for name in edge.__slots__}
    return Edge(**parts | {"source": source, "target": target, "key": f"{source}>{target}:{edge.kind}"})


def catalog_key(edge, lane):
    """The key that `moved` gave an edge of a lane."""
    return f"{edge.source}|{lane}|>{edge.target}|{lane}|:{edge.kind}"


def bare(group):
    return Group("", group.shapes, group.title) if hasattr(group, "shapes") else group


def larger(first, second):
    return max(first[0], second[0]), max(first[1], second[1])
