"""A large graph whose folded modules open on a click or Enter, and close again."""

from traitlets import Dict, Int, List, Unicode

from ..drawing.display import Drawing
from ..drawing.folding import MODULE
from ..drawing.legend import legend_of
from ..drawing.render import render
from ..words import of
from .kit import Figure, Widget, seen

SAY = of("widgets")["unfolding"]


class Unfolding(Widget):
    """The live form of a `Drawing` with folded modules or several views of a trace.

    ``opened`` has the paths of the open modules; ``view`` is the number of the view shown, of those named in ``views``.
    """

    files = "unfolding"
    own_words = SAY
    opened = seen(List(Unicode()))
    views, view = seen(List(Unicode())), seen(Int(0))
    graph, signs = seen(Dict()), seen(List())

    def __init__(self, drawing):
        self.drawing = drawing
        view = drawing.views.index(drawing.view) if drawing.views else 0
        super().__init__(opened=list(drawing.opened), views=[each.name for each in drawing.views], view=view)
        self.compute()
        self.observe(self.compute, ["opened", "view"])
        self.open()

    def compute(self, _=None):
        views = self.drawing.views
        picture, _ = self.drawing.again(self.opened, views[self.view % len(views)] if views else None)
        picture.nodes = [node._replace(hint=SAY("folded", path=node.title)) if node.key.startswith(MODULE) else node
                         for node in picture.nodes]  # fmt: skip
        with self.hold_sync():
            self.signs = legend_of(picture)
            self.graph = Figure(*render(picture), picture.title, Drawing(picture).text).data()

    def as_text(self):
        return self.drawing.text

    def as_html(self):
        return self.drawing.html
