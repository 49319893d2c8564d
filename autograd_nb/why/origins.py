"""The origin of NaN, inf or zeros: the event that made them, the tensor that had them before, or a likely operation.

A cause is named only where the arithmetic on the values that the answer quotes shows it.
"""

import numpy as np

from ..microscope.labels import plain_name
from ..microscope.readings import value_of
from .account import LINEAR, ways_in_words, ways_to
from .code import SAY, enumerated, first
from .evidence import once
from .nodes import (
    EDGES,
    FLAT,
    bad_kind,
    has_zero,
    is_all_zero,
    is_learners,
    is_step,
    largest,
    node_of,
    op_of,
)

MULTIPLY = {*"mul div masked_scatter mm bmm addmm dot mv pow convolution linear".split()}


@once
def origin(case):
    """The origin of the zeros or NaN or inf of a gradient, a tensor or a root of the last pass, as facts; or None.

    kind: that of its event, or what is known of the node or the operation that made it so.
    """
    return {"zero": of_zeros, "bad": of_bad}.get(case.about, of_root)(case)


# -- on the way back ---------------------------------------------------------------------------------------------------


def way_of(case, order=iter):
    """``(event, incoming, outgoing)`` for each event: the gradients that it received, and those that it passed on
    towards the tensor."""
    for event in order(case.recorded.events("Started", "Ran", "Summed", "Hooked")):
        if event.kind == "Started":
            found = (), event.grads
        elif event.kind == "Ran":
            found = event.grads, case.passed_on(event)
        elif event.node in case.above:
            found = [[event.added], [event.total]] if event.kind == "Summed" else [[event.before], [event.after]]
        else:
            continue
        incoming, outgoing = ([*filter(None, values)] for values in found)
        if outgoing:
            yield event, incoming, outgoing


def turned(case, has, order=iter):
    """The first part of this way where *has* is true of the outgoing gradients and false of the incoming ones."""
    return first(part for part in way_of(case, order) if has(part[2]) and not has(part[1]))


def shown_by(case, event, incoming, outgoing):
    """How an event turned the incoming gradients into the outgoing ones, as far as values show, as facts."""
    if event.kind != "Ran":
        return {"kind": event.kind, "at": event, "hook": getattr(event, "hook", "")}
    recorded, record, made = case.recorded, case.recorded.nodes[event.node], case.recorded.of_node.get(event.node)
    op = plain_name(record.row or made and made.name or record.name).removesuffix("Backward")
    return {
        "kind": "own" if is_learners(record) else "above" if op in LINEAR else "node",
        "node": record.name,
        "op": op,
        "dtype": outgoing[0].dtype,
        "given": recorded.given_to(made) if made and len(made.inputs) == 1 else recorded.read_by(event),
        "at": made,
    }  # fmt: skip


# -- zeros -------------------------------------------------------------------------------------------------------------


def of_zeros(case):
    """The event nearest to the tensor that turned a gradient into zeros."""
    part = turned(case, lambda values: bool(values) and all(map(is_all_zero, values)), reversed)
    facts = shown_by(case, *part) if part else {"kind": ""}
    more = {"node": of_node, "above": of_node, "Summed": of_sum}.get(facts["kind"])
    return facts | more(case, facts, *part) if more else facts


def of_sum(case, facts, event, *_):
    """Two contributions that cancel."""
    recorded, place = case.recorded, (event.node, event.output)
    key, ways = recorded.trace.tensor_at(place), ways_to(recorded, recorded.pass_of(event))[place]
    where = recorded.title(key) if key else recorded.nodes[event.node].name
    return {
        "at": recorded.of_node.get(event.node),
        "where": SAY("at", where=where) * (key != case.key),
        "parts": ways_in_words(case, ways),
    }  # fmt: skip


def of_node(case, facts, event, incoming, outgoing):
    """A node that is flat, that multiplied by zero, or whose incoming gradient is empty."""
    record, op = case.recorded.nodes[event.node], facts["op"]
    if not any(value.size for value in incoming):
        return {"kind": "nothing"}
    own = [name for name, (node, _) in zip(record.inputs, record.edges, strict=False) if node in case.above]
    own *= record.row != "pow.Tensor_Scalar"  # whose factor is its own input
    zero = first(each for each in event.used if is_all_zero(each[1]) and own != [each[0]])
    # values that nobody can read are of a block that runs again
    again = None in [value for _, value, _ in event.used] and case.recorded.again(case.recorded.started)
    if again:
        return {"kind": "again", "at": again}
    told = dict(record.constants)
    alone = f"{op}:1"  # over single numbers
    if alone in FLAT and (told.get("normalized_shape") or incoming[0].shape[told.get("dim", 0) :][:1]) == (1,):
        op = alone
    if found := FLAT.get(record.name) or FLAT.get(op):
        second = record.name.count("Backward") > 1
        return {"kind": "second" if second else "flat", "flat": found[0].format_map(facts), "remedy": found[1]}
    if zero and op in MULTIPLY:
        return of_factor(case, zero, event)
    flat = op not in LINEAR and incoming[0].shape == outgoing[0].shape
    return {"kind": "level" if flat else "zeros"}


def of_factor(case, zero, event):
    """A factor that is zero: its name, and whether an operation made it so or a step will move it."""
    recorded, key = case.recorded, zero[2]
    base = recorded.source_of(key)
    arrived = [each.grad for each in recorded.events("Accumulated") if each.tensor == base != case.key]
    source, made, _ = traced(recorded, key, is_all_zero, event.index)
    kind = "begins" if any(largest(each) > 0 for each in arrived) else "made" if made and made.inputs else "factor"
    return {
        "kind": kind,
        "zero": recorded.named_as((*zero[:2], source) if made is None and source else zero),
        "maker": made and plain_name(made.name) + recorded.code.at(made),
    }


def traced(recorded, key, has, index):
    """``(key, event, user)`` of the first tensor for which *has* is true, on the way to one for which it is true.

    event: the operation that made this true, or None; user: the operation that used the tensor, or None.
    """
    user = None
    while event := recorded.made_by(key, index):
        inner = first(each for each in event.inputs if has(recorded.value_before(each, event.index)))
        if inner is None or is_step(event):
            break
        key, index, user = inner, event.index, event
    return key, event, user


# -- NaN and inf -------------------------------------------------------------------------------------------------------


def of_root(case):
    """The origin of NaN or inf in the tensor itself, or in a root of the last pass."""
    recorded = case.recorded
    keys = [case.key] if case.about == "wrong" else recorded.roots_of(recorded.events("Started")[-1:])
    for key in filter(None, keys):
        index = len(recorded.trace)
        if kind := bad_kind(recorded.value_before(key, index)):
            return of_value(recorded, key, kind, index) | {"head": SAY("wrong", name=recorded.title(key), value=kind)}
    return None


def of_bad(case):
    """The origin of NaN or inf in a gradient: the first event that made them from finite numbers."""
    part = turned(case, lambda values: any(map(bad_kind, values)))
    if part is None:
        return None
    event, incoming, outgoing = part
    facts = shown_by(case, *part)
    used = first(each for each in getattr(event, "used", ()) if bad_kind(each[1]))
    if used is None:
        return facts | {"then": SAY["then_nan"] * (case.kinds == "NaN" and "NaN" not in map(bad_kind, outgoing))}
    kind, zero = bad_kind(used[1]), any(map(has_zero, incoming))
    then = SAY("then_zero", node=facts["node"], kind=kind) if zero else ""
    key = used[2] or case.recorded.trace.tensor_at((event.node, 0))
    found = facts | of_value(case.recorded, key, kind, event.index, then)
    return found | {"at": facts["at"]} if zero and found["kind"] == "data" else found  # data may be infinite by design


def of_value(recorded, key, kind, index, then=""):
    """The operation that made NaN or inf, or the tensor that had them before an operation used it, as facts."""
    key, event, user = traced(recorded, key, lambda value: bad_kind(value) == kind, index)
    facts = {"source": recorded.title(key) if key else SAY["tensor"], "made": kind, "then": then}
    if event is None:
        return facts | {"kind": "data"} | ({"op": plain_name(user.name), "at": user} if user else {})
    op = plain_name(event.name)
    facts |= {"kind": "forward", "op": op, "at": event}
    if is_step(event):
        remedy = EDGES.get(f"{op}:{recorded.tensors[key].dtype}", EDGES["step"])
        return facts | {"kind": "step", "remedy": remedy}
    values = [recorded.value_before(each, event.index) for each in event.inputs]
    inner = first(each for each, value in zip(event.inputs, values, strict=True) if bad_kind(value) == "inf"
                  and ("softmax" not in op or np.inf in value.array))  # fmt: skip
    if inner and kind == "NaN":
        return of_value(recorded, inner, "inf", event.index, SAY("then_of", op=op, then=then))
    then = SAY["of_zero"] * (op == "mul" and kind == "NaN" and any(map(has_zero, values))) + then
    return facts | {"given": recorded.given_to(event), "then": then, "remedy": EDGES.get(f"{op}:{kind}")}


# -- from graphs in sight ----------------------------------------------------------------------------------------------


def bad_in_sight(case):
    return not case.recorded and bad_data(case.sight)


@once
def bad_data(sight):
    """A tensor in sight that needs no gradient and has NaN or inf, as facts of a row; or None."""
    return first({"source": names[0], "made": kind} for each, names in sight.known.values()
                 if node_of(each) is None and (kind := bad_kind(value_of(each))))  # fmt: skip


def risky(case, ops):
    """Which of these operations are on the way to a result in sight; EDGES or FLAT has a remedy for a single one."""
    found = set().union(*(ops_behind(case.sight, root) for root, leads, _ in case.graphs_in_sight if leads))
    found = sorted(found.intersection(ops.split()))
    return not case.recorded and found and {"op": enumerated(found)}


@once
def ops_behind(sight, root):
    """The operations in the graph of a result; a question about many parameters asks for them often."""
    return {*map(op_of, sight.below(root))}
