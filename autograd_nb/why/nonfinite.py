"""NaN and inf: the operation that made the first, the tensor that brought it, or what may have made it."""

import numpy as np

from ..microscope.labels import plain_name
from ..microscope.readings import grad_of, value_of
from ..words import of
from .account import shown_by, traced, turned
from .code import first, only
from .evidence import once
from .nodes import bad_kind, has_zero, is_step, node_of, op_of

# operations whose value or derivative may not be finite, "pow:inf" for those that made inf -> the remedy
EDGES = {name: each.format(op=name) for names, each in of("why")["edges"].items() for name in names.split()}

# -- from a recording --------------------------------------------------------------------------------------------------


@once
def bad_root(case):
    """The origin of the NaN or inf of a tensor, or of a root of the last pass, as facts; or None."""
    recorded = case.recorded
    keys = [case.key] if case.about == "wrong" else recorded.roots_of(recorded.events("Started")[-1:])
    for key in filter(None, keys):
        index = len(recorded.trace)
        if kind := bad_kind(recorded.value_before(key, index)):
            return origin_of(recorded, key, kind, index) | {"root": recorded.title(key), "kind": kind}
    return None


@once
def bad_origin(case):
    """The origin of the NaN or inf of a gradient: the first event on the way that made one from finite numbers."""
    part = turned(case, are_bad)
    if part is None:
        return None
    event, came, went = part
    facts = shown_by(case, *part)
    used = first(each for each in getattr(event, "used", ()) if bad_kind(each[1]))
    if used is None:
        then = "; then NaN came of that: 0 · inf is NaN, and so is inf − inf"
        return facts | {"then": then * (case.kinds == "NaN" and "NaN" not in map(bad_kind, went))}
    kind, zero = bad_kind(used[1]), any(map(has_zero, came))
    then = f", and on the way back {facts['node']} multiplies 0 by it: 0 · {kind} is NaN" * zero
    key = used[2] or case.recorded.trace.tensor_at((event.node, 0))
    found = facts | origin_of(case.recorded, key, kind, event.index, then)
    return found | {"at": facts["at"]} if zero and found["by"] == "data" else found  # data may be infinite by design


def are_bad(values):
    return any(map(bad_kind, values))


def origin_of(recorded, key, kind, index, then=""):
    """The operation that made a value of this kind, or the tensor that had it before one used it, as facts of a row."""
    key, event, user = traced(recorded, key, lambda value: bad_kind(value) == kind, index)
    facts = {"source": recorded.title(key) if key else "a tensor", "made": kind, "then": then}
    if event is None:
        return facts | {"by": "data"} | ({"op": plain_name(user.name), "at": user} if user else {})
    op = plain_name(event.name)
    if is_step(event):
        half = kind == "NaN" and recorded.tensors[key].dtype == "float16" and op.startswith("Adam")
        return facts | {"by": "step", "op": op, "at": event, "remedy": EDGES["half_step" if half else "step"]}
    values = [recorded.value_before(each, event.index) for each in event.inputs]
    inner = first(each for each, value in zip(event.inputs, values, strict=True) if bad_kind(value) == "inf"
                  and ("softmax" not in op or np.inf in value.array))  # fmt: skip
    if inner and kind == "NaN":
        return origin_of(recorded, inner, "inf", event.index, f"; then {op} makes NaN of it{then}")
    then = ": 0 · inf is NaN" * (op == "mul" and kind == "NaN" and any(map(has_zero, values))) + then
    remedy = EDGES.get(f"{op}:{kind}") or EDGES.get(op, "")
    given = recorded.given_to(event)
    return facts | {"by": "forward", "op": op, "given": given, "then": then, "at": event, "remedy": remedy}


# -- from graphs in sight ----------------------------------------------------------------------------------------------


def bad_in_sight(case):
    return not case.recorded and bad_data(case.sight)


@once
def bad_data(sight):
    """A tensor in sight that needs no gradient and has NaN or inf, as facts of a row; or None."""
    grads = {id(each): each for each in map(grad_of, sight.tensors)}
    plain = [pair for pair in sight.known.values() if node_of(pair[0]) is None and id(pair[0]) not in grads]
    return first({"source": names[0], "made": kind} for each, names in plain if (kind := bad_kind(value_of(each))))


def risky(case, ops):
    """The only one of these operations on the way to a result in sight."""
    found = set().union(*(ops_behind(case.sight, root) for root, leads, _ in case.graphs_in_sight if leads))
    op = only(found.intersection(ops.split()))
    return not case.recorded and op and {"op": op}


@once
def ops_behind(sight, root):
    """The operations in the graph of a result; a question about many parameters asks for them often."""
    return {*map(op_of, sight.below(root))}
