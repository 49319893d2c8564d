"""Training as a whole: tensors in modules, the steps of optimizers, and recorded operations that do not fit."""


from ..microscope.labels import plain_name, short
from ..microscope.readings import is_leaf_tensor
from ..microscope.sentences import listed
from .code import first
from .nodes import finite_in
from .sight import params_of

# -- a module ----------------------------------------------------------------------------------------------------------


def unregistered(case):
    """What holds a tensor in a module that does not register it: the tensor asked about, or any of the module."""
    sight = case.sight
    found = [names for tensor, names in sight.known.values() if (case.tensor is None or tensor is case.tensor)
             and tensor.requires_grad and is_leaf_tensor(tensor) and id(tensor) not in sight.trained]  # fmt: skip
    looked = case.about != "failed" or "empty parameter list" in case.failure.message
    for module, _ in sight.modules if looked else ():
        name = first(each for names in found for each in names if each.startswith(f"{module}.") and "._" not in each)
        if name and (case.about != "module" or module == case.name):
            path, inside, _ = name.partition("[")
            kind = type(sight.resolve(path)).__name__ if inside else "tensor"
            return {"module": module, "list": path, "kind": kind, "at": case.code.bound_at(path)}
    return None


def flagged_module(case):
    """A module with an attribute requires_grad, which nothing reads, as facts."""
    for path, inner in case.thing.named_modules():
        if "requires_grad" in vars(inner):
            part = f"{case.name}.{path}".strip(".")
            return {"part": part, "value": inner.requires_grad, "at": case.code.bound_at(f"{part}.requires_grad")}
    return None


# -- an optimizer ------------------------------------------------------------------------------------------------------


def at_no_rate(case):
    """An optimizer whose learning rate is 0, and the line that loaded it, if one did."""
    if any(group.get("lr", 1) for group in case.thing.param_groups):
        return None
    return {"at": first(each for each in case.code.at_hand if f"{case.name}.load_state_dict" in each.reads)}


def holds_strangers(case):
    """A parameter that no module has any more."""
    held = params_of(case.thing)
    lost = first(each for each in held if id(each) not in case.sight.known)
    if lost is None or case.sight.owned.issubset(map(id, held)):
        return None
    return {"shape": tuple(lost.shape), "at": case.code.bound_at(case.name)}


# -- a recording, or the graphs in sight -------------------------------------------------------------------------------


def fed(case, outer, inner=""):
    """One of these operations whose input is the result of *inner*, or a view of it; without *inner* one above 0."""
    recorded = case.recorded
    for event in recorded.events("Operation"):
        op, given = plain_name(event.name), first(event.inputs)
        if given and op in outer.split():
            made, value = recorded.made_by(recorded.source_of(given)), recorded.tensors[given].value
            if made and plain_name(made.name) == inner if inner else finite_in(value).max(initial=0) > 0:
                return {"outer": op, "given": short(value), "at": event}
    return False


PAIRED = "sub", "mul", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "eq"


def paired_all(case):
    """A column and a row: each number of one is paired with each number of the other."""
    recorded = case.recorded
    for event in recorded.events("Operation"):
        op, names, shapes = plain_name(event.name), [], []
        for key in event.inputs if op in PAIRED else ():
            maker = recorded.made_by(key)
            names.append(maker and plain_name(maker.name))
            shapes.append(tuple(recorded.tensors[maker.inputs[0] if names[-1] == "expand" else key].value.shape))
        row = first(each for each in shapes if len(each) == 1 and each != (1,) and (*each, 1) in shapes)
        if row and "unsqueeze" not in names:
            both = listed(map(str, shapes))
            return {"op": op, "shapes": both, "shape": row * 2, "at": event}
    return None
