"""Errors, told apart by their messages: which tensor of the failing line they are about, and where it was made."""

import ast
import re
from contextlib import suppress
from types import ModuleType

from ..microscope.readings import is_leaf_tensor, is_tensor
from .account import of_kind
from .code import first, function_of, only
from .evidence import once
from .sight import params_of

FITS = {
    "constant": lambda tensor: not tensor.requires_grad,
    "inference": lambda tensor: tensor.is_inference(),
    "leaf": lambda tensor: tensor.requires_grad and any(
        each is not None and is_leaf_tensor(each) for each in (tensor, tensor._base)),
    "result": lambda tensor: not is_leaf_tensor(tensor),
    "several": lambda tensor: tensor.numel() != 1,
    "trained": lambda tensor: tensor.requires_grad,
    "whole": lambda tensor: not tensor.dtype.is_floating_point,
    "number": lambda thing: isinstance(thing, int | float),
    "tensors": lambda thing: isinstance(thing, tuple) and all(map(is_tensor, thing)),
}  # fmt: skip


def error(case, pattern, done="", fits="", unknown="", among="", made=False):
    """An error whose message matches *pattern*; the words may name its groups.

    *what* is the tensor that the expression does this to: the one in a call whose name matches *done*, the only one of
    its names that *fits*, or one *among* those that the failed pass got; else *unknown* stands for it.
    """
    failure, code = case.failure, case.code
    found = re.search(pattern, failure.message)
    if not found:
        return None
    given = (case.name_for(each) for each in getattr(failure, among, ()) if suits(each, fits))
    what = fits and (first(given) or blamed(code, done, fits))
    if fits and not what and not unknown:
        return None
    node, recorded = found.groupdict().get("node", ""), case.recorded
    lines = (recorded.of_node.get(each.node) for each in reversed(recorded.events("Ready"))
             if recorded.nodes[each.node].name == node)  # fmt: skip
    at, op = made and what and code.bound_at(what) or first(lines) or failure.at, node.partition("Backward")[0].lower()
    return found.groupdict() | {"at": at, "what": what or unknown, "op": op}


def blamed(code, done, fits):
    """The learner's text for the tensor that the failed expression does this to; None if nobody can know."""
    node, resolve = code.failure.doing, code.sight.resolve
    texts = [] if done else code.failing_names
    if isinstance(node, ast.Call) and re.fullmatch(done, function_of(node)):
        on = ast.unparse(node.func).rpartition(".")[0]
        function = isinstance(resolve(on), ModuleType) or not on
        texts = [ast.unparse(each) for each in node.args[:1]] if function else [on]
    elif done and isinstance(node, ast.AugAssign | ast.Attribute | ast.Subscript):
        part = node if isinstance(node, ast.Subscript) else next(ast.iter_child_nodes(node))
        texts = [ast.unparse(part)]
    values = {text: resolve(text.partition("[")[0]) for text in texts}
    return only(text for text, value in values.items() if suits(value, fits) or value is None and done)


def suits(thing, fits):
    with suppress(Exception):  # it is no tensor
        return FITS[fits](thing)


@once
def not_used_there(case):
    failure = case.failure
    found = re.search(r"(?:at index (\d+) )?appears to not have been used", failure.message)
    if not found:
        return None
    what, root = (first(map(case.name_for, each)) for each in (failure.inputs[int(found[1] or 0) :], failure.roots))
    made = [case.code.bound_at(name) for name in case.code.failing_names]
    grads = any(each and "grad" in each.calls and what in each.reads for each in made)
    what, root = what or "a tensor that is asked for", root or "the tensor that is differentiated"
    return {"what": what, "root": root, "at": failure.at, "again": grads}


def hook_runs_before(case):
    """A hook that failed as it read a .grad, or that changed one before the pass added to it."""
    hook, code, trace = case.failure.hook, case.code, case.recorded.trace
    part = hook and code.lacking is not None and case.name_for(code.lacking)
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
            free = not each.requires_grad and id(each) not in case.sight.owned and case.name_for(each)
            if free and (case.about == "failed" or each is case.tensor):
                return {"what": case.name_for(each), "optimizer": name, "at": case.code.bound_at(name)}
    return None
