"""Training at large: what a module holds, what an optimizer does to it, and operations that fit ill in a recording."""

import re

from ..microscope.labels import plain_name, short
from ..microscope.readings import (
    constants_of,
    is_leaf,
    is_leaf_tensor,
    is_tensor,
    made_shape,
    name_of,
    value_of,
    version_of,
)
from .evidence import once
from .nodes import base_of, inputs_of, is_all_zero, node_of, op_of
from .sight import holds, params_of, unregistered
from .statements import calls_of, first, here, is_part, only

# -- a module ----------------------------------------------------------------------------------------------------------


def in_a_list(case):
    """What a module holds and does not know of: the tensor, or anything that no optimizer in sight holds."""
    if case.about == "failed" and "empty parameter list" not in case.failure.message:
        return None
    sight = case.sight
    for name, module in [(case.name, case.thing)] if case.about == "module" else sight.modules:
        for each in unregistered(module):
            tensors = [one for _, one in each["tensors"] if case.tensor is None or one is case.tensor]
            if tensors and not any(holds(optimizer, one) for _, optimizer in sight.optimizers for one in tensors):
                at = case.code.bound_at(f"self.{each['attribute']}", each["owner"])
                return each | {"module": name, "list": f"{name}.{each['path']}", "at": at}
    return None


def flag_on_a_module(case):
    for path, inner in (*case.thing.named_modules(), *case.thing.named_parameters()):
        flag = first(name for name in getattr(inner, "__dict__", ()) if re.fullmatch("requires?_?grads?", name))
        if flag:
            part = ".".join(filter(None, (case.name, path)))
            at = only(each for each in case.code.program if any(name.endswith(f".{flag}") for name in each.binds))
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
            made = case.code.bound_at(f"self.{name.rpartition('.')[2]}", "__init__")
            if made and leaves and not any(id(leaf) in case.sight.known for leaf in leaves):
                return {"part": name, "node": name_of(node_of(each)), "at": made}
    return None


def attributes_of(case):
    """``[(name, thing)]`` of the attributes of a module and of those in it."""
    owners = [(".".join(filter(None, (case.name, path))), each) for path, each in case.thing.named_modules()]
    return [(f"{name}.{attribute}", each) for name, owner in owners for attribute, each in vars(owner).items()]


def made_each_time(case):
    """A forward that makes parameters."""
    for _, inner in case.thing.named_modules():
        for each in case.code.body_of(inner.forward)[1]:
            if any(re.match("Parameter$|Linear|Conv|Embedding|LSTM|GRU", call.name) for call in each.calls):
                return {"owner": type(inner).__name__, "at": each}
    return None


def drops_all(case):
    for path, inner in case.thing.named_modules():
        if type(inner).__name__.startswith("Dropout") and inner.p == 1 and inner.training:
            return {"part": f"{case.name}.{path}", "at": case.code.bound_at(f"self.{path.rpartition('.')[2]}")}
    return None


def update_lost(case):
    """A loop over parameters that binds its variable to what the update gives."""
    code = case.code.program
    for each in code:
        heads = (one for _, one in calls_of(code, "parameters", "named_parameters") if one.line in each.loops)
        drawn = {name for head in heads for name in head.binds}
        lost = first(name for name in each.binds if name in drawn and f"{name}.grad" in each.reads)
        if lost:
            return {"part": lost, "at": each}
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
            scheduled = any(group.get("initial_lr") for group in groups)
            given = only(each for call, each in calls_of(code.program) if each.binds and call.first == name)
            return {"optimizer": name, "at": scheduled and given or code.bound_at(name)}
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
    code = case.code
    for group in case.thing.param_groups:
        for each in group["params"]:
            grad, frozen = value_of(each.grad), node_of(each) is None
            state = case.thing.state.get(each, {})
            keeps = [value_of(state.get(name)) for name in ("momentum_buffer", "exp_avg")]
            keeps = any(value and not is_all_zero(value) for value in keeps)
            frozen = frozen and bool(code.freezing or not code.flags)  # not for a while only
            zero = is_all_zero(grad)
            if grad and (frozen and (group.get("weight_decay") or not zero) or keeps and zero):
                memory = "its memory of earlier steps" if keeps else "weight_decay"
                return {
                    "part": case.called(each) or "a parameter",
                    "at": code.frozen_at if frozen else None,
                    "lacks": "does not require grad" if frozen else "gets no gradient",
                    "what": memory if zero else "the .grad that was left",
                }
    return None


def never_stepped(case):
    """Whether a loop sets its gradients to zero and runs passes, but no line of the code makes a step."""
    code = case.code.program
    loops = [{*each.loops} for call, each in calls_of(code, "zero_grad") if is_part(case.name, call.on)]
    at = first(each for _, each in calls_of(code, "backward") if any({*each.loops} & loop for loop in loops))
    return at and not case.thing.state and not calls_of(code, "step") and {"at": at}


def never_zeroed(case):
    """Whether a loop adds the gradients of its passes up, and no line of the code sets them to zero."""
    code = case.code.program
    turns = any(each.loops or each.scope for call, each in calls_of(code, "step") if is_part(case.name, call.on))
    added = any(each.grad is not None and version_of(each.grad) for each in params_of(case.thing))
    set_anew = any(name.endswith(".grad") for each in code for name in each.binds)
    zeroed = set_anew or calls_of(code, "zero_grad", "zero_")
    at = only(each for _, each in calls_of(code, "backward"))
    return not case.recorded and turns and added and not zeroed and {"at": at}


def too_soon(case):
    """A step, or clipping, that stands before backward()."""
    pairs = calls_of(case.code.program)
    for call, each in pairs:
        steps = call.name == "step" and hasattr(case.sight.resolve(call.on), "param_groups")
        if steps or call.name.startswith("clip_grad_"):
            near = [(one.name, one.on) for one, line in pairs if (line.scope, line.loops) == (each.scope, each.loops)]
            names = [name for name, _ in near]
            if "backward" in names and (call.name, call.on) not in near[names.index("backward") :]:
                return {"call": call.name, "then": " and before the step" * (not steps), "at": each}
    return None


# -- a recording, or the graphs in sight -------------------------------------------------------------------------------


def fed(case, outer, inner):
    """An operation that is given what another one made, as it is or as a view."""
    return first({"outer": op, "at": case.code.inside(at)} for op, made, at in chained(case)
                 if op in outer.split() and made == inner)  # fmt: skip


def chained(case):
    """``(operation, the one that made what it is given, where)``, also of a view of that."""
    for event in case.recorded.events("Operation"):
        made = case.recorded.made_behind_views(event.inputs[0]) if event.inputs else None
        if made is not None:
            yield plain_name(event.name), plain_name(made.name), event
    for node, line in nodes_in_sight(case):
        made = base_of(first(inputs_of(node)))
        if made is not None:
            yield op_of(node), op_of(made), line


@once
def nodes_in_sight(case):
    """``[(node, statement that made the result)]`` of the graphs in sight that lead to what is asked about."""
    about, found = {*map(node_of, case.thing or ())}, {}
    for tensor, _, _ in case.sight.results if not case.recorded else ():
        below = case.sight.below(tensor)
        if not about or not about.isdisjoint(below):
            line = case.code.named_at(tensor)
            found |= dict.fromkeys(below, line)  # of the result that was made first
    return list(found.items())


def no_logarithms(case):
    """A loss of logarithms of probabilities that is given numbers above 0: of the recording, or as the code tells."""
    resolve, recorded = case.sight.resolve, case.recorded
    given = [("nll_loss", recorded.tensors[event.inputs[0]].value, event)
             for event in recorded.events("Operation") if plain_name(event.name).startswith("nll_loss")]  # fmt: skip
    for call, statement in calls_of(case.code.program, "kl_div"):
        if getattr(resolve(call.on), "__name__", "").endswith("nn.functional"):
            tensor = resolve(call.first)
            given.append(("kl_div", value_of(tensor) if is_tensor(tensor) else None, statement))
    for op, value, at in given:
        if value is not None and value.is_readable and (value.array.max() if value.is_whole else value.high) > 0:
            return {"op": op, "given": short(value), "at": at}
    return None


PAIRED = "sub", "mul", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "eq"


def paired_all(case):
    """A column and a row of which each number is paired with each of the other."""
    for op, shapes, made, at in pairings(case):
        known = [shape for shape in shapes if shape]
        one = first(shape[:1] for shape in known if len(shape) == 2 and shape[0] > 1 == shape[1])
        if op in PAIRED and one and made in (None, one * 2) and any(shape in (None, one) for shape in shapes):
            others = case.code.statement(here(at)).reads if None in shapes and at else ()
            others = [each for each in map(case.sight.values.get, others) if is_tensor(each)]
            like = one if any(tuple(each.shape) == one for each in others) else ""
            unknown = like or "a target of another shape" * op.endswith("_loss")
            if None not in shapes or unknown:
                both = " and ".join(str(shape or unknown) for shape in shapes)
                return {"op": op, "shapes": both, "shape": one * 2, "at": case.code.inside(at)}
    return None


def pairings(case):
    """``(operation, shapes of its two operands, shape of the result or None, where)``; None is not known."""
    recorded = case.recorded
    for event in recorded.events("Operation"):
        if len(event.inputs) == 2:
            makers = [recorded.made_by(key) for key in event.inputs]
            names = [maker and plain_name(maker.name) for maker in makers]
            triples = zip(event.inputs, makers, names, strict=True)
            keys = [maker.inputs[0] if name == "expand" else key for key, maker, name in triples]
            if "unsqueeze" not in names:
                yield plain_name(event.name), [tuple(recorded.tensors[key].value.shape) for key in keys], None, event
    for node, line in nodes_in_sight(case):
        shapes, made = shapes_of(node) or ((), None)
        if len(shapes) == 2 and made:
            yield op_of(node), shapes, made, line


def shapes_of(node):
    """The shapes of the two operands of an operation, None for one that is not known, and of what it made of them;
    or None where an operand was given its dimension on purpose."""
    shapes, made = [], made_shape(node)
    for inner in inputs_of(node)[:2]:
        if inner is not None and op_of(inner) == "expand":
            made, shape = made_shape(inner), dict(constants_of(inner)).get("self_sym_sizes")
            inner = inputs_of(inner)[0]
        else:
            shape = inner and (inner.variable.shape if is_leaf(inner) else made_shape(inner))
        if inner is not None and op_of(inner) == "unsqueeze":
            return None
        shapes.append(shape and tuple(shape))
    return shapes, made and tuple(made)
