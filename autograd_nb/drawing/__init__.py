"""Pictures of graphs that need no program beside Python: boxes and arrows laid out, written as SVG or text.

`Picture` holds the content: nodes, edges, words. `layout` gives everything its place, `render` turns a picture into
shapes, `svg` writes them as text. A notebook cell shows a `Drawing`. The modules here may import `microscope` and one
another.
"""

from ..torch_api import contents as _contents
from .display import Drawing, legend
from .draw import draw
from .picture import Picture, PictureEdge, PictureNode
from .render import render
from .shapes import Grid

__all__ = ["Drawing", "Grid", "Picture", "PictureEdge", "PictureNode", "draw", "legend", "render"]


def __getattr__(name):
    """`figures`, which notebooks of 0.2.0 import from here."""
    if name == "figures":
        return _contents.load_module("course.figures")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
