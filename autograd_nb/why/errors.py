"""Errors, told apart by their messages: which tensor of the failing line they are about, and where it was made."""

import ast
import re
from contextlib import suppress
from itertools import pairwise

from ..microscope.readings import grad_of, is_leaf_tensor, is_tensor
from .code import SAY, enumerated, first, function_of
from .sight import params_of

FITS = {
    "asked": is_tensor,
    "constant": lambda tensor: not tensor.requires_grad,
    "leaf": lambda tensor: tensor.requires_grad and (is_leaf_tensor(tensor) or tensor._base is not None),
    "result": lambda tensor: not is_leaf_tensor(tensor),
    "several": lambda tensor: tensor.numel() != 1,
    "trained": lambda tensor: tensor.requires_grad,
    "whole": lambda tensor: not tensor.dtype.is_floating_point,
    "number": lambda thing: isinstance(thing, int | float),
    "tensors": lambda thing: isinstance(thing, tuple) and all(map(is_tensor, thing)),
}  # fmt: skip


def error(case, kind, done="", fits="", among="", inside="", made=False):
    """An error whose message matches the pattern *kind*; the words may name its groups.

    *what* is the tensor that the expression does this to: the one in a call whose name matches *done*, the only one of
    its names that *fits*, or one *among* those that the failed pass got.  *inside*: a part of the name of a file that
    the error came through.
    """
    failure, code = case.failure, case.code
    found = re.search(kind, failure.message)
    if not found or inside not in " ".join(failure.files):
        return None
    number, root = found.groupdict().get("number"), first(map(case.name_for, failure.roots))
    given = (case.name_for(each) for each in getattr(failure, among, ())[int(number or 0) :] if suits(each, fits))
    what = not fits or first(given) or blamed(code, done, fits) or ("tuple" not in kind and SAY["in_this_line"])
    if not what:
        return None
    node, recorded, ended = found.groupdict().get("node", ""), case.recorded, getattr(failure.event, "node", "")
    lines = (recorded.of_node.get(each.node) for each in reversed(recorded.events("Ready"))
             if each.node == ended or recorded.nodes[each.node].name == node)  # fmt: skip
    at = made and code.bound_at(what) or first(lines) or failure.at
    root = root or SAY["differentiated"]
    return found.groupdict() | {"at": at, "what": what, "root": root, "op": node.partition("Backward")[0].lower()}


def blamed(code, done, fits):
    """The learner's text for the tensor that the failed expression does this to; None if nobody can know."""
    node, resolve, texts = code.failure.doing, code.sight.resolve, []
    if not done:
        texts = code.failing_names
    elif isinstance(node, ast.Call):
        on = ast.unparse(node.func).rpartition(".")[0]
        texts = [on, *map(ast.unparse, node.args[:1])] if re.fullmatch(done, function_of(node)) else []
    elif isinstance(node, ast.AugAssign | ast.Attribute | ast.Subscript):
        texts = [ast.unparse(node if isinstance(node, ast.Subscript) else next(ast.iter_child_nodes(node)))]
    for text in filter(None, texts):
        value = resolve(text.partition("[")[0])
        if suits(value, fits) or value is None and done:
            return text
    return None


def suits(thing, fits):
    with suppress(Exception):  # it is no tensor
        return FITS[fits](thing)


def hook_runs_before(case):
    """A hook that failed as it read a .grad, or that changed one before the pass added to it."""
    failure, lacking, recorded = case.failure, case.code.lacking, case.recorded
    if failure.hook and lacking is not None:
        return {"hook": failure.hook, "part": case.name_for(lacking), "does": SAY["reads"], "at": failure.place}
    for event, after in pairwise(case.history):
        in_one_pass = recorded.pass_of(event) is recorded.pass_of(after)
        if in_one_pass and (event.kind, after.kind) == ("GradSet", "Accumulated"):
            hook = first(each.hook for each in recorded.trace[event.index :] if each.kind == "Hooked")
            return hook and {"hook": hook, "part": case.name, "does": SAY["changes"], "at": event}
    return None


def unknown_error(case):
    """An error that no row explains: where it was raised, the pass that it stopped, and every .grad that is set."""
    failure, sight, recorded = case.failure, case.sight, case.recorded
    given = [name for each in sight.tensors if grad_of(each) is not None and (name := case.name_for(each))]
    passes = len(recorded.events("Finished"))
    told = SAY("whole_passes", count=passes) if recorded else SAY["now"]
    if failure.call:
        told = SAY("stopped", at=case.code.at(failure.call))
    grads = SAY("have_grads", count=len(given), names=enumerated(given)) if given else SAY["no_grads"]
    method = first(each for each in reversed(failure.method.split(".<locals>.")) if each[:1] != "<")
    return {
        "at": failure.frames and failure.place or failure.event, "text": failure.message.partition("\n")[0].rstrip("."),
        "grads": grads, "told": told, "inside": SAY("inside", method=method) if method else "",
    }  # fmt: skip


def not_trained(case):
    """A parameter of an optimizer that does not require grad, and that no module in sight has."""
    others = case.sight.known.keys() - case.sight.owned
    return first({"what": case.name_for(each), "optimizer": name, "at": case.code.bound_at(name)}
                 for name, optimizer in case.sight.optimizers for each in params_of(optimizer)
                 if not each.requires_grad and id(each) in others)  # fmt: skip
