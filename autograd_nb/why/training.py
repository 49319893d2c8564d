"""Training as a whole: tensors in modules, the steps of optimizers, and recorded operations that do not fit."""

import re

from ..microscope.labels import plain_name, short
from ..microscope.readings import is_tensor, value_of
from .code import first, only
from .evidence import once
from .nodes import finite_in, is_all_zero, node_of
from .sight import params_of, unregistered

# -- a module ----------------------------------------------------------------------------------------------------------


def in_a_list(case):
    """Unregistered tensors in a module: the one asked about, or any that no optimizer in sight holds."""
    if case.about == "failed" and "empty parameter list" not in case.failure.message:
        return None
    for name, each, tensors in unregistered_in_sight(case.sight):
        if name == case.name if case.about == "module" else case.tensor is None or id(case.tensor) in tensors:
            at = case.code.bound_at(f"{name}.{each['path']}")
            return each | {"module": name, "list": f"{name}.{each['path']}", "at": at}
    return None


@once
def unregistered_in_sight(sight):
    """``[(name of a module, its unregistered tensors, ids)]`` of the tensors that no optimizer holds."""
    held = {id(one) for _, optimizer in sight.optimizers for one in params_of(optimizer)}
    found = [(name, each, {id(one) for _, one in each["tensors"]} - held)
             for name, module in sight.modules for each in unregistered(module)]  # fmt: skip
    return [triple for triple in found if triple[2]]


def misspelt_flag(case):
    """An attribute, nearly called requires_grad, that was set on a tensor, or on a module or a parameter of it."""
    whole = case.tensor is None
    for path, inner in (*case.thing.named_modules(), *case.thing.named_parameters()) if whole else [("", case.tensor)]:
        flag = first(filter(re.compile("requires?_?grads?_?").fullmatch, getattr(inner, "__dict__", ())))
        if flag:
            part = ".".join(filter(None, (case.name, path)))
            whose, also = ("", "") if is_tensor(inner) else ("the module ", ", which sets it on every parameter")
            at = only(each for name, lines in case.code.binders.items() if name.endswith(f".{flag}")
                      for each in lines.values())  # fmt: skip
            return {"part": part, "flag": flag, "value": getattr(inner, flag), "whose": whose, "also": also, "at": at}
    return None


# -- an optimizer ------------------------------------------------------------------------------------------------------


def at_no_rate(case):
    """An optimizer whose learning rate is 0: the one asked about, or the one that holds the tensor."""
    for name, each in [(case.name, case.thing)] if case.about == "optimizer" else case.sight.optimizers:
        groups = [group for group in each.param_groups
                  if case.tensor is None or any(one is case.tensor for one in group["params"])]  # fmt: skip
        if groups and all(group.get("lr", 1) == 0 for group in groups):
            return {"optimizer": name, "at": case.code.bound_at(name)}
    return None


def holds_strangers(case):
    """Parameters that no module has any more."""
    owned, known = case.sight.owned, case.sight.known
    held = {id(each): each for each in params_of(case.thing)}
    lost = [each for place, each in held.items() if place not in owned and place not in known]
    if not lost or owned.issubset(held):
        return None
    count = f"{len(lost)} parameter{'s' * (len(lost) > 1)}"
    return {"count": count, "shape": tuple(lost[0].shape), "at": case.code.bound_at(case.name)}


def still_moved(case):
    """A parameter that has no gradient, and that each step moves all the same."""
    reached = {event.tensor for event in case.recorded.events("Accumulated")}
    for group in case.thing.param_groups:
        for each in filter(lambda each: each.grad is not None, group["params"]):
            frozen, state = node_of(each) is None, case.thing.state.get(each, {})
            memory = [value_of(state.get(name)) for name in ("momentum_buffer", "exp_avg")]
            keeps, zero = any(value and not is_all_zero(value) for value in memory), is_all_zero(value_of(each.grad))
            # a parameter that a recorded pass reached is frozen only for a while, and so may be a whole module
            frozen = frozen and (case.recorded.trace.key_of(each) not in reached if case.recorded
                                 else id(each) not in case.sight.owned)  # fmt: skip
            by = "its memory of earlier steps" if keeps else "weight_decay" if group.get("weight_decay") else ""
            by = by if zero else "the .grad that was left"
            if by and (frozen or keeps and zero):
                lacks = "does not require grad" if frozen else "gets no gradient"
                return {"part": case.name_for(each) or "a parameter", "lacks": lacks, "what": by}
    return None


# -- a recording, or the graphs in sight -------------------------------------------------------------------------------


def fed(case, outer, inner="", positive=False):
    """One of these operations whose input is the result of another one, or a view of it, or has numbers above 0.

    kl_div computes log(target) − its input as a part of it.
    """
    recorded = case.recorded
    for event in recorded.events("Operation"):
        op = plain_name(event.name)
        part = "kl_div" in outer and op == "sub" and "kl_div" in case.code.statement(event).calls
        op, given = ("kl_div", event.inputs[-1]) if part else (op, event.inputs and event.inputs[0])
        if given and op in outer.split():
            made, value = recorded.made_behind_views(given), recorded.tensors[given].value
            if made and plain_name(made.name) == inner or positive and finite_in(value).max(initial=0) > 0:
                return {"outer": op, "given": short(value), "at": event}
    return None


PAIRED = "sub", "mul", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "eq"


def paired_all(case):
    """A column and a row: each number of one is paired with each number of the other."""
    recorded = case.recorded
    for event in recorded.events("Operation"):
        makers = [recorded.made_by(key) for key in event.inputs]
        names = [maker and plain_name(maker.name) for maker in makers]
        if len(makers) == 2 and plain_name(event.name) in PAIRED and "unsqueeze" not in names:
            triples = zip(event.inputs, makers, names, strict=True)
            keys = [maker.inputs[0] if name == "expand" else key for key, maker, name in triples]
            shapes = [tuple(recorded.tensors[key].value.shape) for key in keys]
            one = first(shape[:1] for shape in shapes if len(shape) == 2 and shape[0] > 1 == shape[1])
            if one in shapes:
                both = " and ".join(map(str, shapes))
                return {"op": plain_name(event.name), "shapes": both, "shape": one * 2, "at": event}
    return None
