"""The object that a cell shows: one picture in every form a reader may need."""

import base64
from functools import cached_property
from pathlib import Path

from . import words
from .render import render
from .shapes import clean
from .svg import escape, to_svg
from .text import to_text


class Drawing:
    """A picture, ready to be shown, read or saved."""

    def __init__(self, picture):
        self.picture = picture

    @cached_property
    def svg(self):
        return self.to_svg()

    def to_svg(self, data_keys=False):
        """SVG text; data_keys=True marks the group of each node and edge with its key (data-key)."""
        title = self.picture.title or f"{words.GRAPH}: {words.count(self.picture.nodes)}"
        shapes, size = render(self.picture)
        return to_svg(shapes, *size, title, self.picture.description or self.text, data_keys)

    @cached_property
    def text(self):
        return to_text(self.picture)

    def save(self, path):
        """Write the picture to a file that ends in .svg or .txt and return its path.  ValueError for another ending."""
        path, texts = Path(path), {".svg": "svg", ".txt": "text"}
        if path.suffix not in texts:
            raise ValueError(f"save(): {str(path)!r} should end in .svg or .txt")
        path.write_text(getattr(self, texts[path.suffix]), encoding="utf-8", newline="\n")
        return path

    def _repr_mimebundle_(self, include=None, exclude=None):
        data = base64.b64encode(self.svg.encode()).decode()
        spoken = self.picture.description or self.text
        alt = escape(" ".join(clean(line.strip()) for line in spoken.split("\n")))
        html = f'<img alt="{alt}" src="data:image/svg+xml;base64,{data}">'
        return {"text/html": html, "image/svg+xml": self.svg, "text/plain": self.text}

    def __repr__(self):
        return self.text
