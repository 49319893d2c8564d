"""A layered layout: boxes in columns from left to right, edges between them, nothing on top of anything.

The steps are Sugiyama's: cycles are broken, nodes get columns (`layers.ranks`), an edge that spans several columns
gets a point in each, as its label does; the order within columns is chosen so that few edges cross (`layers.order`),
then the coordinates (`placement.positions`).  Edges bend only in the gaps between columns, where there are no boxes.
"""

from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from .layers import break_cycles, heaviest, order, ranks
from .placement import positions

PAGE = 658  # pixels: what a narrow window shows at full size beside a picture's margins
GAP = 16  # between columns; wider where an edge climbs far
CLIMB, WIDEST_GAP = 0.2, 70
BESIDE = 20  # between boxes of one column
LANE = 10  # between edges, or an edge and a box
PORT = 10  # between the ends of edges on one side of a box
CORNER = 3  # between the outermost of them and the corner
APART = 30  # between parts of the graph that are not connected


class Edge(NamedTuple):
    source: object
    target: object
    label: tuple = None  # its width and height
    thickness: float = 0
    bundle: object = None  # three long edges or more with the same source and bundle share a lane up to their labels
    weight: float = 1  # the way of greatest weight through the graph is drawn as straight as possible


class Box(NamedTuple):
    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self):
        return self.x + self.width / 2, self.y + self.height / 2


class Layout(NamedTuple):
    """Where everything stands: `boxes` by key; `routes` and `labels` in the order of the edges.

    ``back[key]`` is where, across the picture, edges with a way back beside them leave a box on average.
    """

    boxes: dict
    routes: list  # each a list of points, straight from the first to the second, a bend to the third, and so on
    labels: list
    width: float
    height: float
    back: dict


def layout(sizes, edges, direction="right", aside=None):
    """The `Layout` of boxes of given sizes ({key: (width, height)}) and of each `Edge`, in whole pixels.

    *aside* ({key: pixels}) is room that a box needs beside it: below it, or at its right when the graph runs down.
    """
    down, aside = direction == "down", aside or {}
    if down:
        sizes = {key: size[::-1] for key, size in sizes.items()}
        edges = [edge._replace(label=edge.label and edge.label[::-1]) for edge in edges]
    plans = []
    for keys, indices in _parts(sizes, edges):
        plan = _Part({key: sizes[key] for key in keys}, [edges[i] for i in indices]).plan(aside)
        plans.append((indices, _transposed(plan) if down else plan))
    return _side_by_side(plans, len(edges), sizes, down)


def _transposed(plan):
    def turn(box):
        return box and Box(box.y, box.x, box.height, box.width)

    routes = [[(y, x) for x, y in route] for route in plan.routes]
    boxes = {key: turn(box) for key, box in plan.boxes.items()}
    return Layout(boxes, routes, list(map(turn, plan.labels)), plan.height, plan.width, plan.back)


def _parts(sizes, edges):
    """The connected parts, each as (keys, indices of its edges), in the order of their first boxes."""
    beside = {key: [] for key in sizes}
    for edge in edges:
        beside[edge.source].append(edge.target)
        beside[edge.target].append(edge.source)
    part = {}  # key -> the first box of its part
    for start in sizes:
        waiting = [start]
        while waiting:
            key = waiting.pop()
            if key not in part:
                part[key] = start
                waiting += beside[key]
    found = {start: ([], []) for start in part.values()}
    for key in sizes:
        found[part[key]][0].append(key)
    for index, edge in enumerate(edges):
        found[part[edge.source]][1].append(index)
    return found.values()


def _side_by_side(plans, edge_count, sizes, down):
    """The parts set in rows, like words, about as wide as they are high together."""
    area = sum((plan.width + APART) * (plan.height + APART) for _, plan in plans)
    room = max([min(1.5 * area**0.5, PAGE), *(plan.width for _, plan in plans)])
    boxes, routes, labels, back = dict.fromkeys(sizes), [None] * edge_count, [None] * edge_count, {}
    x = y = row = width = 0
    for indices, plan in plans:
        if x and x + plan.width > room:
            x, y, row = 0, y + row + APART, 0
        for key, box in plan.boxes.items():
            boxes[key] = box._replace(x=box.x + x, y=box.y + y)
        for index, route, label in zip(indices, plan.routes, plan.labels, strict=True):
            routes[index] = [(px + x, py + y) for px, py in route]
            labels[index] = label and label._replace(x=label.x + x, y=label.y + y)
        back |= {key: place + (x if down else y) for key, place in plan.back.items()}
        width, row = max(width, x + plan.width), max(row, plan.height)
        x += plan.width + APART
    return Layout(boxes, routes, labels, width, y + row, back)


class _Part:
    """The layout of one connected part.  Boxes are numbered first, the points of long edges after them."""

    def __init__(self, sizes, edges):
        self.keys, self.edges = list(sizes), edges
        self.width, self.height = map(list, zip(*sizes.values(), strict=True))

    def plan(self, aside):
        turned = self._columns()
        spine = self._spine()
        self.columns = order(self.columns, self.left, self.right)
        count = len(self.keys)
        room = [aside.get(key, 0) for key in self.keys] + [0] * (len(self.width) - count)

        def gap(upper, lower):
            return (BESIDE if upper < count and lower < count else LANE) + room[upper]

        centre = positions(self.columns, self.left, self.right, self.height, gap, spine)
        top = min(value - height / 2 for value, height in zip(centre, self.height, strict=True))
        self.y = [round(value - top) for value in centre]
        self._ports()
        span, width = self._across()
        routes, labels = [None] * len(self.edges), [None] * len(self.edges)
        for index, path in self.paths.items():
            routes[index] = self._route(index, path, span)[:: -1 if index in turned else 1]
            if index in self.label_of:
                labels[index] = self._box(self.label_of[index])
        boxes = {key: self._box(node) for node, key in enumerate(self.keys)}
        bottom = max(y + height / 2 + more for y, height, more in zip(self.y, self.height, room, strict=True))
        back = {}
        for index, path in self.paths.items():
            if self.edges[index].thickness > PORT:
                back.setdefault(self.keys[path[0]], []).append(self.port[index, True])
        back = {key: sum(ports) / len(ports) for key, ports in back.items()}
        return Layout(boxes, routes, labels, width, -int(-bottom // 1), back)

    def _box(self, node):
        width, height = self.width[node], self.height[node]
        return Box(self.x[node] - width // 2, self.y[node] - height // 2, width, height)

    def _columns(self):
        """Give every node its column and every edge its points; the indices of edges that were turned round."""
        number = {key: index for index, key in enumerate(self.keys)}
        ends = [(number[edge.source], number[edge.target]) for edge in self.edges]
        turned = {*break_cycles(len(self.keys), ends)}
        forward = [pair[::-1] if index in turned else pair for index, pair in enumerate(ends)]
        least = [(*ends, 2 if edge.label else 1) for ends, edge in zip(forward, self.edges, strict=True)]
        rank = ranks(len(self.keys), least)
        self.columns = [[] for _ in range(max(rank) + 1)]
        for node, column in enumerate(rank):
            self.columns[column].append(node)
        self.left, self.right = [[] for _ in self.keys], [[] for _ in self.keys]
        self.paths, self.label_of, shared, copies = {}, {}, {}, Counter()
        members = Counter((source, index in turned, self.edges[index].bundle)
                          for index, (source, target) in enumerate(forward) if rank[target] - rank[source] > 1)
        for index, (source, target) in enumerate(forward):
            edge = self.edges[index]
            bundle = source, index in turned, edge.bundle
            bundle = (*bundle, copies[source, target]) if edge.bundle is not None and members[bundle] > 2 else None
            copies[source, target] += 1
            path = [source]
            for column in range(rank[source] + 1, rank[target]):
                if edge.label and column == rank[target] - 1:
                    node = self.label_of[index] = self._point(path[-1], column, *edge.label)
                else:
                    node = bundle and shared.get((bundle, column)) or self._point(path[-1], column, 0, edge.thickness)
                    shared[bundle, column] = node
                path.append(node)
            self._join(path[-1], target)
            self.paths[index] = [*path, target]
        return turned

    def _spine(self):
        ways = [(path[0], path[-1], self.edges[index].weight) for index, path in self.paths.items()]
        paths = list(self.paths.values())
        into = heaviest(len(self.keys), ways)
        out = heaviest(len(self.keys), [(target, source, weight) for source, target, weight in ways])
        pairs = set()
        for index, path in enumerate(paths):
            if into[path[-1]] == index and out[path[0]] == index:
                for one, other in pairwise(path):
                    pairs |= {(one, other), (other, one)}
        return pairs

    def _point(self, source, column, width, height):
        node = len(self.width)
        self.columns[column].append(node)
        for known, new in ((self.width, width), (self.height, height), (self.left, []), (self.right, [])):
            known.append(new)
        self._join(source, node)
        return node

    def _join(self, source, target):
        self.right[source].append(target)
        self.left[target].append(source)

    def _ports(self):
        self.port = {}
        for outward in (True, False):
            ends = {}
            for index, path in self.paths.items():
                node, other = (path[0], path[1]) if outward else (path[-1], path[-2])
                far = self.port.get((index, True), self.y[other]) if other == path[0] else self.y[other]
                name = other if other >= len(self.keys) else (other, index)
                ends.setdefault(node, {}).setdefault(name, (far, index, []))[2].append(index)
            for node, by_name in ends.items():
                wanted = sorted(by_name.values(), key=lambda end: end[:2])
                broad = [self.edges[end[1]].thickness for end in wanted]
                apart = [PORT + thickness for thickness in broad]
                reach = self.height[node] / 2 - CORNER
                low = self.y[node] - max(0, reach - broad[0] / 2)
                high = self.y[node] + max(0, reach - broad[-1] / 2)
                spread = _spread([end[0] for end in wanted], apart, low, high)
                for (_, _, indices), y in zip(wanted, spread, strict=True):
                    for index in indices:
                        self.port[index, outward] = y

    def _heights(self, index):
        path = self.paths[index]
        return [self.port[index, True], *(self.y[node] for node in path[1:-1]), self.port[index, False]]

    def _across(self):
        """Give every node its place along the picture; the extent of each one's column, and how wide all is."""
        column_of = {node: index for index, column in enumerate(self.columns) for node in column}
        climb = [0] * len(self.columns)
        for index, path in self.paths.items():
            heights = self._heights(index)
            for node, (here, there) in zip(path[:-1], pairwise(heights), strict=True):
                climb[column_of[node]] = max(climb[column_of[node]], abs(there - here))
        self.x, span, x = [0] * len(self.width), {}, 0
        for column, rise in zip(self.columns, climb, strict=True):
            width = max(self.width[node] for node in column)
            for node in column:
                self.x[node] = x + width // 2
                span[node] = (x, x + width)
            total = x + width
            x += width + int(min(GAP + CLIMB * rise, WIDEST_GAP))
        return span, total

    def _route(self, index, path, span):
        points = []
        for node, y in zip(path, self._heights(index), strict=True):
            start, end = span[node]
            if node == path[0]:
                start = self.x[node] - self.width[node] // 2 + self.width[node]
            elif node == path[-1]:
                end = self.x[node] - self.width[node] // 2
            points += [(start, y), (end, y)]
        return points


def _spread(wanted, apart, low, high):
    """Whole numbers nearest to `wanted` (ascending), `apart` where low … high has room."""
    steps = [0]
    for first, second in pairwise(apart):
        steps.append(steps[-1] + (first + second) / 2)
    squeeze = min(1, (high - low) / steps[-1]) if steps[-1] else 1
    steps = [step * squeeze for step in steps]
    pools = []  # of neighbours that touch: where they want to be together, and how many they are
    for want, step in zip(wanted, steps, strict=True):
        pools.append((want - step, 1))
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            (lower, some), (upper, more) = pools.pop(), pools.pop()
            pools.append(((lower * some + upper * more) / (some + more), some + more))
    places = [place for place, count in pools for _ in range(count)]
    limit = high - steps[-1]
    return [round(min(max(place, low), limit) + step) for place, step in zip(places, steps, strict=True)]
