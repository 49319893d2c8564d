"""The paths along which gradients reach a program's tensors; this module finds them by its own backward passes.

It reads graphs of this engine and of PyTorch alike: `next_functions`, hooks on nodes, `autograd.grad`. A freed graph
shows only the order of its tensors.
"""

import sys
from collections import Counter, namedtuple
from functools import cached_property

import numpy as np

# The `gradient` that one use of a tensor, `into`, adds to its own. through: the name of the use's result; place: of
# the tensor among the inputs of `node`; arrived: the gradient that came to the node, or None; rows: the rows of the
# tensor that the node read, if it indexes them, else None
Contribution = namedtuple("Contribution", "into through node place gradient arrived rows")


class Paths:
    """The graph below the named tensor that leads to all *wanted* ones."""

    def __init__(self, tensors, wanted):
        self.tensors = tensors
        self.nodes = {name: node_of(tensor) for name, tensor in tensors.items()}  # holds them, so ids stay
        below = {name: reached(node) for name, node in self.nodes.items()}
        self.on_the_way_back = sorted(tensors, key=lambda name: -len(below[name]))  # the loss first
        needed = {id(self.nodes[name]) for name in wanted}
        self.root = max(reversed(tensors), default=None, key=lambda name: (
            len(needed & below[name].keys()), tensors[name].numel() == 1, len(below[name])))  # fmt: skip
        self.graph = below.get(self.root, {})
        # one tensor may have several names, as after a loop: the first is its own
        self.named = {id(self.nodes[name]): name for name in reversed(tensors)}

    def sizes(self):
        """The lengths of dimensions, and the numbers of elements, from 2 on."""
        tensors = [self.tensors[name] for node, name in self.named.items() if node in self.graph]
        return sorted({size for tensor in tensors for size in (*tensor.shape, tensor.numel()) if size > 1})

    def parts(self, name):
        """The Contributions to a tensor's gradient; none if the graph was freed."""
        return [part for part in self.all_parts if part.into == name]

    def passes(self):
        """How many backward passes the gradients are sums of; None if the graph was freed."""
        for name, tensor in self.tensors.items():
            if has_grad(tensor) and (parts := self.parts(name)):
                once = sum(part.gradient for part in parts)
                at = np.unravel_index(np.abs(once).argmax(), once.shape)
                if once[at]:
                    return round(float(array(tensor.grad)[at] / once[at]))
        return None

    @cached_property
    def all_parts(self):
        seen = {}
        uses = [(node, place, self.named[id(below)]) for node in self.graph.values()
                for place, (below, _) in enumerate(node.next_functions) if id(below) in self.named]  # fmt: skip
        hooks = [(node, lambda *both, of=node: seen.__setitem__(of, both)) for node, *_ in uses]
        self.run(hooks, self.named.values())
        return [Contribution(into, self.name_of(node), node, place, array(seen[node][0][place]),
                             array(seen[node][1][0]), rows_of(node))
                for node, place, into in uses if node in seen and seen[node][0][place] is not None]  # fmt: skip

    def without_one(self, name):
        """For each Contribution to a tensor nearer to the loss with several: the gradient at *name* without it."""
        count = Counter(part.into for part in self.all_parts)
        for part in self.all_parts:
            if count[part.into] > 1 and part.into != name and id(self.nodes[name]) in reached(self.nodes[part.into]):

                def leave_out(grads, arrived, place=part.place):
                    return tuple(grad * 0 if at == place else grad for at, grad in enumerate(grads))

                (gradient,) = self.run([(part.node, leave_out)], [name])
                if gradient is not None:
                    yield part, array(gradient)

    def name_of(self, node):
        """The name of the tensor that a node made, else of the next tensor towards the loss, else of the node."""
        while id(node) not in self.named:
            above = [each for each in self.graph.values() if any(below is node for below, _ in each.next_functions)]
            if len(above) != 1:
                return node.name()
            node = above[0]
        return self.named[id(node)]

    def run(self, hooks, names):
        """The root's gradients at tensors, while hooks sit on nodes; Nones if the graph was freed."""
        kept = [(tensor, tensor.grad) for tensor in self.tensors.values() if tensor.retains_grad]
        handles = [node.register_hook(hook) for node, hook in hooks]
        root = self.tensors[self.root]
        try:
            return library(root).autograd.grad(root, [self.tensors[name] for name in names], retain_graph=True,
                                               allow_unused=True)  # fmt: skip
        except RuntimeError:  # the graph was freed, or the root is not a single number
            return [None] * len(names)
        finally:
            for handle in handles:
                handle.remove()
            for tensor, grad in kept:  # this pass has added to it
                tensor.grad = grad


def has_grad(tensor):
    """Whether a tensor keeps its gradient, and has one."""
    return (tensor.is_leaf or tensor.retains_grad) and tensor.grad is not None


def node_of(tensor):
    """The node that a tensor's gradient comes to."""
    return library(tensor).autograd.graph.get_gradient_edge(tensor).node


def library(tensor):
    return sys.modules[type(tensor).__module__.partition(".")[0]]


def reached(node):
    """{id: node} of this node and all nodes behind it."""
    found, waiting = {}, [node]
    while waiting:
        node = waiting.pop()
        if node is not None and id(node) not in found:
            found[id(node)] = node
            waiting += [below for below, _ in node.next_functions]
    return found


def array(tensor):
    return None if tensor is None else tensor.detach().cpu().numpy()


def rows_of(node):
    """The rows that a node read, one after the other, if one tensor of indices chose them."""
    if node.name() not in ("IndexBackward0", "EmbeddingBackward0", "IndexSelectBackward0"):
        return None
    indices = getattr(node, "_saved_indices" if hasattr(node, "_saved_indices") else "_saved_index")
    indices = indices if isinstance(indices, tuple | list) else [indices]
    return array(indices[0]).reshape(-1) if len(indices) == 1 and indices[0] is not None else None
