"""A large graph whose folded modules open on a click or Enter, and close again."""

from traitlets import Dict, List, Unicode

from ..drawing.display import Drawing
from ..drawing.folding import MODULE
from ..drawing.legend import legend_of
from ..drawing.render import render
from ..words import of
from .kit import Board, Widget, seen

SAY = of("widgets")["unfolding"]


class Unfolding(Widget):
    """The live form of a `Drawing` with folded modules; ``opened`` has the paths of the open ones."""

    files = "unfolding"
    own_words = SAY
    opened = seen(List(Unicode()))
    graph, graph_change = seen(Dict()), seen(Dict())
    signs = seen(List())

    def __init__(self, drawing):
        self.drawing, self.board = drawing, Board()
        super().__init__(opened=list(drawing.opened))
        self.compute()
        self.observe(self.compute, "opened")

    def compute(self, _=None):
        picture, arrangement = self.drawing.again(self.opened)
        for node in picture.nodes:
            if node.key.startswith(MODULE):
                node.hint = SAY("folded", path=node.title)
        with self.hold_sync():
            self.signs = legend_of(picture)
            drawn = *render(picture, arrangement), picture.title, Drawing(picture).text
            self.graph, self.graph_change = self.board.show(*drawn)

    def as_text(self):
        return self.drawing.text

    def as_html(self):
        return self.drawing.html
