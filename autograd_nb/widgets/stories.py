"""A trace as a story for a view: every form that each part of its picture ever has, and which it has at each step.

The picture after every step is described, but all of them are drawn at once: boxes and arrows that look the same after
two steps are one form.  A view puts all forms into the page once and then only shows and hides them.  The layout has
room for the largest form of everything, so that nothing moves while one steps.
"""

import json
import textwrap
import zlib
from collections import Counter
from dataclasses import replace

from ..drawing.layout import paged
from ..drawing.legend import legend_of
from ..drawing.model import AHEAD, Picture
from ..drawing.render import paired, render, roomy
from ..drawing.scene import paint
from ..drawing.shapes import Group
from ..drawing.svg import write
from ..drawing.traced import Traced
from ..drawing.values import in_line, precise
from . import words
from .kit import larger

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
    places = {place: number for number, (place, _) in enumerate(code)}
    texts = textwrap.dedent("\n".join(text for _, text in code)).split("\n")
    names = {key: label for key, label in trace.labels.items() if label}
    rows = [{key: row_of(trace.tensors[key], entry) for key, entry in entries.items() if key in names}
            for entries in trace.entries(detail)]  # fmt: skip
    before, told = {}, []
    for step, scene, changed in zip(steps, scenes, rows[1:], strict=True):
        now = {slot: form for slot, form in scene.items() if before.get(slot) != form}
        now |= {slot: -1 for slot in before if slot not in scene}
        told.append({
            "sentence": step.sentence, "line": places.get((step.file, step.line), -1), "lit": list(step.highlights),
            "picture": {book.places[slot]: form for slot, form in now.items()},
            "rows": changed,
        })  # fmt: skip
        before = scene
    return {
        "size": size, "slots": slots, "steps": told, "notice": notice, "names": names, "first": rows[0],
        "code": [{"file": file, "number": number, "text": text}
                 for ((file, number), _), text in zip(code, texts, strict=False)],
        "files": len({file for (file, _), _ in code}),
        "legend": legend_of(Picture(nodes=[node for forms in book.boxes.values() for node in forms],
                                    edges=[edge for forms in book.lanes.values() for lane in forms for edge in lane])),
    }  # fmt: skip


def packed(story):
    return zlib.compress(json.dumps(story, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(), 6)


def picture_after(trace, step):
    """The picture of a trace after a step, its graph from left to right or downwards as suits the whole."""
    traced = Traced(trace, step.events[-1].index + 1)
    traced.mark(step.highlights)
    return paint(traced.scene, traced.describe, MOST)


def row_of(record, entry):
    """The cells of a tensor's row: value, .grad, flags, and the same in more digits."""
    value, grad = entry["value"], entry["grad"]
    flags = [SAY["leaf"]] if record.is_leaf else []
    flags += [SAY["retained"]] if record.retains_grad else []
    flags += [SAY["needs_grad"]] if record.requires_grad else []
    flags += [SAY["version"].format(number=entry["version"])] if entry["version"] else []
    flags += [SAY["cut"].format(how=entry["cut"])] if entry["cut"] else []
    return [in_line(value) if value is not None else SAY["unknown"], in_line(grad), ", ".join(flags),
            precise(value) if value is not None else "", precise(grad) if grad is not None else ""]  # fmt: skip


class Book:
    """The forms of everything that pictures show.

    A slot is a box, ``("box", key)``, or a lane, ``("lane", source, target, kind, number)`` with the forward edge and
    the gradient beside it, as `render` pairs them.
    """

    def __init__(self):
        self.boxes, self.lanes = {}, {}  # slot -> its forms, in the order of appearance
        self.direction = "right"
        self.places = {}  # slot -> its place in what is drawn

    def scene(self, picture):
        self.direction = picture.direction
        boxes = {("box", node.key): node for node in picture.nodes}
        lanes = lanes_of(picture.edges)
        return {slot: form(self.boxes, slot, boxes[slot]) for slot in boxes} | {
            slot: form(self.lanes, slot, lanes[slot]) for slot in lanes}  # fmt: skip

    def drawn(self):
        """``(slots, size)``: markup of every form of every slot, lanes before boxes; and the size of the picture.

        One picture with all forms in it is drawn; each lane's form has ends of its own, which are then left out.
        """
        catalog = Picture(direction=self.direction)
        home, lane_of = {}, []  # key in the catalog -> box; lanes of the catalog -> slot, edges

        def add(node, key):
            home[key] = node.key
            catalog.nodes.append(replace(node, key=key))

        for forms in self.boxes.values():
            for number, node in enumerate(forms):
                add(node, f"{node.key}|{number}")
        for slot, forms in self.lanes.items():
            for edges in forms:
                lane = len(lane_of)
                ends = {key: f"{key}|{lane}|" for key in slot[1:3]}
                for key, end in ends.items():
                    add(self.boxes["box", key][-1], end)
                catalog.edges += [
                    replace(edge, source=ends[edge.source], target=ends[edge.target], key=f"{lane}|{edge.kind}")
                    for edge in edges
                ]
                lane_of.append((slot, edges))
        order = {slot: place for place, slot in enumerate(self.lanes)}

        def place(sizes, edges, direction):
            rooms = {}
            for key, size in sizes.items():
                rooms[home[key]] = larger(size, rooms.get(home[key], (0, 0)))
            wanted = {}
            for edge, (slot, _) in zip(edges, lane_of, strict=True):
                known = wanted.get(slot, edge)
                label = larger(edge.label or (0, 0), known.label or (0, 0))
                thickness = max(edge.thickness, known.thickness)
                wanted[slot] = edge._replace(source=slot[1], target=slot[2], label=label, thickness=thickness)
            union = [edge._replace(label=edge.label if any(edge.label) else None) for edge in wanted.values()]
            plan = paged(roomy(rooms, union, direction == "down"), union, direction)
            return plan._replace(
                boxes={key: plan.boxes[home[key]] for key in sizes},
                routes=[plan.routes[order[slot]] for slot, _ in lane_of],
                labels=[plan.labels[order[slot]] for slot, _ in lane_of],
            )

        shapes, size = render(catalog, place)
        markup = {}
        for shape in shapes:
            if isinstance(shape, Group):
                text = write(Group("", shape.shapes, shape.title), False)
                markup[shape.key] = markup.get(shape.key, "") + text
        drawn = {}
        for lane, (slot, edges) in enumerate(lane_of):
            drawn.setdefault(slot, []).append("".join(markup.get(f"{lane}|{edge.kind}", "") for edge in edges))
        for slot, forms in self.boxes.items():
            drawn[slot] = [markup[f"{slot[1]}|{number}"] for number in range(len(forms))]
        self.places = {slot: place for place, slot in enumerate(drawn)}
        return [{"keys": slot[1:3], "kind": slot[0], "forms": forms} for slot, forms in drawn.items()], size


def form(slots, slot, what):
    forms = slots.setdefault(slot, [])
    if what not in forms:
        forms.append(what)
    return forms.index(what)


def lanes_of(edges):
    """The lanes of a picture: ``{slot: its edges}``."""
    lanes, counts = {}, Counter()
    for lane in paired(edges):
        way = *lane[0].ends, lane[0].kind if lane[0].kind in AHEAD else "back"
        lanes["lane", *way, counts[way]] = lane
        counts[way] += 1
    return lanes
