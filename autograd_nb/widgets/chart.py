"""The charts and the tables of numbers that all lessons draw, of the shapes that all pictures are made of.

A `Chart` has axes, series on them and a legend of the series that have a label; it finds a place for everything, by how
wide the texts are, and draws lines only where they lie inside.  So does a
`Table`.
"""

import math
from itertools import accumulate, pairwise, zip_longest
from typing import NamedTuple

import numpy as np

from ..drawing.shapes import QUIET, TEXT, Circle, Grid, Group, Path, Rectangle, Text, text_width
from ..microscope.values import short

GRID, EDGE = "#E5E7EB", "#9CA3AF"
MARGIN, LINE, SMALL = 12, 16, 11  # pixels: around everything, from one line of text to the next, small letters
SAMPLE = 20  # pixels of a series beside its label
ROW = 20  # pixels: a line of a table
CELL = text_width("-1.2e+03", SMALL, mono=True) + 8  # at least, so that cells keep their size while numbers change
SLACK = 1e-9  # what lies on the border lies inside


class Series(NamedTuple):
    """What stands in a chart; for its legend a label or "", the colour of that, and a sample to draw at a place."""

    group: Group
    label: str
    colour: str
    sample: object = lambda x, y: ()


class ChartPicture(NamedTuple):
    """What `Widget.draw` takes, and where the axes are: their ``ends``, and their ``sides`` in pixels."""

    shapes: list
    size: tuple
    title: str
    text: str
    axes: dict = None


def dot(x, y, radius, ink):
    return Circle(x, y, radius, ink.edge, ink.edge, 1.5)


def ring(x, y, radius, ink):
    return Circle(x, y, radius, ink.fill, ink.edge, 1.5)


class Chart:
    """A rectangle with an axis across and one up, each ``(from, to, name)``; from may be the larger one.

    up: None for a line of numbers across. size: pixels across and up; without the second the axes are a square. rows:
    lines of the legend. powers: whether the numbers on the axes are powers of ten; "up": on that one only.
    """

    def __init__(self, across, up, size, rows=1, powers=False):
        self.across, self.up, self.rows, self.powers = across, up or (0, 1, ""), rows, powers
        self.marks = list(self.ticks(up)) if up else []  # on the axis up
        widest = max((text_width(text, SMALL) for _, text in self.marks), default=0)
        self.x = MARGIN * math.ceil(widest / MARGIN + 0.6)  # in steps, so that it seldom moves
        self.y = MARGIN + LINE * (rows + 1)
        self.width = size[0] - self.x - MARGIN
        below = MARGIN + LINE * (2 if across[2] else 1)
        self.height = size[1] - self.y - below if size[1] else self.width
        self.size = size[0], self.y + self.height + below
        self.sides = [[self.x, self.x + self.width], [self.y + self.height, self.y]]

    def picture(self, title, *series, text=""):
        """A `Picture`; later series stand over earlier ones."""
        box = Rectangle(self.x, self.y, self.width, self.height, None, EDGE)
        shapes = [self.grid(title), *(each.group for each in series), Group("frame", (box, *self.legend(series)))]
        axes = {"ends": [self.across[:2], self.up[:2]], "sides": self.sides}
        return ChartPicture(shapes, self.size, title, text or title, axes)

    def grid(self, title):
        right, bottom = self.x + self.width, self.y + self.height
        lines, texts = [], []
        for share, text in self.ticks(self.across):
            x = self.x + share * self.width
            lines += [("M", x, self.y), ("L", x, bottom)]
            texts.append(Text(x, bottom + LINE, text, SMALL, QUIET))
        for share, text in self.marks:
            y = bottom - share * self.height
            lines += [("M", self.x, y), ("L", right, y)]
            texts.append(Text(self.x - 6, y + 4, text, SMALL, QUIET, "end"))
        texts += [Text(MARGIN, MARGIN + 6, title, 12.5, TEXT, "start", True),
                  Text((self.x + right) / 2, bottom + 2 * LINE, self.across[2], SMALL, QUIET),
                  Text(right, MARGIN + 6, self.up[2], SMALL, QUIET, "end")]  # fmt: skip
        return Group("grid", (Path(tuple(lines), GRID), *(each for each in texts if each.text)))

    def legend(self, series):
        """Labels with their samples, in as many columns as its rows make necessary."""
        labelled = [each for each in series if each.label]
        columns = math.ceil(len(labelled) / self.rows) or 1
        for place, (_, label, colour, sample) in enumerate(labelled):
            row, column = divmod(place, columns)
            x = MARGIN + column * (self.size[0] - MARGIN) / columns
            y = MARGIN + LINE * (row + 1) + 2
            drawn = sample(x, y)
            yield from drawn
            yield Text(x + (SAMPLE + 6) * bool(drawn), y + 4, label, SMALL, colour, "start")

    def ticks(self, axis):
        """Round numbers along an axis: how far along each stands, from 0 to 1, and its text."""
        low, high = sorted(axis[:2])
        size = 10.0 ** math.floor(math.log10((high - low) / 5))
        step = next(size * factor for factor in (1, 2, 5, 10) if (high - low) / (size * factor) <= 6)
        places = range(math.ceil(low / step - SLACK), math.floor(high / step + SLACK) + 1)
        powers = self.powers and (self.powers != "up" or axis is self.up)
        for value in (round(place * step, 12) + 0.0 for place in places):
            text = f"1e{value:g}" if powers else short(value).removesuffix(".")
            yield (value - axis[0]) / (axis[1] - axis[0]), text

    # -- what stands in it -------------------------------------------------------------------------------------------

    def series(self, key, ink, line=(), dots=(), label="", width=2, dash=(), radius=3, mark=dot, gaps=False):
        """A line through points and marks at others, in an `Ink`; mark: `ring` or `diamond` instead of a dot.

        gaps: no line between two points that both lie outside, where a curve with a pole would seem to cross.
        """

        def drawn(commands, places, thick=width):
            path = (Path(tuple(commands), ink.edge, thick, dash),) if commands else ()
            return *path, *(mark(x, y, radius, ink) for x, y in places)

        shares = self.shares(dots)
        group = Group(key, drawn(self.line(line, gaps), self.pixels(shares[holds(shares)])))
        return Series(group, label, ink.text, lambda x, y: drawn(
            [("M", x, y), ("L", x + SAMPLE, y)] * bool(len(line)), [(x + SAMPLE / 2, y)] * bool(dots), min(width, 10))
        )  # fmt: skip

    # -- numbers, shares of the axes, pixels -------------------------------------------------------------------------

    def shares(self, points):
        """How far along both axes points lie, pairs or complex numbers, from 0 to 1: an array of (n, 2)."""
        points, ends = np.array(points), np.array([self.across[:2], self.up[:2]], dtype=float).T
        pairs = points.view(float) if np.iscomplexobj(points) else points
        return (pairs.reshape(-1, 2) - ends[0]) / (ends[1] - ends[0])

    def pixels(self, shares):
        return [(self.x + a * self.width, self.y + (1 - b) * self.height) for a, b in np.asarray(shares).tolist()]

    def line(self, points, gaps):
        """Commands of a line through points, with a gap where a number has no place or lies outside."""
        shares = self.shares(points)
        starts, way = shares[:-1], np.diff(shares, axis=0)
        with np.errstate(all="ignore"):  # Liang and Barsky's way: at which part of its way a line passes each border
            passes = np.array([-SLACK - starts, 1 + SLACK - starts]) / np.where(way == 0, 1e-99, way)
        first, last = passes.min(0).max(1, initial=0), passes.max(0).min(1, initial=1)
        shown = (first <= last) & np.isfinite(way).all(1)
        if gaps:
            shown &= holds(starts) | holds(shares[1:])
        commands, end = [], None
        ends = (self.pixels(starts[shown] + part[shown, None] * way[shown]) for part in (first, last))
        for start, stop in zip(*ends, strict=True):
            commands += [("M", *start)] * (on_paper(start) != end) + [("L", *stop)]
            end = on_paper(stop)
        return commands


def on_paper(place):
    """Coordinates as an SVG has them: two ends meet whether or not their last digits agree."""
    return [round(coordinate, 1) for coordinate in place]


def holds(shares):
    """Whether shares are within the axes; nan is not."""
    return (abs(shares - 0.5) <= 0.5 + SLACK).all(1)


def room(values):
    """The range of an axis on which finite numbers have room."""
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    least = 1e-9 * max(1, abs(low), abs(high)) if high > low else max(0.5, abs(low) / 2)
    extra = max((high - low) * 0.08, least)
    return low - extra, high + extra


def contour(values, across, up, *levels):
    """Points of the lines along which numbers, spread evenly over axes, pass levels, nan between pieces of them.

    By marching squares: values is an array of (rows, columns), the lowest row first.
    """
    columns, rows = (np.linspace(*ends[:2], count) for ends, count in ((across, values.shape[1]), (up, len(values))))
    places, heights = map(around, (columns + 1j * rows[:, None], np.where(np.isfinite(values), values, math.nan)))
    pieces = [np.empty((0, 3))]
    for above in (heights - level for level in levels):
        with np.errstate(all="ignore"):
            passed = places[:, :-1] - above[:, :-1] / np.diff(above) * np.diff(places)
        ends = passed[np.diff(above > 0)].reshape(-1, 2)  # a line enters and leaves a cell
        pieces.append(np.insert(ends, 2, math.nan, axis=1))
    return np.concatenate(pieces).flatten()


def around(values):
    """The corners of each cell of a grid, around it and back to the first."""
    return np.lib.stride_tricks.sliding_window_view(values, (2, 2)).reshape(-1, 4)[:, [0, 1, 3, 2, 0]]


# -- tables ------------------------------------------------------------------------------------------------------------


class Table:
    """Lines of cells below each other, from *left* and *top* on; it ends at `right` and `bottom`.

    A cell is a Text, which may reach beyond it, or one of `boxed`: (Rectangle, Text). Columns without boxes are narrow.
    """

    def __init__(self, lines, left=MARGIN, top=MARGIN):
        self.lines, self.top, self.bottom = lines, top, top + ROW * len(lines)
        columns = list(zip_longest(*lines, fillvalue=BLANK))
        boxes = ([each[0].width for each in column if not isinstance(each, Text)] for column in columns)
        self.edges = list(accumulate((max(each, default=3 * MARGIN) for each in boxes), initial=left))
        self.right = max(self.edges[-1], left + max(each.width for each in columns[0] if isinstance(each, Text)))

    def shapes(self):
        """The shapes of all lines: a tuple for each, of its cells' tuples."""
        return [tuple(self.line(*each)) for each in enumerate(self.lines)]

    def line(self, row, cells):
        y = self.top + ROW * row
        for cell, (x, end) in zip(cells, pairwise(self.edges), strict=False):
            *boxes, text = [cell] if isinstance(cell, Text) else cell
            place = {"start": x, "middle": (x + end) / 2, "end": end - 6}[text.anchor]
            written = [text._replace(x=place, y=y + 14)] * bool(text.text)
            yield (*(box._replace(x=x, y=y, width=end - x) for box in boxes), *written)

    def frame(self, row, first, ink, width, last=-1):
        """A frame around a line from the left edge of a column to another edge."""
        x = self.edges[first]
        return Rectangle(x, self.top + ROW * row, self.edges[last] - x, ROW, None, ink.edge, width)


def boxed(numbers, texts):
    """Cells for rows of numbers, coloured by their sizes."""
    rows = ([cell.draw(0, 0) for cell in row] for row in Grid(numbers, texts).cells())
    return [[(box._replace(width=max(box.width, CELL), height=ROW), text) for box, text in row] for row in rows]


def head(text):
    return Text(0, 0, text, 12.5, anchor="start", bold=True)


def small(text):
    return Text(0, 0, text, SMALL, QUIET, mono=True)


BLANK = small("")
