"""A gradient that is None: what else got the gradient, or what cleared it."""

import re
from collections import defaultdict

from ..microscope import readings
from ..microscope.cuts import Twins
from ..microscope.labels import short
from ..microscope.readings import TooLarge, grad_of, is_leaf, value_of
from .code import first, here, only
from .cuts import links_of
from .evidence import once
from .nodes import is_learners, node_of
from .sight import params_of

# -- what never had a graph --------------------------------------------------------------------------------------------


def twins(case):
    """A tensor in sight with the elements of this one, which has no graph."""
    cuts = []
    try:
        cuts = Twins(case.sight.known).with_cuts([case.tensor], [node_of(case.tensor)])[1]
    except TooLarge:
        pass
    return first({"source": case.called(source), "how": how} for source, target, how in cuts if target is case.tensor)


def kept_grad(case):
    """A tensor that is the .grad of another one."""
    if case.tensor is None:
        return None
    leaf = first(case.called(each) for each in case.sight.tensors if grad_of(each) is case.tensor)
    return leaf and {"leaf": leaf, "at": case.code.bound_at(case.name)}


def in_buffers(case):
    """The module of which the tensor is a buffer."""
    modules = [(name, each) for name, module in case.sight.modules for each in module.buffers()]
    return first({"module": name} for name, each in modules if each is case.tensor)


def misspelt_flag(case):
    """An attribute of a tensor that is nearly called requires_grad."""
    names = getattr(case.tensor, "__dict__", ())
    flag = first(name for name in names if re.fullmatch("requires?_?grads?_?", name))
    return flag and {"flag": flag, "at": case.code.bound_at(f"{case.name}.{flag}")}


def seen_behind(case):
    return bool(case.recorded) and bool(case.key)


def apart(case):
    """A leaf from which a pass began."""
    return case.is_leaf and case.node is not None and case.is_apart


def computed(case):
    """Whether it was computed, as far as the recording tells; without one a number may be a loss."""
    if case.key:
        return bool(case.recorded.made_by(case.key))
    made = case.code.bound_at(case.name)
    return case.tensor.numel() == 1 and not (made and case.code.is_given(made))


def all_frozen(case):
    """A module behind a tensor none of whose parameters requires grad."""
    if case.node or case.tensor is None or not case.key:
        return None
    key_of = case.recorded.trace.key_of
    above = case.recorded.upstream([case.key])
    for name, module in case.sight.modules:
        own = params_of(module)
        if own and any(key_of(each) in above for each in own) and not any(each.requires_grad for each in own):
            return {"module": name}
    return None


def whole_numbers(case):
    dtype = case.tensor.dtype
    return not (dtype.is_floating_point or dtype.is_complex)


def left_over(case):
    moved = f", and {case.optimizer} still moves {case.name} by it"
    return case.node is None and {"moved": moved * bool(case.optimizer)}


# -- the gradient of another tensor ------------------------------------------------------------------------------------


def rebound(case, update):
    """The leaf that a tensor was computed from and that has lost its name to it."""
    sight, tensor = case.sight, case.tensor
    leaf = None if case.is_leaf else only(sight.leaves_behind(tensor))
    if leaf is None or "." in case.name or leaf.numel() != tensor.numel() or id(leaf) in sight.known:
        return None
    between = (node_of(each) for each, *_ in sight.results if each is not tensor)
    if not sight.below(tensor).keys().isdisjoint(between):
        return None  # it was computed from a result that has a name
    event = first(reversed(case.recorded.made.get(case.key, ()))) if case.key else None
    grad = value_of(grad_of(leaf))
    at = event or case.code.bound_at(case.name)
    updates = case.operation.startswith("Sub") or at is not None and ".grad" in case.code.at(at)
    return {"at": at, "grad": f" ({short(grad)})" if grad else ""} if update <= updates else None


def flag_set_later(case):
    """The operation that used it before it was made to require grad."""
    recorded = case.recorded
    above = recorded.upstream(recorded.roots) if case.key and case.is_leaf else ()
    if case.key not in above or links_of(case):
        return None
    for event in recorded.events("Operation"):
        edges = recorded.nodes[event.node].edges if event.node else ()
        used = case.key in event.inputs and any(key in above for key in event.outputs) and not event.view
        inside = event.within is not None or event.pass_number is not None
        if used and not inside and all(node != case.node_key for node, _ in edges):
            return event
    return None


def made_beside(case):
    """A tensor beside the way from a result back to what both were computed from."""
    recorded, sight = case.recorded, case.sight
    event = None if case.is_leaf else recorded.made_by(case.key)
    above = recorded.upstream(recorded.roots)
    base = first(key for key in (event.inputs if event else ()) if key in above and recorded.tensors[key].requires_grad)
    if base and case.key not in above:
        return {"root": recorded.title(recorded.roots[0]), "base": recorded.title(base), "at": event}
    if case.is_leaf or any(leads for root, leads, _ in case.graphs_in_sight if root is not case.tensor):
        return None
    leaves = {node: case.called(node.variable) for node in sight.below(case.tensor) if is_leaf(node)}
    asked = readings.retains(case.tensor) or "not have been used" in case.failure.message
    for root, _, _ in case.graphs_in_sight if asked else ():
        base = first(leaves[node] for node in leaves if node in sight.below(root) and leaves[node])
        if base and root is not case.tensor and root.numel() == 1:
            return {"root": case.called(root), "base": base, "at": case.code.bound_at(case.name)}
    return None


def retains(case):
    return not case.is_leaf and readings.retains(case.tensor)


def view_of_leaf(case):
    base = case.tensor._base
    grad = None if base is None else value_of(grad_of(base))
    return {"base": case.called(base), "grad": short(grad)} if grad and case.called(base) else None


def computed_attribute(case):
    """The parameters from which an attribute of a module is computed, at each access or before each forward."""
    path, _, attribute = case.name.rpartition(".")
    owner = case.sight.resolve(path) if path else None
    if case.is_leaf or not attribute or not hasattr(type(owner), "named_parameters"):
        return None
    own = {id(each): f"{path}.{name}" for name, each in owner.named_parameters()}
    names = [own[id(leaf)] for leaf in case.sight.leaves_behind(case.tensor) if id(leaf) in own]
    return {"leaves": " and ".join(names), "first": names[0]} if names else None


def no_leaf(case):
    return not case.is_leaf and (case.recorded.made_by(case.key) or True)


def returned_none(case):
    """The learner's own backward that returned None for it."""
    for event in case.recorded.events("Ran"):
        record = case.recorded.nodes[event.node]
        results = [result for (node, _), result in zip(record.edges, event.results, strict=False) if node in case.above]
        if is_learners(record) and None in results:
            return {"function": record.name.removesuffix("Backward"), "at": case.recorded.of_node.get(event.node)}
    return None


# -- passes that did not reach it, or were not recorded ----------------------------------------------------------------


def captured(case):
    return first(event for event in reversed(case.recorded.events("Captured")) if event.node == case.node_key)


def still_running(case):
    """The pass that has not ended yet: a hook asks."""
    started, recorded = case.recorded.started, case.recorded
    ended = {event.pass_number for event in recorded.events("Finished", "Failed")}
    return started if started and started.pass_number not in ended else None


def other_inputs(case):
    started = case.recorded.started
    return started if started and any(node in case.above for node, _ in started.roots) else None


def no_pass(case):
    return case.key and not case.recorded.started and not case.recorded.roots


def not_used(case):
    recorded = case.recorded
    if not case.key or not recorded.roots:
        return None
    return {"root": recorded.title(recorded.roots[0]), "at": recorded.started}


def not_in_graphs(case):
    return case.recorded.trace.living and case.recorded.started and not case.key


def transformed(case):
    """Whether a transform of torch.func ran in the recording, inside which nothing can be recorded."""
    return bool(case.recorded.events("Unseen")) and not case.key


def not_recorded(case):
    saved = ", which was saved and no longer knows which tensors it speaks of"
    return case.recorded and {"saved": saved * (not case.recorded.trace.living)}


def freed_since(case):
    return first({"root": case.called(root)} for root, leads, gone in case.graphs_in_sight if leads and gone)


def not_yet(case):
    return first({"root": case.called(root)} for root, leads, _ in case.graphs_in_sight[:1] if leads)


def not_computed(case):
    graphs = sorted(case.graphs_in_sight, key=lambda each: not each[2])  # those first that a pass has freed
    led = first(case.called(root) for root, leads, _ in graphs if leads)
    but = f" ({led} was, but no backward pass has gone through it)" if led else ""
    known = graphs and (graphs[0][2] or but)
    return graphs and {"root": f"{case.called(graphs[0][0])} was not" if known else "nothing in sight was", "but": but}


@once
def unheld(case):
    """The last optimizer, if it is a parameter that is to be trained and none in sight holds it; or None."""
    sight = case.sight
    held = not sight.optimizers or case.optimizer
    free = case.is_leaf and case.node is not None and not held and id(case.tensor) in sight.owned
    return {"optimizer": sight.optimizers[-1][0]} if free else None


def in_no_optimizer(case):
    found, sight = unheld(case), case.sight
    if not found:
        return None
    name, last = sight.optimizers[-1]
    held = {*map(id, params_of(last))}
    owns = first(each for each, module in sight.modules if held == {*map(id, params_of(module))})
    return found | {"at": case.code.bound_at(name), "other": f"those of {owns}" if owns else "other parameters"}


# -- what cleared it ---------------------------------------------------------------------------------------------------


@once
def emptied(case):
    """What set the .grad to None or to zero, and whether a step had used it before; or None.

    It is not the reason either if a later pass from the same line should have reached the tensor again.
    """
    last = first(event for event in reversed(case.history) if event.kind != "Changed")
    if not last or last.kind != "Zeroed":
        return None
    passes = case.recorded.trace.passes
    reached = {here(passes[event.index]) for event in case.history if event.kind == "Accumulated"}
    later = [event for event in case.recorded.events("Started") if event.index > last.index]
    if not reached or any(here(event) in reached for event in later):
        return None
    used = any(event.kind == "Changed" for event in case.history[: case.history.index(last)][-1:])
    return {"used": used, "now": "None" if case.grad is None else "zero", "at": last}


# -- one memory --------------------------------------------------------------------------------------------------------


@once
def on_storages(sight):
    """``{storage: the tensors in sight that are on it}``."""
    found = defaultdict(list)
    for tensor in sight.tensors:
        found[readings.storage_key(tensor)].append(tensor)
    return found


def one_memory(case, parameters):
    """Another tensor in sight on the same storage that is no view of this one; *parameters*: both are parameters."""
    storage = case.tensor is not None and readings.storage_key(case.tensor)
    for other in on_storages(case.sight)[storage] if storage else ():
        apart = other is not case.tensor and other._base is not case.tensor and case.tensor._base is not other
        if apart and other.shape == case.tensor.shape:
            trained = node_of(other) is not None and is_leaf(node_of(other)) and case.is_leaf
            both = trained and case.node is not None
            if both == parameters and (both or "[" in case.name):
                pair = sorted([case.name, case.called(other)])
                who = case.optimizer or "a step"
                return {"pair": " and ".join(pair), "other": case.called(other), "optimizer": who}
    return None
