"""A gradient that is None: what else got the gradient, or what kept it from coming; and tensors on one memory."""

from collections import defaultdict
from contextlib import suppress

from ..microscope import readings
from ..microscope.cuts import Twins
from ..microscope.labels import short
from ..microscope.names import parameters_of
from ..microscope.readings import TooLarge, grad_of, is_leaf, value_of
from .code import first, only
from .cuts import links_of
from .evidence import once
from .nodes import is_learners, node_of
from .sight import params_of

# -- what never had a graph --------------------------------------------------------------------------------------------


def twins(case):
    """A tensor in sight with the elements of this one, which has no graph."""
    with suppress(TooLarge):
        cuts = Twins(case.sight.known).with_cuts([case.tensor], [node_of(case.tensor)])[1]
        return first(
            {"source": case.called(source), "how": how} for source, target, how in cuts if target is case.tensor
        )


def kept_grad(case):
    """A tensor that is the .grad of another one."""
    leaves = case.sight.tensors if case.tensor is not None else ()
    leaf = first(case.called(each) for each in leaves if grad_of(each) is case.tensor)
    return leaf and {"leaf": leaf, "at": case.code.bound_at(case.name)}


def in_buffers(case):
    """The module of which the tensor is a buffer."""
    modules = [(name, each) for name, module in case.sight.modules for each in module.buffers()]
    return first({"module": name} for name, each in modules if each is case.tensor)


def apart(case):
    """A leaf from which a pass began."""
    return case.is_leaf and case.node is not None and case.is_apart


def all_frozen(case):
    """A module behind a tensor none of whose parameters requires grad."""
    key_of = case.recorded.trace.key_of
    above = case.recorded.upstream([case.key]) if case.key and not case.node else ()
    for name, module in case.sight.modules:
        own = params_of(module)
        if any(key_of(each) in above for each in own) and not any(each.requires_grad for each in own):
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
    grad = value_of(grad_of(leaf))
    at = case.key and case.recorded.made_by(case.key) or case.code.bound_at(case.name)
    updates = case.operation.startswith("Sub") or at is not None and ".grad" in case.code.at(at)
    return {"at": at, "grad": f" ({short(grad)})" if grad else ""} if update <= updates else None


def flag_set_later(case):
    """The operation of the way to a root that used a leaf before it was made to require grad."""
    recorded = case.recorded
    above = recorded.upstream(recorded.roots) if case.key and case.is_leaf and not links_of(case) else ()
    uses = (event for event in recorded.events("Operation") if case.key in event.inputs and not event.view)
    return first(event for event in uses if case.key in above and not {*above}.isdisjoint(event.outputs)
                 and all(node != case.node_key for node, _ in (recorded.nodes[event.node].edges if event.node else ()))
                 and event.within is None and event.pass_number is None)  # fmt: skip


def made_beside(case):
    """A tensor beside the way from a result back to a leaf that both were computed from."""
    sight, recorded = case.sight, case.recorded
    leaf = only(node for node in sight.below(case.tensor) if is_leaf(node))
    asked = recorded or readings.retains(case.tensor) or "not have been used" in case.failure.message
    base = None if leaf is None or case.is_leaf or not asked else case.called(leaf.variable)
    if not base or any(leads for root, leads, _ in case.graphs_in_sight if root is not case.tensor):
        return None
    roots = [recorded.living.get(key) for key in recorded.roots] if recorded else [each for each, *_ in sight.results]
    for root in roots:
        below = sight.below(root) if root is not None and root is not case.tensor and root.numel() == 1 else ()
        if leaf in below and case.node not in below:
            at = recorded.made_by(case.key) or case.code.bound_at(case.name)
            return {"root": case.called(root), "base": base, "at": at}
    return None


def retains(case):
    return not case.is_leaf and readings.retains(case.tensor)


@once
def computed_attribute(case):
    """The parameters from which an attribute of a module is computed, or that the leaves behind it are lost."""
    path, _, attribute = case.name.rpartition(".")
    owner = case.sight.resolve(path) if path and attribute and not case.is_leaf else None
    own = {id(each): f"{path}{name}" for name, each in parameters_of(owner)}
    leaves = [*map(id, case.sight.leaves_behind(case.tensor))] if own else []
    names, lost = [own[leaf] for leaf in leaves if leaf in own], not any(leaf in case.sight.known for leaf in leaves)
    at = case.code.bound_at(f"self.{attribute}") if lost else None
    facts = {"leaves": " and ".join(names), "first": "".join(names[:1]), "lost": lost, "owner": path, "at": at}
    return facts if leaves and (names or lost) else None


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


SAVED = ", which was saved and no longer knows which tensors it speaks of"

# -- passes that did not reach it, or were not recorded ----------------------------------------------------------------


def missed(case, how):
    """How the recorded passes missed a tensor, if in this way, as facts of a row."""
    found = case.recorded and way_missed(case)
    return found if found and found["how"] == how else None


@once
def way_missed(case):
    recorded, started = case.recorded, case.recorded.started
    if not case.key:
        unseen = recorded.events("Unseen")
        how = "transform" if unseen else "unused" if recorded.trace.living and started else "unknown"
        return {"how": how, "saved": "" if recorded.trace.living else SAVED}
    captured = first(event for event in reversed(recorded.events("Captured")) if event.node == case.node_key)
    if captured:
        return {"how": "captured", "at": captured}
    ended = {event.pass_number for event in recorded.events("Finished", "Failed")}
    if started and started.pass_number not in ended:
        return {"how": "running", "at": started}
    if started and any(node in case.above for node, _ in started.roots):
        return {"how": "inputs", "at": started}
    return (
        {"how": "beside", "root": recorded.title(recorded.roots[0]), "at": started}
        if recorded.roots
        else {"how": "no pass"}
    )


def not_reached_yet(case, gone):
    """A result in sight that was computed from it, through whose graph a pass has gone, or none has."""
    fits = [root for root, leads, freed in case.graphs_in_sight[: None if gone else 1] if leads and bool(freed) >= gone]
    return {"root": case.called(fits[0])} if fits else None


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
    if held or not case.is_leaf or case.node is None or id(case.tensor) not in sight.owned:
        return None
    name, last = sight.optimizers[-1]
    ids = {*map(id, params_of(last))}
    owns = first(each for each, module in sight.modules if ids == {*map(id, params_of(module))})
    other = f"those of {owns}" if owns else "other parameters"
    return {"optimizer": name, "at": case.code.bound_at(name), "other": other}


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
            both = case.node is not None and node_of(other) is not None and case.is_leaf and is_leaf(node_of(other))
            if both == parameters and (both or "[" in case.name):
                pair = " and ".join(sorted([case.name, case.called(other)]))
                return {"pair": pair, "other": case.called(other), "optimizer": case.optimizer or "a step"}
    return None
