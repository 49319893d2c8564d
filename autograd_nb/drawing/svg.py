"""Writes shapes as SVG text that every viewer shows the same.

It has only presentation attributes: no style, script, id, marker or reference. An opaque ground keeps the colours
readable on a dark page too. Numbers are rounded, and nothing changes from one run to the next.
"""

from functools import lru_cache

from ..microscope.labels import escape, legible
from .shapes import PAPER, Circle, Group, Path, Polygon, Rectangle, Text, clean

SANS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
MONO = "Menlo, Consolas, monospace"


def to_svg(shapes, width, height, title="", description="", data_keys=False):
    """The SVG of a picture, from shapes or from texts that `write` made of shapes."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_number(width)}" height="{_number(height)}" '
        f'viewBox="0 0 {_number(width)} {_number(height)}" role="img" font-family="{SANS}" font-size="12" '
        f'text-anchor="middle" fill="none">',
        f"<title>{escape(clean(title))}</title>" if title else "",
        f"<desc>{escape(legible(description))}</desc>" if description else "",
        f'<rect width="{_number(width)}" height="{_number(height)}" fill="{PAPER}"/>',
    ]
    parts += [write(shape, data_keys) for shape in shapes]
    return "\n".join([*filter(None, parts), "</svg>\n"])


def write(shape, data_keys):
    match shape:
        case str():
            return shape
        case Group(key, inner, title):
            mark = f' data-key="{escape(clean(key))}"' if data_keys else ""
            label = f"<title>{escape(legible(title))}</title>" if title else ""
            return f"<g{mark}>{label}{''.join([write(part, data_keys) for part in inner])}</g>"
        case Rectangle(x, y, width, height, fill, stroke, thick, radius, dash):
            place = f'x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
            place += f' rx="{_number(radius)}"' if radius else ""
            return f"<rect {place}{_paint(fill, stroke, thick, *dash)}/>"
        case Circle(x, y, radius, fill, stroke, thick):
            return f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}"{_paint(fill, stroke, thick)}/>'
        case Polygon(points, fill, stroke, thick):
            corners = " ".join([f"{_number(x)},{_number(y)}" for x, y in points])
            return f'<polygon points="{corners}"{_paint(fill, stroke, thick)}/>'
        case Path(commands, stroke, thick, dash):
            line = "".join([letter + " ".join(map(_number, numbers)) for letter, *numbers in commands])
            return f'<path d="{line}"{_paint(None, stroke, thick, *dash)}/>'
        case Text(x, y, text, size, fill, anchor, bold, mono):
            font = f' text-anchor="{anchor}"' if anchor != "middle" else ""
            font += f' font-family="{MONO}"' if mono else ""
            font += (f' font-size="{_number(size)}"' if size != 12 else "") + (' font-weight="bold"' if bold else "")
            return f'<text x="{_number(x)}" y="{_number(y)}"{font} fill="{fill}">{_shown(text)}</text>'


@lru_cache(4096)
def _paint(fill, stroke, thick, *dash):
    text = f' fill="{fill}"' if fill else ""
    text += f' stroke="{stroke}"' if stroke else ""
    text += f' stroke-width="{_number(thick)}"' if stroke and thick != 1 else ""
    return text + (f' stroke-dasharray="{" ".join(map(_number, dash))}"' if dash else "")


@lru_cache(4096)
def _shown(text):
    return escape(clean(text).replace("  ", " \u00a0"))  # viewers would show two spaces in a row as one


@lru_cache(4096)
def _number(value):
    text = f"{value:.1f}"
    return "0" if text in ("-0.0", "0.0") else text.removesuffix(".0")
