"""Errors, told apart by their messages: which tensor of the failing line they are about, and where it was made."""

import ast
import re
from contextlib import suppress

from ..microscope.readings import grad_of, is_leaf_tensor, is_tensor
from .code import SAY, enumerated, first, function_of

FITS = {
    "asked": is_tensor,
    "constant": lambda tensor: not tensor.requires_grad,
    "leaf": lambda tensor: tensor.requires_grad and (is_leaf_tensor(tensor) or tensor._base is not None),
    "result": lambda tensor: not is_leaf_tensor(tensor),
    "several": lambda tensor: tensor.numel() != 1,
    "number": lambda thing: isinstance(thing, int | float),
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
        return False
    number = found.groupdict().get("number")
    given = (case.name_for(each) for each in getattr(failure, among, ())[int(number or 0) :] if suits(each, fits))
    what = first(given) or blamed(code, done, fits) or SAY["in_this_line"]
    at = made and code.bound_at(what) or failure.at
    root = first(map(case.name_for, failure.roots)) or SAY["differentiated"]
    return found.groupdict() | {"at": at, "what": what, "root": root}


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


def unknown_error(case):
    """An error that no row explains: where it was raised, the pass that it stopped, and every .grad that is set."""
    failure, sight, recorded = case.failure, case.sight, case.recorded
    given = [case.name_for(each) for each in sight.tensors if grad_of(each) is not None]
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
