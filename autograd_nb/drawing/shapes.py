"""The few shapes every picture is made of, the colours and what they mean, and how wide a text is.

A picture is a list of these shapes in drawing order, which `svg` writes as text; lengths are in pixels.
"""

import tomllib
import unicodedata
from collections import namedtuple
from functools import lru_cache
from pathlib import Path as File
from typing import NamedTuple

from ..microscope.labels import clean

LOOK = tomllib.loads(File(__file__).with_name("look.toml").read_text("utf-8"))
Ink = namedtuple("Ink", "edge fill text")
COLOURS = {name: Ink(*colours) for name, colours in LOOK["colours"].items()}
PAPER = "#FFFFFF"
TEXT, QUIET = COLOURS["tensor"].text, COLOURS["cut"].text
HATCH = "#D1D5DB"
NEGATIVE, ZERO, POSITIVE, NO_NUMBER = "#7FB8DE", "#FFFFFF", "#F4B183", "#E5E7EB"  # light: dark digits stand on them


AREA = "fill stroke stroke_width"  # neither colour unless one is given
Rectangle = namedtuple("Rectangle", f"x y width height {AREA} radius dash", defaults=(None, None, 1, 0, ()))
Circle = namedtuple("Circle", f"x y radius {AREA}", defaults=(None, None, 1))
Polygon = namedtuple("Polygon", f"points {AREA}", defaults=(None, None, 1))
# a line: commands ("M", x, y), ("L", x, y) and ("C", x1, y1, x2, y2, x, y)
Path = namedtuple("Path", "commands stroke stroke_width dash", defaults=(1, ()))
Group = namedtuple("Group", "key shapes title", defaults=("",))  # of a box or an edge; the title is shown on hover


class Text(namedtuple("Text", "x y text size fill anchor bold mono", defaults=(12, TEXT, "middle", False, False))):
    """A line of text on the baseline y; anchor is "start", "middle" or "end" of x."""

    __slots__ = ()

    @property
    def width(self):
        return text_width(self.text, self.size, self.bold, self.mono)


_BEYOND_ASCII = 840  # about what arrows and signs take at most


@lru_cache(4096)  # most texts stand in many pictures
def text_width(text, size=12, bold=False, mono=False):
    """How wide a text is at most, in pixels; the same on every machine, whatever fonts it has."""
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
    return tuple(int(colour[start : start + 2], 16) for start in (1, 3, 5))


def mixed(first, second, share):
    pairs = zip(channels(first), channels(second), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)


def diamond(x, y, reach, ink):
    return Polygon(((x - reach, y), (x, y - reach), (x + reach, y), (x, y + reach)), ink.fill, ink.edge, 1.5)


def hatch(x, y, width, height, step=8):
    commands = []
    for offset in range(step, width + height, step):
        commands.append(("M", x + min(offset, width), y + max(0, offset - width)))
        commands.append(("L", x + max(0, offset - height), y + min(offset, height)))
    return Path(tuple(commands), HATCH, 1)


def scissors(x, y, ink):
    blades = (("M", x - 3, y + 2), ("L", x + 4, y - 7), ("M", x + 3, y + 2), ("L", x - 4, y - 7))
    return [Path(blades, ink.edge, 1.5), *(Circle(at, y + 4, 2.5, PAPER, ink.edge, 1.5) for at in (x - 4, x + 4))]


def pin(x, y, ink):
    return [Path((("M", x, y), ("L", x, y - 5)), ink.edge, 1.5), Circle(x, y - 7, 2.5, ink.edge)]


def pill(x, y, text, ink, size=11, stroke_width=1):
    width, height = pill_size(text, size)
    return [Rectangle(x - width / 2, y - height / 2, width, height, ink.fill, ink.edge, stroke_width, height / 2),
            Text(x, y + round(size * 0.36, 1), text, size, ink.text, mono=True)]  # fmt: skip


def pill_size(text, size=11):
    return 2 * round(text_width(text, size, mono=True) / 2 + size * 0.7), 2 * round(size * 0.75)


CELL_LIMIT = 14  # characters in a cell of a grid


class Grid(NamedTuple):
    """A small table of numbers as coloured cells: `numbers` row by row, `texts` alike or None for a thumbnail."""

    numbers: tuple
    texts: tuple = None

    @property
    def cell(self):
        if self.texts is None:
            return 7, 7
        texts = (clean(text, CELL_LIMIT) for row in self.texts for text in row)
        widest = max((text_width(text, 11, mono=True) for text in texts), default=0)
        return 2 * round(widest / 2 + 4), 18

    @property
    def size(self):
        width, height = self.cell
        return width * max(map(len, self.numbers), default=0), height * len(self.numbers)

    def shapes(self, x, y):
        width, height = self.cell
        flat = [abs(number) for row in self.numbers for number in row]
        top = max((number for number in flat if number < float("inf")), default=0) or 1
        cells, texts = [], []
        for r, row in enumerate(self.numbers):
            for c, number in enumerate(row):
                finite = abs(number) < float("inf")  # false for NaN too
                fill = mixed(ZERO, POSITIVE if number > 0 else NEGATIVE, abs(number) / top) if finite else NO_NUMBER
                edge = HATCH if self.texts else None
                cells.append(Rectangle(x + c * width, y + r * height, width, height, fill, edge))
                if self.texts:
                    where = x + (c + 0.5) * width, y + r * height + 13
                    texts.append(Text(*where, clean(self.texts[r][c], CELL_LIMIT), 11, mono=True))
        return cells + texts
