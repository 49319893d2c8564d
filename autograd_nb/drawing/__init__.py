"""Pictures of graphs that need no program beside Python: boxes and arrows laid out, written as SVG, PNG, DOT or text.

`Picture` (model) says what there is: nodes, edges, words.  `layout` gives everything its place, `render` turns
a picture into shapes, `svg` and `raster` write shapes down.  `Drawing` is what a notebook cell shows.
matplotlib is imported only when a PNG or a figure is asked for.
"""

from .display import Drawing
from .graphs import draw
from .legend import legend
from .model import Edge, Node, Picture
from .render import render
from .shapes import Grid
from .tables import info

__all__ = ["Drawing", "Edge", "Grid", "Node", "Picture", "draw", "info", "legend", "render"]
