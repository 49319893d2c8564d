"""Geometry for the tests of pictures: sampled routes, intersections, graphs to lay out.

tests/data/crossings.json has graphs, and for each the number of crossing edge pairs in the drawing by Graphviz' dot.
"""

from itertools import combinations, pairwise
from pathlib import Path

RECORD = Path(__file__).parents[1] / "data" / "crossings.json"
NODE = (70, 30)


def bezier(points, pieces=16):
    """Points on a cubic Bézier curve, its start left out."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = points
    for step in range(1, pieces + 1):
        t = step / pieces
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        yield a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3


def followed(commands):
    """The polyline along a path of shapes."""
    line = []
    for letter, *numbers in commands:
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        line += bezier([line[-1], *points]) if letter == "C" else points
    return line


def cross(first, second):
    for a, b in pairwise(first):
        (left, right), (top, bottom) = sorted((a[0], b[0])), sorted((a[1], b[1]))
        for c, d in pairwise(second):
            if max(c[0], d[0]) < left or min(c[0], d[0]) > right or max(c[1], d[1]) < top or min(c[1], d[1]) > bottom:
                continue
            if _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0:
                return True
    return False


def _side(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def crossing_pairs(lines):
    ranges = [[(min(each), max(each)) for each in zip(*line, strict=True)] for line in lines]
    return sum(all(low <= end and start <= high for (low, high), (start, end) in zip(*boxes, strict=True))
               and cross(*pair) for pair, boxes in zip(combinations(lines, 2), combinations(ranges, 2), strict=True))


def enters(line, box, margin=1.0):
    """Whether a polyline goes through a box (x, y, width, height), shrunk by a margin for its edge."""
    x, y, width, height = box
    left, right, top, bottom = x + margin, x + width - margin, y + margin, y + height - margin
    if left >= right or top >= bottom:
        return False
    for (x1, y1), (x2, y2) in pairwise(line):
        if max(x1, x2) <= left or min(x1, x2) >= right or max(y1, y2) <= top or min(y1, y2) >= bottom:
            continue
        enter, leave = 0.0, 1.0
        for start, step, low, high in ((x1, x2 - x1, left, right), (y1, y2 - y1, top, bottom)):
            if step:
                near, far = sorted(((low - start) / step, (high - start) / step))
                enter, leave = max(enter, near), min(leave, far)
            elif not low < start < high:
                leave = -1.0
        if enter < leave:
            return True
    return False


def overlap(first, second):
    return (first.x < second.x + second.width and second.x < first.x + first.width
            and first.y < second.y + second.height and second.y < first.y + first.height)  # fmt: skip
