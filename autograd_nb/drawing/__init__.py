"""Pictures of graphs that need no program beside Python: boxes and arrows laid out, written as SVG or text.

`Picture` says what there is: nodes, edges, words.  `layout` gives everything its place, `render` turns a picture into
shapes, `svg` writes them down.  `Drawing` is what a notebook cell shows.  `figures` are charts of functions and
numbers; matplotlib is imported only when one is asked for.  The modules here may import `microscope` and one another;
`figures` also imports what a learner does.
"""

from .display import Drawing, legend
from .draw import draw
from .picture import Edge, Node, Picture
from .render import render
from .shapes import Grid

__all__ = ["Drawing", "Edge", "Grid", "Node", "Picture", "draw", "legend", "render"]
