"""The variables in sight where somebody asks or where an error came, and the graphs of the tensors in them.

It finds a tensor by its type, never by its name.
"""

from collections import defaultdict
from contextlib import suppress
from functools import cached_property, reduce

from ..microscope.names import held_in, is_module, parameters_of
from ..microscope.naming import names_in, scopes_of
from ..microscope.readings import grad_of, is_leaf, is_leaf_tensor, is_tensor, nodes_below
from .code import first, only
from .nodes import inputs_of, node_of, was_freed

MOST_LOOKED = 20_000  # nodes of living graphs that one question looks at, at most
KINDS = {list: "List", tuple: "List", dict: "Dict"}


class Sight:
    """The variables of *frames*, the nearest first, and the tensors in them."""

    def __init__(self, frames):
        self.known, things = {}, []  # id of a tensor -> (tensor, its names)
        for each in frames:
            self.known = names_in(each) | self.known
            things += [pair for variables in scopes_of(each) for pair in variables]
        held = [pair for name, value in things for pair in held_in(name, value)]
        things = [*reversed(things + [pair for pair in held if is_trained(pair[1])])]
        self.variables = dict(things)
        self.things = [*{id(value): (name, value) for name, value in things}.values()][::-1]
        self.modules = [pair for pair in self.things if is_module(pair[1])]
        self.optimizers = [pair for pair in self.things if is_optimizer(pair[1])]
        self.graphs = {}  # node -> those that its edges lead to
        others = []
        for name, module in reversed(self.modules):
            for path, each in parameters_of(module):
                self.known.setdefault(id(each), (each, []))[1].insert(0, f"{name}{path}")
            others += [(f"{name}.{path}", each) for path, each in others_of(module)]
        for name, each in others + [pair for pair in held if is_tensor(pair[1])]:
            self.known.setdefault(id(each), (each, [name]))

    def narrow(self, trace):
        """Leave out the modules that a recording did not use, and the optimizers that hold only their parameters.

        If no other optimizer is left, one that seems to be made for a copy of a module stays.
        """
        used = {key for key, _ in trace.living.values()} and [pair for pair in self.modules if uses(trace, pair[1])]
        if used:
            idle = {id(each) for pair in self.modules if pair not in used for each in params_of(pair[1])}
            idle -= {id(each) for pair in used for each in params_of(pair[1])}
            self.modules = [pair for pair in self.modules if pair in used or not params_of(pair[1])]
            shapes = [shapes_of(each) for _, each in used]
            self.optimizers = [
                pair for pair in self.optimizers if not all(id(each) in idle for each in params_of(pair[1]))
            ] or [pair for pair in self.optimizers if shapes_of(pair[1]) in shapes]

    @cached_property
    def tensors(self):
        return [tensor for tensor, _ in self.known.values()]

    @cached_property
    def values(self):
        """``{name: value}`` of the variables, and of the tensors in them."""
        return self.variables | {name: tensor for tensor, names in reversed(self.known.values()) for name in names}

    def resolve(self, path, owner=None):
        """The value of a dotted name, with *owner* as self, or None."""
        root, *names = path.split(".")
        with suppress(Exception):  # a learner's own code may raise any
            start = owner if root == "self" and owner is not None else self.values.get(root)
            return self.values[path] if path in self.values else reduce(getattr, names, start)
        return None

    def name_for(self, thing):
        """A name for a tensor, a module or an optimizer; None for one that is not in sight."""
        if id(thing) in self.known:
            return self.known[id(thing)][1][0]
        inner = ((f"{name}.{path}", each) for name, module in self.modules for path, each in module.named_modules())
        return None if is_tensor(thing) else first(name for name, each in (*self.things, *inner) if each is thing)

    def below(self, *tensors):
        """The nodes of the graphs of tensors; TooLarge when all graphs so far have more than MOST_LOOKED."""
        graphs = []
        for node in dict.fromkeys(map(node_of, tensors)):
            if node not in self.graphs:
                left = MOST_LOOKED - sum(map(len, self.graphs.values()))
                self.graphs[node] = dict.fromkeys(nodes_below([node], left))
            graphs.append(self.graphs[node])
        return only(graphs) or {node: None for graph in graphs for node in graph}

    def leaves_behind(self, tensor):
        """The leaves that a result was computed from."""
        return [node.variable for node in self.below(tensor) if is_leaf(node)]

    @cached_property
    def results(self):
        """``[(tensor, {node: nodes above it}, whether a pass freed any)]`` of the results, latest first."""
        found = []
        for tensor in reversed(self.tensors):
            if not is_leaf_tensor(tensor):
                above = defaultdict(list)
                for node in self.below(tensor):
                    for below in inputs_of(node):
                        above[below].append(node)
                found.append((tensor, above, any(map(was_freed, self.below(tensor)))))
        return found

    @cached_property
    def grads(self):
        return [*map(grad_of, self.tensors)]

    @cached_property
    def owned(self):
        """The ids of the parameters of the modules."""
        return {id(each) for _, module in self.modules for each in params_of(module)}

    @cached_property
    def trained(self):
        """The ids of the parameters of modules and optimizers that require grad."""
        return {
            id(each) for _, owner in self.modules + self.optimizers for each in params_of(owner) if each.requires_grad
        }

    @cached_property
    def some_grad(self):
        """Whether a parameter has a gradient, so that a pass was run and not cleared since."""
        return any(id(each) in self.trained and grad_of(each) is not None for each in self.tensors)


def tensors_of(value):
    """A tensor itself, the parameters of a module, or those in a short list, tuple, dict or object."""
    inside = tensors_at("", value) or [pair for _, each in held_in("", value) for pair in tensors_at("", each)]
    return [each for _, each in inside]


def is_trained(thing):
    """Whether something is a module or an optimizer."""
    return is_module(thing) or is_optimizer(thing)


def is_optimizer(thing):
    return hasattr(type(thing), "zero_grad") and hasattr(thing, "param_groups")


def params_of(owner):
    """The parameters of a module or an optimizer."""
    if is_module(owner):
        return [each for _, each in parameters_of(owner)]
    return [each for group in owner.param_groups for each in group["params"]]


def shapes_of(owner):
    return [tuple(each.shape) for each in params_of(owner)]


def uses(trace, owner):
    """Whether a parameter of a module or an optimizer takes part in a recording."""
    return any(trace.key_of(each) for each in params_of(owner))


def holds(optimizer, tensor):
    return any(each is tensor for each in params_of(optimizer))


def held_by(module):
    """``(path, value, [(path, tensor)])``: the attributes of a module and of its parts, and the tensors in each.

    An empty result for a module whose own code fails.
    """
    with suppress(Exception):
        for prefix, inner in module.named_modules():
            for name, value in vars(inner).items():
                path, is_open = ".".join(filter(None, (prefix, name))), type(value) in KINDS and name[0] != "_"
                items = [(path, value)] if is_tensor(value) else held_in(path, value) if is_open else ()
                yield path, value, [pair for place, each in items for pair in tensors_at(place, each)]


def tensors_at(place, thing):
    """``[(path, tensor)]`` of a tensor, or of the parameters of a module, at a place."""
    return [(place, thing)] if is_tensor(thing) else [(place + path, each) for path, each in parameters_of(thing)]


def unregistered(module):
    """Leaves that a module holds without registering them, as facts with the tensors, ``[(path, tensor)]``."""
    own = {*map(id, params_of(module))}
    for path, value, pairs in held_by(module):
        tensors = [pair for pair in pairs if is_trainable(pair[1]) and id(pair[1]) not in own]
        if tensors and not path.rpartition(".")[2].startswith("_"):
            kind, part = type(value), "Parameter" if all(place[-1] == "]" for place, _ in tensors) else "Module"
            what = f"a plain Python {kind.__name__}" if kind in KINDS else "a plain tensor, no Parameter"
            remedy = part + KINDS[kind] if kind in KINDS else "Parameter"
            inside = "in " * (kind in KINDS) + what
            yield {"path": path, "tensors": tensors, "kind": what, "inside": inside, "remedy": remedy}


def is_trainable(thing):
    return is_tensor(thing) and thing.requires_grad and is_leaf_tensor(thing)


def others_of(module):
    """``[(path, tensor)]`` of the tensors of a module that are not parameters."""
    return [*module.named_buffers(), *(pair for *_, pairs in held_by(module) for pair in pairs)]
