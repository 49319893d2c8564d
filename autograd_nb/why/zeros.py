"""A gradient that is zero: what turned it into zeros on its way, by arithmetic on a recording."""

from ..microscope.labels import plain_name
from ..words import of
from .account import shown_by, sizes_of_grads, traced, turned, way_of, ways_in_words, ways_to
from .code import first
from .evidence import once
from .nodes import is_all_zero, largest

# operation -> where it is flat, and a remedy
FLAT = {name: each for names, each in of("why")["flat"].items() for name in names.split()}


@once
def vanished(case):
    """What turned a gradient into zeros on the way to the tensor, nearest to it, as facts; or None."""
    part = turned(case, are_zero, reversed)
    if part is None:
        return None
    facts = shown_by(case, *part)
    more = {"node": of_node, "Summed": of_sum}.get(facts["by"])
    facts |= more(case, *part[:2]) if more else {}
    flat = FLAT.get(facts.get("op"))
    if flat is None:
        return facts
    where, remedy = (each.format_map(facts) for each in flat)
    return facts | {"listed": True, "flat": where, "remedy": remedy}


def are_zero(values):
    return bool(values) and all(map(is_all_zero, values))


def of_sum(case, event, _):
    """Two contributions that cancel."""
    recorded, place = case.recorded, (event.node, event.output)
    key, ways = recorded.trace.tensor_at(place), ways_to(recorded, recorded.trace.passes[event.index])[place]
    own = key == case.key
    return {
        "at": recorded.of_node.get(event.node) if not own else None,
        "where": "" if own else f" at {recorded.title(key) if key else recorded.nodes[event.node].name}",
        "parts": ways_in_words(case, ways),
        "design": own and bool(sizes_of_grads(recorded)) and len(recorded.tensors[key].value.shape) < 2,
    }  # fmt: skip


def of_node(case, event, came):
    """A node: the factor that was zero, or that nothing came to it; *single*: it goes over single numbers."""
    recorded, record = case.recorded, case.recorded.nodes[event.node]
    told = dict(record.constants)
    own = [name for name, (node, _) in zip(record.inputs, record.edges, strict=False) if node in case.above]
    own *= record.row != "pow.Tensor_Scalar"  # whose factor is its own input
    zero = first(each for each in event.used if is_all_zero(each[1]) and own != [each[0]])
    single = {"single": (told.get("normalized_shape") or came[0].shape[told.get("dim", 0) :][:1]) == (1,)}
    if not any(value.size for value in came):
        return {"by": "nothing"}
    if zero is None:  # values that nobody can read are of a block that runs again
        again = None in [value for _, value, _ in event.used] and recorded.again(recorded.started)
        return single | ({"by": "again", "again": case.code.at(again)} if again else {})
    key = zero[2]
    base = recorded.base_of(key)
    arrived = [each.grad for each in recorded.events("Accumulated") if each.tensor == base != case.key]
    origin, made, _ = traced(recorded, key, is_all_zero, event.index)
    return single | {
        "by": "factor",
        "zero": recorded.name_or_maker(origin) if made is None and origin else recorded.named_as(zero),
        "since": f", made so by {plain_name(made.name)} ({recorded.code.at(made)})" if made and made.inputs else "",
        "begins": any(largest(each) > 0 for each in arrived),
    }


def not_reached(case):
    """Whether there is a recording, and no gradient in it on its way to the tensor."""
    return case.recorded and not any(event.kind == "Ran" for event, *_ in way_of(case))
