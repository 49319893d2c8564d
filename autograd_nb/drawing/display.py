"""The object that a cell shows: one picture in every form a reader may need."""

import base64
from functools import cached_property

from . import words
from .render import render
from .shapes import clean
from .svg import escape, to_svg
from .text import to_text


class Drawing:
    """A picture, ready to be shown or read."""

    def __init__(self, picture):
        self.picture = picture

    @cached_property
    def svg(self):
        shapes, size = render(self.picture)
        title = self.picture.title or f"{words.GRAPH}: {words.count(self.picture.nodes)}"
        return to_svg(shapes, *size, title, self.text)

    @cached_property
    def text(self):
        return to_text(self.picture)

    def _repr_mimebundle_(self, include=None, exclude=None):
        data = base64.b64encode(self.svg.encode()).decode()
        alt = escape(" ".join(clean(line.strip()) for line in self.text.split("\n")))
        html = f'<img alt="{alt}" src="data:image/svg+xml;base64,{data}">'
        return {"text/html": html, "image/svg+xml": self.svg, "text/plain": self.text}

    def __repr__(self):
        return self.text
