"""The legend of a picture: what each of the signs in it means, in words that begin with how the sign looks."""

from ..microscope.events import DETACHED
from ..words import of
from . import words
from .picture import Picture
from .shapes import Grid

SIGNS = of("legend")


def legend_of(picture):
    """The texts for the signs that are in a picture."""
    found = {node.kind for node in picture.nodes} | {edge.kind for edge in picture.edges}
    for node in picture.nodes:
        texts = [*node.lines, *node.notes]
        signs = {
            "saved": node.kind == "function" and node.lines, "freed": node.freed, "error": node.error,
            "retained": words.RETAINED in node.flags, "grid": node.grid or node.grad_grid, "current": node.current,
            "version": any(flag.startswith(words.VERSION.format("")) for flag in node.flags),
            "hooks": any(flag.startswith(words.HOOKED) for flag in node.flags),
            "accumulate": node.adds, "gradient": node.arrived, "hook": node.hook,
            "not_kept": words.NOT_KEPT in texts or words.GRAD_NOT_KEPT in texts,
        }  # fmt: skip
        found.update(sign for sign, shown in signs.items() if shown)
    found.update(sign for edge in picture.edges for sign in ("hook", "current") if getattr(edge, sign))
    return [text for sign, text in SIGNS.items() if sign in found]


def all_signs():
    """A picture with every sign that pictures of graphs have."""
    picture = Picture(title=words.LEGEND)
    picture.node("x", "leaf", title="x", lines=["5."], grad="0.6", adds=True)
    picture.node("c", "constant", title="c", grid=Grid(((1.0, -2.0),), (("1.", "-2."),)))
    picture.node("f", "function", title="MulBackward0", lines=["self=5."])
    picture.node("y", title="x * c", lines=[words.NOT_KEPT], flags=[words.RETAINED, words.VERSION.format(1)],
                 hook="print: 0.6")  # fmt: skip
    picture.node("g", "function", title="ExpBackward0", freed=True)
    picture.node("z", "root", title="z", flags=[f"{words.HOOKED} print"], arrived="1.")
    picture.node("many", "group", title="Linear, ReLU", lines=[words.TIMES.format(3)])
    picture.edge("z", "many")
    picture.node("v", title="v", error=words.CHANGED)
    for ends in ("x f", "c f", "f y", "y g", "g z"):
        picture.edge(*ends.split())
    picture.edge("z", "g", "gradient", current=True)
    picture.edge("g", "y", "gradient")
    picture.edge("y", "f", "backward")
    picture.edge("f", "x", "gradient", "0.6")
    picture.edge("y", "v", "cut", DETACHED)
    picture.edge("y", "v", "view")
    return picture
