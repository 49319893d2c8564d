"""Charts and tables of numbers for all lessons, drawn with the shapes that all pictures use.

A `Plot` says which axes and series a chart has, and its `chart` has the numbers. A series has a style, a text such as
``"leaf 2 6 ring dashed"``: its colour, the width of its line, the radius of its marks, and any of "ring", "diamond",
"dashed", "dotted", "last" and "gaps". With "last" only the last point has a mark. With "gaps" no line joins two points
that both lie outside: a curve with a pole would seem to cross there. A `board` has lines of cells, and a learner can
choose some of them.
"""

import math
from importlib import import_module
from itertools import accumulate, zip_longest

import numpy as np

from ..drawing.shapes import (
    COLOURS,
    QUIET,
    TEXT,
    Circle,
    Drawable,
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
    """The form of a chart: its size in pixels, its axes, the rows of its legend, and its series' styles by key.

    An axis is ``(name, from, to)``, with None for an end that the numbers decide; a fourth entry, "1e", says that it
    shows their powers of ten, None that it shows no numbers.
    """

    def __init__(self, size, across, up, rows=1, **styles):
        self.size, self.axes, self.rows, self.styles = size, (across, up), rows, styles

    def picture(self, title, data, words, labels):
        """The `Figure` of data, ``{key: points}``; a tuple has points of the line, and points of the marks.

        "across" and "up" in data are ends of these axes; words: the names of axes in the learner's language.
        """
        series = [(key, style, *map(self.pairs, data[key] if isinstance(data[key], tuple) else 2 * (data[key],)))
                  for key, style in self.styles.items() if key in data]  # fmt: skip
        values, axes = np.concatenate([points for _, _, *both in series for points in both]), []
        for column, side in enumerate(("across", "up")):
            name, *ends, power = (*self.axes[column], "")[:4]
            ends = data.get(side, ends)
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


def board(title, text, kind, lines, choices, marked):
    """The `Figure` of lines of cells.

    A cell is a Drawable or a small label, which make their column wide enough, a Text, which may reach beyond it, or
    None. choices: the line of each, its first column and the one after its last; its cells are the group "kind 0" ….
    marked: the same of cells that have a frame, and its colour.
    """
    lines = [[small(cell) if isinstance(cell, str) else cell for cell in line] for line in lines]
    columns = zip_longest(*lines)
    widths = [max((cell.width for cell in column if isinstance(cell, Drawable)), default=0) for column in columns]
    edges, right = [*accumulate(widths, initial=MARGIN)], 0
    groups = {key: [] for key in ("names", *(f"{kind} {place}" for place in range(len(choices))))}
    keys = {(row, at): f"{kind} {place}" for place, (row, *ends) in enumerate(choices) for at in range(*ends)}
    for row, cells in enumerate(lines):
        for column, cell in enumerate(cells):
            x, y, width = edges[column], MARGIN + ROW * row, widths[column]
            if isinstance(cell, Text):
                groups["names"].append(cell._replace(x=x, y=y + 14))
                right = max(right, x + cell.width)
            elif cell:
                groups[keys.get((row, column), "names")] += cell.draw(x + width / 2, y + ROW / 2)

    def frame(row, first, end, colour):
        x, y = edges[first], MARGIN + ROW * row
        return Rectangle(x, y, edges[end] - x, ROW, None, COLOURS[colour].edge, 2)

    groups["marked"] = [frame(*each) for each in marked]
    size = max(right, edges[-1]) + MARGIN, ROW * len(lines) + 2 * MARGIN
    return Figure([Group(key, tuple(shapes)) for key, shapes in groups.items()], size, title, text)


def boxed(numbers, texts=None):
    """Cells for rows of numbers, coloured by their sizes."""
    return Grid(numbers, texts or [list(map(number, row)) for row in numbers], CELL).cells()


def head(text):
    return Text(0, 0, text, 12.5, anchor="start", bold=True)


def small(text):
    part = text_line(text, SMALL, QUIET, mono=True)
    return part._replace(width=part.width + MARGIN)
