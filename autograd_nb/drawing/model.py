"""What a picture of a graph says, apart from how it looks: nodes, edges and words.

Whoever draws something builds a `Picture`, node by node and edge by edge; `render` turns it into shapes, `text`
into lines to read.  Edges are given in the direction in which something moves along them: a forward edge from
what was there first to what was computed from it, a gradient the other way.
"""

from dataclasses import dataclass, field

from .shapes import Grid

NODE_KINDS = ("leaf", "constant", "tensor", "root", "function", "accumulate", "group")
EDGE_KINDS = ("forward", "backward", "gradient", "cut", "view")
AHEAD = ("forward", "cut", "view")  # these run in the direction of the computation, the others against it


@dataclass(slots=True)
class Node:
    """A box of the picture.

    kind, one of NODE_KINDS: "leaf" (requires grad), "constant" (a leaf that does not), "tensor", "root",
    "function", "accumulate" (adds into .grad), "group" (folded nodes).
    lines: the value, or what a function saved; grid: the same as coloured cells; notes: small lines (".grad None");
    grad, grad_grid: what was written to .grad, in green below; flags: small words ("retained" gets a pin);
    freed, current, error (a message): states; hint: the exact text, shown on hover.
    """

    key: str
    kind: str = "tensor"
    title: str = ""
    lines: tuple = ()
    grid: Grid = None
    notes: tuple = ()
    grad: str = ""
    grad_grid: Grid = None
    flags: tuple = ()
    freed: bool = False
    current: bool = False
    error: str = ""
    hint: str = ""


@dataclass(slots=True)
class Edge:
    """An arrow of the picture.

    kind, one of EDGE_KINDS: "forward" (computed from), "backward" (a way back that no gradient has taken yet),
    "gradient" (a gradient, with its value as label), "cut" (nothing passes; the label names the reason),
    "view" (both share memory; no arrowhead).
    hook: what a hook on this edge did ("0.008 → 0.016"); current: happening now; key: a name to find it again.
    """

    source: str
    target: str
    kind: str = "forward"
    label: str = ""
    hook: str = ""
    current: bool = False
    hint: str = ""
    key: str = ""


@dataclass(slots=True)
class Picture:
    """A graph to draw: its nodes and edges, a title, a description for those who listen, a sentence below it.

    >>> picture = Picture("z = log(y)")
    >>> _ = picture.node("y", "leaf", title="y", lines=["125."]), picture.node("log", "function", title="LogBackward0")
    >>> picture.edge("y", "log").key
    'y>log:forward'
    """

    title: str = ""
    description: str = ""
    caption: str = ""
    direction: str = "right"
    nodes: list = field(default_factory=list)
    edges: list = field(default_factory=list)
    copies: dict = field(default_factory=dict, repr=False, compare=False)  # of edges between the same ends, for keys

    def node(self, key, kind="tensor", **parts):
        """Add a `Node` and return it."""
        self.nodes.append(Node(key, kind, **parts))
        return self.nodes[-1]

    def edge(self, source, target, kind="forward", label="", **parts):
        """Add an `Edge` and return it; without a key it gets one made of its ends and kind."""
        edge = Edge(source, target, kind, label, **parts)
        if not edge.key:
            stem = f"{source}>{target}:{kind}"
            self.copies[stem] = copies = self.copies.get(stem, 0) + 1
            edge.key = f"{stem}#{copies}" if copies > 1 else stem
        self.edges.append(edge)
        return edge

    def check(self):
        """Raise ValueError for a picture that contradicts itself: doubled keys, edges without ends, unknown kinds."""
        keys = set()
        for node in self.nodes:
            if node.kind not in NODE_KINDS:
                raise ValueError(f"Picture: node {node.key!r} has kind {node.kind!r}, expected one of {NODE_KINDS}")
            if node.key in keys:
                raise ValueError(f"Picture: two nodes have the key {node.key!r}")
            keys.add(node.key)
        for edge in self.edges:
            if edge.kind not in EDGE_KINDS:
                raise ValueError(f"Picture: edge {edge.key!r} has kind {edge.kind!r}, expected one of {EDGE_KINDS}")
            for end in (edge.source, edge.target):
                if end not in keys:
                    raise ValueError(f"Picture: edge {edge.key!r} ends at {end!r}, which is no node")
