"""Charts made of the shapes that all pictures are made of, so that a live chart and a stored one are the same.

`Axes` maps numbers to places of a picture, linearly or by powers of ten, and draws lines only where they lie inside.
"""

import math
from itertools import pairwise

import numpy as np

from ..drawing.shapes import QUIET, TEXT, Circle, Group, Path, Rectangle, Text
from ..microscope.values import short

GRID = "#E5E7EB"


class Axes:
    """A rectangle of a picture with an axis across and one up, each ``(from, to)``; from may be the larger one.

    *logarithmic*: whether both run over powers of ten.
    """

    def __init__(self, x, y, width, height, across, up, logarithmic=False):
        self.x, self.y, self.width, self.height = x, y, width, height
        self.across, self.up, self.logarithmic = across, up, logarithmic

    def place(self, a, b):
        return self.places([(a, b)])[0]

    def frame(self, title, across, up):
        """The grid with its numbers, the title and what the axes are called, as one group."""
        right, bottom = self.x + self.width, self.y + self.height
        lines, texts = [], []
        for value, text in ticks(self.across, self.logarithmic):
            at, _ = self.place(value, self.up[0])
            lines += [("M", at, self.y), ("L", at, bottom)]
            texts.append(Text(at, bottom + 15, text, 11, QUIET))
        for value, text in ticks(self.up, self.logarithmic):
            _, at = self.place(self.across[0], value)
            lines += [("M", self.x, at), ("L", right, at)]
            texts.append(Text(self.x - 6, at + 4, text, 11, QUIET, "end"))
        names = [Text(self.x, self.y - 10, title, 12.5, TEXT, "start", True),
                 Text((self.x + right) / 2, bottom + 33, across, 11.5, QUIET),
                 Text(right, self.y - 10, up, 11.5, QUIET, "end")]  # fmt: skip
        box = Rectangle(self.x, self.y, self.width, self.height, None, "#9CA3AF")
        return Group("frame", (Path(tuple(lines), GRID), box, *texts, *names))

    def line(self, points, colour, width=2, dash=(), gaps=False):
        """A line through points, as shapes; it has a gap where a number has no place or lies outside.

        *gaps*: also between two points that both lie outside, where a curve with a pole would seem to cross.
        """
        commands, end = [], None
        for a, b in pairwise(self.places(points)):
            part = None if gaps and not (self.holds(*a) or self.holds(*b)) else self.inside(a, b)
            if part:
                commands += [("L", *part[1])] if part[0] == end else [("M", *part[0]), ("L", *part[1])]
            end = part and part[1]
        return [Path(tuple(commands), colour, width, dash)] if commands else []

    def places(self, points):
        """Where points lie, in pixels; nan or infinite where a number has no place."""
        numbers, ends = np.array(points, dtype=float).reshape(-1, 2), np.array([self.across, self.up], dtype=float).T
        with np.errstate(all="ignore"):
            if self.logarithmic:
                numbers, ends = np.log10(numbers), np.log10(ends)
            across, up = ((numbers - ends[0]) / (ends[1] - ends[0])).T
            x, y = self.x + across * self.width, self.y + (1 - up) * self.height
        return list(zip(x.tolist(), y.tolist(), strict=True))

    def dots(self, points, colour, radius=3, fill=None):
        places = [place for place in self.places(points) if self.holds(*place, 1)]
        return [Circle(*place, radius, fill or colour, colour, 1.5) for place in places]

    def holds(self, x, y, beyond=0):
        """Whether a place lies inside, or at most some pixels beyond; nan does not."""
        return (self.x - beyond <= x <= self.x + self.width + beyond
                and self.y - beyond <= y <= self.y + self.height + beyond)  # fmt: skip

    def inside(self, start, end):
        """The part of a straight line that lies inside, or None (Liang and Barsky's way)."""
        if self.holds(*start) and self.holds(*end):
            return start, end
        if not all(map(math.isfinite, start + end)):
            return None
        first, last = 0.0, 1.0
        for low, high, a, b in ((self.x, self.x + self.width, start[0], end[0]),
                                (self.y, self.y + self.height, start[1], end[1])):  # fmt: skip
            if a == b:
                if not low <= a <= high:
                    return None
                continue
            enters, leaves = sorted(((low - a) / (b - a), (high - a) / (b - a)))
            first, last = max(first, enters), min(last, leaves)
        if first > last:
            return None
        return tuple(tuple(a + part * (b - a) for a, b in zip(start, end, strict=True)) for part in (first, last))


def ticks(ends, logarithmic):
    """Round numbers along an axis and their texts: (0.0, "0"), (0.2, "0.2") …"""
    low, high = sorted(ends)
    if logarithmic:
        start, end = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        step = max(1, math.ceil((end - start) / 6))
        return [(10.0**power, f"1e{power}") for power in range(start, end + 1, step)]
    size = 10.0 ** math.floor(math.log10((high - low) / 5))
    step = next(size * factor for factor in (1, 2, 5, 10) if (high - low) / (size * factor) <= 6)
    places = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    values = [round(place * step, 12) + 0.0 for place in places]
    return [(value, short(value).removesuffix(".")) for value in values]


def room(values):
    """The range of an axis on which finite numbers have room."""
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    least = 1e-9 * max(1, abs(low), abs(high)) if high > low else max(0.5, abs(low) / 2)
    extra = max((high - low) * 0.08, least)
    return low - extra, high + extra


def contour(axes, values, level):
    """Commands of the line along which numbers, spread evenly over axes, pass a level; by marching squares."""
    values = values - level
    above = (values > 0).astype(int)
    corners_above = above[1:, 1:] + above[:-1, :-1] + above[1:, :-1] + above[:-1, 1:]
    up_to, across_to = (count - 1 for count in values.shape)
    commands = []
    for r, c in np.argwhere(corners_above % 4).tolist():
        corners = ((r, c), (r, c + 1), (r + 1, c + 1), (r + 1, c))
        ends = []
        for one, other in zip(corners, (*corners[1:], corners[0]), strict=True):
            a, b = values[one], values[other]
            if (a > 0) != (b > 0) and math.isfinite(a - b):
                up, across = (p + a / (a - b) * (q - p) for p, q in zip(one, other, strict=True))
                ends.append((axes.x + across / across_to * axes.width, axes.y + (1 - up / up_to) * axes.height))
        for start, end in zip(ends[::2], ends[1::2], strict=False):
            commands += [("M", *start), ("L", *end)]
    return commands
