"""A `Picture` as shapes: every node becomes a box of rows, every edge an arrow along its route.

A gradient that runs against a forward edge shares its lane, the two arrows side by side.
"""

from collections import defaultdict
from itertools import chain
from math import ceil
from operator import attrgetter, methodcaller
from statistics import fmean

from . import words
from .layout import PAGE, PORT, Box, backwards, layout
from .layout import Edge as Lane
from .picture import AHEAD, longest_way
from .shapes import (
    COLOURS,
    LINE_LIMIT,
    QUIET,
    TEXT,
    Circle,
    Drawable,
    Grid,
    Group,
    Path,
    Polygon,
    Rectangle,
    Text,
    clean,
    diamond,
    joined,
    scissors,
    text_line,
    text_width,
)

MARGIN = 16
CAPTION = 400  # pixels: the width of a line below a narrower picture
TITLE_LIMIT, FLAG_LIMIT = 36, 24
APART = 6  # distance of a forward arrow, and of the gradient beside it, from the middle of their lane
CIRCLE = 9  # radius of "+="
ROOM, OUT = (10, 14), (1, 7)  # for "+=" at the right of a box, or below it, and how far from the box its middle is
GREEN, NOTHING = COLOURS["grad"], joined([])
# of each kind of edge: the width of its line, the length and half the breadth of its head, and its dashes
LINES = {"forward": (1.5, 8, 4), "backward": (1.5, 8, 4, (2, 3)), "cut": (1.5, 8, 4, (5, 4)), "gradient": (3, 11, 6),
         "view": (2, 1, 0, (1, 3))}  # fmt: skip
OVER = 8, 3  # pixels of a box that things at its right, or below it, may cover


class Arrangement:
    """Boxes and lanes in their places; each may have several forms, and shows one at a time.

    *boxes*: ``{key: its nodes}``; *lanes*: for each its forms, tuples of edges; *place*: the layout to use. It runs
    from left to right if that fits a *page*, else from top to bottom. *extras*: ``{key: (width, height)}`` of things
    that a caller puts below a box, or at its right, at its `corner`.
    """

    def __init__(self, boxes, lanes, place=layout, page=PAGE, extras=None, margin=MARGIN):
        self.extras, self.margin = extras or {}, margin
        self.boxes = {key: [*map(_Node, forms)] for key, forms in boxes.items()}
        self.lanes = [[*map(_Lane, forms)] for forms in lanes]
        self.parts = {key: largest(map(attrgetter("parts"), forms)) for key, forms in self.boxes.items()}
        for self.down, way in enumerate(("right", "down")):
            down, side, self.room, sizes, aside = self.down, not self.down, {}, {}, {}
            edges = [united(map(methodcaller("edge", down), forms)) for forms in self.lanes]
            for key, (*size, long, broad, adds) in self.parts.items():  # with what is at its ends
                mark, extra, self.room[key] = (long, broad), self.extras.get(key, (0, 0)), ROOM[down] * adds
                size[down] = max(size[down], extra[down], side and mark[0]) + self.room[key]
                sizes[key] = tuple(size)
                aside[key] = max(0, mark[side] - OVER[side]) + extra[side]
            if side and longest_way(edges, {key: size[0] for key, size in sizes.items()}) > page:
                continue
            self.plan = place(roomy(sizes, edges, down), edges, way, aside)
            if self.plan.width <= page:
                break

    @property
    def size(self):
        """The size in pixels, with a margin."""
        return self.plan.width + 2 * self.margin, self.plan.height + 2 * self.margin

    def corner(self, key, beyond):
        """The upper left corner of the extras of a box, at this distance from it."""
        place, side = self.plan.boxes[key], self.down
        corner = [each + self.margin for each in place.centre]
        corner[side] -= self.extras.get(key, (0, 0))[side] / 2
        corner[not side] += place[2 + (not side)] / 2 + beyond
        return corner

    def groups(self, *corner):
        """``(boxes, lanes)``: a group of shapes for each form of a box, and for each edge of a lane's forms."""
        down, turn, levels, ends, boxes, lanes = self.down, -1 if self.down else 1, {}, {}, {}, []
        left, top = corner or (self.margin, self.margin)
        along, across = (left, top)[::turn]
        for forms, route in zip(self.lanes, self.plan.routes, strict=True):
            if max(map(attrgetter("apart"), forms)):  # a way back beside another comes to the source
                levels.setdefault(forms[0].source, []).append(route[0][2] + APART)
        for key, forms in self.boxes.items():
            place, long = self.plan.boxes[key], self.parts[key][down]
            corner, size = [left + place.x, top + place.y], [*place[2:]]
            size[down] -= self.room[key]
            corner[down], size[down] = corner[down] + (size[down] - long) // 2, long  # larger things at both sides
            box, start = Box(*corner, *size), corner[down]
            middle = across + fmean(levels.get(key, [place.centre[not down]]))
            circle = start + long + OUT[down], middle
            ends[key] = (start, start + long), self.room[key] and circle
            boxes[key] = [form.group(box, circle[::turn], not down) for form in forms]
        for forms, route, label in zip(self.lanes, self.plan.routes, self.plan.labels, strict=True):
            route = [(start + along, end + along, level + across) for start, end, level in route]
            middle = label.centre[0] + left, label.centre[1] + top
            lanes.append([lane.draw(route, middle, ends, turn) for lane in forms])
        return boxes, lanes


def arranged(picture):
    lanes = [[lane] for lane in picture.lanes]
    return Arrangement({node.key: [node] for node in picture.nodes}, lanes)


def render(picture, arrangement=None):
    """The shapes of a picture (arranged already or not) in drawing order, and its (width, height) in pixels."""
    arrangement = arrangement or arranged(picture)
    plan, title = arrangement.plan, clean(picture.title, 90)
    caption = clean(picture.caption) or ("" if picture.nodes else words.EMPTY)
    told = min(CAPTION, ceil(text_width(caption, 13)))
    width = max(plan.width, ceil(text_width(title, 14, True)), told) + 2 * MARGIN
    top = MARGIN + (28 if title else 0)
    boxes, lanes = arrangement.groups((width - plan.width) // 2, top)
    shapes = [Text(MARGIN, MARGIN + 12, title, 14, TEXT, "start", bold=True)] if title else []
    shapes += chain(*chain(*lanes), *boxes.values())
    bottom, lines = top + plan.height + MARGIN, wrapped(caption, width - 2 * MARGIN)
    for number, line in enumerate(lines, 1):
        shapes.append(Text(MARGIN, bottom + 18 * number - 8, line, 13, TEXT, "start"))
    return shapes, (width, bottom + 18 * len(lines) + (6 if lines else 0))


def united(edges):
    """An edge that has room for each of several."""
    sources, targets, labels, thicknesses = zip(*edges, strict=True)
    return Lane(sources[-1], targets[-1], largest(labels), max(thicknesses))


def largest(sizes):
    return tuple(map(max, zip(*sizes, strict=True)))


def roomy(sizes, edges, down):
    """Sizes of boxes whose sides are long enough for the arrows that end there (for eight of them at most)."""
    needed = defaultdict(int)
    for edge in edges:
        for end in ((0, edge.source), (1, edge.target)):
            needed[end] += PORT + int(edge.thickness)
    for (_, key), length in needed.items():
        length = 2 * (min(length + 8, 8 * PORT) // 2)
        sizes[key] = largest([sizes[key], (length, 0) if down else (0, length)])
    return sizes


def wrapped(text, width):
    lines = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", 13) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


class _Node:
    """A node's box: its size, and its shapes once it has a place."""

    def __init__(self, node):
        self.node, self.signs = node, node.signs
        self.ink = ink = COLOURS["error" if node.error else "freed" if "freed" in self.signs else node.kind]
        size = 11 if node.kind == "function" else 12
        rows = [
            node.title and text_line(node.title, size + 1, ink.text, TITLE_LIMIT, bold=True),
            *[_line(line, size, ink.text) for line in
              (node.lines if node.title else led(words.UNNAMED[node.kind], node.lines))],
            *[text_line(line, 10, QUIET) for line in node.notes],
            node.flags and joined([_pill(flag, COLOURS["constant"], 10, FLAG_LIMIT) for flag in node.flags], gap=4),
            node.error and text_line(node.error, 11, ink.text),
        ]  # fmt: skip
        grad = [_line(line, 12, GREEN.text) for line in led(words.GRAD, node.grad)] if node.grad else []
        self.rows, self.grad = joined([*filter(None, rows)], 1), joined(grad, 1) if grad else NOTHING
        self.below = self.grad.height + 6 if grad else 0  # height of the green box below it
        self.mark = _mark(node.arrived) if node.arrived else NOTHING
        self.sheets = 6 if node.kind == "group" else 0  # pixels for the sheets of a folded box
        width = max(30, self.rows.width, self.grad.width) + (12 if node.kind == "function" else 16) + self.sheets
        height = self.rows.height + 6 + self.below + self.sheets
        # its size, that of the gradient beside it, and whether it has a "+="
        self.parts = 2 * round(width / 2), 2 * round(height / 2), *self.mark[:2], "accumulate" in self.signs

    def group(self, box, circle, side):
        node, (x, y, width, height), current = self.node, box, "current" in self.signs
        square = node.kind in ("function", "group")
        shapes = self.area(x, y, width - self.sheets, height - self.sheets, 0 if square else 8)
        if current:
            edge = COLOURS["gradient"].edge
            shapes.insert(0, Rectangle(x - 4, y - 4, width + 8, height + 8, None, edge, 3, 0 if square else 11))
        if "accumulate" in self.signs:
            ink = COLOURS["accumulate"]
            shapes += [Circle(*circle, CIRCLE, ink.fill, ink.edge, 3 if current else 1.5),
                       *text_line(words.ACCUMULATE, 10, ink.text, bold=True).draw(*circle)]  # fmt: skip
        if node.arrived:
            where = [*box.centre]
            where[side] += box[2 + side] / 2 + self.mark[side] / 2 - OVER[side]
            shapes += self.mark.draw(*where)
        if node.error:
            ink, where = COLOURS["error mark"], (x + width - 2, y + 2)
            shapes += [Circle(*where, 8, ink.fill), *text_line("!", 12, ink.text, bold=True).draw(*where)]
        told = [*filter(None, (*node.saved, node.hint))]
        if not told:
            texts = [each for each in (node.title, *node.lines, *node.notes, node.error) if each and type(each) is str]
            told = texts if max(map(len, texts), default=0) > TITLE_LIMIT else ()
        return Group(node.key, shapes, "\n".join(told))

    def area(self, x, y, width, height, radius):
        """Its frame and its content."""
        node, ink, middle, inner, shapes = self.node, self.ink, x + width / 2, height - self.below, []
        for offset in range(self.sheets, 0, -3):
            shapes.append(Rectangle(x + offset, y + offset, width, height, ink.fill, ink.edge, 1.2))
        if self.below:
            shapes += [Rectangle(x, y + inner - 8, width, self.below + 8, GREEN.fill, GREEN.edge, 1.5, 8),
                       *self.grad.draw(middle, y + inner + 2 + self.grad.height / 2)]  # fmt: skip
        stroke, dash = 2.5 if node.kind == "leaf" or node.error else 1.2, (4, 3) if "freed" in self.signs else ()
        shapes.append(Rectangle(x, y, width, inner, ink.fill, ink.edge, stroke, radius, dash))
        if node.kind == "root":
            shapes.append(Rectangle(x + 3, y + 3, width - 6, inner - 6, None, ink.edge, 1.2, 6))
        return shapes + self.rows.draw(middle, y + inner / 2)


class _Lane:
    """The edges along one route: a forward edge, an edge back, or both side by side; the last may have a mark."""

    def __init__(self, edges):
        self.edges, self.mark = edges, _mark(edges[-1])
        self.source, self.target = edges[0].ends
        self.apart = APART * (len(edges) - 1)

    def edge(self, down):
        """The parts of its `Lane`."""
        apart, (width, height, _) = 2 * self.apart, self.mark
        label = (width + apart * down, height + max(2, apart * (not down))) if width else (0, 0)
        return self.source, self.target, label, apart or 2

    def draw(self, route, label, ends, turn):
        """A group for each edge; *label*: the place of its mark; *ends*: its boxes, with the places of their "+="."""
        (source, circle), (target, _) = ends[self.source], ends[self.target]
        onwards, groups, aside, (x, y) = route[0][0] < route[-1][1], [], -self.apart, label
        for edge in self.edges:
            back, track = edge.kind not in AHEAD, _beside(route, aside)
            track[0][0], track[-1][1] = source[onwards], target[not onwards]
            if back and circle:
                track[0][::2] = circle[0] + CIRCLE, circle[1]
            shapes = _arrow(backwards(track) if back else track, edge, turn)
            groups.append(Group(f"{edge.source}>{edge.target}:{edge.kind}", shapes, edge.hint))
            aside += 2 * self.apart
        right, below = (0, self.apart)[::turn]
        shapes += self.mark.draw(x + right, y + below)
        return groups


def _beside(route, aside):
    """A route moved sideways; where it bends, also along, so that two arrows keep their distance on a slope."""
    track, before = [], 0
    for (start, end, level), (*_, there) in zip(route, [*route[1:], route[-1]], strict=True):
        after = max(-1, min(1, (there - level) / 24)) * aside * 0.7
        track.append([start - before, end - after, level + aside])
        before = after
    return track


def _arrow(route, edge, turn):
    ink, (width, length, breadth, *dash) = COLOURS[edge.kind], LINES[edge.kind]
    *before, (start, tip, level) = route
    ahead = 1 if tip > route[0][0] else -1
    end = tip - ahead * (length - 1)
    start = start if (end - start) * ahead > 0 else end
    base = tip - ahead * length
    head = (tip, level)[::turn], (base, level - breadth)[::turn], (base, level + breadth)[::turn]
    line = Path(_curve([*before, (start, end, level)], turn), ink.edge, width + 2 * edge.current, *dash)
    return [line, Polygon(head, ink.edge)] if breadth else [line]


def _curve(route, turn):
    """A line of straight pieces, with a bend wherever the level changes."""
    (start, end, level), *others = route
    lines = [("M", *(start, level)[::turn])]
    for begin, stop, there in others:
        if there != level:
            middle = (end + begin) / 2
            if end != start:
                lines.append(("L", *(end, level)[::turn]))
            lines.append(("C", *(middle, level)[::turn], *(middle, there)[::turn], *(begin, there)[::turn]))
            start = begin
        end, level = stop, there
    if end != start:
        lines.append(("L", *(end, level)[::turn]))
    return tuple(lines)


def led(word, lines):
    """The lines, with a word before the first."""
    return [" ".join((word, *lines[:1])), *lines[1:]]


def _line(line, size, ink):
    if not isinstance(line, Grid):
        return text_line(line, size, ink, mono=True)
    cells = joined([joined(row) for row in line.cells()], 1)
    return cells._replace(height=cells.height + 6)


def _pill(text, ink, size=11, limit=LINE_LIMIT):
    inner = text_line(text, size, ink.text, limit, mono=True)
    width, height = 2 * round(inner.width / 2 + size * 0.7), 2 * round(size * 0.75)
    return Drawable(width, height + 2, lambda x, y: [
        Rectangle(x - width / 2, y - height / 2, width, height, ink.fill, ink.edge, 1, height / 2),
        *inner.draw(x, y)])  # fmt: skip


def _mark(edge):
    """The label on an edge."""
    parts, hook = [], COLOURS["hook"]
    if edge.kind == "cut":
        parts.append(Drawable(18, 18, lambda x, y: scissors(x, y, COLOURS["cut"])))
    if edge.label:
        parts.append(_pill(edge.label, COLOURS["current" if edge.current else edge.kind]))
    if edge.hook:
        parts += [Drawable(14, 16, lambda x, y: [diamond(x + 1, y, 8, hook)]), _pill(edge.hook, hook)]
    return joined(parts, gap=4) if parts else NOTHING
