"""Every word that a picture or its text form shows of its own, in one place, so that it can be translated."""

KINDS = {
    "leaf": "leaf, requires grad",
    "constant": "leaf, does not require grad",
    "tensor": "tensor",
    "root": "root, backward starts here",
    "function": "function",
    "accumulate": "adds into .grad",
    "hook": "hook",
    "cut": "cut",
    "group": "group",
}
GRAD = ".grad"
FREED = "freed"
RETAINED = "retained"
CURRENT = "now"
ACCUMULATE = "+="
GRAPH = "Graph"
EMPTY = "Nothing to draw: the graph has no node."
COMPUTED_FROM = "from"
ERROR = "error"
GRADIENTS = "Gradients on their way back:"
CUTS = "Cut, no gradient passes:"
VIEWS = "Sharing memory:"
HOOKED = "hook"


def count(nodes):
    """A sentence that counts tensors and functions."""
    tensors = sum(node.kind in ("leaf", "constant", "tensor", "root") for node in nodes)
    functions = sum(node.kind == "function" for node in nodes)
    parts = [f"{number} {word}{'s' if number != 1 else ''}" for number, word in
             ((tensors, "tensor"), (functions, "function")) if number]  # fmt: skip
    return " and ".join(parts) or f"{len(nodes)} nodes"
