"""The legend of a picture: the meaning of each sign in it, in a text that first says how the sign looks."""

from ..words import of
from . import words
from .picture import Picture, PictureEdge, PictureNode
from .shapes import LOOK, Grid

SIGNS = of("legend")
MADE = {"numbers": Grid, "source": PictureEdge, "title": PictureNode}  # recognised by a key that only such a table has


def legend_of(picture):
    """The texts for the signs in a picture."""
    found, edges = set(), picture.edges
    for node in picture.nodes:
        found.update([node.kind, *node.signs], ["error"] * bool(node.error))
        found.update(["grid"] * (Grid in map(type, (*node.lines, *node.grad))))
        edges += [node.arrived] * bool(node.arrived)
    for edge in edges:
        found.update([edge.kind], ["hook"] * bool(edge.hook), ["current"] * edge.current)
    return [text for sign, text in SIGNS.items() if sign in found]


def all_signs():
    """A picture with every sign that pictures of graphs have."""
    facts = {"VERSION": words.VERSION.format(1), "TIMES": words.TIMES.format(3), "HOOKED": words.HOOKED}
    return Picture(words.LEGEND, **_made(LOOK["legend"], {**words.TEXTS, **facts}))


def _made(data, facts):
    """The entries of look.toml, with the words that they name."""
    if isinstance(data, list):
        return [_made(each, facts) for each in data]
    if isinstance(data, dict):
        parts = {name: _made(each, facts) for name, each in data.items()}
        return next((made(**parts) for sign, made in MADE.items() if sign in parts), parts)
    return data.format(**facts) if isinstance(data, str) else data
