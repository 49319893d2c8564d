"""A gradient that is None: where the graph was cut, what else got the gradient, or what cleared it."""

from contextlib import suppress
from types import ModuleType

from ..microscope import readings
from ..microscope.cuts import Twins
from ..microscope.labels import short
from ..microscope.readings import TooLarge, grad_of, is_leaf, is_tensor, name_of, row_of, value_of
from .asked import RECORD
from .evidence import once
from .flow import links_in_sight, links_of, sources_at
from .nodes import inputs_of, node_of
from .sight import is_optimizer, params_of
from .statements import calls_of, first, here, only, sources

# -- ways out of the graph ---------------------------------------------------------------------------------------------

DRAWING = {"sample", "multinomial", "bernoulli"}
JOIN = "Join tensors with torch.stack([{}]) or torch.cat, which stay in the graph"
COMPUTE = "Use the tensor itself, computed with torch all the way"


def cut(case, by):
    """A way out of the graph: a link through one of these operations or calls."""
    links, code = links_of(case), case.code
    for link in links:
        op = first(each for each in by.split() if each in link.ops)
        aside = DRAWING & link.ops and any(not DRAWING & each.ops for each in links)  # for what was chosen only
        if op and not aside:
            names = sources_at(case, link.place)
            switch = only(each for call, each in calls_of(code.in_file(link.place[0]), "set_grad_enabled")
                          if call.first != "True")  # fmt: skip
            given = [call.first for call in code.calls_at(link.place) if call.name == op]
            joins = any(each.startswith(("*", "[", "(")) for each in (*names, *given))
            return {
                "op": op,
                "source": " and ".join(each.removeprefix("*") for each in names),
                "instead": JOIN.format(", ".join(names)) if joins else COMPUTE,
                "again": f", or see {code.at(switch)}" if switch else "",
                "at": link.place,
            }
    return None


def checkpointed(case):
    links = links_in_sight(case)
    found = (link.place for link in links if "checkpoint" in link.ops)
    return first(place for place in found if not any(each.source for each in links if each.place == place))


def renamed(case):
    return first({"part": each.target, "at": each.place} for each in links_of(case)
                 if each.source == each.target and "no_grad" in each.ops)  # fmt: skip


def unknown_exit(case):
    link = first(each for each in links_of(case) if each.source and not case.key)  # of which all may be a part
    target = link and case.sight.values.get(link.target)
    cut = "the graph ends here or later"
    if is_tensor(target):
        cut = "its graph does not lead there" if target.requires_grad else "has no graph of its own"
    return link and {"source": link.source.removeprefix("*"), "target": link.target, "at": link.place, "cut": cut}


def twins(case):
    """A tensor with the elements of one in sight, cut off from it."""
    below = case.sight.below
    for tensor, cuts in cuts_in(case.sight):
        for source, target, how in cuts:
            led = case.node and case.node in below(source) and case.node not in below(tensor)
            if target is case.tensor or led:
                return {"source": case.called(source), "target": case.called(target), "how": how}
    return None


@once
def cuts_in(sight):
    """``[(tensor, cuts behind it)]`` of those in sight, the latest first; of too large a graph none is told."""
    found, twins = [], Twins(sight.known)
    for tensor in reversed(sight.tensors):
        with suppress(TooLarge):
            found.append((tensor, twins.with_cuts([tensor], [node_of(tensor)])[1]))
    return [each for each in found if each[1]]


# -- what never had a graph --------------------------------------------------------------------------------------------


def kept_grad(case):
    """A tensor that is the .grad of another one."""
    if case.tensor is None:
        return None
    leaf = first(case.called(each) for each in case.sight.tensors if grad_of(each) is case.tensor)
    kept = (each for each in case.code.program if f"{leaf}.grad" in each.reads and (each.binds or each.feeds))
    return leaf and {"leaf": leaf, "at": only(kept)}


def computed(case):
    """Whether it was computed, as far as the recording or the code tells; a number of unknown origin may be a loss."""
    if case.key:
        return bool(case.recorded.made_by(case.key))
    code = case.code
    reads = code.made_at(case.name, code.line_asked).reads
    values = [case.sight.values.get(name.partition(".")[0]) for name in reads]
    return not (values and all(isinstance(each, ModuleType | type | int | float) for each in values))


def all_frozen(case):
    """A module behind a tensor none of whose parameters requires grad."""
    if case.node or case.tensor is None:
        return None
    key_of = case.recorded.trace.key_of
    above = case.recorded.upstream([case.key]) if case.key else names_behind(case)
    for name, module in case.sight.modules:
        own = params_of(module)
        used = any(key_of(each) in above for each in own) if case.key else name in above
        if own and used and not any(each.requires_grad for each in own):
            return {"module": name, "at": case.code.frozen_at}
    return None


def names_behind(case):
    """The names read on the way to what is asked about, or that the line itself computes, as far as the code tells."""
    code = case.code
    user = code.line_asked
    names = [case.name] if case.name in case.sight.variables or not user else user.reads
    found, waiting = dict.fromkeys(names), [(each, user) for each in names]
    for name, user in waiting:
        for each in sources(code.program, name, user) if user else ():
            waiting += [(read, each) for read in each.reads if read not in found]
            found |= dict.fromkeys(each.reads)
    return found


def whole_numbers(case):
    dtype = case.tensor.dtype
    return not (dtype.is_floating_point or dtype.is_complex)


def left_over(case):
    moved = f", and {case.optimizer} still moves {case.name} by it"
    return case.node is None and {"moved": moved * bool(case.optimizer)}


# -- the gradient of another tensor ------------------------------------------------------------------------------------


def rebound(case, update):
    """The leaf that a tensor was computed from and that has lost its name to it."""
    sight, code, tensor = case.sight, case.code, case.tensor
    leaf = only(sight.leaves_behind(tensor))
    if case.is_leaf or "." in case.name or leaf is None or leaf.numel() != tensor.numel():
        return None
    between = (node_of(each) for each, *_ in sight.results if each is not tensor)
    if id(leaf) in sight.known or not sight.below(tensor).keys().isdisjoint(between):
        return None  # it was computed from what has a name
    at = first(reversed(case.recorded.made.get(case.key, ()))) if case.key else code.line_of(tensor)
    grad = value_of(grad_of(leaf))
    updates = case.operation.startswith("Sub") or at is not None and ".grad" in code.at(at)
    return {"at": at, "grad": f" ({short(grad)})" if grad else ""} if update <= updates else None


def flag_set_later(case):
    """Whether it was made to require grad only after it had been computed with."""
    code, name = case.code.program, case.name
    flag = only(each for each in code if f"{name}.requires_grad" in each.binds
                or any(call.on == name for call, _ in calls_of([each], "requires_grad_")))  # fmt: skip
    made = flag and case.code.made_at(name, flag)
    near = [each for each in code if made and (each.scope, each.loops) == (made.scope, made.loops)]
    used = (each for each in near if made.line < each.line < flag.line and name in each.reads and each.binds)
    return first(used) if made and flag in near else None


def made_beside(case):
    """A tensor beside the way from a result back to what both were computed from."""
    recorded, sight = case.recorded, case.sight
    event = None if case.is_leaf else recorded.made_by(case.key)
    above = recorded.upstream(recorded.roots)
    base = first(key for key in (event.inputs if event else ()) if key in above and recorded.tensors[key].requires_grad)
    if base and case.key not in above:
        return {"root": recorded.title(recorded.roots[0]), "base": recorded.title(base), "at": event}
    if not retains(case) or any(leads for root, leads, _ in case.graphs_in_sight if root is not case.tensor):
        return None
    leaves = {node: case.called(node.variable) for node in sight.below(case.tensor) if is_leaf(node)}
    for root, _, _ in case.graphs_in_sight:
        base = first(leaves[node] for node in leaves if node in sight.below(root) and leaves[node])
        if base and root is not case.tensor:
            return {"root": case.called(root), "base": base, "at": case.code.bound_at(case.name)}
    return None


def retains(case):
    return not case.is_leaf and readings.retains(case.tensor)


def view_of_leaf(case):
    base = case.tensor._base
    grad = None if base is None else value_of(grad_of(base))
    return {"base": case.called(base), "grad": short(grad)} if grad and case.called(base) else None


def no_leaf(case):
    return not case.is_leaf and (case.recorded.made_by(case.key) or True)


def returned_none(case):
    """The learner's own backward that returned None for it."""
    for edges, name, ends in own_functions(case.code) if not case.recorded else ():
        if len(edges) == len(ends.returns) and (case.node, "None") in zip(edges, ends.returns, strict=True):
            return {"function": name, "at": ends}
    for event in case.recorded.events("Ran"):
        record = case.recorded.nodes[event.node]
        results = [result for (node, _), result in zip(record.edges, event.results, strict=False) if node in case.above]
        if record.row is None and None in results:
            name = record.name.removesuffix("Backward")
            return {"function": name, "at": case.code.backward_of(name) or case.recorded.of_node.get(event.node)}
    return None


@once
def own_functions(code):
    """``[(nodes that its edges lead to, name, where its backward returns)]`` of the learner's own in sight."""
    nodes = code.sight.below(*(each for each, *_ in code.sight.results))
    nodes = [(node, name_of(node).removesuffix("Backward")) for node in nodes if row_of(node) is None]
    found = [(inputs_of(node), name, code.backward_of(name)) for node, name in nodes]
    return [each for each in found if each[2] and each[2].text.startswith("return ")]


# -- passes that did not reach it, or were not recorded ----------------------------------------------------------------


def captured(case):
    return first(event for event in reversed(case.recorded.events("Captured")) if event.node == case.node_key)


def other_inputs(case):
    started = case.recorded.started
    return started if started and any(node in case.above for node, _ in started.roots) else None


def no_pass(case):
    return case.key and not case.recorded.started and not case.recorded.roots


def not_used(case):
    recorded = case.recorded
    return case.key and recorded.roots and {"root": recorded.title(recorded.roots[0]), "at": recorded.started}


def not_in_graphs(case):
    used = case.recorded.trace.living and case.recorded.started
    return used and (case.code.bound_at(case.name.removesuffix(".weight").removesuffix(".bias")) or True)


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


# -- what cleared it ---------------------------------------------------------------------------------------------------


@once
def emptied(case):
    """What set the .grad to None or to zero, and whether a step had used it before; or None.

    Nor is it the reason where a later pass ought to have reached it, as one from the same line did before.
    """
    last = first(event for event in reversed(case.history) if event.kind != "Changed")
    if not last or last.kind != "Zeroed":
        return None
    passes = case.recorded.trace.passes
    reached = {here(passes[event.index]) for event in case.history if event.kind == "Accumulated"}
    if any(event.index > last.index and here(event) in reached for event in case.recorded.events("Started")):
        return None
    used = any(event.kind == "Changed" for event in case.history[: case.history.index(last)][-1:])
    return {"used": used, "now": "None" if case.grad is None else "zero", "at": last}


def cleared(case, used):
    """Whether the code clears it after the pass, be it *used* by a step before or not."""
    code = case.code
    reached = freed_since(case)
    if case.recorded or not (reached or used and not case.sight.some_grad):
        return None
    now, asked = "None" if case.grad is None else "zero", code.line_asked
    cleaners = [each for call, each in calls_of(code.program, "zero_grad", "zero_")
                if case.grad is None or call.name == "zero_" or call.has("set_to_none=False")]  # fmt: skip
    for each in cleaners if len(cleaners) == 1 else (one for one in cleaners if not asked or one.scope == asked.scope):
        near = calls_near(code, each)
        if "backward" in near and each.end >= near["backward"].end:
            steps = near.get("step") or near.get(f"{case.name}.grad")
            if bool(steps and near["backward"].line <= steps.line <= each.line) == used and (used or steps):
                then = "" if reached else f"Whether a pass had reached it a recording tells: {RECORD.format('')}"
                return {"at": each, "now": now, "then": then}
    return None


def calls_near(code, statement):
    """``{name: the last statement}`` of the calls in the same turn of a loop, or in the same function."""
    near = [each for each in code.program if (each.scope, each.loops) == (statement.scope, statement.loops)]
    found = {name: each for each in near for name in each.reads if each.changes == "all" and name.endswith(".grad")}
    for call, each in calls_of(near):
        stepper = code.sight.resolve(call.on) if call.name == "step" else None
        if stepper is None or is_optimizer(stepper):
            found[call.name] = each
    return found
