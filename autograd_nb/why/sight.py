"""The variables in sight where somebody asks or where an error came, and the graphs of the tensors in them.

It finds a tensor by its type, never by its name.
"""

from collections import ChainMap
from contextlib import suppress
from functools import cached_property, reduce

from ..microscope.names import MOST_HELD, held_in, is_module, parameters_of, scopes_of
from ..microscope.presence import HOLLOW, TENSORS, TRAINED, kinds
from ..microscope.readings import is_leaf, is_leaf_tensor, is_tensor, nodes_below
from .code import first
from .nodes import is_step, node_of, was_freed

MOST_LOOKED = 20_000  # nodes of living graphs that one question looks at, at most


class Sight:
    """The variables of *frames*, the nearest first, and the tensors in them."""

    def __init__(self, frames):
        things = [pair for each in frames for variables in scopes_of(each) for pair in variables]
        held = [pair for name, value in things if kinds[type(value)] not in HOLLOW
                for pair in held_in(name, value, MOST_HELD)]  # fmt: skip
        things += [pair for pair in held if kinds[type(pair[1])] in TRAINED]
        self.things = [*{id(value): (name, value) for name, value in reversed(things)}.values()][::-1]
        self.modules = [pair for pair in self.things if kinds[type(pair[1])] == "module"]
        self.optimizers = [pair for pair in self.things
                           if kinds[type(pair[1])] == "optimizer" and is_optimizer(pair[1])]  # fmt: skip
        self.known = {}  # id of a tensor -> (tensor, its names)
        self.graphs = {}  # node -> those that its edges lead to
        others = [(f"{name}.{path}", each) for name, module in self.modules for path, each in others_of(module)]
        parameters = [pair for name, module in self.modules for pair in tensors_at(name, module)]
        pairs = [*parameters, *things, *held, *others]
        self.values = dict(reversed(pairs))  # by name; the first that has a name keeps it
        for name, thing in pairs:
            if kinds[type(thing)] in TENSORS:
                self.known.setdefault(id(thing), (thing, []))[1].append(name)

    def narrow(self, trace):
        """Leave out modules without a recorded parameter, and optimizers that hold no recorded tensor.

        If no optimizer is left, one that seems to be made for a copy of a module stays.  If none in sight holds what
        recorded steps changed, the optimizer at work is out of sight, and those in sight are others.
        """
        stepped = {event.tensor for event in trace if event.kind == "Changed" and is_step(event)}
        both = self.modules, self.optimizers
        modules, optimizers = ([pair for pair in kind if any(map(trace.key_of, params_of(pair[1])))] for kind in both)
        held = {trace.key_of(each) for _, optimizer in optimizers for each in params_of(optimizer)}
        shapes = [shapes_of(each) for _, each in modules]
        if modules:
            self.modules = modules
            self.optimizers = optimizers or [pair for pair in self.optimizers if shapes_of(pair[1]) in shapes]
        if stepped and stepped.isdisjoint(held):
            self.optimizers = []

    @cached_property
    def tensors(self):
        return [tensor for tensor, _ in self.known.values()]

    def resolve(self, path):
        """The value of a dotted name, or None."""
        root, *names = path.split(".")
        with suppress(Exception):  # a learner's own code may raise any
            return self.values[path] if path in self.values else reduce(getattr, names, self.values.get(root))
        return None

    def name_for(self, thing):
        """A name for a tensor, a module or an optimizer; None for one that is not in sight."""
        others = [name for name, each in self.things if each is thing]
        return first(self.known[id(thing)][1] if id(thing) in self.known else others)

    def below(self, *tensors):
        """``{node: edges}`` of the graphs of tensors; TooLarge when all graphs so far have more than MOST_LOOKED."""
        nodes = [node_of(each) for each in tensors]
        for node in nodes:
            if node not in self.graphs:
                self.graphs[node] = nodes_below([node], MOST_LOOKED - sum(map(len, self.graphs.values())))
        graphs = [self.graphs[node] for node in nodes]
        return graphs[0] if len(graphs) == 1 else ChainMap(*graphs)

    def leaves_behind(self, tensor):
        """The leaves that a result was computed from."""
        return [node.variable for node in self.below(tensor) if is_leaf(node)]

    @cached_property
    def results(self):
        """``[(tensor, whether a pass freed a part of its graph)]`` of the results, latest first."""
        results = [each for each in reversed(self.tensors) if not is_leaf_tensor(each)]
        return [(each, any(map(was_freed, self.below(each)))) for each in results]

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


def tensors_of(value):
    """A tensor itself, the parameters of a module, or those in a short list, tuple, dict or object."""
    inside = tensors_at("", value) or [pair for _, each in held_in("", value) for pair in tensors_at("", each)]
    return [each for _, each in inside]


def is_trained(thing):
    """Whether something is a module or an optimizer."""
    return is_module(thing) or is_optimizer(thing)


def is_optimizer(thing):
    return kinds[type(thing)] == "optimizer" and hasattr(thing, "param_groups")


def params_of(owner):
    """The parameters of a module or an optimizer."""
    if is_module(owner):
        return [each for _, each in parameters_of(owner)]
    return [each for group in owner.param_groups for each in group["params"]]


def shapes_of(owner):
    return [tuple(each.shape) for each in params_of(owner)]


def others_of(module):
    """``(path, tensor)`` of a module's buffers, and of the tensors in attributes of it and of its parts.

    None for a module whose own code fails.
    """
    with suppress(Exception):
        yield from module.named_buffers()
        for prefix, inner in module.named_modules():
            for name, value in vars(inner).items():
                path, is_open = f"{prefix}.{name}".strip("."), isinstance(value, list | tuple | dict) and name[0] != "_"
                for place, each in [(path, value), *(held_in(path, value) if is_open else ())]:
                    yield from tensors_at(place, each)


def tensors_at(place, thing):
    """``[(path, tensor)]`` of a tensor, or of the parameters of a module, at a place."""
    return [(place, thing)] if is_tensor(thing) else [(place + path, each) for path, each in parameters_of(thing)]
