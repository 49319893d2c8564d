"""Pictures of graphs that need no program beside Python: boxes and arrows laid out, written as SVG or text.

`Picture` holds the content: nodes, edges, words. `layout` gives everything its place, `render` turns a picture into
shapes, `svg` writes them as text. A notebook cell shows a `Drawing`. `figures` are charts of functions and numbers; the
first one imports matplotlib. The modules here may import `microscope` and one another; `figures` also imports the
package, as a notebook does.
"""

from .display import Drawing, legend
from .draw import draw
from .picture import Picture, PictureEdge, PictureNode
from .render import render
from .shapes import Grid

__all__ = ["Drawing", "Grid", "Picture", "PictureEdge", "PictureNode", "draw", "legend", "render"]
