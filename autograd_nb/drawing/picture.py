"""The content of a picture of a graph, without its looks: nodes, edges and words.

An edge points where things move: a forward edge from an input to its result, a gradient the other way.
"""

from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

AHEAD = ("forward", "cut", "view")  # edges in the direction of the computation; all others run against it


class PictureNode(NamedTuple):
    """A box of the picture.

    *kind* is "leaf" (requires grad), "constant" (a leaf that does not), "tensor", "root", "function" or "group"
    (folded nodes).
    """

    key: str
    kind: str = "tensor"
    title: str = ""
    lines: tuple = ()  # the value as a text and a `Grid`; or, if the picture is about them, saved values
    saved: tuple = ()  # otherwise: a function's saved values, or a folded box's content, in words and on hover
    notes: tuple = ()  # small lines, such as ".grad None"
    grad: tuple = ()  # the value written to .grad, in green below, in the form of lines
    flags: tuple = ()  # small words
    arrived: "PictureEdge" = None  # the gradient that came to it, at its side, or its value after hooks
    signs: tuple = ()  # of the legend, such as "accumulate", "freed" and "current"
    error: str = ""
    hint: str = ""  # shown on hover, such as the exact value


class PictureEdge(NamedTuple):
    """An arrow of the picture.

    *kind* is "forward", "backward" (a way back that no gradient has taken yet), "gradient" (its value is the label),
    "cut" (nothing passes; the label says why) or "view" (both share memory; no arrowhead).
    """

    source: str
    target: str
    kind: str = "forward"
    label: str = ""
    hook: str = ""  # the effect of a hook on this edge, "0.008 → 0.016"
    current: bool = False
    hint: str = ""

    @property
    def ends(self):
        """The keys of its boxes, in the order of the computation."""
        return (self.source, self.target) if self.kind in AHEAD else (self.target, self.source)


@dataclass(slots=True)
class Picture:
    """A graph to draw: its nodes and edges, a title, a sentence below it.

    *lanes*: tuples of edges along one route, such as a forward edge and the edge back; the last one has the label.
    """

    title: str = ""
    caption: str = ""
    nodes: list = field(default_factory=list)
    lanes: list = field(default_factory=list)

    @property
    def edges(self):
        return list(chain(*self.lanes))


def longest_way(edges, lengths):
    """The largest total length of boxes on one way along edges (source, target, …) in the order of the computation."""
    ends = {**lengths}
    for source, target, *_ in edges:
        ends[target] = max(ends[target], ends[source] + lengths[target])
    return max(ends.values(), default=0)
