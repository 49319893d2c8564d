"""A backward pass through a graph that an earlier pass has freed: the part that both share, and how that came about."""

from .changed import changed_tensor
from .code import first, line_of, only
from .evidence import once
from .nodes import node_of


@once
def freed(case):
    """The part that the failing pass needs and an earlier pass freed: its name, how they share it, the earlier line."""
    message = case.failure.message
    saved = "inplace operation" in message and changed_tensor(case)
    stepped = saved and saved["by"] == "optimizer"
    if "second time" not in message and not stepped:
        return None
    found = shared_part(case.recorded, stepped) if case.recorded else not stepped and part_in_sight(case)
    passed = found and found["passed"] and case.code.at(found["passed"])
    if stepped:
        spent = f"in which the step of {saved['who']} has changed {saved['what']} since"
        facts = {"spent": spent, "also": ", and leave retain_graph=True out", "asks": False}
        return found | facts if found and found["kind"] in ("carried", "added", "kept") else None
    asks = bool(passed) and "grad" in case.code.statement(found["passed"]).calls
    passed = passed or "an earlier pass"
    return found and found | {"passed": passed, "spent": f"which {passed} has freed", "also": "", "asks": asks}


def part_in_sight(case):
    """The same without a recording: a result that its line makes from itself, or one that two results share."""
    sight, code, facts = case.sight, case.code, {"kind": "unknown", "part": case.name, "at": None, "passed": None}
    roots = [each for each in (*case.failure.roots, case.tensor) if each is not None and node_of(each)][:1]
    order = {node: place for place, node in enumerate(sight.below(*roots))}
    inner = {node_of(each): case.name_for(each) for each, gone in sight.results
             if gone and all(each is not root for root in roots)}  # fmt: skip
    inner = [inner[node] for node in order if node in inner]
    for line in filter(None, map(code.computed_at, inner)):
        name = only(name for name in line.binds if name in line.reads and code.computed_at(name) == line)
        if name:
            return facts | {"kind": "carried", "part": name, "itself": f"{name} = {name}.detach()", "at": line}
    outer = [other for other, gone in sight.results if gone and other.numel() == 1 and node_of(other) not in order]
    for name in inner:
        node = node_of(sight.values[name])
        if any(node in sight.below(other) and node != node_of(other) for other in outer):
            return facts | {"kind": "shared", "part": name, "at": code.bound_at(name)}
    return facts


def shared_part(recorded, stepped):
    """The tensor by which the last pass came into the graph of an earlier one, and how the two share it, as facts.

    If its line has made it again since, it is carried from turn to turn; else it was made once, or the passes share it.
    """
    trace, last = recorded.trace, recorded.started
    passes = [(event.node, trace.passes[event.index]) for event in reversed(recorded.events("Ran"))]
    gone = {node: each for node, each in passes if each is not last and (stepped or not each.retain_graph)}
    spent = gone if stepped else {event.node for event in recorded.events("Freed")} & gone.keys()
    born = {node: event.index for node, event in recorded.of_node.items()}
    back = dict.fromkeys(map(tuple, last.roots))  # place -> the place before it on the way back
    for place in (waiting := list(back)):
        if place[0] in spent:
            break
        new = [edge for edge in recorded.nodes[place[0]].edges if edge not in back] if place[0] else ()
        back |= dict.fromkeys(new, place)
        waiting += new
    else:
        return None
    while back[place] and back[place][0] in gone:  # up to the first that both passes need
        place = back[place]
    passed, met, crossed = gone[place[0]], place, place
    while back[place] and born.get(back[place][0], last.index) < passed.index:  # up to a part newer than the pass
        place = back[place]
        crossed = place if recorded.name_at(place) or not recorded.name_at(crossed) else crossed
    old = not back[place] and met != place  # even the root was made before the earlier pass
    crossed = met if old else crossed
    key, event = trace.tensor_at(crossed), recorded.of_node.get(crossed[0])
    later = [each for each in recorded.events("Operation", "Changed") if each.index > passed.index]
    again = event and any((line_of(each), each.name) == (line_of(event), event.name) for each in later)
    name = recorded.name_at(crossed) or bound_by(recorded, event)
    title = recorded.title(key) if key else "…"
    part = name or ("a result of this line" if title.startswith("…") else title)
    kind = "twice" if crossed in map(tuple, last.roots) else "carried" if again and not old else "outside"
    kind = "shared" if kind == "outside" and (old or line_of(passed) != line_of(last)) else kind
    if kind == "carried":
        user = first(each for each in later if key in each.inputs)
        # whether another tensor already has its name when it is used again
        renewed = user and any(passed.index < each.born <= user.index and each.name == part
                               for each in recorded.tensors.values())  # fmt: skip
        kind = "added" if part in map(recorded.name_of, recorded.roots) else "kept" if renewed else kind
    itself = f"{part} = {part}.detach()" if name else "by detach()"
    return {"kind": kind, "part": part, "itself": itself, "at": event, "passed": passed}


def bound_by(recorded, event):
    """The only name that the line of an event binds, if the event is the last that this line led to; or None."""
    later = first(each for each in recorded.events("Operation", "Changed") if event and each.index > event.index)
    last = event and (later is None or line_of(later) != line_of(event))
    return only(recorded.code.statement(event).binds) if last else None
