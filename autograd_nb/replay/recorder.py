"""Listens to the engine and writes down what happens, under the names that the learner gave.

A tensor is only bound to its name after the operation that made it has run, so names are looked up
by identity in the frames of the learner's code: whenever an operation comes from another line than the
one before, and once more at the end.
"""

import linecache
import sys

from .. import dtypes
from ..graph import Output, node_of_edge
from ..observing import listen, unlisten
from ..saved import FREED, Kept
from ..tensors import AccumulateGrad, Tensor
from . import events
from .events import snapshot
from .trace import NodeRecord, TensorRecord

PACKAGE = __name__.partition(".")[0]
MOST_EVENTS = 200_000  # a longer recording keeps the first of them and counts the rest


class Recorder:
    """A listener that turns what it is told into events; ``records()`` gives what a trace is made of."""

    def __init__(self, frame, limit=MOST_EVENTS):
        self.limit = limit
        self.events = []
        self.dropped = 0
        self.tensors = {}  # id -> (key, tensor); the tensor is held so that its id stays its own
        self.nodes = {}  # id -> (key, node)
        self.names = {}  # key of a tensor -> [(name, line), …]
        self.frames = {}  # id -> frame of the learner's code
        self.lines = {}  # (file, number) -> text
        self.last = None
        self.passes = []  # numbers of the backward passes under way
        self.pass_count = 0
        self.grads = {}  # id of a leaf -> the .grad last seen
        self.versions = {}  # key of a tensor -> version last seen
        self.look(frame)

    # -- names and lines -------------------------------------------------------------------------------------------

    def look(self, frame):
        """Note the names that tensors have in a frame of the learner's."""
        self.frames[id(frame)] = frame
        for name, value in list(frame.f_locals.items()):
            if isinstance(value, Tensor) and not name.startswith("_"):
                known = self.names.setdefault(self.tensor(value), [])
                if all(name != other for other, _ in known):
                    known.append((name, frame.f_lineno))

    def line(self):
        """The learner's line that is running now; when it is a new one, names are looked up first."""
        frame = sys._getframe(1)
        while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
            frame = frame.f_back
        if frame is None:
            return None
        here = frame.f_code.co_filename, frame.f_lineno
        if (id(frame), here) != self.last:
            self.last = id(frame), here
            self.look(frame)
            self.lines.setdefault(here, linecache.getline(here[0], here[1], frame.f_globals).rstrip())
            self.check_grads(here[1])
        return here[1]

    # -- keys ------------------------------------------------------------------------------------------------------

    def tensor(self, tensor):
        """The key of a tensor."""
        found = self.tensors.get(id(tensor))
        if found is None:
            found = self.tensors[id(tensor)] = f"t{len(self.tensors)}", tensor
            self.versions[found[0]] = 0 if tensor._inference else tensor._version
        return found[0]

    def node(self, edge):
        """The key of the node that an edge leads to; None for no edge."""
        if edge is None:
            return None
        node = node_of_edge(edge)[0]
        found = self.nodes.get(id(node))
        if found is None:
            found = self.nodes[id(node)] = f"n{len(self.nodes)}", node
            for below in node.edges:
                self.node(below)
        return found[0]

    # -- what the engine tells --------------------------------------------------------------------------------------

    def add(self, cls, *details, line=None):
        if len(self.events) >= self.limit:
            self.dropped += 1
            return
        self.events.append(cls(len(self.events), line if line is not None else self.line(), *details))

    def operation(self, row, node, inputs, outputs, in_place):
        line = self.line()
        name = getattr(row, "name", None) or row.__name__
        keys = tuple(self.tensor(each) for each in inputs)
        number = self.passes[-1] if self.passes else None
        made = self.node(node)
        if in_place:
            (tensor,) = outputs
            if not self.zeroed(tensor, line):
                self.add(events.Changed, name, made, self.tensor(tensor), keys, shot(tensor), tensor._version, number, line=line)
        else:
            results = tuple(self.tensor(each) for each in outputs)
            self.add(events.Operation, name, made, keys, results, tuple(map(shot, outputs)), number, line=line)

    def zeroed(self, tensor, line):
        """Whether the tensor changed in place is the .grad of a leaf that is now zero; then that is the event."""
        for key, leaf in self.leaves():
            node = leaf._node
            if node.held is tensor and not tensor._array.any():
                self.grads[key] = tensor
                self.add(events.Zeroed, key, shot(tensor), line=line)
                return True
        return False

    def leaves(self):
        return [(key, tensor) for key, tensor in list(self.tensors.values()) if tensor._node.__class__ is AccumulateGrad]

    def check_grads(self, line):
        """See which .grad the learner took away since the last line."""
        for key, leaf in self.leaves():
            if self.grads.get(key) is not None and leaf._node.grad is None:
                self.grads[key] = None
                self.add(events.Zeroed, key, None, line=line)

    def event(self, name, node, *details):
        getattr(self, "on_" + name)(node, *details)

    def on_started(self, _, starts, retain_graph, create_graph):
        self.pass_count += 1
        self.passes.append(self.pass_count)
        self.add(events.Started, self.pass_count, tuple(self.node(edge) for edge, _ in starts),
                 tuple(value_of(grad) for _, grad in starts), bool(retain_graph), bool(create_graph))  # fmt: skip

    def on_finished(self, _):
        self.add(events.Finished, self.passes.pop())

    def on_ready(self, node):
        self.add(events.Ready, self.node(node))

    def on_run(self, node, grads):
        self.used = tuple(saved_values(node))

    def on_ran(self, node, grads, results):
        self.add(events.Ran, self.node(node), tuple(map(value_of, grads)), tuple(map(value_of, results)), self.used)

    def on_failed(self, node, error):
        self.add(events.Failed, self.node(node), type(error).__name__, str(error))

    def on_freed(self, node):
        self.add(events.Freed, self.node(node))

    def on_hook(self, node, number, hook, before, after):
        name = getattr(hook, "__name__", type(hook).__name__)
        self.add(events.Hooked, self.node(node), number, name, value_of(before), value_of(after))

    def on_summed(self, edge, added, total):
        self.add(events.Summed, self.node(edge), value_of(added), value_of(total))

    def on_retained(self, node, tensor, grad):
        self.add(events.Retained, self.node(node), self.tensor(tensor), shot(grad))

    def on_accumulated(self, leaf, grad, total):
        tensor = leaf.variable
        key = self.tensor(tensor)
        before = self.grads.get(key)
        self.add(events.Accumulated, self.node(leaf), key, value_of(grad), before and value_of(before), value_of(total))
        self.grads[key] = value_of(total) if total is None else total

    # -- the end ---------------------------------------------------------------------------------------------------

    def finish(self, error=None):
        """Stop listening; look up the names that were bound last."""
        unlisten(self)
        for frame in list(self.frames.values()):
            self.look(frame)
        self.check_grads(None)
        if error is not None and not (self.events and isinstance(self.events[-1], events.Failed)):
            self.add(events.Failed, None, type(error).__name__, str(error), line=0)
        self.frames.clear()

    def records(self):
        """``(tensors, nodes)``: what every key stands for."""
        tensors, nodes = {}, {}
        for key, tensor in list(self.tensors.values()):
            edge = tensor._node
            names = self.names.get(key, [])
            tensors[key] = TensorRecord(
                key, tuple(names), tuple(tensor._array.shape), tensor._dtype.name, edge is not None,
                edge is None or edge.__class__ is AccumulateGrad, tensor.retains_grad if not tensor._view else False,
                self.node(edge), edge.number if edge.__class__ is Output else 0, shot(tensor),
            )  # fmt: skip
        for key, node in list(self.nodes.values()):
            edges = tuple((self.node(edge), edge.number if edge.__class__ is Output else 0) for edge in node.edges)
            leaf = self.tensor(node.variable) if node.__class__ is AccumulateGrad else None
            nodes[key] = NodeRecord(key, node.revealed().name(), edges, getattr(node.plan, "row", None) and node.plan.row.name,
                                    tuple(getattr(node.plan, "saves", ())), node.saved is FREED, leaf)  # fmt: skip
        return tensors, nodes


def shot(tensor):
    return snapshot(tensor._array, tensor._dtype.name)


def value_of(grad):
    """A snapshot of a gradient as it travels: an array, a tensor, or None."""
    if grad is None or isinstance(grad, events.Value):
        return grad
    return shot(grad) if isinstance(grad, Tensor) else snapshot(grad, dtypes.of_array(grad).name)


def saved_values(node):
    """``(name, Value)`` for what a node saved and its formulas are about to read."""
    plan = node.plan
    if not hasattr(plan, "entries") or node.saved is FREED:
        return
    for name, entry in plan.entries(node).items():
        if isinstance(entry, Tensor):
            yield name, shot(entry)
        elif isinstance(entry, Kept):
            yield name, value_of(entry.array if entry.tensor is None else entry.tensor)
        elif entry is not None:
            dtype = dtypes.of_array(entry) if hasattr(entry, "dtype") else dtypes.of_number(entry)
            yield name, snapshot(entry, dtype.name)


def start(frame):
    """A recorder that listens from now on to code called from *frame*."""
    recorder = Recorder(frame)
    listen(recorder)
    return recorder
