"""A layered layout: boxes in columns from left to right, edges between them, nothing on top of anything.

The steps are Sugiyama's: nodes get columns (`layers.depths`), an edge that spans several columns gets a point in each,
as its label does; the order within columns is chosen so that few edges cross (`layers.order`), then the coordinates
(`placement.positions`).  Edges bend only in the gaps between columns, where there are no boxes.
"""

from collections import defaultdict
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from .layers import components, depths, order, shortened, topological
from .placement import positions, spread

PAGE = 658  # pixels that a narrow window shows at full size beside a picture's margins
GAP = 16  # between columns; wider where an edge climbs far
CLIMB, WIDEST_GAP = 0.2, 70
BESIDE = 20  # between boxes of one column
LANE = 10  # between edges, or an edge and a box
PORT = 10  # between the ends of edges on one side of a box
CORNER = 3  # between the outermost of them and the corner
APART = 30  # between parts of the graph that are not connected
STRAIGHT = 100  # how much more a way that is longer by one weighs: the longest is drawn as straight as possible


class Edge(NamedTuple):
    source: object
    target: object
    label: tuple = (0, 0)  # its width and height, if it has one
    thickness: float = 0


class Box(NamedTuple):
    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self):
        return self.x + self.width / 2, self.y + self.height / 2


class Layout(NamedTuple):
    """All places: `boxes` by key; `routes` and `labels`, if there are any, in the order of the edges.

    A route is a list of straight pieces, (start, end, level) along and across the picture, with bends between them; the
    first and the last go through the whole columns of its boxes.
    """

    boxes: dict
    routes: list
    labels: list
    width: float
    height: float


def layout(sizes, edges, direction="right", aside=None, apart=GAP):
    """The `Layout` of boxes of given sizes ({key: (width, height)}) and of each `Edge`, in whole pixels.

    *aside* ({key: pixels}) is room that a box needs beside it: below it, or at its right when the graph runs down.
    *apart*: pixels between columns at least.  Parts that are not connected are set in rows, like words, about as wide
    as they are high together.
    """
    turn = -1 if direction == "down" else 1  # the steps of a tuple of two numbers
    first_of, parts = components(sizes, edges), {}
    for key, size in sizes.items():
        parts.setdefault(first_of[key], ({}, {}))[0][key] = size[::turn]
    for index, edge in enumerate(edges):
        parts[first_of[edge.source]][1][index] = edge._replace(label=edge.label[::turn])
    plans = [_plan(*part, aside or {}, apart) for part in parts.values()]
    areas = [plan[-1][::turn] for plan in plans]
    room = max([min(1.5 * sum((across + APART) * (high + APART) for across, high in areas) ** 0.5, PAGE),
                *(across for across, _ in areas)])  # fmt: skip
    boxes, routes, labels = dict.fromkeys(sizes), [None] * len(edges), [None] * len(edges)
    x = y = row = width = 0

    def put(place):
        left, top = place[:2][::turn]
        return left + x, top + y, *place[2:][::turn]

    for plan, (across, high) in zip(plans, areas, strict=True):
        if x and x + across > room:
            x, y, row = 0, y + row + APART, 0
        for key, box in plan[0].items():
            boxes[key] = Box(*put(box))
        along, level = (x, y)[::turn]
        for index, (route, label) in plan[1].items():
            routes[index] = [(start + along, end + along, here + level) for start, end, here in route]
            labels[index] = Box(*put(label))
        width, row = max(width, x + across), max(row, high)
        x += across + APART
    return Layout(boxes, routes, labels, width, y + row)


def _plan(sizes, edges, aside, apart):
    """The plan of one connected part: boxes by key, (route, label) by index of an edge, its width and height."""
    number, count = {key: node for node, key in enumerate(sizes)}, len(sizes)
    ends = ((number[edge.source], number[edge.target], any(edge.label)) for edge in edges.values())
    columns, paths, left, right = _columns(count, tuple(ends))
    extents, paths = [*sizes.values()], dict(zip(edges, paths, strict=True))
    for index, path in paths.items():
        extents += [(0, edges[index].thickness)] * (len(path) - 2)
        if any(edges[index].label):
            extents[-1] = edges[index].label
    widths, heights = zip(*extents, strict=True)
    room = [aside.get(key, 0) for key in sizes] + [0] * (len(extents) - count)

    def gap(upper, lower):
        return (BESIDE if max(upper, lower) < count else LANE) + room[upper]

    centre = positions(columns, paths.values(), left, right, heights, gap)
    top = min([y - height / 2 for y, height in zip(centre, heights, strict=True)])
    centre = [round(y - top) for y in centre]
    levels = _levels(edges, paths, centre, heights)
    column_of = {node: number for number, column in enumerate(columns) for node in column}
    spans = _spans(columns, column_of, widths, paths, levels, apart)

    def box(node):
        start, end = spans[column_of[node]]
        width, height = extents[node]
        return Box(start + (end - start) // 2 - width // 2, centre[node] - height // 2, width, height)

    routes = {}
    for index, path in paths.items():
        route = [(*spans[column_of[node]], level) for node, level in zip(path, levels[index], strict=True)]
        routes[index] = route if path[0] == number[edges[index].source] else backwards(route), box(path[-2])
    bottom = max([y + height / 2 + more for y, height, more in zip(centre, heights, room, strict=True)])
    return {key: box(node) for node, key in enumerate(sizes)}, routes, (spans[-1][1], ceil(bottom))


def backwards(route):
    """A route from its end to its start."""
    return [(end, start, level) for start, end, level in route[::-1]]


@lru_cache(64)  # a picture that does not fit from left to right is tried from top to bottom, and a bench draws it again
def _columns(count, edges):
    """The columns of nodes in their order, the path of each edge (source, target, whether it has a label) through
    them, and each node's neighbours at the left and at the right, with their weights.

    Boxes are numbered first, the points of long edges after them. In a cycle an edge's path goes against it.
    """
    place = {node: place for place, node in enumerate(topological(range(count), edges))}
    ways = [(*sorted(ends, key=place.get), 1 + labelled) for *ends, labelled in edges]
    ahead = depths(place, ways)
    back = depths({node: -at for node, at in place.items()}, [(end, start, least) for start, end, least in ways])
    rank = shortened([-back[node] for node in range(count)], ways)
    columns, paths, total, longest = [[] for _ in range(max(rank) + 1)], [], count, max(ahead.values())
    for node, column in enumerate(rank):
        columns[column].append(node)
    left, right = defaultdict(dict), defaultdict(dict)
    for source, target, least in ways:
        points = range(total, total + rank[target] - rank[source] - 1)
        total += len(points)
        for column, point in enumerate(points, rank[source] + 1):
            columns[column].append(point)
        paths.append([source, *points, target])
        weight = STRAIGHT ** max(-3, ahead[source] + least + back[target] - longest)
        for one, other in pairwise(paths[-1]):
            left[other][one] = right[one][other] = weight
    return order(columns, left, right), paths, left, right


def _levels(edges, paths, centre, heights):
    """For each edge, where across the picture it passes its nodes; at its ends, where on the side of the box."""
    levels = {index: [centre[node] for node in path] for index, path in paths.items()}
    for end, beside in (0, 1), (-1, -2):
        ends = {}
        for index, path in paths.items():
            ends.setdefault(path[end], []).append((levels[index][beside], index))
        for node, wanted in ends.items():
            wanted, indices = zip(*sorted(wanted), strict=True)
            broad = [edges[index].thickness for index in indices]
            reach = heights[node] / 2 - CORNER
            low = centre[node] - max(0, reach - broad[0] / 2)
            high = centre[node] + max(0, reach - broad[-1] / 2)
            steps = [0]
            for first, second in pairwise(broad):
                steps.append(steps[-1] + (first + second) / 2 + PORT)
            if steps[-1] > high - low:
                steps = [step * (high - low) / steps[-1] for step in steps]
            for index, level, step in zip(indices, spread(wanted, steps, [1] * len(steps)), steps, strict=True):
                levels[index][end] = round(min(max(level, low + step), high - steps[-1] + step))
    return levels


def _spans(columns, column_of, widths, paths, levels, apart):
    """From where to where each column goes along the picture."""
    climbs, spans, start = [0] * len(columns), [], 0
    for index, path in paths.items():
        for column, (here, there) in enumerate(pairwise(levels[index]), column_of[path[0]]):
            climbs[column] = max(climbs[column], abs(there - here))
    for column, climb in zip(columns, climbs, strict=True):
        spans.append((start, start + max([widths[node] for node in column])))
        start = spans[-1][1] + int(min(apart + CLIMB * climb, WIDEST_GAP))
    return spans
