"""A tensor that was saved for the way back and then changed in place: which tensor, by whom, and in which line."""

import re

from ..microscope.readings import name_of, saved_of
from ..words import of
from .code import first
from .evidence import once
from .nodes import is_stale
from .recorded import is_view

ANEW = of("why")["anew"]


@once
def changed_tensor(case):
    """The tensor that was saved and then changed in place, by whom and where; even if no pass has failed yet."""
    failure, recorded, trace = case.failure, case.recorded, case.recorded.trace
    saved = first(reversed(recorded.events("FoundModified"))) if "inplace operation" in failure.message else None
    if saved:
        key = saved.tensor or first(filter(None, (trace.tensor_at((saved.node, number)) for number in (0, 1))))
        node, tensor = recorded.nodes[saved.node].name if saved.node else "a node", recorded.living.get(key)
    else:
        roots = [case.tensor] if recorded or not failure.message else failure.roots
        node = first(filter(is_stale, case.sight.below(*(each for each in roots if each is not None))))
        if node is None:
            return None
        saved = first(each for each in saved_of(node) if each.is_modified)
        node, tensor, key = name_of(node), saved.tensor, trace.key_of(saved.tensor)
    base = tensor if tensor is None or tensor._base is None else tensor._base
    key, who = changer(recorded, key, saved.expected) if key else (None, None)
    what = key and recorded.title(key) or tensor is not None and (case.name_for(tensor) or case.name_for(base))
    facts = {"node": node, "what": what or f"its {saved.name}", "version": saved.version, "expected": saved.expected}
    facts |= who or {"by": "unseen" if recorded else "unknown", "at": None}
    text = case.code.statement(facts["at"]).text
    return facts | {"anew": first(words for pattern, words in ANEW.items() if re.search(pattern, text))}


def changer(recorded, key, expected):
    """The key of a recorded tensor, or of the base of a view, and the first event that changed it after a version."""
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
