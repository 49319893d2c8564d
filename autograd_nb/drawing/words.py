"""Every word that a picture or its text form shows of its own, in one place, so that it can be translated."""

from ..replay import language

KINDS = {
    "leaf": "leaf, requires grad",
    "constant": "leaf, does not require grad",
    "tensor": "tensor",
    "root": "root, backward starts here",
    "function": "function",
    "accumulate": "adds into .grad",
    "group": "group",
}
GRAD = ".grad"
FREED = "freed"
RETAINED = "retained"
CURRENT = "now"
ACCUMULATE = "+="
LEGEND = "Legend: what the signs mean"
GRAPH = "Graph"
EMPTY = "Nothing to draw: the graph has no node."
COMPUTED_FROM = "from"
ERROR = "error"
GRADIENTS = "Gradients on their way back:"
CUTS = "Cut, no gradient passes:"
VIEWS = "Sharing memory:"
HOOKED = "hook"

# What `draw` says.
NONE = "None"
NOT_KEPT = "not kept"
GRAD_NONE = ".grad None"
GRAD_NOT_KEPT = ".grad not kept"
VIEW = "view"
VERSION = "version {}"
OVERWRITTEN = "overwritten in place"
CHANGED = "changed in place after it was saved"
PACKED = "packed by a hook"
UNREAD = "elements that cannot be read"
NORM, ZEROS = "norm", "{} % zero"
LOW, MEAN, HIGH, NO_ELEMENT = "min", "mean", "max", "no element"
DETACHED, DATA = "detach", ".data"
AND_MORE = "and {} more"
TIMES = "× {}"
FOLDED = "folded: {} functions"
INSIDE = "inside: {}"
LEAVES = "{} leaves"
GRAPH_OF = "The graph of {}"
A_TENSOR = "a tensor"
TRACE = "What was recorded"
RETURNED = "returned: {}"
NOTHING_THERE = "None: there is nothing to draw. A .grad is None until a backward pass has reached its tensor."
NO_GRAPH = "{} has no graph: nothing it was computed from required grad, or it was made under no_grad or by detach()."
A_LEAF = "{} is a leaf: nothing was computed yet, so its graph is this one box."
EMPTY_TRACE = "The trace is empty: no operation of autograd_nb ran while it was recorded."

TWO_ENGINES = "draw(): these tensors are of autograd_nb and of PyTorch, whose graphs never meet: draw each alone"
A_MODULE = ": draw what it computed, as in draw(model(x))"

# What `info` says.
COLUMNS = ("name", "value", "requires_grad", "is_leaf", "retains_grad", "grad_fn", "grad", "version")
NAMELESS = "(no name)"
UNREADABLE = "history cannot be read"
NO_VERSION = "not counted"

COUNTED = {"tensor": ["{} tensor", "{} tensors"], "function": ["{} function", "{} functions"], "node": "{} nodes"}
AND = " and "

# Another language has the same names in its drawing.toml.
globals().update(language.translated({"KINDS": KINDS}, "drawing"))


def count(nodes):
    tensors = sum(node.kind in ("leaf", "constant", "tensor", "root") for node in nodes)
    functions = sum(node.kind == "function" for node in nodes)
    parts = [COUNTED[word][number != 1].format(number) for number, word in
             ((tensors, "tensor"), (functions, "function")) if number]  # fmt: skip
    return AND.join(parts) or COUNTED["node"].format(len(nodes))
