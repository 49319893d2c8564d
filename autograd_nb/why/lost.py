"""A node cannot use a tensor that it saved: a line changed the tensor in place, or an earlier pass freed the graph."""

import re

from ..microscope.readings import name_of, saved_of
from .code import SAY, first, line_of, only
from .cuts import requires_grad
from .evidence import once
from .nodes import is_stale, node_of


@once
def changed_tensor(case):
    """A tensor that a node saved and that was changed in place later, with the change; no pass need have failed yet."""
    recorded, trace, held = case.recorded, case.recorded.trace, None
    saved = first(reversed(recorded.events("FoundModified"))) if "inplace operation" in case.failure.message else None
    if saved:
        node, key = recorded.nodes[saved.node].name, saved.tensor or trace.tensor_at((saved.node, 0))
    else:
        roots = (each for each in (*case.failure.roots, case.tensor) if each is not None)
        stale = first(filter(is_stale, case.sight.below(*roots)))
        if stale is None:
            return None
        saved = first(each for each in saved_of(stale) if each.is_modified)
        node, held, key = name_of(stale), saved.tensor, trace.key_of(saved.tensor)
    key = key and recorded.source_of(key)
    names = [case.name_for(each) for each in (held, getattr(held, "_base", None)) if each is not None]
    what = key and recorded.title(key) or first(filter(None, names)) or SAY("its", name=saved.name)
    it = what if what.replace(".", "").isidentifier() else "y"
    facts = {"node": node, "what": what, "it": it, "version": saved.version, "expected": saved.expected}
    who = first(event for event in recorded.events("Changed") if event.version > saved.expected
                and key in (event.tensor, *(other for other, _ in event.others)))  # fmt: skip
    if who is None:
        return facts | {"kind": "unknown"}
    record = recorded.tensors[key]
    kind = "leaf" if record.is_leaf and record.requires_grad else "operation"
    kind = "optimizer" if who.name[:1].isupper() else kind
    return facts | {"kind": kind, "who": who.name, "at": who}


@once
def freed(case):
    """The part of a graph that two passes need, and how they share it, as facts."""
    return "second time" in case.failure.message and (shared_part(case) or {"passed": ""} | part_in_sight(case))


def part_in_sight(case):
    """The same without a recording: a result that two graphs share, or a name that one line both reads and binds."""
    sight, code, root = case.sight, case.code, case.tensor
    gone = [each for each, gone in sight.results if gone and each is not root]
    inner = [each for each in gone if root is not None and node_of(each) in sight.below(root)]
    others = [sight.below(each) for each in gone if each.numel() == 1 and not any(each is other for other in inner)]
    shared = first(case.name_for(each) for each in inner if any(node_of(each) in other for other in others))
    if shared:
        return {"kind": "shared", "part": shared, "at": code.bound_at(shared)}
    for line in filter(None, (computed_at(code, case.name_for(each)) for each in inner)):
        name = only(name for name in line.binds if name in line.reads and computed_at(code, name) is line)
        if name and "detach" not in line.calls:
            return {"kind": "carried", "part": name, "at": line}
    return {"kind": "unknown", "part": case.name}


def computed_at(code, name):
    """Of the lines that bind a name, the only one that reads a tensor with a graph, or a parameter; or None."""
    return only(line for line in code.binding(name) if any(requires_grad(code.sight, read) for read in line.reads))


def shared_part(case):
    """The tensor where the failed pass entered the graph that an earlier pass has freed, as facts; or None.

    If its line has run again since, it is kept from turn to turn; else it was made once, or the passes share it.
    """
    recorded, trace, failed = case.recorded, case.recorded.trace, case.failure.event
    ran = first(event for event in reversed(recorded.events("Ran")) if failed and event.node == failed.node)
    last, call = failed and recorded.pass_of(failed), case.failure.call
    if ran is None or call and call[1] != last.line:  # a pass within this one failed
        return None
    since, passed = trace[ran.index : failed.index], recorded.pass_of(ran)
    way, above = [], {failed.node}  # the places from the node that failed up to a root
    for event in reversed(since):
        for edge in recorded.nodes[event.node].edges if event.kind == "Ran" else ():
            if edge[0] in above:
                way.append(edge)
                above.add(event.node)
    way += [root for root in map(tuple, last.roots) if root[0] in above]
    gone = {event.node for event in trace[passed.index : ran.index + 1] if event.kind == "Ran"}
    made = gone.union(event.node for event in trace[: ran.index] if event.computes)
    anew = way[-1][0] not in made  # whether the root was computed since the earlier pass
    old = [place for place in way if place[0] in (made if anew else gone)]
    place = first([*filter(recorded.name_at, reversed(old)), old[-1]])
    event, key = recorded.of_node.get(place[0]), trace.tensor_at(place)
    # its line names it if it made nothing after it
    bound = event and line_of(trace[event.index + 1]) != line_of(event) and only(case.code.statement(event).binds)
    part = recorded.name_at(place) or bound or (recorded.title(key) if key else SAY["result"])
    kind = "outside" if line_of(passed) == line_of(last) else "shared"
    since = [(line_of(each), each.name) for each in since if each.computes]
    if anew and event and (line_of(event), event.name) in since:
        kind = "added" if part in map(recorded.name_of, recorded.roots) else "carried"
        part = re.sub(r"\[\d+\]$", "", part)  # of a tuple that is kept
    return {"kind": kind, "part": part, "at": event, "passed": case.code.at(passed)}
