"""Writes shapes as SVG text that every viewer shows the same.

It has only presentation attributes: no style, script, id, marker or reference. An opaque ground keeps the colours
readable on a dark page too. Numbers are rounded, and nothing changes from one run to the next.
"""

from functools import lru_cache

from ..microscope.labels import escape, legible
from .shapes import PAPER, Circle, Group, Path, Polygon, Rectangle, Text, clean

SANS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
MONO = "Menlo, Consolas, monospace"


def to_svg(shapes, width, height, title="", description=""):
    """The SVG of a picture, from shapes or from texts that `write` made of shapes."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_number(width)}" height="{_number(height)}" '
        f'viewBox="0 0 {_number(width)} {_number(height)}" role="img" font-family="{SANS}" font-size="12" '
        f'text-anchor="middle" fill="none">',
        _title(clean(title)),
        f"<desc>{escape(legible(description))}</desc>" if description else "",
        f'<rect width="{_number(width)}" height="{_number(height)}" fill="{PAPER}"/>',
    ]
    parts += write(shapes)
    return "\n".join([*filter(None, parts), "</svg>\n"])


def write(shapes, data_keys=False):
    """The text of each shape, or of each text that this made before."""
    texts = []
    for shape in shapes:
        match shape:
            case Group(key, inner, title):
                mark = f' data-key="{escape(clean(key))}"' if data_keys else ""
                text = f"<g{mark}>{_title(title)}{''.join(write(inner, data_keys))}</g>"
            case Rectangle(x, y, width, height, fill, stroke, thick, radius, dash):
                place = f'x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
                place += f' rx="{_number(radius)}"' if radius else ""
                text = f"<rect {place}{_paint(fill, stroke, thick, *dash)}/>"
            case Circle(x, y, radius, fill, stroke, thick):
                place = f'cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}"'
                text = f"<circle {place}{_paint(fill, stroke, thick)}/>"
            case Polygon(points, fill, stroke, thick):
                corners = " ".join([f"{_number(x)},{_number(y)}" for x, y in points])
                text = f'<polygon points="{corners}"{_paint(fill, stroke, thick)}/>'
            case Path(commands, stroke, thick, dash):
                line = ""
                for letter, *numbers in commands:
                    line += letter + " ".join(map(_number, numbers))
                text = f'<path d="{line}"{_paint(None, stroke, thick, *dash)}/>'
            case Text(x, y, words, size, fill, anchor, bold, mono):
                font = f' text-anchor="{anchor}"' if anchor != "middle" else ""
                font += f' font-family="{MONO}"' if mono else ""
                font += f' font-size="{_number(size)}"' if size != 12 else ""
                font += ' font-weight="bold"' if bold else ""
                text = f'<text x="{_number(x)}" y="{_number(y)}"{font} fill="{fill}">{_shown(words)}</text>'
            case _:
                text = shape
        texts.append(text)
    return texts


@lru_cache(1024)
def _title(text):
    return f"<title>{escape(legible(text))}</title>" if text else ""


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
