"""Charts and tables of numbers for all lessons, drawn with the shapes that all pictures use.

A `Plot` has axes, and series of points. A series has a style, a text such as ``"leaf 2 6 ring dashed"``: its colour,
the width of its line, the radius of its marks, and any of "ring", "diamond", "dashed", "dotted", "last" and "gaps".
With "last" only the last point has a mark. With "gaps" no line joins two points that both lie outside: a curve with a
pole would seem to cross there.
"""

import math
from collections import defaultdict
from importlib import import_module

import numpy as np

from ..drawing.shapes import (
    COLOURS,
    QUIET,
    TEXT,
    Circle,
    Grid,
    Group,
    Ink,
    Path,
    Rectangle,
    Text,
    diamond,
    text_line,
    text_width,
)
from ..microscope.labels import number
from ..torch_api.absent import not_installed
from .kit import Figure

GRID, EDGE = "#E5E7EB", "#9CA3AF"
MARGIN, LINE, SMALL = 12, 16, 11  # pixels: around everything, from one line of text to the next, small letters
SAMPLE = 20  # pixels of a series beside its label
ROW = 20  # pixels: a line of a table
CELL = text_width("−1.234e3", SMALL, mono=True)  # the width of a table's cell, which stays while numbers change
HEAD = 0.12 + 0.06j  # how far the barbs of an arrow go back and aside
DASHES = {"dashed": (5, 3), "dotted": (2, 3)}
MOST_TICKS, ROUND = 6, (1, 2, 5, 10)


class Plot:
    """A chart: its size in pixels, its axes, the rows of its legend, and its series by key.

    An axis is ``(name, from, to)``, with None for an end that the numbers decide; a fourth entry, "1e", says that it
    shows their powers of ten, None that it shows no numbers. A series is ``(style, points)`` or ``(style, points of the
    line, points of the marks)``. drag: the settings that a pointer sets on the chart.
    """

    def __init__(self, size, across, up, rows=1, drag=None, **series):
        self.size, self.axes, self.rows, self.series = size, (across, up), rows, series
        self.part = {"kind": "chart", "drag": drag}

    def picture(self, name, lesson):
        """Its `Figure`. The lesson's words have the names of its axes, the labels of its series, and its title."""
        words, say = lesson.own_words, lesson.say
        labels = {key: say(f"{key}_label") for key in self.series if f"{key}_label" in words}
        title = say(f"{name}_title" if f"{name}_title" in words else name)
        series = [(key, style, self.pairs(line), self.pairs(marks[0] if marks else line))
                  for key, (style, line, *marks) in self.series.items()]  # fmt: skip
        values, axes = np.concatenate([np.empty((0, 2)), *(points for _, _, *both in series for points in both)]), []
        for column, axis in enumerate(self.axes):
            name, *ends, power = (*axis, "")[:4]
            low, high = room([*values[:, column], *(end for end in ends if end is not None)])
            high = max(high, low + 3.2) if power else high  # three whole powers at least
            low, high = (other if end is None else end for end, other in zip(ends, (low, high), strict=True))
            axes.append((low, high, words.get(name, name), power))
            values = values[(low <= values[:, column]) & (values[:, column] <= high)]
        return Chart(*axes, self.size, self.rows).picture(title, series, labels)

    def pairs(self, points):
        """An array of (n, 2) of points, which are pairs, complex numbers, or numbers at 0, 1, 2 …"""
        array = np.asarray(points)
        if np.iscomplexobj(array):
            array = array.view(float)
        elif array.ndim == 1:
            array = np.stack([np.arange(len(array)), array], axis=1)
        array = array.reshape(-1, 2).astype(float)
        with np.errstate(all="ignore"):
            return np.where(["1e" in axis for axis in self.axes], np.log10(array), array)


class Chart:
    """A rectangle with an axis across and one up, each ``(from, to, name)``; from may be the larger one.

    A fourth entry of an axis, "1e", says that its numbers are powers of ten; None, that it shows none. size: pixels
    across and up. rows: how many labels have room.
    """

    def __init__(self, across, up, size, rows=1):
        self.axes, self.ends, self.size = (across, up), (across[:2], up[:2]), size
        widest = max((text_width(text, SMALL) for _, text in ticks(self.axes[1], (0, 1))), default=0)
        left = MARGIN * math.ceil(widest / MARGIN + 0.6)  # in steps, so that it seldom moves
        bottom = size[1] - MARGIN - LINE * (2 if across[2] else 1)
        self.sides = [left, size[0] - MARGIN], [bottom, MARGIN + LINE * (rows + 1)]

    def picture(self, title, series, labels):
        """A `Figure`; later series cover earlier ones; the legend has those with a label and points."""
        (left, right), (bottom, top) = self.sides
        groups, legend, y = [], [Rectangle(left, top, right - left, bottom - top, None, EDGE)], MARGIN + 2
        for key, style, line, *marks in series:
            pixels = self.pixels(marks)[-1 if "last" in style else 0 :]
            shown = drawn(style, self.line(line, "gaps" in style), pixels[self.holds(pixels)].tolist())
            groups.append(Group(key, tuple(shown)))
            if labels.get(key) and (len(line) or len(pixels)):
                x, y = MARGIN + SAMPLE, y + LINE
                sample = [("M", MARGIN, y), ("L", x, y)] * bool(len(line)), [(MARGIN + SAMPLE / 2, y)][: len(pixels)]
                legend += drawn(style, *sample, LINE)
                legend.append(Text(x + 6, y + 4, labels[key], SMALL, ink_of(style).text, "start"))
        shapes = [self.grid(title), *groups, Group("frame", tuple(legend))]
        return Figure(shapes, self.size, title, title, {"ends": self.ends, "sides": self.sides})

    def grid(self, title):
        """Lines at round numbers, these, and the names of all."""
        (left, right), (bottom, top) = self.sides
        lines, texts = [], [
            Text(MARGIN, MARGIN + 6, title, 12.5, TEXT, "start", True),
            Text((left + right) / 2, bottom + 2 * LINE, self.axes[0][2], SMALL, QUIET),
            Text(right, MARGIN + 6, self.axes[1][2], SMALL, QUIET, "end")]  # fmt: skip
        for x, text in ticks(self.axes[0], self.sides[0]):
            lines += [("M", x, top), ("L", x, bottom)]
            texts.append(Text(x, bottom + LINE, text, SMALL, QUIET))
        for y, text in ticks(self.axes[1], self.sides[1]):
            lines += [("M", left, y), ("L", right, y)]
            texts.append(Text(left - 6, y + 4, text, SMALL, QUIET, "end"))
        return Group("grid", (Path(tuple(lines), GRID), *(each for each in texts if each.text)))

    # -- from numbers to pixels --------------------------------------------------------------------------------------

    def pixels(self, points):
        """Where points are drawn: an array of (n, 2)."""
        (first, last), (low, high) = map(np.transpose, (self.sides, self.ends))
        return first + (np.reshape(points, (-1, 2)) - low) * ((last - first) / (high - low))

    def holds(self, pixels):
        """Whether points lie within the frame; nan does not."""
        first, last = np.array(self.sides).T
        return ((pixels - first) * (pixels - last) < 1e-6).all(1)

    def line(self, points, gaps):
        """Commands of a line through points as far as it lies within the frame, with gaps where a number is nan."""
        pixels = self.pixels(points)
        lost = ~self.holds(pixels) & gaps
        codes = np.where(lost & np.roll(lost, 1), 1, 2)
        codes[:1] = 1
        (left, right), (bottom, top) = self.sides
        frame = left + 1, top + 1, right - 1, bottom - 1  # matplotlib clips a pixel beyond
        pieces = matplotlib("path").Path(pixels, codes).iter_segments(clip=frame, simplify=False)
        return [("ML"[code - 1], *place.tolist()) for place, code in pieces]


def matplotlib(name):
    """A module of matplotlib, which loads with the first chart."""
    try:
        return import_module(f"matplotlib.{name}")
    except ModuleNotFoundError:
        raise not_installed("a chart", "matplotlib") from None


def ticks(axis, sides):
    """Round numbers of an axis between two sides: the pixel at which each stands, and its text."""
    start, end, _, power = (*axis, "")[:4]
    if power is not None:
        locator = matplotlib("ticker").MaxNLocator(MOST_TICKS, steps=ROUND)
        for value in locator.tick_values(*sorted((start, end))).round(12):
            share = (value - start) / (end - start)
            if 0 <= round(share, 9) <= 1:
                yield sides[0] + share * (sides[1] - sides[0]), f"1e{value:g}" if power else number(value + 0.0)


def ink_of(style):
    """The colours of a series; its style begins with a name of `COLOURS`, or with a colour such as #7FB8DE."""
    name = style.partition(" ")[0]
    return COLOURS.get(name, Ink(name, name, name))


def drawn(style, commands, marks, most=math.inf):
    """The shapes of a series, its line not wider than *most*."""
    ink, (_, width, radius, *flags) = ink_of(style), style.split()
    if commands and width != "0":
        dash = [DASHES[flag] for flag in flags if flag in DASHES]
        yield Path(tuple(commands), ink.edge, min(float(width), most), *dash)
    for x, y in marks if radius != "0" else ():
        mark = Circle(x, y, float(radius), ink.fill if "ring" in flags else ink.edge, ink.edge, 1.5)
        yield diamond(x, y, float(radius), ink) if "diamond" in flags else mark


def room(values):
    """The range of an axis with room for the finite ones of some numbers."""
    finite = [*filter(math.isfinite, values)] or [0.0, 1.0]
    low, high = matplotlib("ticker").Locator().nonsingular(min(finite), max(finite))
    extra = 0.08 * (high - low)
    return low - extra, high + extra


def contour(values, across, up, levels):
    """Points of the lines along which numbers, spread evenly over axes, pass levels; nan between lines.

    values: an array of (rows, columns), the lowest row first.
    """
    places = (np.linspace(*ends[:2], size) for ends, size in zip((across, up), values.shape[::-1], strict=True))
    generator = import_module("contourpy").contour_generator(*places, np.ma.masked_invalid(values))
    lines = (line for level in levels for line in generator.lines(level))
    return np.concatenate([np.empty((0, 2)), *(np.append(line, [[math.nan] * 2], axis=0) for line in lines)])


def arrows(tails, ways, longest):
    """Points of the lines of arrows, from points along ways, the longest of that length; nan between arrows."""
    tails, ways = (np.asarray(each) @ (1, 1j) for each in (tails, ways))
    with np.errstate(invalid="ignore"):  # where there is no way, there is no arrow
        ahead = ways / abs(ways)
        tips = tails + ahead * longest * np.maximum(0.3, abs(ways) / abs(ways).max())
    barbs = [tips - ahead * each for each in (HEAD, HEAD.conjugate())]
    return np.stack([tails, tips, barbs[0], tips, barbs[1], tails * math.nan], axis=1).flatten()


# -- tables ------------------------------------------------------------------------------------------------------------


class Board:
    """Lines of matrices side by side; a learner can choose each "entry", or each "row" of those side by side.

    A matrix has a title, labels of its rows and columns (there is no line for the latter if they are none), its
    numbers, which colour the cells, their texts, and whether each has a frame, of this *colour*.
    """

    def __init__(self, kind, colour, lines):
        self.kind, self.edge, self.lines = kind, COLOURS[colour].edge, lines
        self.part = {"kind": "chart", "choose": kind}

    def picture(self, name, lesson):
        """Its `Figure`, in which the group "KIND 0" … can be chosen; the lesson's results have their texts."""
        groups, frames, y, right, count = defaultdict(list), [], MARGIN, 0, 0
        rooms = [max(small(label).width for _, labels, *_ in column for label in labels)
                 for column in zip(*self.lines, strict=True)]  # fmt: skip
        for line in self.lines:
            x = MARGIN
            for room, (title, labels, columns, numbers, texts, framed) in zip(rooms, line, strict=True):
                groups["names"].append(Text(x + room, y + 14, title, 12.5, anchor="start", bold=True))
                right = max(right, x + room + groups["names"][-1].width)
                cells = Grid(numbers, texts, CELL).cells()
                width, top = cells[0][0].width if cells else 0, y + ROW * (1 + bool(columns))
                places = [x + room + width * (place + 0.5) for place in range(len(numbers[0]) if cells else 0)]
                for place, label in zip(places, columns, strict=False):
                    groups["names"] += small(label).draw(place, y + 1.5 * ROW)
                for row, label in enumerate(labels):
                    middle = top + ROW * (row + 0.5)
                    groups["names"] += small(label).draw(x + room / 2, middle)
                    for place, cell, has_frame in zip(places, cells[row], framed[row], strict=True):
                        groups[f"{self.kind} {row if self.kind == 'row' else count}"] += cell.draw(place, middle)
                        count += 1
                        if has_frame:
                            corner = place - width / 2, middle - ROW / 2
                            frames.append(Rectangle(*corner, width, ROW, None, self.edge, 2))
                x += room + width * len(places)
                right = max(right, x)
            y = top + ROW * (len(labels) + 1)
        shapes = [Group(key, tuple(shapes)) for key, shapes in (groups | {"marked": frames}).items()]
        size = right + MARGIN, y - ROW + MARGIN
        return Figure(shapes, size, lesson.own_words["title"], "\n".join(lesson.facts["texts"]))


def small(text):
    part = text_line(text, SMALL, QUIET, mono=True)
    return part._replace(width=part.width + MARGIN)
