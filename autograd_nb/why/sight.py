"""The variables that are in sight where somebody asks or where it failed, and the graphs of the tensors in them.

A tensor is found by what it is, never by its name.
"""

from collections import defaultdict
from contextlib import suppress
from functools import cached_property, reduce

from ..microscope.names import held_in, is_module, parameters_of
from ..microscope.naming import names_in, scopes_of
from ..microscope.readings import grad_of, is_leaf, is_leaf_tensor, is_tensor, nodes_below
from .code import first, only
from .nodes import inputs_of, node_of, was_freed

MOST_LOOKED = 20_000  # nodes of living graphs that an answer is looked for in
KINDS = {list: "List", tuple: "List", dict: "Dict"}


class Sight:
    """What *frames* can name, the nearest first."""

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
            others += [(f"{name}{path}", each) for path, each in others_of(module)]
        for name, each in others + [pair for pair in held if is_tensor(pair[1])]:
            self.known.setdefault(id(each), (each, [name]))

    def narrow(self, trace):
        """Leave out the modules that a recording did not use, and the optimizers whose parameters are all of these."""
        used = {key for key, _ in trace.living.values()} and [pair for pair in self.modules if uses(trace, pair[1])]
        if used:
            idle = {id(each) for pair in self.modules if pair not in used for each in params_of(pair[1])}
            idle -= {id(each) for pair in used for each in params_of(pair[1])}
            self.modules = [pair for pair in self.modules if pair in used or not params_of(pair[1])]
            self.optimizers = [pair for pair in self.optimizers
                               if not all(id(each) in idle for each in params_of(pair[1]))]  # fmt: skip

    @cached_property
    def tensors(self):
        return [tensor for tensor, _ in self.known.values()]

    @cached_property
    def values(self):
        """``{name: value}`` of the variables, and of the tensors in them."""
        return self.variables | {name: tensor for tensor, names in reversed(self.known.values()) for name in names}

    def resolve(self, path, owner=None):
        """What a dotted name stands for, with *owner* as self, or None."""
        root, *names = path.split(".")
        with suppress(Exception):  # of a learner's own code
            start = owner if root == "self" and owner is not None else self.values.get(root)
            return self.values[path] if path in self.values else reduce(getattr, names, start)
        return None

    def called(self, thing):
        """What to call a tensor, a module or an optimizer; None for one that is not in sight."""
        if id(thing) in self.known:
            return self.known[id(thing)][1][0]
        inner = ((f"{name}.{path}", each) for name, module in self.modules for path, each in module.named_modules())
        return None if is_tensor(thing) else first(name for name, each in (*self.things, *inner) if each is thing)

    def below(self, *tensors):
        """The nodes of the graphs of tensors; TooLarge when so far more than MOST_LOOKED were asked for."""
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
        """The ids of the parameters that are to be trained."""
        return {
            id(each) for _, owner in self.modules + self.optimizers for each in params_of(owner) if each.requires_grad
        }

    @cached_property
    def some_grad(self):
        """Whether a parameter has a gradient, so that a pass was run and not cleared since."""
        return any(id(each) in self.trained and grad_of(each) is not None for each in self.tensors)


def tensors_of(value):
    """A tensor itself, those of a module, or those and the modules in a short list, tuple, dict or in an object."""
    inside = [("", value)] if is_tensor(value) else parameters_of(value) or held_in("", value)
    inside += [pair for _, each in inside for pair in parameters_of(each) if not is_tensor(each)]
    return [each for _, each in inside if is_tensor(each)]


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


def uses(trace, owner):
    """Whether a parameter of a module or an optimizer takes part in a recording."""
    return any(trace.key_of(each) for each in params_of(owner))


def holds(optimizer, tensor):
    return any(each is tensor for each in params_of(optimizer))


def unregistered(module):
    """What a module has beside its parameters and does not know of: ``{"path", "attribute", "tensors", …}``."""
    own = {*map(id, params_of(module))}
    for prefix, inner in module.named_modules():
        for name, value in vars(inner).items():
            kind = type(value)
            items = [("", value)] if is_tensor(value) else held_in("", value) if kind in KINDS else ()
            pairs = [(place + path, one) for place, each in items for path, one in parameters_of(each) or [("", each)]]
            tensors = [(path, one) for path, one in pairs if is_trainable(one) and id(one) not in own]
            if tensors and not name.startswith("_"):
                of_modules = any(path.rpartition("]")[2] for path, _ in tensors)
                what = f"a plain Python {kind.__name__}" if kind in KINDS else "a plain tensor, no Parameter"
                yield {
                    "path": ".".join(filter(None, (prefix, name))),
                    "attribute": name,
                    "tensors": tensors,
                    "owner": type(inner).__name__,
                    "kind": what,
                    "inside": "in " * (kind in KINDS) + what,
                    "remedy": ("Module" if of_modules else "Parameter") + KINDS.get(kind, ""),
                }


def is_trainable(thing):
    return is_tensor(thing) and thing.requires_grad and is_leaf_tensor(thing)


def others_of(module):
    """``[(path, tensor)]`` of what a module has besides parameters; of one whose own code fails there, none."""
    with suppress(Exception):
        found = [(f".{path}", each) for path, each in module.named_buffers()]
        found += [(f".{each['path']}{path}", one) for each in unregistered(module) for path, one in each["tensors"]]
        held = [(path, pair) for path, inner in module.named_modules() for pair in vars(inner).items()]
        held = [(f".{path}.{key}".replace("..", "."), each) for path, (key, each) in held]
        held += [pair for key, each in held if type(each) is tuple for pair in held_in(key, each)]
        return found + [pair for pair in held if is_tensor(pair[1])]
    return []
