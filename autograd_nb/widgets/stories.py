"""A trace as a story for a view: every form that each part of its picture ever has, and which it has at each step.

The picture's outline is that of the whole; each step describes what its events changed.  Boxes and arrows that look the
same after two steps are one form.  A view puts all forms into the page once and then only shows and hides them.  The
layout has room for the largest form of everything, so that nothing moves while one steps.
"""

import json
import textwrap
import zlib
from dataclasses import replace

from ..drawing.draw import fitted
from ..drawing.layout import layout
from ..drawing.legend import legend_of
from ..drawing.outline import Painter
from ..drawing.picture import Picture
from ..drawing.render import render, roomy
from ..drawing.shapes import Group
from ..drawing.svg import to_svg, write
from ..microscope.moments import Moment
from ..microscope.values import in_line, precise
from ..words import of
from .kit import larger

SAY = of("widgets")["step"]


def told(story):
    """A story as plain data: slots and forms of the picture, sentences, code, values, and changes by step."""
    trace, code = story.trace, story.trace.code
    places = {place: number for number, (place, _) in enumerate(code)}
    texts = textwrap.dedent("\n".join(text for _, text in code)).split("\n")
    names = {key: label for key, label in trace.labels.items() if label}
    rows = [{key: row_of(trace.tensors[key], entry) for key, entry in entries.items() if key in names}
            for entries in story.entries]  # fmt: skip
    steps = [{
        "sentence": step.sentence, "line": places.get((step.file, step.line), -1), "lit": list(step.highlights),
        "picture": changed, "rows": news,
    } for step, changed, news in zip(story.steps, story.changes, rows[1:], strict=True)]  # fmt: skip
    return {
        "size": story.size, "slots": story.slots, "steps": steps, "notice": trace.notice, "names": names,
        "first": rows[0], "files": len({file for (file, _), _ in code}), "legend": story.legend,
        "code": [{"file": file, "number": number, "text": text}
                 for ((file, number), _), text in zip(code, texts, strict=False)],
    }  # fmt: skip


class Story:
    """The moments of a trace after some of its *steps*: the slots of their picture, and what each step changes.

    ``changes`` has ``{slot: form}`` for each step, -1 for what is gone; ``entries`` those of the tensors before the
    first step, and after each step those that changed.
    """

    def __init__(self, trace, steps, limit=None, values=True):
        self.trace, self.steps = trace, steps
        moment, book = Moment(trace), Book()
        whole = fitted(Moment(trace).advance(), (values,), limit)
        painter = Painter(whole.outline, moment, values)
        known = dict(moment.entries)
        self.entries, changes = [known.copy()], []
        for step in steps:
            changed = moment.advance(step.events[-1].index + 1, step.highlights).changed()
            changes.append(book.changes(painter, changed))
            self.entries.append({key: entry for key in changed if (entry := moment.entries.get(key)) != known.get(key)})
            known |= self.entries[-1]
        self.slots, self.size = book.drawn()
        self.changes = [{book.places[slot]: form for slot, form in changed.items()} for changed in changes]
        self.legend = legend_of(Picture(nodes=[node for forms in book.boxes.values() for node in forms], edges=[
            edge for forms in book.lanes.values() for lane in forms for edge in lane]))  # fmt: skip

    def frames(self, chosen):
        """An SVG for each of the *chosen* steps; all have the same size, and every box has the same place in them."""
        shown = {}
        for step, changed in zip(self.steps, self.changes, strict=True):
            shown |= changed
            if step in chosen:
                yield to_svg([slot["forms"][shown[place]] for place, slot in enumerate(self.slots)
                              if shown.get(place, -1) >= 0], *self.size)  # fmt: skip


def packed(story):
    text = json.dumps(told(story), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return zlib.compress(text.encode(), 6)


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
    """The forms of everything that pictures show: of boxes by their keys, and of lanes, each a tuple of edges."""

    def __init__(self):
        self.boxes, self.lanes = {}, {}  # slot -> its forms, in the order of appearance
        self.shown = {}  # slot -> its form now
        self.places = {}  # slot -> its place in what is drawn

    def changes(self, painter, changed):
        """``{slot: form}`` of what looks otherwise than before, -1 for what is gone."""
        boxes, lanes = painter.changes(changed)
        found = {}
        for key in boxes:
            if painter.is_there(key):
                found[key] = form(self.boxes, key, painter.node(key))
        for lane in lanes:
            edges = tuple(painter.edges(lane))
            if edges or lane in self.shown:
                found[lane] = form(self.lanes, lane, edges) if edges else -1
        found = {slot: number for slot, number in found.items() if self.shown.get(slot) != number}
        self.shown |= found
        return found

    def drawn(self):
        """``(slots, size)``: markup of every form of every slot, lanes before boxes; and the size of the picture.

        One picture with all forms in it is drawn; each lane's form has ends of its own, which are then left out.
        """
        catalog = Picture()
        home, lane_of = {}, []  # key in the catalog -> box; lanes of the catalog -> slot, edges

        def add(node, key):
            home[key] = node.key
            catalog.nodes.append(replace(node, key=key, may_add=any(form.adds for form in self.boxes[node.key])))

        for forms in self.boxes.values():
            for number, node in enumerate(forms):
                add(node, f"{node.key}|{number}")
        for slot, forms in self.lanes.items():
            for edges in forms:
                lane = len(lane_of)
                ends = {key: f"{key}|{lane}|" for key in (slot.source, slot.target)}
                for key, end in ends.items():
                    add(max(self.boxes[key], key=lambda node: node.adds), end)
                catalog.edges += [
                    replace(edge, source=ends[edge.source], target=ends[edge.target], key=f"{lane}|{edge.kind}")
                    for edge in edges
                ]
                lane_of.append((slot, edges))
        order = {slot: place for place, slot in enumerate(self.lanes)}

        def place(sizes, edges, direction, aside):
            rooms, sides = {}, {}
            for key, size in sizes.items():
                rooms[home[key]] = larger(size, rooms.get(home[key], (0, 0)))
                sides[home[key]] = max(aside[key], sides.get(home[key], 0))
            wanted = {}
            for edge, (slot, _) in zip(edges, lane_of, strict=True):
                known = wanted.get(slot, edge)
                label = larger(edge.label or (0, 0), known.label or (0, 0))
                thickness = max(edge.thickness, known.thickness)
                wanted[slot] = edge._replace(source=slot.source, target=slot.target, label=label, thickness=thickness)
            union = [edge._replace(label=edge.label if any(edge.label) else None) for edge in wanted.values()]
            plan = layout(roomy(rooms, union, direction == "down"), union, direction, sides)
            return plan._replace(
                boxes={key: plan.boxes[home[key]] for key in sizes},
                routes=[plan.routes[order[slot]] for slot, _ in lane_of],
                labels=[plan.labels[order[slot]] for slot, _ in lane_of],
                back={key: plan.back[home[key]] for key in sizes if home[key] in plan.back},
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
            drawn[slot] = [markup[f"{slot}|{number}"] for number in range(len(forms))]
        self.places = {slot: place for place, slot in enumerate(drawn)}
        kinds = {slot: {"kind": "lane", "keys": [slot.source, slot.target]} for slot in self.lanes}
        return [{"kind": "box", "keys": [slot], "forms": forms} | kinds.get(slot, {})
                for slot, forms in drawn.items()], size  # fmt: skip


def form(slots, slot, what):
    forms = slots.setdefault(slot, [])
    if what not in forms:
        forms.append(what)
    return forms.index(what)
