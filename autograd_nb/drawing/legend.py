"""The legend of a picture: what each of the signs in it means, in words that begin with how the sign looks."""

from ..microscope.events import DETACHED
from ..words import of
from . import words
from .picture import Edge, Node, Picture
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
    nodes = [
        Node("x", "leaf", "x", ["5."], grad="0.6", adds=True),
        Node("c", "constant", "c", grid=Grid(((1.0, -2.0),), (("1.", "-2."),))),
        Node("f", "function", "MulBackward0", ["self=5."]),
        Node("y", "tensor", "x * c", [words.NOT_KEPT], flags=[words.RETAINED, words.VERSION.format(1)],
             hook="print: 0.6"),
        Node("g", "function", "ExpBackward0", freed=True),
        Node("z", "root", "z", flags=[f"{words.HOOKED} print"], arrived="1."),
        Node("many", "group", "Linear, ReLU", [words.TIMES.format(3)]),
        Node("v", "tensor", "v", error=words.CHANGED),
    ]  # fmt: skip
    lanes = [
        (Edge("z", "many"),), (Edge("x", "f"), Edge("f", "x", "gradient", "0.6")), (Edge("c", "f"),),
        (Edge("f", "y"), Edge("y", "f", "backward")), (Edge("y", "g"), Edge("g", "y", "gradient")),
        (Edge("g", "z"), Edge("z", "g", "gradient", current=True)),
        (Edge("y", "v", "cut", DETACHED),), (Edge("y", "v", "view"),),
    ]  # fmt: skip
    return Picture(words.LEGEND, nodes=nodes, lanes=lanes)
