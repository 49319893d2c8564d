"""Errors, by what they say: which tensor of the line that failed they are about, and where that was made."""

import re
from types import ModuleType

from ..microscope.labels import plain_name
from ..microscope.readings import is_leaf_tensor, is_tensor, name_of
from .flow import LEAVING
from .sight import params_of
from .statements import calls_of, first, only

FITS = {
    "any": lambda tensor: True,
    "constant": lambda tensor: not tensor.requires_grad,
    "inference": lambda tensor: tensor.is_inference(),
    "leaf": lambda tensor: tensor.requires_grad and any(
        each is not None and is_leaf_tensor(each) for each in (tensor, tensor._base)),
    "result": lambda tensor: not is_leaf_tensor(tensor),
    "several": lambda tensor: tensor.numel() != 1,
    "trained": lambda tensor: tensor.requires_grad,
    "whole": lambda tensor: not tensor.dtype.is_floating_point,
}  # fmt: skip


def error(case, pattern, done="", fits="any", unknown="", among="", made=False):
    """An error that says what matches *pattern*, whose groups may be named in the words.

    *what* is the tensor that the line does this to, by calls whose names match *done*, or reads, if only one *fits*, or
    the one *among* those that the pass that failed was given; else *unknown* stands for it.
    """
    failure, code = case.failure, case.code
    found = re.search(pattern, failure.message)
    if not found:
        return None
    given = (case.called(each) for each in getattr(failure, among, ()) if FITS[fits](each))
    what = unknown and (first(given) or blamed(code, done, fits))
    at = made and what and code.made_at(what, code.failed_line) or failure.at
    return found.groupdict() | {"at": at, "what": what or unknown}


def blamed(code, done, fits):
    """How the line that failed writes the tensor that it does this to; None where it may be one of several."""
    line, resolve = code.failed_line, code.sight.resolve
    texts = [] if done else [*line.reads]
    for call in line.calls:
        if re.fullmatch(done, call.name):
            texts.append(call.first if isinstance(resolve(call.on), ModuleType) or not call.on else call.on)
    texts += [name for name in line.binds if "[" in name or name in line.reads]
    texts += line.feeds if line.changes == "parts" and not any("[" in each for each in texts) else ()
    values = {text: resolve(text.partition("[")[0]) for text in texts if text}
    return only(text for text, value in values.items()
                if is_tensor(value) and FITS[fits](value) or value is None and done)  # fmt: skip


def first_nan(case):
    found = re.search(r"Function '(\w+)' returned nan values", case.failure.message)
    if not found:
        return None
    node, given, recorded = found[1], "", case.recorded
    made = first(recorded.of_node.get(each.node) for each in reversed(recorded.events("Ready"))
                 if recorded.nodes[each.node].name == node)  # fmt: skip
    if made:
        op = plain_name(made.name)
        given = f", and {op} was given {recorded.given_to(made)}"
    else:
        op = node.partition("Backward")[0].lower()
        places = {place_kept(each) for each in case.sight.below(*case.failure.roots) if name_of(each) == node} - {None}
        made = only(places) or case.failure.at
    return {"node": node, "given": given, "op": op, "at": made}


def place_kept(node):
    """``(file, line)`` of the learner's code that made a node of PyTorch, where anomaly mode kept that; or None."""
    kept = getattr(node, "metadata", {}).get("traceback_", ())
    frames = [re.search(r'File "(.+)", line (\d+)', each) for each in kept if "site-packages" not in each]
    return next(((found[1], int(found[2])) for found in reversed(frames) if found), None)


def not_used_there(case, again):
    failure, line = case.failure, case.code.failed_line
    found = re.search(r"(?:at index (\d+) )?appears to not have been used", failure.message)
    if not found:
        return None
    what, root = (first(map(case.called, each)) for each in (failure.inputs[int(found[1] or 0) :], failure.roots))
    made = [case.code.made_at(name, line) for name in line.reads if name != what]
    grads = [call for call, _ in calls_of(made, "grad") if what in call.of]
    what, root = what or "a tensor that is asked for", root or "what is differentiated"
    return {"what": what, "root": root, "at": failure.at} if again == bool(grads) else None


def no_tensor(case):
    found = re.search(r"'(\w+)' object has no attribute '(backward|grad|grad_fn|detach)'", case.failure.message)
    line = case.code.failed_line
    reads = line.reads if found else ()
    what = first(name for name in reads if type(case.sight.values.get(name)).__name__ == found[1])
    made = what and case.code.made_at(what, line)
    if not made:
        return None
    ways = [f"Leave {call.name}() out here" for call in made.calls if call.name in LEAVING]
    remedy = f"{(*ways, 'Keep the tensor itself')[0]}: backward() starts from a tensor"
    kind = f"a {found[1]}"
    if found[1] == "NoneType":
        kind, remedy = "None", "See whether what is called here returns it"
    return {"what": what, "kind": kind, "remedy": remedy, "at": made}


def hook_runs_before(case):
    """A hook that reads the .grad of its tensor; an error in it, or code in sight that does so."""
    hook, code = case.failure.hook, case.code
    part = hook and code.lacking is not None and case.called(code.lacking)
    if part:
        return {"hook": hook, "part": part, "at": code.failure.place}
    for call, statement in calls_of(code.program, "register_hook"):
        inside = [each for each in code.program if each.scope[-1:] == (call.first,)]
        read = first(each for each in [*inside, statement] if uses_grad(case, each))
        if read and case.sight.resolve(call.on) is case.tensor is not None:
            return {"hook": call.first, "part": case.name, "at": read}
    return None


def uses_grad(case, statement):
    """Whether a statement reads the .grad of the tensor that is asked about, or clips it."""
    sight = case.sight
    names = [name.removesuffix(".grad") for name in statement.reads if name.endswith(".grad")]
    clips = [call for call in statement.calls if call.name.startswith("clip_grad_") and call.arguments]
    names += [name for call in clips for name in call.arguments[0][2]]
    return any(each is case.tensor for name in names for each in sight.tensors_in(sight.resolve(name)))


def not_trained(case):
    """A parameter of an optimizer that does not require grad, and that no module in sight has."""
    for name, optimizer in case.sight.optimizers:
        for each in params_of(optimizer):
            free = not each.requires_grad and id(each) not in case.sight.owned and case.called(each)
            if free and (case.about == "failed" or each is case.tensor):
                return {"what": case.called(each), "optimizer": name, "at": case.code.bound_at(name)}
    return None


def requires_no_grad(case):
    return "does not require grad" in case.failure.message and case.node is None


def unknown_error(case):
    return case.failure.at
