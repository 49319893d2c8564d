"""A gradient that is zero: the node that let nothing through, as recorded or as graphs in sight tell, or a hook."""

import math

from ..microscope.labels import NAMELESS, plain_name
from ..microscope.readings import constants_of, is_leaf, made_shape, name_of, value_of
from .account import vanished
from .code import first, here
from .evidence import once
from .nodes import base_of, inputs_of, is_all_zero, is_learners, node_of, op_of
from .sight import holds


def closed(case, rows, when=""):
    """A node of these rows that turned a gradient into zeros."""
    found = zeroing_node(case) or stopping_node(case)
    if not found or plain_name(found["row"]) not in rows.split():
        return None
    fits = not when or (when == found["when"] if "when" in found else globals()[when](case.recorded, found["event"]))
    return found if fits else None


# -- as recorded -------------------------------------------------------------------------------------------------------


@once
def zeroing_node(case):
    """The node that turned a gradient into zeros on the way to a tensor, and the zero that it multiplied by."""
    recorded, event = case.recorded, vanished(case)
    if not event or event.kind != "Ran":
        return None
    record, made = recorded.nodes[event.node], recorded.of_node.get(event.node)
    # the factor of pow is its own input
    names = [] if record.row == "pow_number" else [name for name, _ in case.passed_on(event)]
    zeros = [each for each in event.used if is_all_zero(each[1]) and names != [each[0]]]
    factor = zeros[0][2] if zeros else None
    return {
        "node": record.name,
        "row": record.row or made and made.name or "",
        "own": is_learners(record),
        "event": event,
        "given": recorded.read_by(event),
        "zero": recorded.named_as(zeros[0]).replace(NAMELESS, "the other factor") if zeros else "",
        "since": since_zero(recorded, factor, made) if zeros else "",
        "both": f", as {case.name} is itself" * (bool(factor) and is_all_zero(recorded.tensors[case.key].value)),
        "begins": bool(factor) and begins_at_zero(case, factor),
        "at": made,
    }


def begins_at_zero(case, key):
    """Whether a zero factor is a leaf that an optimizer moves: it is no longer zero after the first step."""
    base = case.recorded.base_of(key)
    leaf = case.recorded.living.get(base)
    if leaf is None or leaf is case.tensor or not any(holds(each, leaf) for _, each in case.sight.optimizers):
        return False
    arrived = [event.grad for event in case.recorded.events("Accumulated") if event.tensor == base]
    return any(each is not None and not is_all_zero(each) for each in arrived)


def factor(case, rows, begins):
    """A node of these rows that multiplied by zeros."""
    found = closed(case, rows)
    return found if found and found.get("zero") and found["begins"] == begins else None


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


def single(recorded, event):
    """Whether a node goes over a single number, of which it makes the same whatever comes in."""
    made = [value.array for name, value, _ in event.used if name == "result" and value.is_whole]
    shapes = [grad.shape for grad in event.grads if grad is not None and grad.shape]
    return made and made[0].min() == made[0].max() in (0, 1) or shapes and shapes[0][-1] == 1


def even(recorded, event):
    """Whether all that came back to a node is the same number."""
    return all(extent(grad) == 0 for grad in event.grads if grad is not None)


def extent(value):
    """The largest number of a snapshot less the smallest."""
    if not value.is_readable:
        return math.nan
    low, high = (value.array.min(), value.array.max()) if value.is_whole else (value.low, value.high)
    return float(high) - float(low)


def no_loss(recorded, event):
    """Whether the pass started from a single 0."""
    values = [recorded.tensors[key].value for key in recorded.roots]
    return all(value.size == 1 and is_all_zero(value) for value in values)


def chosen(recorded, event):
    """Whether a condition or a mask is the same everywhere, as far as it was kept."""
    value = first(value for name, value, _ in event.used if name in ("condition", "mask"))
    return value is not None and extent(value) == 0


def returned_zero(case):
    """The learner's own backward that did so."""
    found = zeroing_node(case)
    return found and found["own"] and found | {"function": found["node"].removesuffix("Backward")}


def hooked(case):
    event = vanished(case)
    if event and event.kind == "Hooked":
        return {"hook": event.hook, "at": event}
    event = first(event for event in case.recorded.events("Hooked") if event.node in case.above
                  and is_all_zero(event.after) and not is_all_zero(event.before))  # fmt: skip
    return event and {"hook": event.hook, "at": event}


def not_reached(case):
    """Whether a recording has no gradient on its way to the tensor."""
    return bool(case.recorded) and not any(
        case.passed_on(event) for event in case.recorded.events("Ran")) and case.key is not None  # fmt: skip


# -- as graphs in sight tell -------------------------------------------------------------------------------------------


@once
def stopping_node(case):
    """A node of the graphs in sight that lets nothing through to a tensor, whatever comes in; or None."""
    stops = stopping_nodes(case.sight) if not case.recorded else {}
    for root, above, _ in case.sight.results if stops else ():
        led = {case.node, *case.between(above)}
        for node in case.sight.below(case.tensor) if root is case.tensor else led:
            facts = stops.get(node, {"factors": ()})
            if "factors" not in facts or led.intersection(facts["factors"]) and facts["leaf"] != case.node:
                return facts | {"at": case.code.bound_at(case.called(root))}
    return None


@once
def stopping_nodes(sight):
    """``{node: facts}`` of the nodes in sight that let nothing through, as far as what is still there tells."""
    found, made = {}, {node_of(each): each for each, *_ in sight.results}
    whole = [each for each in sight.tensors if not each.dtype.is_floating_point]
    for node in sight.below(*made.values()):
        op = op_of(node)
        facts = {"node": name_of(node), "row": op, "when": "", "both": "", "since": "", "begins": False}
        if is_of_one(node) or op == "nll_loss" and any(ignores(node, each) for each in whole):
            found[node] = facts | {"when": "single"}
        elif (factor := zero_factor(node)) is not None:
            found[node] = facts | {"leaf": factor[0], "factors": factor[1], "zero": sight.called(factor[0].variable)}
        elif op in ("round", "sign", "floor", "ceil", "trunc"):
            found[node] = facts
        elif op in ("relu", "relu6", "clamp_min") and is_all_zero(value_of(made.get(node))):
            found[node] = facts | {"given": f"as {sight.called(made[node])} is 0 everywhere"}
    return found


def is_of_one(node):
    """Whether a softmax or a normalisation goes over a single number."""
    told, shape = dict(constants_of(node)), made_shape(node) or ()
    if "normalized_shape" in told:
        return math.prod(told["normalized_shape"]) == 1
    return "softmax" in op_of(node) and shape[told["dim"] :][:1] == (1,)


def ignores(node, labels):
    """Whether a loss of classes ignores all of some labels."""
    ignored = dict(constants_of(node)).get("ignore_index")
    value = None if ignored is None else value_of(labels)
    return bool(value and value.is_whole and value.size and (value.array == ignored).all())


def zero_factor(node):
    """``(leaf, other factors)`` where one factor of a product is a leaf of zeros; or None."""
    factors = inputs_of(node)[op_of(node) == "addmm" :]
    for factor in factors if op_of(node) in ("mul", "mm", "addmm", "bmm", "mv", "dot") else ():
        leaf = base_of(factor)
        if leaf is not None and is_leaf(leaf) and is_all_zero(value_of(leaf.variable)):
            return leaf, [other for other in factors if other is not factor]
    return None
