"""A backward pass through a graph that an earlier pass has freed: what both go through, and how that comes about."""

import re

from ..microscope.naming import names_in
from ..microscope.readings import is_leaf, is_leaf_tensor, is_tensor, saved_of
from .changed import changed
from .evidence import once
from .nodes import is_stale, node_of, was_freed
from .statements import calls_of, first, here, is_part, only, sources


@once
def freed(case):
    """What the pass that failed needs and an earlier one freed: how they share it, its name, the earlier line."""
    message = case.failure.message
    saved = "inplace operation" in message and changed(case)
    stepped = saved and saved["by"] == "optimizer"
    if "second time" not in message and not stepped:
        return None
    found = (recorded_part if case.recorded else living_part)(case, stepped)
    if not stepped:
        passed = found.get("passed", "") if found else ""
        facts = {"spent": f"which {passed} has freed", "also": "", "asks": bool(re.search(r"\bgrad\(", passed))}
        return found and found | facts
    spent = f"in which the step of {saved['who']} has changed {saved['what']} since"
    facts = {"spent": spent, "also": ", and leave retain_graph=True out"}
    return found | facts if found and found["kind"] in ("carried", "added", "kept") else None


def recorded_part(case, stepped):
    recorded, code = case.recorded, case.code
    trace, last = recorded.trace, recorded.started
    passes = {event.node: trace.passes[event.index] for event in reversed(recorded.events("Ran"))}
    ran = {node: each for node, each in passes.items() if each is not last and (stepped or not each.retain_graph)}
    places, seen = [], set()
    for place in (waiting := [tuple(root) for root in last.roots]):
        if place[0] in ran and place not in seen:
            places.append(place)
        elif place[0] and place not in seen:
            waiting += recorded.nodes[place[0]].edges
        seen.add(place)
    if not places:
        return None
    named = (each for each in places if (key := trace.tensor_at(each)) and recorded.tensors[key].names)
    place = first(named) or places[0]
    key, event, passed = trace.tensor_at(place), recorded.of_node.get(place[0]), ran[place[0]]
    operations = recorded.events("Operation", "Changed") if event else ()
    again = any(here(each) == here(event) and each.index > passed.index for each in operations)
    kind = "shared" if here(passed) != here(last) or passes_before(case) else "outside"
    kind = "twice" if place in last.roots else "carried" if again else kind
    statement = code.statement(event and here(event))
    binds = statement.binds
    name = key and recorded.name_of(key) or first(each for each in binds if each in statement.reads)
    name = name or only(binds) or "a result of this line"
    at = event or code.bound_at(f"self.{name.rpartition('.')[2]}")
    kind = "added" if kind == "carried" and name in map(recorded.title, recorded.roots) else kind
    of_many = "[" in name and not {name, name.partition("[")[0]}.intersection(binds)
    stores = [each for each in code.program if name in each.reads and each.feeds and name not in each.feeds]
    if kind == "carried" and stores and statement and not is_carried(code, name, statement, statement):
        name, at, of_many = stores[0].feeds[0], stores[0], True
    kind = "kept" if kind == "carried" and of_many else kind
    return {"kind": kind, "part": name, "at": at, "passed": code.at(passed)}


def living_part(case, stepped):
    """As far as the code that failed and what its frames still hold tell."""
    code, below = case.code, case.sight.below
    root, failed = first(case.failure.roots), code.failed_line
    unknown = {"kind": "unknown", "part": (root is not None and case.called(root)) or "the root"}
    if root is None or not failed:
        return unknown
    passes = passes_before(case)
    others = [case.sight.values.get(name) for _, names in passes for name in names]
    others = [each for each in others if is_tensor(each) and each is not root]
    gone, common = {*filter(is_stale if stepped else was_freed, below(root))}, below(*others)
    for user, tensor, name in sorted(results_held(case), key=lambda each: each[1] is not root):
        node, made, whole = node_of(tensor), code.made_at(name, user), name.partition("[")[0]
        if not made or gone.isdisjoint(below(tensor)):
            continue
        passed = [each for each, names in passes if tensor is not root or name in names]
        if tensor is root and passed:
            kind = "twice"
        elif made.makes(whole, user) and is_carried(code, name, made, user):
            kind = "added" if tensor is root else "carried"
        elif whole in made.feeds:
            kind = "kept"
        elif made.scope[-1:] == ("__init__",) or not passed and is_older(case, made, user):
            kind = "outside"
        elif passed and node in below(root) and (not others or node in common):
            kind = "shared"
        else:
            continue
        name = whole if made.makes(whole, user) else name
        return {"kind": kind, "part": name, "at": made, "passed": code.at(passed[-1]) if passed else "a pass"}
    if any(map(was_freed, common)):
        part = f"a part that {case.called(others[-1])} and {case.called(root)} share"
        return {"kind": "shared", "part": part, "passed": code.at(passes[-1][0])}
    whole = not any(any(saved_of(node)) for node in below(root) if not is_leaf(node))
    again = whole and not failed.loops and not stepped
    return unknown | {"kind": "twice", "passed": "a pass"} if again else unknown


def passes_before(case):
    """``[(statement, names)]`` that ran a pass earlier in the frames that failed, on what has these names."""
    found, inner = [], ("backward", "grad")
    for frame, place in reversed(case.failure.stack):
        user = case.code.statement(place)
        code = case.code.in_file(place[0]) if user else ()
        near = [each for each in code if each.line < user.line and each.scope == user.scope]
        found = [(each, call.of) for call, each in calls_of(near, *inner)] + found
        inner = (frame.f_code.co_name,)
    return found


def results_held(case):
    """``[(statement, result, name)]`` of the results that the frames which failed hold, the latest first."""
    found, code = [], case.code
    for frame, user in reversed(case.failure.stack):
        given = frame.f_code.co_varnames[: frame.f_code.co_argcount]  # what is called otherwise by who made it
        named = [(each, name) for each, names in names_in(frame).values() for name in names if name not in given]
        found += [(code.statement(user), *pair) for pair in named]
    found += [(code.failed_line, each, names[0]) for each, names in case.sight.known.values()]
    found = [each for each in found if each[0] and not is_leaf_tensor(each[1])]
    return sorted(found, key=lambda each: -node_of(each[1]).sequence)


def is_older(case, made, user):
    """Whether a statement ran before a loop began which a frame, or what it called, was in when it failed."""
    inner = [case.code.statement(place) for _, place in case.failure.stack]
    inner = inner[inner.index(user) + 1 :]
    return bool({*user.loops} - {*made.loops} or any(each and each.loops for each in inner))


def is_carried(code, name, made, user):
    """Whether what a statement binds goes into it again, in the next turn of a loop or in the next call."""
    near = [each for each in code.in_file(made.file) if each.scope == made.scope]
    behind = [made]
    for each in behind:
        found = [one for read in each.reads for one in sources(near, read, each)]
        behind += [one for one in dict.fromkeys(found) if one not in behind]
    root, turns = name.partition("[")[0], {*made.loops} & {*user.loops}
    apart = "." in name or root != name and not any(root in each.binds for each in near)
    again = any(is_part(name, read) for each in behind for read in each.reads)
    begun = [each for each in near if each not in behind and each.makes(name, made)]
    begun = [each for each in begun if turns & {*each.loops} or not turns and each.line < made.line]
    return again and not begun and bool(turns or apart)
