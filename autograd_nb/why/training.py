"""Training at large: what a module holds, what an optimizer does to it, and operations that fit ill in a recording."""

import re

from ..microscope.labels import plain_name, short
from ..microscope.readings import is_leaf_tensor, is_tensor, name_of, value_of
from .code import first, only
from .evidence import once
from .nodes import is_all_zero, node_of
from .sight import is_optimizer, params_of, unregistered

# -- a module ----------------------------------------------------------------------------------------------------------


def in_a_list(case):
    """What a module holds and does not know of: the tensor, or anything that no optimizer in sight holds."""
    if case.about == "failed" and "empty parameter list" not in case.failure.message:
        return None
    for name, each, tensors in unregistered_in_sight(case.sight):
        asked = name == case.name if case.about == "module" else case.tensor is None or id(case.tensor) in tensors
        if asked:
            at = case.code.bound_at(f"self.{each['attribute']}")
            return each | {"module": name, "list": f"{name}.{each['path']}", "at": at}
    return None


@once
def unregistered_in_sight(sight):
    """``[(name of a module, what it does not know of, ids)]`` of the tensors that no optimizer holds."""
    optimizers = [each for _, each in sight.optimizers]
    optimizers += [each for _, module in sight.modules for inner in module.modules()
                   for each in vars(inner).values() if is_optimizer(each)]  # fmt: skip
    held = {id(one) for each in optimizers for one in params_of(each)}
    found = [(name, each, {id(one) for _, one in each["tensors"]} - held)
             for name, module in sight.modules for each in unregistered(module)]  # fmt: skip
    return [triple for triple in found if triple[2]]


def flag_on_a_module(case):
    for path, inner in (*case.thing.named_modules(), *case.thing.named_parameters()):
        flag = first(name for name in getattr(inner, "__dict__", ()) if re.fullmatch("requires?_?grads?", name))
        if flag:
            part = ".".join(filter(None, (case.name, path)))
            at = only(each for file in case.code.at_hand for each in case.code.in_file(file)
                      if any(name.endswith(f".{flag}") for name in each.binds))  # fmt: skip
            own = is_tensor(inner)
            whose, also = ("", "") if own else ("the module ", ", which sets it on every parameter")
            return {"part": part, "flag": flag, "value": getattr(inner, flag), "whose": whose, "also": also, "at": at}
    return None


def no_parameter(case):
    """A tensor in a module that was computed from a leaf which is nowhere else."""
    parts = attributes_of(case) if case.about == "module" else [(case.name, case.tensor)] if "." in case.name else ()
    for name, each in parts:
        if is_tensor(each) and not is_leaf_tensor(each):
            leaves = case.sight.leaves_behind(each)
            made = case.code.bound_at(f"self.{name.rpartition('.')[2]}")
            if leaves and not any(id(leaf) in case.sight.known for leaf in leaves):
                return {"part": name, "node": name_of(node_of(each)), "at": made}
    return None


def attributes_of(case):
    """``[(name, thing)]`` of the attributes of a module and of those in it."""
    owners = [(".".join(filter(None, (case.name, path))), each) for path, each in case.thing.named_modules()]
    return [(f"{name}.{attribute}", each) for name, owner in owners for attribute, each in vars(owner).items()]


def drops_all(case):
    for path, inner in case.thing.named_modules():
        if type(inner).__name__.startswith("Dropout") and inner.p == 1 and inner.training:
            return {"part": f"{case.name}.{path}", "at": case.code.bound_at(f"self.{path.rpartition('.')[2]}")}
    return None


# -- an optimizer ------------------------------------------------------------------------------------------------------


def at_no_rate(case):
    """An optimizer whose learning rate is 0: the one asked about, or that of the tensor."""
    code = case.code
    for name, each in [(case.name, case.thing)] if case.about == "optimizer" else case.sight.optimizers:
        groups = [
            group
            for group in each.param_groups
            if case.tensor is None or any(x is case.tensor for x in group["params"])
        ]
        if groups and all(group.get("lr", 1) == 0 for group in groups):
            lines = [each for file in code.at_hand for each in code.in_file(file)
                     if each.binds and any(name in call.given[:1] for call in each.calls)]  # fmt: skip
            scheduled = any(group.get("initial_lr") for group in groups) and only(lines)
            return {"optimizer": name, "at": scheduled or code.bound_at(name)}
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
    """A parameter without a gradient that each step moves nevertheless."""
    reached = {event.tensor for event in case.recorded.events("Accumulated")}
    for group in case.thing.param_groups:
        for each in group["params"]:
            grad, frozen = value_of(each.grad), node_of(each) is None
            state = case.thing.state.get(each, {})
            keeps = [value_of(state.get(name)) for name in ("momentum_buffer", "exp_avg")]
            keeps = any(value and not is_all_zero(value) for value in keeps)
            # one that a pass of this recording reached is frozen for a while only
            frozen = frozen and case.recorded.trace.key_of(each) not in reached
            # and so may be all of a module, without a recording
            frozen = frozen and (bool(case.recorded) or id(each) not in case.sight.owned)
            zero = is_all_zero(grad)
            if grad and (frozen and (group.get("weight_decay") or not zero) or keeps and zero):
                memory = "its memory of earlier steps" if keeps else "weight_decay"
                return {
                    "part": case.called(each) or "a parameter",
                    "lacks": "does not require grad" if frozen else "gets no gradient",
                    "what": memory if zero else "the .grad that was left",
                }
    return None


# -- a recording, or the graphs in sight -------------------------------------------------------------------------------


def fed(case, outer, inner):
    """An operation that is given the result of another one, as it is or as a view."""
    for event in case.recorded.events("Operation"):
        made = case.recorded.made_behind_views(event.inputs[0]) if event.inputs else None
        if made is not None and plain_name(event.name) in outer.split() and plain_name(made.name) == inner:
            return {"outer": plain_name(event.name), "at": event}
    return None


def no_logarithms(case):
    """A loss of logarithms of probabilities that is given numbers above 0."""
    recorded = case.recorded
    for event in recorded.events("Operation"):
        op, called = plain_name(event.name), case.code.statement(event).calls_any("kl_div", "nll_loss")
        place = 0 if op in ("nll_loss", "nll_loss_nd") else -1 if op == "sub" and called else None
        value = recorded.tensors[event.inputs[place]].value if place is not None and event.inputs else None
        if value is not None and value.is_readable and (value.array.max() if value.is_whole else value.high) > 0:
            return {"op": called.name if called else op, "given": short(value), "at": event}
    return None


PAIRED = "sub", "mul", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "eq"


def paired_all(case):
    """A column and a row of which each number is paired with each of the other."""
    recorded = case.recorded
    for event in recorded.events("Operation"):
        makers = [recorded.made_by(key) for key in event.inputs]
        names = [maker and plain_name(maker.name) for maker in makers]
        if len(makers) != 2 or plain_name(event.name) not in PAIRED or "unsqueeze" in names:
            continue
        triples = zip(event.inputs, makers, names, strict=True)
        keys = [maker.inputs[0] if name == "expand" else key for key, maker, name in triples]
        shapes = [tuple(recorded.tensors[key].value.shape) for key in keys]
        one = first(shape[:1] for shape in shapes if len(shape) == 2 and shape[0] > 1 == shape[1])
        if one and one in shapes:
            both = " and ".join(map(str, shapes))
            return {"op": plain_name(event.name), "shapes": both, "shape": one * 2, "at": event}
    return None
