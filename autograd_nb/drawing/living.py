"""A living graph as a scene: nodes as they stand, and what is still known of the values between them.

A value is known when its tensor is alive under a name or a node saved it; what else went by is "not kept".
"""

from ..microscope import readings
from ..microscope.cuts import held_by, with_cuts
from ..microscope.expressions import UNKNOWN, expression, saved_numbers, unlike
from ..microscope.readings import place_of, value_of
from ..microscope.values import SAY as VALUES
from ..microscope.values import in_line, shape_of, short
from . import words
from .describe import Builder, constant_lines


class Living(Builder):
    """The scene of what leads to tensors, `roots`; known: id -> (tensor, names)."""

    def __init__(self, roots, known, values=True, saved=False):
        super().__init__(values, saved)
        self.known = known
        self.nodes = {}  # key of a call -> its node
        self.tensors, self.arrays = {}, {}  # key of a value -> its tensor, or elements that a node saved
        ends = [place_of(root) for root in roots]
        nodes, cuts = with_cuts(roots, [node for node, _ in ends], known)
        self.add_calls([node for node in nodes if not readings.is_leaf(node)], ends)
        for tensor in [*roots, *(source for source, _, _ in cuts), *(tensor for tensor, _ in known.values())]:
            place = place_of(tensor)
            if place in self.keys:
                self.tensors.setdefault(self.keys[place], tensor)
        for key in self.nodes:
            self.look_into(key)
        for root in roots:
            key = self.key_of(root)
            self.scene.shown[key] = None
            if self.scene.values[key] == "tensor":
                self.scene.roots[key] = None
        for source, target, reason in cuts:
            ends = self.key_of(source), self.key_of(target)
            self.scene.cuts[ends] = reason
            self.scene.shown.update(dict.fromkeys(ends))
        self.find_titles()
        holders = {id(tensor): key for key, tensor in self.tensors.items()}
        for key, tensor in self.tensors.items():
            if id(tensor._base) in holders:
                self.scene.views[holders[id(tensor._base)], key] = None

    def value(self, place):
        node, _ = place
        if node is None:
            return None
        if place not in self.keys:
            key = self.keys[place] = f"v{len(self.keys)}"
            self.scene.values[key] = "tensor"
            if readings.is_leaf(node):
                self.scene.values[key] = "leaf"
                self.tensors[key] = node.variable
        return self.keys[place]

    def add_calls(self, nodes, ends):
        outputs = {node: set() for node in nodes}
        for owner, number in [*(place for node in nodes for place in readings.edges_of(node)), *ends]:
            if owner in outputs:
                outputs[owner].add(number)
        for node in nodes:
            key = f"n{len(self.nodes)}"
            self.nodes[key] = node
            inputs = [self.value(place) for place in readings.edges_of(node)]
            made = [self.value((node, number)) for number in sorted(outputs[node])]
            self.scene.call(key, readings.name_of(node), inputs, made)

    def key_of(self, tensor):
        place = place_of(tensor)
        if place[0] is None:
            key = self.keys.setdefault(("constant", id(tensor)), f"v{len(self.keys)}")
            self.scene.values[key] = "constant"
        else:
            key = self.value(place)
        self.tensors.setdefault(key, tensor)
        return key

    def look_into(self, key):
        node, call = self.nodes[key], self.scene.calls[key]
        if readings.is_freed(node):
            self.freed[key] = None
        inputs, row = readings.inputs_of(node), readings.row_of(node)
        for saved in held_by(node):
            tensor = saved.tensor
            if saved.is_modified:
                self.troubles.setdefault(key, words.CHANGED)
            elif row and saved.name in (row.returns or ()) and saved.name not in inputs and saved.values is not None:
                self.arrays[self.keys.get((node, row.returns.index(saved.name)))] = saved.values
            if row is not None and saved.name in inputs and tensor is not None:
                number = inputs.index(saved.name)
                value = call.inputs[number]
                if value is None and place_of(tensor)[0] is None:
                    call.inputs[number] = self.key_of(tensor)
                elif value is not None and not saved.is_modified and self.keys.get(place_of(tensor)) == value:
                    self.tensors.setdefault(value, tensor)

    def names(self, tensor):
        return self.known.get(id(tensor), (None, ()))[1]

    def name(self, key):
        return " = ".join(self.names(self.tensors.get(key))[:2])

    def title(self, key):
        return self.titles.get(key, "")

    def find_titles(self):
        """What the boxes are called: names, and for results without one the expressions that made them."""
        taken = {}
        self.titles = {key: unlike(self.name(key), taken) for key in self.scene.values if self.name(key)}
        for key, call in self.scene.calls.items():
            node = self.nodes[key]
            row = readings.row_of(node)
            operands = {}
            for name, value in zip(readings.inputs_of(node), call.inputs, strict=False):
                operands[name] = self.titles.get(value) or UNKNOWN
            constants = *readings.constants_of(node), *saved_numbers(node)
            text = expression(row.name if row else call.name.removesuffix("Backward"), operands, constants)
            for number, value in enumerate(call.outputs):
                several = f"[{number}]" if len(call.outputs) > 1 else ""
                self.titles[value] = self.titles.get(value) or unlike(text + several, taken)

    def value_of(self, key):
        return value_of(self.tensors.get(key, self.arrays.get(key)))

    def grad_and_note(self, key):
        tensor, kind = self.tensors.get(key), self.scene.values[key]
        if tensor is None:
            return None, ""
        told = kind == "leaf" or readings.retains(tensor)
        return (value_of(readings.grad_of(tensor)),
                "" if kind == "constant" else words.GRAD_NONE if told else words.GRAD_NOT_KEPT)  # fmt: skip

    def flags_of(self, key):
        tensor = self.tensors.get(key)
        if tensor is None:
            return ()
        flags = [words.RETAINED] if readings.retains(tensor) else []
        flags += [words.VIEW] if tensor._base is not None else []
        flags += [f"{words.HOOKED} {name}" for name in readings.hooks_of(tensor)]
        version = readings.version_of(tensor)
        return [*flags, words.VERSION.format(version)] if version else flags

    def saved_lines(self, key):
        node = self.nodes[key]
        for saved in held_by(node):
            if saved.packed or saved.values is None:
                text = words.PACKED if saved.packed else VALUES["none"]
            elif hasattr(saved.values, "dtype"):
                value = value_of(saved.values)
                text, names = in_line(value), self.names(saved.tensor)
                text = f"{names[0]} {text}" if names and text == shape_of(value) else text
            else:
                text = short(saved.values)
            yield f"{saved.name}={text}"
        read = readings.parameters_read(node)
        constants = [(name, value) for name, value in readings.constants_of(node)
                     if name in read and isinstance(value, bool | int | float | str | tuple)]  # fmt: skip
        yield from constant_lines(constants, readings.saved_names(node))
