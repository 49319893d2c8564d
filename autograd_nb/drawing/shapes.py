"""The few shapes of every picture, the colours and their meanings, and the width of a text.

A picture is a list of these shapes in drawing order, which `svg` writes as text; lengths are in pixels.
"""

import tomllib
import unicodedata
from collections import namedtuple
from functools import lru_cache
from math import inf
from pathlib import Path as File
from typing import NamedTuple

from ..microscope.labels import clean

LOOK = tomllib.loads(File(__file__).with_name("look.toml").read_text("utf-8"))
Ink = namedtuple("Ink", "edge fill text")
COLOURS = {name: Ink(*colours) for name, colours in LOOK["colours"].items()}
PAPER = "#FFFFFF"
TEXT, QUIET = COLOURS["tensor"].text, COLOURS["cut"].text
CELL_EDGE = "#D1D5DB"
NEGATIVE, ZERO, POSITIVE, NO_NUMBER = "#7FB8DE", "#FFFFFF", "#F4B183", "#E5E7EB"  # light: dark digits stand on them


AREA = "fill stroke stroke_width"  # no colour unless one is given
Rectangle = namedtuple("Rectangle", f"x y width height {AREA} radius dash", defaults=(None, None, 1, 0, ()))
Circle = namedtuple("Circle", f"x y radius {AREA}", defaults=(None, None, 1))
Polygon = namedtuple("Polygon", f"points {AREA}", defaults=(None, None, 1))
# a line: commands ("M", x, y), ("L", x, y) and ("C", x1, y1, x2, y2, x, y)
Path = namedtuple("Path", "commands stroke stroke_width dash", defaults=(1, ()))
Group = namedtuple("Group", "key shapes title", defaults=("",))  # of a box or an edge; the title is shown on hover


class Text(namedtuple("Text", "x y text size fill anchor bold mono", defaults=(12, TEXT, "middle", False, False))):
    """A line of text on the baseline y; anchor is "start" or "middle" of x."""

    __slots__ = ()

    @property
    def width(self):
        return text_width(self.text, self.size, self.bold, self.mono)


_BEYOND_ASCII = 840  # about the widest arrows and signs


@lru_cache(4096)  # most texts stand in many pictures
def text_width(text, size=12, bold=False, mono=False):
    """The greatest width of a text, in pixels; the same on every machine, with any fonts."""
    units = 0
    for character in text:
        if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
            continue
        if unicodedata.east_asian_width(character) in "WF":
            units += 1000
        elif mono:
            units += 605
        elif " " <= character <= "~":
            units += LOOK["widths"]["bold" if bold else "regular"][ord(character) - 32]
        else:
            units += 1000 if character in "…—" else _BEYOND_ASCII
    return round(units * size / 1000, 1)


def channels(colour):
    return tuple(bytes.fromhex(colour[1:]))


def mixed(first, second, share):
    pairs = zip(channels(first), channels(second), strict=True)
    return "#" + bytes([round(a + (b - a) * share) for a, b in pairs]).hex().upper()


def diamond(x, y, reach, ink):
    return Polygon(((x - reach, y), (x, y - reach), (x + reach, y), (x, y + reach)), ink.fill, ink.edge, 1.5)


def scissors(x, y, ink):
    blades = (("M", x - 3, y + 2), ("L", x + 4, y - 7), ("M", x + 3, y + 2), ("L", x - 4, y - 7))
    return [Rectangle(x - 9, y - 4, 18, 8, PAPER), Path(blades, ink.edge, 1.5),
            *(Circle(at, y + 4, 2.5, PAPER, ink.edge, 1.5) for at in (x - 4, x + 4))]  # fmt: skip


class Drawable(NamedTuple):
    """Something in a box or on an edge: its size, and ``draw(x, y)``, its shapes around a point."""

    width: float
    height: float
    draw: object


def joined(parts, axis=0, gap=0):
    """Parts side by side, or one below another."""
    turn, sizes = -1 if axis else 1, [*zip(*parts, strict=True)] or [(), ()]
    long, broad = sum(sizes[axis]) + gap * len(parts), max(sizes[not axis], default=0)

    def draw(*middle):
        along, level = middle[::turn]
        shapes, along = [], along - long / 2
        for part in parts:
            half = (part[axis] + gap) / 2
            shapes += part.draw(*(along + half, level)[::turn])
            along += 2 * half
        return shapes

    return Drawable(*(long, broad)[::turn], draw)


LINE_LIMIT, CELL_LIMIT = 48, 14  # characters of a line, and in a cell of a grid


@lru_cache(4096)
def text_line(text, size, ink=TEXT, limit=LINE_LIMIT, bold=False, mono=False):
    text = clean(text, limit)
    return Drawable(text_width(text, size, bold, mono), size + 3,
                lambda x, y: [Text(x, y + round(size * 0.36, 1), text, size, ink, bold=bold, mono=mono)])  # fmt: skip


class Grid(NamedTuple):
    """A small table of numbers as coloured cells: `numbers` row by row, `texts` likewise or None for a thumbnail.

    least: the least width of a cell with a text, in pixels.
    """

    numbers: tuple
    texts: tuple = None
    least: float = 0

    def cells(self):
        """A part for each number, row by row."""
        texts = [[text_line(text, 11, limit=CELL_LIMIT, mono=True) for text in row] for row in self.texts or ()]
        widest = max([self.least, *[text.width for row in texts for text in row]])
        width, height, edge = (2 * round(widest / 2 + 4), 18, CELL_EDGE) if self.texts else (7, 7, None)
        sizes = [abs(number) for row in self.numbers for number in row]
        top = max([size for size in sizes if size < inf], default=0) or 1

        def cell(number, text):
            fill = NO_NUMBER
            if abs(number) < inf:  # false for NaN too
                fill = mixed(ZERO, POSITIVE if number > 0 else NEGATIVE, abs(number) / top)
            return Drawable(width, height, lambda x, y: [
                Rectangle(x - width / 2, y - height / 2, width, height, fill, edge), *text.draw(x, y)])  # fmt: skip

        texts = texts or [[joined([])] * len(row) for row in self.numbers]
        return [list(map(cell, *rows)) for rows in zip(self.numbers, texts, strict=True)]
