"""A tensor that was saved for the way back and then changed in place: which tensor, by whom, and in which line."""

from ..microscope.readings import name_of, saved_of
from .code import a_name, first
from .evidence import once
from .nodes import is_stale


@once
def changed_tensor(case):
    """The tensor that was saved and then changed in place, by whom and where; even if no pass has failed yet."""
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
    key = key and recorded.base_of(key)
    names = [case.name_for(each) for each in (held, getattr(held, "_base", None)) if each is not None]
    what = key and recorded.title(key) or first(filter(None, names)) or f"its {saved.name}"
    facts = {"node": node, "what": what, "it": a_name(what), "version": saved.version, "expected": saved.expected}
    who = first(event for event in recorded.events("Changed") if event.version > saved.expected
                and key in (event.tensor, *(other for other, _ in event.others)))  # fmt: skip
    if who is None:
        return facts | {"by": "unseen" if recorded else "unknown"}
    record = recorded.tensors[key]
    by = "leaf" if record.is_leaf and record.requires_grad else "operation"
    by = "optimizer" if who.name[:1].isupper() else by
    return facts | {"by": by, "who": who.name, "at": who}
