"""A `Picture` as shapes: every node becomes a box of rows, every edge an arrow along its route.

A gradient that runs against a forward edge shares its lane, the two arrows side by side.
"""

from itertools import chain, pairwise
from math import ceil

from . import shapes as sign
from . import words
from .layout import PAGE, PORT, Box, layout
from .layout import Edge as Lane
from .picture import AHEAD, longest_way
from .shapes import COLOURS, QUIET, TEXT, Circle, Grid, Group, Path, Polygon, Rectangle, Text, clean, text_width

MARGIN = 16
TITLE_LIMIT, LINE_LIMIT = 36, 48
APART = 6  # of a forward arrow and the gradient beside it from the middle of their lane
MARK = 18  # pixels: how high what stands on an edge is
CIRCLE = 9  # radius of "+="
OVER, BELOW = 8, 3  # pixels of a box that what stands at its right, or below it, may cover
SEAM, ENDS = 7, 5  # room for half of a "+=" below a box, and at its side, of which it covers more


class Arrangement:
    """Boxes and lanes in their places; each may have several forms, of which one at a time is shown.

    *boxes*: ``{key: its nodes}``; *lanes*: for each its forms, tuples of edges; *place*: the layout to use.  It runs
    from left to right where that fits a page, else from top to bottom, unless a *direction* is given.
    """

    def __init__(self, boxes, lanes, direction="", place=layout):
        self.boxes = {key: [_Node(node, any("accumulate" in form.signs for form in forms)) for node in forms]
                      for key, forms in boxes.items()}  # fmt: skip
        self.lanes = [[_Lane(edges) for edges in forms] for forms in lanes]
        for way in (direction,) if direction else ("right", "down"):
            self.down = down = way == "down"
            edges = [united([form.edge(down) for form in forms]) for forms in self.lanes]
            sizes = {key: largest([box.size(down) for box in forms]) for key, forms in self.boxes.items()}
            if not (down or direction) and longest_way(edges, {key: size[0] for key, size in sizes.items()}) > PAGE:
                continue
            aside = {key: max(box.aside(down) for box in forms) for key, forms in self.boxes.items()}
            self.plan = place(roomy(sizes, edges, down), edges, way, aside)
            if self.plan.width <= PAGE:
                break

    @property
    def size(self):
        """In pixels, with a margin around it."""
        return self.plan.width + 2 * MARGIN, self.plan.height + 2 * MARGIN

    def groups(self, left=MARGIN, top=MARGIN):
        """``(boxes, lanes)``: of each form of a box its ring, or None, and itself; of a lane's its arrows and marks."""
        back = {}  # where, across the picture, edges with a way back beside them leave a box
        for forms, route in zip(self.lanes, self.plan.routes, strict=True):
            if any(len(lane.tracks) > 1 for lane in forms):
                back.setdefault(forms[0].source, []).append(route[0][not self.down])
        for key, forms in self.boxes.items():
            for box in forms:
                box.put(self.plan.boxes[key], left, top, self.down, back.get(key))
        ends = {key: max(forms, key=lambda box: box.has("accumulate")) for key, forms in self.boxes.items()}
        lanes = []
        for forms, route, label in zip(self.lanes, self.plan.routes, self.plan.labels, strict=True):
            route = [(x + left, y + top) for x, y in route]
            label = label and label._replace(x=label.x + left, y=label.y + top)
            lanes.append([lane.draw(route, label, ends, self.down) for lane in forms])
        boxes = {key: [(box.ring() if box.has("current") else None, box.group()) for box in forms]
                 for key, forms in self.boxes.items()}  # fmt: skip
        return boxes, lanes


def arranged(picture, place=layout):
    lanes = [[lane] for lane in picture.lanes]
    return Arrangement({node.key: [node] for node in picture.nodes}, lanes, picture.direction, place)


def render(picture, place=layout):
    """The shapes of a picture in drawing order, and its (width, height) in pixels; `place` is the layout to use."""
    return drawn(picture, arranged(picture, place))


def drawn(picture, arrangement):
    """The shapes of a picture that was arranged, and its (width, height)."""
    plan, title = arrangement.plan, clean(picture.title, 90)
    caption = clean(picture.caption) or ("" if picture.nodes else words.EMPTY)
    width = max(plan.width, ceil(text_width(title, 14, True)),
                min(560, max(280, ceil(text_width(caption, 13)) // 2)) if caption else 0) + 2 * MARGIN
    top = MARGIN + (28 if title else 0)
    boxes, lanes = arrangement.groups((width - plan.width) // 2, top)
    boxes = [form for forms in boxes.values() for form in forms]
    shapes = [Text(MARGIN, MARGIN + 12, title, 14, TEXT, "start", bold=True)] if title else []
    shapes += [
        *(ring for ring, _ in boxes if ring), *(arrow for forms in lanes for arrows, _ in forms for arrow in arrows),
        *(mark for forms in lanes for _, marks in forms for mark in marks), *(box for _, box in boxes),
    ]  # fmt: skip
    bottom, lines = top + plan.height + MARGIN, wrapped(caption, width - 2 * MARGIN)
    for number, line in enumerate(lines, 1):
        shapes.append(Text(MARGIN, bottom + 18 * number - 8, line, 13, TEXT, "start"))
    return shapes, (width, bottom + 18 * len(lines) + (6 if lines else 0))


def united(edges):
    """An edge that has room for each of several."""
    label = largest([edge.label or (0, 0) for edge in edges])
    thickness = max(edge.thickness for edge in edges)
    return edges[-1]._replace(label=label if any(label) else None, thickness=thickness)


def largest(sizes):
    return tuple(map(max, zip(*sizes, strict=True)))


def roomy(sizes, edges, down):
    """Sizes of boxes whose sides are long enough for the arrows that end there (for eight of them at most)."""
    for side in ("source", "target"):
        needed = {}
        for edge in edges:
            key = getattr(edge, side)
            needed[key] = needed.get(key, 8) + PORT + int(edge.thickness)
        for key, length in needed.items():
            width, height = sizes[key]
            length = 2 * (min(length, 8 * PORT) // 2)
            sizes[key] = (max(width, length), height) if down else (width, max(height, length))
    return sizes


def wrapped(text, width, size=13):
    lines = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


class _Node:
    """A node's box: rows of (width, height, draw(centre, top) -> shapes), measured first, drawn when placed."""

    def __init__(self, node, ends):
        self.node, self.ends = node, ends  # ends: whether there is room for "+="
        self.ink = COLOURS["error" if node.error else "freed" if "freed" in node.signs else node.kind]
        small = node.kind == "function"
        self.rows = [self._text(clean(node.title, TITLE_LIMIT), 12 if small else 13, bold=True)] if node.title else []
        lines = [*node.lines]
        if not node.title:
            lines[:1] = [" ".join((words.UNNAMED[node.kind], *lines[:1]))]
        self.rows += [self._line(line, 11 if small else 12) for line in lines]
        self.rows += [self._text(clean(line, LINE_LIMIT), 10, ink=QUIET) for line in node.notes]
        if node.flags:
            self.rows.append(_flags(node.flags))
        if node.error:
            self.rows.append(self._text(clean(node.error, LINE_LIMIT), 11))
        lines = [" ".join((words.GRAD, *node.grad[:1])), *node.grad[1:]] if node.grad else []
        self.grad = [self._line(line, 12, COLOURS["grad"].text) for line in lines]  # rows of the green box below
        self.mark = _mark(node.arrived) if node.arrived else (0, None)
        self.below = sum(row[1] for row in self.grad) + 6 if self.grad else 0  # how high that is
        width = max([30, *(row[0] for row in self.rows + self.grad)]) + (12 if small else 16) + self.sheets
        height = sum(row[1] for row in self.rows) + 6 + self.below + self.sheets
        self.width, self.height = 2 * round(width / 2), 2 * round(height / 2)

    @property
    def sheets(self):
        """Pixels for those that lie below it."""
        return 6 if self.node.kind == "group" else 0

    def has(self, sign):
        return sign in self.node.signs

    def size(self, down):
        """Of the box and what stands at its ends: its "+=", and a gradient below it that is wider."""
        if down:
            return self.width, self.height + 2 * SEAM * self.ends
        return max(self.width, 2 * ceil(self.mark[0] / 2)) + 2 * ENDS * self.ends, self.height

    def aside(self, down):
        """Room for the gradient that came to it: at its right, or below it."""
        width, _ = self.mark
        return 0 if not width else width - OVER if down else MARK - BELOW

    def put(self, place, left, top, down, back):
        """Take a place in the picture; *back* is where, across it, ways back leave the box."""
        x, y, self.down = place.x + left, place.y + top, down
        across = (left if down else top) + (sum(back) / len(back) + APART if back else place.centre[not down])
        if down:
            self.box = Box(x, y, place.width, place.height - 2 * SEAM * self.ends)
            self.circle = across, y + self.box.height + SEAM
        else:  # a wide gradient below it leaves room at both sides
            room = place.width - 2 * ENDS * self.ends
            self.box = Box(x + (room - self.width) // 2, y, self.width, place.height)
            self.circle = x + room + 1, across

    def _line(self, line, size, ink=None):
        if isinstance(line, Grid):
            width, height = line.size
            return width, height + 6, lambda x, y: line.shapes(x - width / 2, y + 3)
        return self._text(clean(line, LINE_LIMIT), size, mono=True, ink=ink)

    def _text(self, text, size, bold=False, mono=False, ink=None):
        def draw(x, y):
            return [Text(x, y + size - 0.5, text, size, ink or self.ink.text, bold=bold, mono=mono)]

        return text_width(text, size, bold, mono), size + 3, draw

    def group(self):
        node, (x, y, width, height), shapes = self.node, self.box, self._shapes(*self.box)
        right, (middle, level) = x + width, self.box.centre
        if self.has("accumulate"):
            ink, (across, along) = COLOURS["accumulate"], self.circle
            shapes += [Circle(across, along, CIRCLE, ink.fill, ink.edge, 3 if self.has("current") else 1.5),
                       Text(across, along + 3.5, words.ACCUMULATE, 10, ink.text, bold=True)]  # fmt: skip
        length, draw = self.mark
        if length:
            shapes += draw(*((right + length / 2 - OVER, level) if self.down else
                             (middle, y + height + MARK / 2 - BELOW)))  # fmt: skip
        if node.error:
            mark = COLOURS["error mark"]
            shapes += [Circle(right - 2, y + 2, 8, mark.fill),
                       Text(right - 2, y + 6.5, "!", 12, mark.text, bold=True)]  # fmt: skip
        hint = "\n".join(filter(None, (*node.saved, node.hint)))
        return Group(node.key, tuple(shapes), hint or self._unseen())

    def ring(self):
        radius = 0 if self.node.kind in ("function", "group") else 11
        x, y, width, height = self.box
        ring = Rectangle(x - 4, y - 4, width + 8, height + 8, None, COLOURS["gradient"].edge, 3, radius)
        return Group(self.node.key, (ring,))

    def _unseen(self):
        texts = [self.node.title, *(each for each in self.node.lines if type(each) is str), *self.node.notes]
        shown = len(texts[0]) <= TITLE_LIMIT and all(len(text) <= LINE_LIMIT for text in texts)
        return "" if shown else "\n".join(text for text in [*texts, self.node.error] if text)

    def _shapes(self, x, y, width, height):
        node, ink = self.node, self.ink
        radius = 0 if node.kind in ("function", "group") else 8
        dash = (4, 3) if self.has("freed") else ()
        stroke = 2.5 if node.kind == "leaf" or node.error else 1.2
        shapes = []
        width, height = width - self.sheets, height - self.sheets
        for offset in range(self.sheets, 0, -3):
            shapes.append(Rectangle(x + offset, y + offset, width, height, ink.fill, ink.edge, 1.2))
        inner = height - self.below
        if self.below:
            green = COLOURS["grad"]
            shapes.append(Rectangle(x, y + inner - 8, width, self.below + 8, green.fill, green.edge, 1.5, 8))
        shapes.append(Rectangle(x, y, width, inner, ink.fill, ink.edge, stroke, radius, dash))
        if node.kind == "root":
            shapes.append(Rectangle(x + 3, y + 3, width - 6, inner - 6, None, ink.edge, 1.2, 6))
        if self.has("freed"):
            shapes.append(sign.hatch(x, y, width, inner))
            shapes.append(Rectangle(x, y, width, inner, None, ink.edge, stroke, radius, dash))
        shapes += _stack(self.rows, x + width / 2, y + (inner - sum(row[1] for row in self.rows)) / 2)
        shapes += _stack(self.grad, x + width / 2, y + inner + 2)
        return shapes

    def outline(self, points, back):
        """The first two points of a route that begins at this box, along and across the picture, moved to its outline.

        A way back ends at the "+=", where it adds.
        """
        (along, across), beyond = points[:2]
        start, length = self.box[self.down :: 2]  # along the picture
        if abs(along - start) < abs(along - start - length):
            return [(start, across), beyond]
        if not (back and self.has("accumulate")):
            return [(start + length, across), beyond]
        circle = self.circle[::-1] if self.down else self.circle
        return [(circle[0] + CIRCLE, circle[1]), (beyond[0], circle[1])]


def _stack(rows, x, y):
    shapes = []
    for _, height, draw in rows:
        shapes += draw(x, y)
        y += height
    return shapes


class _Lane:
    """What runs along one route: a forward edge, an edge back, or both side by side."""

    def __init__(self, edges):
        self.source, self.target = edges[0].ends
        self.tracks = [(edge, *_mark(edge)) for edge in edges]

    def edge(self, down):
        kind = self.tracks[0][0].kind
        marks = [width for _, width, _ in self.tracks if width]
        width, height = max(marks, default=0), len(marks) * (MARK + 2)
        if len(self.tracks) == 2:
            label = (width + 2 * APART, height) if down else (width, max(height, MARK + 2 * APART))
            return Lane(self.source, self.target, label if marks else None, 2 * APART, 3)
        thickness, weight = 4 if kind == "gradient" else 2, 0 if kind in ("cut", "view") else 1
        return Lane(self.source, self.target, (width, height) if marks else None, thickness, weight)

    def draw(self, route, label, boxes, down):
        """``(arrows, marks)``; *boxes*: those at its ends."""
        arrows, marks = [], []
        route = turned(route) if down else route  # from here on along and across the picture
        marked = sum(bool(width) for _, width, _ in self.tracks)
        for index, (edge, width, mark) in enumerate(self.tracks):
            side = 2 * index - 1 if len(self.tracks) == 2 else 0
            aside = side * APART
            points = _beside(route, aside)
            back = edge.kind not in AHEAD
            points[:2] = boxes[self.source].outline(points[:2], back)
            points[-2:] = boxes[self.target].outline(points[:-3:-1], False)[::-1]
            shapes = _arrow(points[::-1] if back else points, edge, down)
            arrows.append(Group(edge.key, tuple(shapes), edge.hint))
            if width:
                x, y = label.centre
                above = side * 10 if marked == 2 else 0 if down else aside
                marks.append(Group(edge.key, tuple(mark(x + aside if down else x, y + above)), edge.hint))
        return arrows, marks


def turned(points):
    return [(y, x) for x, y in points]


def _beside(points, aside):
    """A route moved sideways; where it bends, also along, so that two arrows keep their distance on a slope."""
    if not aside:
        return list(points)
    moved = []
    for index, (x, y) in enumerate(points):
        bend = index + 1 if index % 2 else index - 1  # the point at the other end of this point's bend
        other = points[bend][1] if 0 <= bend < len(points) else y
        slope = (other - y) * (1 if index % 2 else -1)
        moved.append((x - max(-1, min(1, slope / 24)) * aside * 0.7, y + aside))
    moved[0], moved[-1] = (points[0][0], moved[0][1]), (points[-1][0], moved[-1][1])
    return moved


def _arrow(points, edge, down):
    kind, ink = edge.kind, COLOURS[edge.kind]
    width = (5 if edge.current else 3) if kind == "gradient" else (2.5 if edge.current else 1.5)
    length, breadth = (11, 6) if kind == "gradient" else (8, 4)
    flat = list(points)
    (before, _), (tip, y) = flat[-2:]
    start = flat[-2] if len(flat) < 4 else flat[-3]  # of the last bend
    ahead = 1 if tip > start[0] else -1
    flat[-1] = (tip - ahead * (length - 1), y)
    if (flat[-1][0] - before) * ahead < 0:
        flat[-2] = flat[-1]
    head = [(tip, y), (tip - ahead * length, y - breadth), (tip - ahead * length, y + breadth)]
    dash = {"backward": (2, 3), "cut": (5, 4), "view": (1, 3)}.get(kind, ())
    if kind == "view":
        return [Path(_curve(points, down), ink.edge, 2, dash)]
    head = tuple(turned(head) if down else head)
    return [Path(_curve(flat, down), ink.edge, width, dash), Polygon(head, ink.edge)]


def _curve(points, down):
    commands = [("M", points[:1])]
    for index, ((x1, y1), (x2, y2)) in enumerate(pairwise(points)):
        if (x1, y1) == (x2, y2):
            continue
        if index % 2 and y1 != y2:
            middle = (x1 + x2) / 2
            commands.append(("C", [(middle, y1), (middle, y2), (x2, y2)]))
        elif commands[-1][0] == "L":
            commands[-1] = ("L", [(x2, y2)])  # goes on in the same direction
        else:
            commands.append(("L", [(x2, y2)]))
    return tuple((letter, *chain(*(turned(points) if down else points))) for letter, points in commands)


def _mark(edge):
    """What stands on an edge: its width, and what draws it around a point."""
    parts = []
    if edge.kind == "cut":
        parts.append((18, lambda x, y: [Rectangle(x - 9, y - 4, 18, 8, "#FFFFFF"),
                                        *sign.scissors(x, y, COLOURS["cut"])]))  # fmt: skip
    if edge.label:
        kind = "current" if edge.current and edge.kind == "gradient" else edge.kind
        parts.append(_pill(clean(edge.label, LINE_LIMIT), COLOURS[kind]))
    if edge.hook:
        long, pill = _pill(clean(edge.hook, LINE_LIMIT), COLOURS["hook"])
        parts.append((long + 18, lambda x, y: [*pill(x + 9, y),
                                               sign.diamond(x - long / 2 - 1, y, 8, COLOURS["hook"])]))  # fmt: skip
    return _abreast(parts)


def _flags(flags):
    parts, ink = [], COLOURS["constant"]
    for flag in flags:
        if flag == words.RETAINED:
            parts.append((4, lambda x, y: sign.pin(x, y + 6, ink)))
        parts.append(_pill(clean(flag, 24), ink, 10))
    width, draw = _abreast(parts)
    return width, 19, lambda x, y: draw(x, y + 9)


def _pill(text, ink, size=11):
    return sign.pill_size(text, size)[0], lambda x, y: sign.pill(x, y, text, ink, size)


def _abreast(parts):
    """The width of parts side by side, each (width, draw(x, y) around a point), and what draws them."""
    width = sum(each + 4 for each, _ in parts)

    def draw(x, y):
        shapes, at = [], x - width / 2 + 2
        for each, part in parts:
            shapes += part(at + each / 2, y)
            at += each + 4
        return shapes

    return width, draw
