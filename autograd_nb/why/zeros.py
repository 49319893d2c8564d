"""A gradient that is zero: what made zeros of it on its way, by arithmetic on what was recorded, or as graphs tell."""

import math

import numpy as np

from ..microscope.labels import NAMELESS, plain_name
from ..microscope.readings import constants_of, made_shape, name_of, value_of
from .account import told_ways, ways_to
from .code import here
from .evidence import once
from .nodes import beyond_dtype, finite_in, is_all_zero, is_learners, largest, node_of, numbers, op_of
from .sight import holds


def vanished(case, rows="", **given):
    """What turned a gradient into zeros, if the facts are as *given* and the node is one of *rows*, if any."""
    found = vanishing(case) or stopping_node(case)
    fits = found and all(found.get(name) == wanted for name, wanted in given.items())
    return found if fits and (not rows or plain_name(found["row"]) in rows.split()) else None


# -- as recorded -------------------------------------------------------------------------------------------------------


@once
def vanishing(case):
    """What made zeros of a gradient that was not zero on the way to the tensor, nearest to it, as facts; or None."""
    recorded = case.recorded
    for event in reversed(recorded.events("Ran", "Summed", "Hooked")):
        if event.kind == "Ran":
            results = [value for _, value in case.passed_on(event)]
            came = [value for value in event.grads if value is not None]
        else:
            added = event.kind == "Summed"
            results, came = ([event.total], [event.added]) if added else ([event.after], [event.before])
            results = results if event.node in case.above else []
        if results and all(map(is_all_zero, results)) and not all(map(is_all_zero, came)):
            told = {"Ran": by_node, "Summed": by_sum, "Hooked": by_hook}[event.kind]
            return {"row": "", "by": ""} | told(case, event)
    return None


def by_hook(case, event):
    return {"by": "hook", "hook": event.hook, "at": event}


def by_sum(case, event):
    """Two contributions that cancel."""
    recorded, place = case.recorded, (event.node, event.output)
    key, started = recorded.trace.tensor_at(place), recorded.trace.passes[event.index]
    found = [way for way in ways_to(recorded, started).get(place, ()) if way.event.index < event.index]
    own = key == case.key
    others = [each.grad for each in recorded.events("Accumulated") if recorded.trace.passes[each.index] is started]
    return {
        "by": "sum",
        "at": recorded.of_node.get(event.node) if not own else None,
        "where": "" if own else f" at {recorded.title(key) if key else recorded.nodes[event.node].name}",
        "parts": told_ways(case, found),
        "design": own and not all(map(is_all_zero, others)) and len(recorded.tensors[case.key].value.shape) < 2,
    }  # fmt: skip


def by_node(case, event):
    """A node: the factor that was zero, or a product that is too small for its dtype, or its kind alone."""
    recorded, record, made = case.recorded, case.recorded.nodes[event.node], case.recorded.of_node.get(event.node)
    # the factor of pow is its own input
    names = [] if record.row == "pow.Tensor_Scalar" else [name for name, _ in case.passed_on(event)]
    used = [each for each in event.used if each[1] is not None]
    zeros = [each for each in used if is_all_zero(each[1]) and names != [each[0]]]
    factor = zeros[0][2] if zeros else None
    results = [numbers(value) for name, value, _ in used if name == "result"]
    single = results and results[0].size and results[0].min() == results[0].max() in (0, 1)
    beyond = beyond_dtype(event, 0)
    lengths = [grad.shape[-1] for grad in event.grads if grad is not None and grad.shape]
    return {
        "by": "own" if is_learners(record) else "factor" if zeros else beyond and "dtype",
        "node": record.name,
        "row": record.row or made and made.name or "",
        "single": bool(single or 1 in lengths[:1]),
        "even": {np.ptp(finite_in(grad)) for grad in event.grads if largest(grad) >= 0} == {0},
        "loss": "some" if any(not is_all_zero(recorded.tensors[key].value) for key in recorded.roots) else "none",
        "given": recorded.read_by(event),
        "zero": recorded.named_as(zeros[0]).replace(NAMELESS, "the other factor") if zeros else "",
        "since": since_zero(recorded, factor, made) if zeros else "",
        "both": f", as {case.name} is itself" * (bool(factor) and is_all_zero(recorded.tensors[case.key].value)),
        "begins": bool(factor) and begins_at_zero(case, factor),
        "function": record.name.removesuffix("Backward"),
        "at": made,
    } | (beyond or {})  # fmt: skip


def begins_at_zero(case, key):
    """Whether a zero factor is a leaf that an optimizer moves: it is no longer zero after the first step."""
    base = case.recorded.base_of(key)
    leaf = case.recorded.living.get(base)
    if leaf is None or leaf is case.tensor or not any(holds(each, leaf) for _, each in case.sight.optimizers):
        return False
    arrived = [event.grad for event in case.recorded.events("Accumulated") if event.tensor == base]
    return any(each is not None and not is_all_zero(each) for each in arrived)


def since_zero(recorded, key, user):
    """How a tensor became zero, if an operation made that of what was not: ", made so by relu (line 3, …)".

    The line is left out where it is that of its *user*, which the answer names.
    """
    event = recorded.made_by(key) if key else None
    while event and event.inputs and is_all_zero(recorded.value_before(event.inputs[0], event.index)):
        event = recorded.made_by(event.inputs[0], event.index)
    if not event or not event.inputs:
        return ""
    place = f" ({recorded.code.at(event)})" if user is None or here(user) != here(event) else ""
    return f", made so by {plain_name(event.name)}{place}"


def not_reached(case):
    """Whether a recording has no gradient on its way to the tensor."""
    return case.key is not None and not any(case.passed_on(event) for event in case.recorded.events("Ran"))


# -- as graphs in sight tell -------------------------------------------------------------------------------------------


@once
def stopping_node(case):
    """A node of the graphs in sight that lets nothing through to a tensor, whatever comes in, as facts; or None."""
    sight = case.sight
    for root, above, _ in () if case.recorded else sight.results:
        if stopping := stopping_nodes(sight, root):
            for node in sight.below(root) if root is case.tensor else {case.node, *case.between(above)}:
                if node in stopping:
                    facts = {"node": name_of(node), "row": op_of(node), "at": case.code.bound_at(case.called(root))}
                    return stopping[node] | facts
    return None


@once
def stopping_nodes(sight, root):
    """The nodes below a result that let nothing through: ``{node: why, as facts}``."""
    facts = {node: stops(node, value_of(root) if node_of(root) == node else None, sight.called(root))
             for node in sight.below(root)}  # fmt: skip
    return {node: told for node, told in facts.items() if told}


def stops(node, made, name):
    """Why a node lets nothing through, as far as what is still there tells, as facts; or None."""
    told, shape, op = dict(constants_of(node)), made_shape(node) or (), op_of(node)
    if "normalized_shape" in told and math.prod(told["normalized_shape"]) == 1:
        return {"single": True}
    if "softmax" in op and shape[told["dim"] :][:1] == (1,):
        return {"single": True}
    if op in ("round", "sign", "floor", "ceil", "trunc"):
        return {"given": ""}
    return (
        {"given": f"as {name} is 0 everywhere"} if op in ("relu", "relu6", "clamp_min") and is_all_zero(made) else None
    )
