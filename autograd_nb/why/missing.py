"""A gradient that is None: which tensor got it instead, or why none came; and tensors on one memory."""

from collections import defaultdict

from ..microscope import readings
from ..microscope.sentences import listed
from ..words import of
from .code import SAY, first, only
from .evidence import once
from .nodes import is_learners, node_of

# -- no graph at all ---------------------------------------------------------------------------------------------------

TRAIL = of("why")["trail"]


def in_buffers(case):
    """The module that has the tensor as a buffer."""
    modules = case.sight.modules
    return first({"module": name} for name, module in modules for each in module.buffers() if each is case.tensor)


# -- the gradient of another tensor ------------------------------------------------------------------------------------


def lost_leaf(case):
    """The line that computed a tensor from a leaf without a name, if no other result on that way has a name."""
    sight, leaf = case.sight, only(case.sight.leaves_behind(case.tensor))
    if leaf is None or id(leaf) in sight.known or leaf.numel() != case.tensor.numel():
        return None
    below = sight.below(case.tensor)
    alone = only(each for each, _ in sight.results if node_of(each) in below) is case.tensor
    return alone and {"at": case.recorded.made_by(case.key) or case.code.bound_at(case.name)}


def no_leaf(case):
    return not case.is_leaf and not case.tensor.retains_grad and (case.recorded.made_by(case.key) or True)


def returned_none(case):
    """The learner's own backward that returned None for it."""
    for event in case.recorded.events("Ran"):
        record = case.recorded.nodes[event.node]
        if event.node in case.above and is_learners(record) and not case.passed_on(event):
            return {"function": record.name.removesuffix("Backward"), "at": case.recorded.of_node.get(event.node)}
    return None


# -- passes that did not reach it, or were not recorded ----------------------------------------------------------------


@once
def missed(case):
    """Why no recorded pass reached a tensor, as facts of a row; or None."""
    recorded, started, told = case.recorded, case.recorded.started, trail(case)
    captured = first(event for event in reversed(recorded.events("Captured")) if event.node == case.node_key)
    fits = {
        "transform": not case.key and recorded.events("Unseen"),
        "unused": not case.key and recorded.trace.living,
        "unknown": not case.key,
        "captured": captured,
        "running": started and recorded.events("Started", "Finished", "Failed")[-1] is started,
        "inputs": started and any(node in case.above for node, _ in started.roots),
        "late": case.is_leaf and not told["trail"] and case.key in recorded.upstream(recorded.roots),
        "beside": recorded.roots,
        "no_pass": True,
    }
    root = recorded.title(recorded.roots[0]) if recorded.roots else ""
    at = captured or case.key and started
    return recorded and told | {"kind": first(kind for kind in fits if fits[kind]), "root": root, "at": at}


def wraps_others(case):
    """Whether a tensor only wraps others, as a DTensor does, and no graph shows a use of it.

    A module may compute with another tensor in its place, as fully_shard has it do.
    """
    kinds = [each for each in type(case.tensor).__mro__ if "__torch_dispatch__" in vars(each)]
    seen = case.above - {case.node_key} or any(leads for _, leads, _ in case.graphs_in_sight)
    return len(kinds) > 1 and not seen  # Tensor is the last of them


def trail(case):
    """The last results that were computed from a tensor and that nothing uses, as facts."""
    recorded, sight = case.recorded, case.sight
    if recorded:
        used = {key for event in recorded.events("Operation", "Changed") for key in event.inputs}
        keys = recorded.downstream([case.key]) - used - {case.key, *recorded.roots}
        ends = [(recorded.title(key), recorded.made_by(key)) for key in recorded.tensors if key in keys]
        users = "nothing" if keys.isdisjoint(recorded.all_roots) else "another_pass"
    else:
        results = [each for each, leads, gone in case.graphs_in_sight if leads and not gone]
        names = [case.name_for(each) for each in results
                 if not any(node_of(each) in sight.below(other) for other in results if other is not each)]  # fmt: skip
        ends, users = [(name, case.code.bound_at(name)) for name in names], "no_result"
    told = listed([name + case.code.at(at) for name, at in ends[-2:]])
    return {"trail": TRAIL(users, results=told) if ends else "", "last": ends[-1][0] if ends else SAY["it"]}


@once
def graph_in_sight(case):
    """A result in sight, whether it was computed from the tensor, and whether a pass has freed its graph; or None.

    The first choice is a result for which both are true, then the latest if it was computed from the tensor, then a
    result whose graph is freed, then the latest; single numbers, such as losses, come before the others.
    """
    graphs = sorted(case.graphs_in_sight, key=lambda each: each[0].numel() != 1)
    found = max(graphs, key=lambda each: (each[1] and (each[2] or each is graphs[0]), each[2]), default=None)
    return found and trail(case) | {"root": case.name_for(found[0]), "leads": found[1], "freed": found[2]}


@once
def unheld(case):
    """The last optimizer in sight, if the tensor is a module's parameter and none holds it."""
    optimizer = first(name for name, _ in reversed(case.sight.optimizers))
    fits = optimizer and case.is_parameter and not case.optimizer
    return fits and {"optimizer": optimizer, "at": case.code.bound_at(optimizer)}


# -- one memory --------------------------------------------------------------------------------------------------------


@once
def on_storages(sight):
    """``{storage: the tensors in sight that are on it}``."""
    found = defaultdict(list)
    for tensor in sight.tensors:
        found[readings.storage_key(tensor)].append(tensor)
    return found


@once
def one_memory(case):
    """Another tensor in sight with the same numbers, and whether both are parameters."""
    tensor, storage = case.tensor, readings.storage_key(case.tensor)
    for other in on_storages(case.sight)[storage] if storage else ():
        same = other.numel() == tensor.numel() and other.data_ptr() == tensor.data_ptr()
        if same and other is not tensor:
            both = {id(tensor), id(other)} <= case.sight.trained
            return (both or "[" in case.name) and {"parameters": both, "other": case.name_for(other)}
    return None
