"""A gradient that is zero: what turned it into zeros on its way, by arithmetic on a recording, or from graphs."""

import math

from ..microscope.labels import NAMELESS, plain_name
from ..microscope.readings import constants_of, made_shape, name_of, value_of
from .account import ways_in_words, ways_to
from .code import line_of
from .evidence import once
from .nodes import beyond_dtype, finite_in, is_all_zero, is_learners, node_of, numbers, op_of
from .sight import holds


def vanished(case, rows="", **given):
    """What turned a gradient into zeros, if the facts are as *given* and the node is one of *rows*, if any."""
    found = vanishing(case) if case.recorded else stopping_node(case)
    fits = found and all(found.get(name) == wanted for name, wanted in given.items())
    return found if fits and (not rows or plain_name(found["row"]) in rows.split()) else None


# -- from a recording --------------------------------------------------------------------------------------------------


@once
def vanishing(case):
    """What turned a gradient into zeros on the way to the tensor, nearest to it, as facts; or None."""
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
    found = [way for way in ways_to(recorded, started)[place] if way[0].index < event.index]
    own = key == case.key
    others = [each.grad for each in recorded.events("Accumulated") if recorded.trace.passes[each.index] is started]
    return {
        "by": "sum",
        "at": recorded.of_node.get(event.node) if not own else None,
        "where": "" if own else f" at {recorded.title(key) if key else recorded.nodes[event.node].name}",
        "parts": ways_in_words(case, found),
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
    came = sum(grad.size for grad in event.grads if grad is not None)
    beyond, inputs = beyond_dtype(event, 0), made.inputs if made else ()
    entered = finite_in(recorded.value_before(inputs[0], made.index) if inputs else None)
    lengths = [grad.shape[-1] for grad in event.grads if grad is not None and grad.shape]
    return {
        "by": "own" if is_learners(record) else "nothing" if not came else "factor" if zeros else beyond and "dtype",
        "node": record.name,
        "row": record.row or made and made.name or "",
        "single": bool(single or 1 in lengths[:1]),
        "loss": "some" if any(not is_all_zero(recorded.tensors[key].value) for key in recorded.roots) else "none",
        "given": recorded.given_to(made) if len(inputs) == 1 else recorded.read_by(event),
        "far": bool(entered.size and entered.max() < -3),
        "zero": recorded.named_as(zeros[0]).replace(NAMELESS, "the other factor") if zeros else "",
        "since": since_zero(recorded, factor, made),
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
    """ ", made so by relu (line 3, …)": the operation that made zeros; without its line if the *user* has the same."""
    event = recorded.made_by(key) if key else None
    while event and event.inputs and is_all_zero(recorded.value_before(event.inputs[0], event.index)):
        event = recorded.made_by(event.inputs[0], event.index)
    if not event or not event.inputs:
        return ""
    place = f" ({recorded.code.at(event)})" if user is None or line_of(user) != line_of(event) else ""
    return f", made so by {plain_name(event.name)}{place}"


def not_reached(case):
    """Whether a recording has no gradient on its way to the tensor."""
    return case.key is not None and not any(case.passed_on(event) for event in case.recorded.events("Ran"))


# -- from graphs in sight ----------------------------------------------------------------------------------------------


@once
def stopping_node(case):
    """A node of the graphs in sight that lets nothing through to a tensor, whatever comes in, as facts; or None."""
    sight, stopping = case.sight, stopping_nodes(case.sight)
    for root, _ in sight.results if stopping else ():
        for node in stopping:
            if node in sight.below(root) and (root is case.tensor or node == case.node or node in case.ways):
                return stopping[node] | {"at": case.code.bound_at(sight.name_for(root))}
    return None


@once
def stopping_nodes(sight):
    """``{node: facts}`` of the nodes of the graphs in sight that let nothing through, whatever comes in."""
    found = {}
    for root, _ in sight.results:
        for node in sight.below(root):
            told, op, shape = dict(constants_of(node)), op_of(node), made_shape(node) or ()
            normalised = shape[told["dim"] :][:1] if "softmax" in op else told.get("normalized_shape")
            single = bool(normalised) and math.prod(normalised) == 1
            dead = op in ("relu", "relu6", "clamp_min") and node == node_of(root) and is_all_zero(value_of(root))
            if single or dead or op in ("round", "sign", "floor", "ceil", "trunc"):
                given = f"as {sight.name_for(root)} is 0 everywhere"
                found.setdefault(node, {"single": single, "given": given, "node": name_of(node), "row": op})
    return found
