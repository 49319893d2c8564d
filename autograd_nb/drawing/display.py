"""The object that a cell shows: one picture in every form that a reader may need."""

import base64
import re
from contextlib import suppress
from functools import cached_property

from ..microscope.files import save
from ..microscope.labels import escape
from ..torch_api.contents import load_module
from . import saving, words
from .folding import MODULE
from .legend import all_signs, legend_of
from .render import render
from .shapes import clean
from .svg import to_svg
from .text import to_text


class Drawing:
    """A picture to show or read; or *again* arranges it on request, given the paths of *opened* modules and a view.

    *views*: the views to choose from; *view*: the one shown.
    """

    def __init__(self, picture=None, opened=(), again=None, views=(), view=None):
        self.opened, self.again, self.views, self.view = opened, again, views, view
        if picture is not None:
            self.arranged = picture, None

    @cached_property
    def arranged(self):
        """The picture, and its arrangement if there is one already."""
        return self.again(self.opened, self.view)

    @property
    def picture(self):
        return self.arranged[0]

    @cached_property
    def svg(self):
        shapes, size = render(*self.arranged)
        return to_svg(shapes, *size, self.title, self.text)

    @property
    def title(self):
        return self.picture.title or f"{words.GRAPH}: {words.count(self.picture.nodes)}"

    @cached_property
    def text(self):
        return to_text(self.picture)

    @property
    def legend(self):
        return folded_list(words.LEGEND, legend_of(self.picture))

    @property
    def html(self):
        alt = " ".join(clean(line.strip()) for line in self.text.split("\n"))
        return image(self.svg, alt) + self.legend

    def _repr_mimebundle_(self, include=None, exclude=None):
        bundle = {"text/html": self.html, "image/svg+xml": self.svg, "text/plain": self.text}
        with suppress(ModuleNotFoundError):  # if only NumPy is installed the picture stays as it is
            if self.opened or self.views or any(node.key.startswith(MODULE) for node in self.picture.nodes):
                bundle |= load_module("widgets.unfolding").Unfolding(self)._repr_mimebundle_()[0]
        return bundle

    def save(self, path, overwrite=False):
        """Write the picture to a file, as the ending of its name says: ``.svg``, ``.html``, ``.png`` or ``.dot``.

        FileExistsError if the file exists and save() did not write it, unless *overwrite* is true.
        """
        save(path, {".svg": lambda: self.svg, ".html": self.as_page, ".png": lambda: saving.png(self.picture),
                    ".dot": lambda: saving.dot(self.picture)}, overwrite)  # fmt: skip

    def as_page(self):
        return saving.page(self.title, f'<div class="picture" tabindex="0">{self.svg}</div>{self.legend}')

    def __repr__(self):
        return self.text


def image(svg, alt):
    """An SVG as HTML that every front end shows; without enough room it scrolls, so its letters stay legible."""
    data, (width,) = base64.b64encode(svg.encode()).decode(), re.search(r'width="([\d.]+)"', svg).groups()
    return f'<img alt="{escape(alt)}" style="min-width:{width}px" src="data:image/svg+xml;base64,{data}">'


def folded_list(title, texts):
    items = "".join(f"<li>{escape(clean(each))}</li>" for each in texts)
    return f"<details><summary>{escape(title)}</summary><ul>{items}</ul></details>" if texts else ""


def legend():
    """Every sign of the pictures of graphs, with its meaning."""
    return Drawing(all_signs())
