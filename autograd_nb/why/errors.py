"""Errors, by what they say: which tensor of the line that failed they are about, and where that was made."""

import re
from types import ModuleType

from ..microscope.labels import plain_name
from ..microscope.readings import is_leaf_tensor, is_tensor, name_of
from .code import first, only
from .cuts import ENDING
from .sight import params_of

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
    at = made and what and code.bound_at(what) or failure.at
    return found.groupdict() | {"at": at, "what": what or unknown}


def blamed(code, done, fits):
    """How the line that failed writes the tensor that it does this to; None where it may be one of several."""
    line, resolve = code.failed_line, code.sight.resolve
    texts = [] if done else [*line.reads]
    for call in line.calls:
        if re.fullmatch(done, call.name):
            function = isinstance(resolve(call.on), ModuleType) or not call.on
            texts += call.given[:1] if function else [call.on]
    texts += [name for name in line.binds if "[" in name or name in line.reads]
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
    op = node.partition("Backward")[0].lower()
    if made:
        op = plain_name(made.name)
        given = f", and {op} was given {recorded.given_to(made)}"
    else:
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
    made = [case.code.bound_at(name) for name in line.reads]
    grads = any(each and (call := each.calls_any("grad")) and what in call.given for each in made)
    what, root = what or "a tensor that is asked for", root or "the tensor that is differentiated"
    return {"what": what, "root": root, "at": failure.at} if again == grads else None


def no_tensor(case):
    """A number or None in the place of a tensor, in the line that failed."""
    found = re.search(r"'(\w+)' object has no attribute '(backward|grad|grad_fn|detach)'", case.failure.message)
    line = case.code.failed_line
    what = first(name for name in (line.reads if found else ())
                 if type(case.sight.values.get(name)).__name__ == found[1])  # fmt: skip
    if not what:
        return None
    made = case.code.bound_at(what)
    leaving = made and first(call.name for call in made.calls if call.name in ENDING)
    remedy = "Keep the tensor itself, without item(), float() and NumPy: backward() starts from a tensor"
    kind = f"a {found[1]}"
    if found[1] == "NoneType":
        kind, remedy = "None", "See whether the function that gave it returns its result"
    elif leaving:
        remedy = f"Leave {leaving}() out here: backward() starts from a tensor"
    return {"what": what, "kind": kind, "remedy": remedy, "at": made or case.failure.at}


def tuple_of_grads(case):
    """A tuple that autograd.grad returned, and that the line that failed computes with."""
    message, line = case.failure.message, case.code.failed_line
    if not re.search(r"sequence by non-int|'tuple'|type\(s\) for .*tuple", message):
        return None
    names = [name for name in line.reads if isinstance(case.sight.values.get(name), tuple)]
    names = [name for name in names if all(map(is_tensor, case.sight.values[name]))]
    return {"what": names[0], "at": case.failure.at} if len(names) == 1 else None


def hook_runs_before(case):
    """A hook that failed as it read a .grad, or that changed one before the pass added to it."""
    hook, code, recorded = case.failure.hook, case.code, case.recorded
    part = hook and code.lacking is not None and case.called(code.lacking)
    if part:
        return {"hook": hook, "part": part, "does": "reads", "at": code.failure.place}
    for event in case.history if case.tensor is not None else ():
        started = recorded.trace.passes[event.index]
        if event.kind == "GradSet" and started and "register" not in code.statement(event).text:
            rest = [each for each in case.history if each.index > event.index and each.kind == "Accumulated"]
            inside = any(each.kind == "Finished" and each.pass_number == started.pass_number
                         for each in recorded.trace[event.index :])  # fmt: skip
            if inside and rest and recorded.trace.passes[rest[0].index] is started:
                hooks = [each for each in recorded.events("Hooked") if recorded.trace.passes[each.index] is started]
                name = first(each.hook for each in hooks if each.index > event.index)
                return name and {"hook": name, "part": case.name, "does": "changes", "at": event}
    return None


def not_trained(case):
    """A parameter of an optimizer that does not require grad, and that no module in sight has."""
    for name, optimizer in case.sight.optimizers:
        for each in params_of(optimizer):
            free = not each.requires_grad and id(each) not in case.sight.owned and case.called(each)
            if free and (case.about == "failed" or each is case.tensor):
                return {"what": case.called(each), "optimizer": name, "at": case.code.bound_at(name)}
    return None


def requires_no_grad(case, recorded):
    fails = "does not require grad" in case.failure.message and case.node is None
    return fails and bool(case.recorded) == recorded


def unknown_error(case):
    return case.failure.at
