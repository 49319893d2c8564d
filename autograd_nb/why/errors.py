"""Errors, by what they say: which tensor of the line that failed they are about, and where that was made."""

import re
from types import ModuleType

from ..microscope.readings import is_leaf_tensor, is_tensor
from .account import of_kind
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
    node, recorded = found.groupdict().get("node", ""), case.recorded
    lines = (recorded.of_node.get(each.node) for each in reversed(recorded.events("Ready"))
             if recorded.nodes[each.node].name == node)  # fmt: skip
    at, op = made and what and code.bound_at(what) or first(lines) or failure.at, node.partition("Backward")[0].lower()
    return found.groupdict() | {"at": at, "what": what or unknown, "op": op}


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
    """A number, None or a tuple of gradients in the place of a tensor, in the line that failed."""
    said = r"'(\w+)' object has no attribute|(sequence) by non-int|for .*(tuple)"
    found = re.search(said, case.failure.message)
    kind, values = found and first(filter(None, found.groups())), case.sight.values
    kind = "tuple" if kind == "sequence" else kind
    what = only(
        name
        for name in {*case.code.failed_line.reads}
        if kind and name in values and type(values[name]).__name__ == kind
    )
    if not what or kind == "tuple" and not all(map(is_tensor, values[what])):
        return None
    made = case.code.bound_at(what)
    leaving = made and first(call.name for call in made.calls if call.name in ENDING)
    told = f": {leaving}() takes it out" * bool(leaving)
    return {"what": what, "kind": KINDS.get(kind), "type": kind, "leaving": told, "at": made or case.failure.at}


KINDS = {"tuple": "tuple", "NoneType": "None", "float": "number", "int": "number"}


def wrong_kind(case, kind):
    found = no_tensor(case)
    return found if found and found["kind"] == kind else None


def hook_runs_before(case):
    """A hook that failed as it read a .grad, or that changed one before the pass added to it."""
    hook, code, trace = case.failure.hook, case.code, case.recorded.trace
    part = hook and code.lacking is not None and case.called(code.lacking)
    if part:
        return {"hook": hook, "part": part, "does": "reads", "at": code.failure.place}
    for event in of_kind(case.history, "GradSet") if case.tensor is not None else ():
        started = trace.passes[event.index]
        hooks = [each for each in trace[event.index :] if started and trace.passes[each.index] is started]
        if any(each.kind == "Accumulated" and each.tensor == case.key for each in hooks):
            name = first(each.hook for each in hooks if each.kind == "Hooked")
            return name and {"hook": name, "part": case.name, "does": "changes", "at": event}
    return None


def unknown_error(case):
    return case.failure.at


def not_trained(case):
    """A parameter of an optimizer that does not require grad, and that no module in sight has."""
    for name, optimizer in case.sight.optimizers:
        for each in params_of(optimizer):
            free = not each.requires_grad and id(each) not in case.sight.owned and case.called(each)
            if free and (case.about == "failed" or each is case.tensor):
                return {"what": case.called(each), "optimizer": name, "at": case.code.bound_at(name)}
    return None
