"""A living graph as a scene: nodes as they stand, and what is still known of the values between them.

Nobody keeps anything for the picture's sake.  A value is known when its tensor is alive under a name or a node saved
it; what else went by is "not kept".
"""

import numpy as np

from ..engine import dtypes
from ..engine.graph import Output, node_of_edge, reachable
from ..engine.saved import FREED, Kept, Packed
from ..engine.tensor import AccumulateGrad, Tensor, current_node, grad_at
from ..engine.vjp import constants_of
from ..replay.events import snapshot
from . import words
from .scene import Call, Scene, Sent
from .values import exact, in_line, lines_grid_notes, shape_of, short, value_of

FEW = 14  # calls up to which every value gets a box
MODES = ("full", "tensors", "functions")
NEUTRAL = ("alpha", "beta")  # factors that are not worth telling while they are 1


def edge_of(tensor):
    """Where a tensor's gradient goes; where it went before when a change in place left it no history to read."""
    try:
        return current_node(tensor)
    except RuntimeError:
        return tensor._node


def grad_of(tensor):
    """A tensor's .grad, read without a warning."""
    return grad_at(tensor, edge_of(tensor))


def retains(tensor):
    """Whether a tensor that is no leaf keeps its gradient."""
    node, number = node_of_edge(edge_of(tensor))
    extras = None if node is None else node.extras
    return extras is not None and number in extras.retained


class Living:
    """The scene of everything that leads to `roots`, tensors or pairs ``(node, output number)``.

    known: id -> (tensor, names).  detail, one of MODES or None: which values get a box (all; those with a name; leaves
    and roots).  values: whether boxes show them.  saved: whether functions show what they saved.
    """

    def __init__(self, roots, known, detail=None, values=True, saved=None):
        self.known, self.with_values = known, values
        self.scene = Scene()
        self.keys = {}  # (node, output number) -> key of that value
        self.nodes, self.details = {}, {}  # key of a call -> its node; its lines and trouble
        self.tensors, self.arrays = {}, {}  # key of a value -> its tensor, or elements that a node saved
        tensors = [root for root in roots if isinstance(root, Tensor)]
        ends = [node_of_edge(edge_of(root)) if isinstance(root, Tensor) else root for root in roots]
        nodes, cuts = with_cuts(tensors, [node for node, _ in ends], known)
        operations = [node for node in nodes if node.__class__ is not AccumulateGrad]
        operations.sort(key=lambda node: node.sequence)
        full = detail == "full" or detail is None and len(operations) <= FEW
        self.with_saved = full if saved is None else saved
        self.add_calls(operations, [end for end in ends if end[0] is not None])
        self.add_tensors([*tensors, *(source for source, _, _ in cuts)])
        for key in self.nodes:
            self.look_into(key)
        self.add_roots(roots, ends)
        self.add_cuts(cuts)
        self.scene.hidden = set() if full else {
            key for key, kind in self.scene.values.items()
            if kind == "tensor" and (detail == "functions" or not self.names(key))
        }  # fmt: skip
        if detail == "full":
            self.add_ways_back()
        holders = {id(tensor): key for key, tensor in self.tensors.items()}
        for key, tensor in self.tensors.items():
            if tensor._view is not None and id(tensor._view.base) in holders:
                self.scene.views.append((holders[id(tensor._view.base)], key))

    # -- what there is ---------------------------------------------------------------------------------------------

    def value(self, edge):
        """The key of the value whose gradient goes to an edge."""
        if edge is None:
            return None
        place = node_of_edge(edge)
        if place not in self.keys:
            key = self.keys[place] = f"v{len(self.keys)}"
            is_leaf = edge.__class__ is AccumulateGrad
            self.scene.values[key] = "leaf" if is_leaf else "tensor"
            if is_leaf:
                self.tensors[key] = edge.variable
        return self.keys[place]

    def add_calls(self, operations, ends):
        outputs = {node: {} for node in operations}
        for node in operations:
            for edge in node.edges:
                if edge is not None and edge.__class__ is not AccumulateGrad:
                    owner, number = node_of_edge(edge)
                    outputs[owner][number] = edge
        for node, number in ends:
            if node in outputs:
                outputs[node].setdefault(number, None)
        for node in operations:
            key = f"n{len(self.nodes)}"
            self.nodes[key] = node
            inputs = [self.value(edge) for edge in node.edges]
            made = []
            for number in sorted(outputs[node]):
                made.append(self.keys.setdefault((node, number), f"v{len(self.keys)}"))
                self.scene.values[made[-1]] = "tensor"
            self.scene.add(Call(key, words.function_name(node.revealed().name()), inputs, made))

    def add_tensors(self, tensors):
        """Find the tensors that are alive: those given, and those with a name."""
        for tensor in [*tensors, *(tensor for tensor, _ in self.known.values())]:
            edge = edge_of(tensor)
            key = self.keys.get(node_of_edge(edge)) if edge is not None else None
            if key is not None:
                self.tensors.setdefault(key, tensor)

    def constant(self, tensor):
        """The key of a value that has no gradient."""
        key = self.keys.setdefault(("constant", id(tensor)), f"v{len(self.keys)}")
        self.scene.values[key] = "constant"
        self.tensors[key] = tensor
        return key

    def look_into(self, key):
        """See what a node saved: values for its inputs and outputs, lines for its box."""
        node, call = self.nodes[key], self.scene.calls[key]
        row = getattr(node.plan, "row", None)
        inputs = row.differentiable if row is not None and not row.variadic else ()
        lines, trouble = [], ""
        for name, entry in saved_by(node):
            tensor, array, problem = opened(entry)
            trouble = trouble or ("" if problem == words.PACKED else problem)
            if name in inputs:
                number = inputs.index(name)
                value = call.inputs[number]
                if value is None and tensor is not None and edge_of(tensor) is None:
                    call.inputs[number] = self.constant(tensor)
                elif value is not None and not problem and tensor is not None:
                    if edge_of(tensor) is node.edges[number]:
                        self.tensors.setdefault(value, tensor)
            elif row is not None and row.returns and name in row.returns and not problem and array is not None:
                self.arrays[self.keys.get((node, row.returns.index(name)))] = array
            if self.with_saved:
                lines.append(f"{name}={self.told(tensor, array, problem)}")
        if self.with_saved:
            lines += [f"{name}={text}" for name, text in read_constants(node)]
        self.details[key] = lines, trouble

    def told(self, tensor, array, problem):
        """What a node saved, in a few characters."""
        if array is None or problem == words.PACKED:
            return problem or words.NONE
        if not isinstance(array, np.ndarray | np.generic):
            return short(array)
        value = snapshot(array, dtypes.of_array(array).name)
        text = in_line(value)
        names = self.known.get(id(tensor), (None, ()))[1]
        return f"{names[0]} {text}" if names and text == shape_of(value) else text

    def add_roots(self, roots, ends):
        for root, end in zip(roots, ends, strict=True):
            if end[0] is None:
                self.scene.shown.add(self.constant(root))
            elif isinstance(root, Tensor) or end[0].__class__ is AccumulateGrad:
                key = self.keys.get(end)
                if key is None:
                    key = self.value(end[0])  # a leaf that nothing was computed from
                if self.scene.values[key] == "tensor":
                    self.scene.values[key] = "root"
                self.scene.shown.add(key)

    def add_cuts(self, cuts):
        for source, target, reason in cuts:
            ends = []
            for tensor in (source, target):
                edge = edge_of(tensor)
                ends.append(self.constant(tensor) if edge is None else self.value(edge))
                self.tensors.setdefault(ends[-1], tensor)
            self.scene.cuts[tuple(ends)] = reason
            self.scene.shown.update(ends)

    def add_ways_back(self):
        """The edges that a gradient would take, down to each leaf's "+="."""
        for call in self.scene.calls.values():
            for number, value in enumerate(call.inputs):
                if value is None or self.scene.values[value] == "constant":
                    continue
                self.scene.sent[call.key, number] = Sent(kind="backward")
                if self.scene.values[value] == "leaf":
                    self.scene.leaves[value] = f"+{value}", Sent(kind="backward")
            for value in call.outputs:
                self.scene.received[call.key, value] = Sent(kind="backward")

    # -- how it is shown -------------------------------------------------------------------------------------------

    def names(self, key):
        tensor = self.tensors.get(key)
        return self.known.get(id(tensor), (None, ()))[1] if tensor is not None else ()

    def describe(self, key):
        """The parts of a box."""
        if key in self.nodes:
            lines, trouble = self.details[key]
            return {"lines": lines, "freed": is_freed(self.nodes[key]), "error": trouble}
        if key.startswith("+"):
            return {}
        tensor, array = self.tensors.get(key), self.arrays.get(key)
        names = self.names(key)
        parts = {"kind": self.scene.values[key], "title": " = ".join(names[:2])}
        if tensor is None:
            value = None if array is None else snapshot(array, dtypes.of_array(array).name)
            return parts | box_of(value, self.with_values, names)
        parts |= box_of(value_of(tensor), self.with_values, names)
        flags = [words.RETAINED] if retains(tensor) else []
        flags += [words.VIEW] if tensor._view is not None else []
        if not tensor._inference and tensor._version:
            flags.append(words.VERSION.format(tensor._version))
        of_grad = grad_parts(tensor, parts["kind"], parts.get("hint", ""))
        of_grad["notes"] = parts.get("notes", []) + of_grad.get("notes", [])
        return parts | of_grad | {"flags": flags}


def box_of(value, shown=True, named=True):
    """The parts of a box that show a value (None: not kept); of one that is not to be shown, its shape for a name."""
    if not shown and named:
        return {}
    if value is None or not shown:
        return {"lines": [words.NOT_KEPT if value is None else shape_of(value)]}
    lines, grid, notes = lines_grid_notes(value)
    return {"lines": lines, "grid": grid, "notes": notes, "hint": exact(value)}


def grad_parts(tensor, kind, hint):
    """The parts of a box that show a living tensor's .grad."""
    grad = grad_of(tensor)
    if grad is not None:
        return green(value_of(grad), hint)
    if kind == "constant":
        return {}
    return {"notes": [words.GRAD_NONE if kind == "leaf" or retains(tensor) else words.GRAD_NOT_KEPT]}


def green(value, hint=""):
    """The parts of a box that show a .grad; `hint` is the exact text of the value above it."""
    lines, grid, _ = lines_grid_notes(value)
    return {"grad": " ".join(lines), "grad_grid": grid, "hint": f"{hint}\n{words.GRAD} {exact(value)}".lstrip()}


# -- looking into nodes without changing anything -----------------------------------------------------------------


def is_freed(node):
    return node.saved is FREED


def saved_by(node):
    """``(name, entry)`` for what a node still holds."""
    if node.saved is None or is_freed(node):
        return []
    if hasattr(node.plan, "entries"):
        return list(node.plan.entries(node).items())
    if node.plan.node_name == "CopySlices":
        return saved_by(node.saved[0])
    return [(f"saved_tensors[{number}]", entry) for number, entry in enumerate(node.saved)]


def opened(entry):
    """``(tensor, elements, trouble)`` of a saved entry; hooks that packed it are left alone."""
    if isinstance(entry, Packed):
        return None, None, words.PACKED
    if isinstance(entry, Tensor):
        changed = entry._counter is not None and entry._counter.version != 0
        return entry, entry._array, words.CHANGED if changed else ""
    if isinstance(entry, Kept):
        changed = entry._counter is not None and entry._counter.version != entry.version
        array = entry.array if entry.tensor is None else entry.tensor._array
        return entry.tensor, array, words.CHANGED if changed else ""
    return None, entry, ""


def read_constants(node):
    """``(name, text)`` for arguments that are no tensors and that the node's formulas read."""
    plan = node.plan
    row = getattr(plan, "row", None)
    if row is None or not node.arguments:
        return
    constants = constants_of(node)
    for name, value in zip(row.parameters, constants or (), strict=False):
        read = any(name in row.reads[reader] for reader in row.reads)
        if read and name not in plan.saves and isinstance(value, bool | int | float | str | tuple):
            if name not in NEUTRAL or value != 1:
                yield name, short(value)


# -- what was cut off ----------------------------------------------------------------------------------------------


def with_cuts(tensors, nodes, known):
    """All nodes that lead to these, across detach() and .data too; and the cuts ``(source, target, reason)``.

    A cut is known while both tensors are alive: they have the same elements, the target no history.
    """
    position = {key: index for index, key in enumerate(known)}
    twins = {}  # id of the elements -> tensors with a gradient that have them
    for tensor, _ in known.values():
        if isinstance(tensor._array, np.ndarray) and edge_of(tensor) is not None and tensor._view is None:
            twins.setdefault(id(tensor._array), []).append(tensor)

    def source_of(target):
        for twin in twins.get(id(target._array), ()):
            earlier = position[id(twin)] < position.get(id(target), len(position))
            if twin is not target and (earlier or edge_of(twin).__class__ is not AccumulateGrad):
                return twin
        return None

    nodes = {node for node in reachable(nodes) if node.__class__ is not Output}
    cuts, new = {}, nodes
    ends = list(tensors)
    while twins:
        ends += [end for node in new for end in tensors_at(node)]
        found = {}
        for target in ends:
            edge = edge_of(target)
            if id(target) not in cuts and target._view is None and (edge is None or edge.__class__ is AccumulateGrad):
                source = source_of(target)
                if source is not None:
                    found[id(target)] = source, target, words.DETACHED if shares(source, target) else words.DATA
        cuts |= found
        roots = [node_of_edge(edge_of(source))[0] for source, _, _ in found.values()]
        new = {node for node in reachable(roots) if node.__class__ is not Output} - nodes
        nodes |= new
        ends = [source for source, _, _ in found.values()]
        if not found:
            break
    return nodes, sorted(cuts.values(), key=lambda cut: position[id(cut[0])])


def shares(source, target):
    return source._counter is target._counter


def tensors_at(node):
    """The tensors that a node holds: a leaf, or what was saved."""
    if node.__class__ is AccumulateGrad:
        return [node.variable]
    return [tensor for tensor, _, _ in (opened(entry) for _, entry in saved_by(node)) if tensor is not None]
