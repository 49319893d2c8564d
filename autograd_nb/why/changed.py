"""A tensor that was saved for the way back and then changed in place: which, by whom, and in which line."""

from ..microscope.readings import name_of, saved_of
from ..words import of
from .code import first
from .evidence import once
from .nodes import is_stale
from .recorded import is_view

ANEW = of("why")["anew"]


@once
def changed(case):
    """What was saved and then changed in place, by whom and where; also before a pass fails because of it."""
    failure, recorded = case.failure, case.recorded
    found = recorded.events("FoundModified") if "inplace operation" in failure.message else ()
    if found:
        *_, node, name, key, version, expected = (getattr(found[-1], each) for each in found[-1].__slots__)
        key = key or first(filter(None, (recorded.trace.tensor_at((node, number)) for number in (0, 1))))
        node, tensor = recorded.nodes[node].name if node else "a node", recorded.living.get(key)
    else:
        roots = [case.tensor] if recorded or not failure.message else failure.roots
        node = first(filter(is_stale, case.sight.below(*(each for each in roots if each is not None))))
        if node is None:
            return None
        saved = first(each for each in saved_of(node) if each.is_modified)
        name, tensor, version, expected = saved.name, saved.tensor, saved.version, saved.expected
        node, key = name_of(node), recorded.trace.key_of(tensor)
    base = tensor if tensor is None or tensor._base is None else tensor._base
    key, who = changer(recorded, key, expected) if key else (None, None)
    what = key and recorded.title(key) or tensor is not None and (case.called(tensor) or case.called(base))
    facts = {"node": node, "what": what or f"its {name}", "version": version, "expected": expected, "at": None}
    facts |= who or {"by": "unseen" if recorded else "unknown"}
    return facts | {"anew": ANEW[case.code.statement(facts["at"]).changes or "nothing"]}


def changer(recorded, key, expected):
    """The key of a tensor of the recording, or of what it is a view of, and what changed it first since a version."""
    views = filter(is_view, recorded.made.get(key, ()))
    bases = {key}.union(*(event.inputs[:1] for event in views))
    who = first(
        event
        for event in recorded.events("Changed")
        if event.version > expected and bases.intersection([event.tensor, *(other for other, _ in event.others)])
    )
    if who is None:
        return key, None
    key = key if recorded.tensors[key].names else who.tensor
    record = recorded.tensors[key]
    by = "leaf" if record.is_leaf and record.requires_grad else "operation"
    by = "optimizer" if who.name[:1].isupper() else by
    return key, {"by": by, "who": who.name, "at": who}
