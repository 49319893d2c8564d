"""A gradient that is None: which tensor got it instead, or why none came; and tensors on one memory."""

from collections import defaultdict

from ..microscope import readings
from ..microscope.labels import short
from ..microscope.names import parameters_of
from ..microscope.readings import grad_of, is_leaf, value_of
from .code import first, only
from .cuts import links_of
from .evidence import once
from .nodes import is_learners, node_of
from .sight import params_of

# -- no graph at all ---------------------------------------------------------------------------------------------------


def kept_grad(case):
    """A tensor that is the .grad of another one."""
    leaves = case.sight.tensors if case.tensor is not None else ()
    leaf = first(case.name_for(each) for each in leaves if grad_of(each) is case.tensor)
    return leaf and {"leaf": leaf, "at": case.code.bound_at(case.name)}


def in_buffers(case):
    """The module that has the tensor as a buffer."""
    modules = [(name, each) for name, module in case.sight.modules for each in module.buffers()]
    return first({"module": name} for name, each in modules if each is case.tensor)


def frozen(case):
    """A parameter of a module that does not require grad."""
    return id(case.tensor) in case.sight.owned


def apart(case):
    """A leaf from which a pass began."""
    return case.is_leaf and case.node is not None and case.is_apart


def all_frozen(case):
    """A module behind a tensor, if none of the module's parameters requires grad."""
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


@once
def leaf_behind(case):
    """Whether a result is a "lost" or "computed" attribute, has a leaf's name, or was made "beside" the used one."""
    sight, tensor, recorded = case.sight, case.tensor, case.recorded
    leaves = [] if case.is_leaf else sight.leaves_behind(tensor)
    path, leaf = case.name.rpartition(".")[0], only(leaves)
    own = {id(each): f"{path}{name}" for name, each in parameters_of(sight.resolve(path))} if path else {}
    names = [own[id(each)] for each in leaves if id(each) in own]
    at = recorded.made_by(case.key) or case.code.bound_at(case.name)
    if names:
        return {"how": "computed", "leaves": " and ".join(names), "first": names[0]}
    if leaf is not None and id(leaf) in sight.known:
        return made_beside(case, leaf, at)
    if own and leaves:
        return {"how": "lost", "owner": path, "at": at}
    between = {node_of(each) for each, _ in sight.results if each is not tensor}  # results that have a name
    if leaf is None or path or leaf.numel() != tensor.numel() or not between.isdisjoint(sight.below(tensor)):
        return None
    grad = value_of(grad_of(leaf))
    updates = case.operation.startswith("Sub") or at is not None and ".grad" in case.code.at(at)
    return {"how": "updated" if updates else "renamed", "at": at, "grad": f" ({short(grad)})" if grad else ""}


def made_beside(case, leaf, at):
    """A root that was computed from the leaf, but not through the tensor, as facts; or None."""
    sight, recorded = case.sight, case.recorded
    asked = recorded or readings.retains(case.tensor) or "not have been used" in case.failure.message
    if not asked or any(leads for root, leads, _ in case.graphs_in_sight if root is not case.tensor):
        return None
    roots = [recorded.living.get(key) for key in recorded.roots] if recorded else [each for each, _ in sight.results]
    for root in roots:
        below = sight.below(root) if root is not None and root is not case.tensor and root.numel() == 1 else ()
        if node_of(leaf) in below and case.node not in below:
            return {"how": "beside", "root": case.name_for(root), "base": case.name_for(leaf), "at": at}
    return None


def flag_set_later(case):
    """The operation of the way to a root that used a leaf before it was made to require grad."""
    recorded = case.recorded
    above = recorded.upstream(recorded.roots) if case.key and case.is_leaf and not links_of(case) else ()
    uses = (event for event in recorded.events("Operation") if case.key in event.inputs and not event.view)
    return first(event for event in uses if case.key in above and not {*above}.isdisjoint(event.outputs)
                 and all(node != case.node_key for node, _ in (recorded.nodes[event.node].edges if event.node else ()))
                 and event.within is None and event.pass_number is None)  # fmt: skip


def retains(case):
    return not case.is_leaf and readings.retains(case.tensor)


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


@once
def missed(case):
    """How the recorded passes missed a tensor, as facts of a row; or None."""
    if not case.recorded:
        return None
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
    if recorded.roots:
        return {"how": "beside", "root": recorded.title(recorded.roots[0]), "at": started}
    failed = case.failure.event
    return {"how": "failed", "message": failed.message, "at": failed} if failed else {"how": "no pass"}


def not_reached_yet(case, gone):
    """The latest result in sight if it was computed from it; with *gone*, any whose graph a pass has freed."""
    fits = [root for root, leads, freed in case.graphs_in_sight[: None if gone else 1] if leads and bool(freed) >= gone]
    return {"root": case.name_for(fits[0])} if fits else None


def not_computed(case):
    graphs = sorted(case.graphs_in_sight, key=lambda each: not each[2])  # first those that a pass has freed
    led = first(case.name_for(root) for root, leads, _ in graphs if leads)
    but = f" ({led} was, but no backward pass has gone through it)" if led else ""
    known = graphs and (graphs[0][2] or but)
    root = f"{case.name_for(graphs[0][0])} was not" if known else "nothing in sight was"
    return graphs and {"root": root, "but": but}


@once
def unheld(case):
    """The last optimizer in sight, if the tensor is a module's parameter and no optimizer holds it; or None."""
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
                pair = " and ".join(sorted([case.name, case.name_for(other)]))
                return {"pair": pair, "other": case.name_for(other), "optimizer": case.optimizer or "a step"}
    return None
