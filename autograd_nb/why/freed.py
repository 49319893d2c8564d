"""A backward pass through a graph that an earlier pass has freed: the part that both share, and how that came about."""

import re

from .changed import changed_tensor
from .code import first, line_of, only
from .cuts import requires_grad
from .evidence import once
from .nodes import node_of


@once
def freed(case):
    """The part that both passes need, and how they share it, as facts; also where a step has changed what it saved."""
    message = case.failure.message
    saved = "inplace operation" in message and changed_tensor(case)
    if saved and saved["by"] == "optimizer":
        found = shared_part(case)
        return found and saved | found | {"kind": f"{found['kind']} past a step"}
    hook = case.failure.roots and case.failure.hook
    inside = hook and {"kind": "inside", "part": hook, "at": case.failure.place}
    return "second time" in message and {"passed": "an earlier pass"} | (
        inside or shared_part(case) or part_in_sight(case)
    )


def part_in_sight(case):
    """The same from graphs and lines: a result that another one shares, or a name that its only line reads as well."""
    sight, code = case.sight, case.code
    root = first(each for each in (*case.failure.roots, case.tensor) if each is not None and node_of(each))
    below = {} if root is None else sight.below(root)
    gone = {case.name_for(each): each for each, gone in sight.results if gone and each is not root}
    inner = [name for name, each in gone.items() if node_of(each) in below]
    others = [sight.below(each) for name, each in gone.items() if each.numel() == 1 and name not in inner]
    for name in inner:
        if any(node_of(gone[name]) in other for other in others):
            return {"kind": "shared", "part": name, "at": code.bound_at(name)}
    for line in filter(None, (computed_at(code, name) for name in inner)):
        name = only(name for name in line.binds if name in line.reads and computed_at(code, name) is line)
        if name and "detach" not in line.calls:
            return {"kind": "carried", "part": name, "at": line}
    return {"kind": "unknown", "part": case.name}


def computed_at(code, name):
    """Of the lines that bind a name, the only one that reads a tensor with a graph, or a parameter; or None."""
    return only(line for line in code.binding(name) if any(requires_grad(code.sight, read) for read in line.reads))


def shared_part(case):
    """The tensor by which the failed pass came into the graph that an earlier one went through, as facts; or None.

    If its line has run again since, it is kept from turn to turn; else it was made once, or the passes share it.
    """
    recorded, trace, failed = case.recorded, case.recorded.trace, case.failure.event
    ran = first(event for event in reversed(recorded.events("Ran")) if failed and event.node == failed.node)
    if ran is None:
        return None
    since, passed, last = trace[ran.index : failed.index], trace.passes[ran.index], trace.passes[failed.index]
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
    title = recorded.title(key) if key else "…"
    part = recorded.name_at(place) or bound or ("a result without a name" if "…" in title else title)
    kind = "outside" if line_of(passed) == line_of(last) else "shared"
    since = [(line_of(each), each.name) for each in since if each.computes]
    if anew and event and (line_of(event), event.name) in since:
        kind = "added" if part in map(recorded.name_of, recorded.roots) else "carried"
        part = re.sub(r"\[\d+\]$", "", part)  # of a tuple that is kept
    return {"kind": kind, "part": part, "at": event, "passed": case.code.at(passed)}
