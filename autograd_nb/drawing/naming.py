"""What the learner calls things: names of tensors in the caller's frame, and arguments as they were written."""

import ast
import linecache
from inspect import CO_OPTIMIZED
from itertools import islice

from ..replay.names import classes_of, parts_of, variables_of
from ..replay.readings import is_tensor


def names_in(frame, params=None):
    """``{id: (tensor, [names])}`` for the tensors that variables of a frame refer to, nearest scope first.

    Looks into lists, tuples, dicts and modules, one level deep; `params` ({name: tensor}) comes before everything else.
    """
    found = {}

    def note(name, value, only=False):
        if is_tensor(value):
            names = found.setdefault(id(value), (value, []))[1]
            if name not in names and not (only and names):
                names.append(name)

    for name, value in (params or {}).items():
        note(str(name), value)
    for variables in scopes_of(frame):
        for name, value in variables:
            note(name, value, only=bool(params))
        for name, value in variables:
            for part, inner in parts_of(value):
                note(name + part, inner, only=True)  # a place in something is no name beside a name
    return found


def classes_in(frame):
    """``{path: name of its class}`` of the modules that variables of a frame refer to."""
    found = {}
    for variables in scopes_of(frame):
        for name, value in variables:
            if hasattr(type(value), "named_modules"):
                found = classes_of(name, value) | found
    return found


def scopes_of(frame):
    if frame is None:
        return []
    scopes = [variables_of(frame)]
    if frame.f_code.co_flags & CO_OPTIMIZED or frame.f_locals is not frame.f_globals:
        scopes.append(frame.f_globals.items())
    return [[(name, value) for name, value in list(scope) if name.isidentifier() and not name.startswith("_")]
            for scope in scopes]  # fmt: skip


def written_arguments(frame, count):
    """The positional arguments of the call that a frame is making, as they were written; None where that is unknown."""
    unknown = [None] * count
    place = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    if None in place:
        return unknown
    first, last, start, end = place
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)[first - 1 : last]
    pieces = [line.encode() for line in lines] or [b""]
    pieces[-1] = pieces[-1][:end]
    pieces[0] = pieces[0][start:]
    try:
        call = ast.parse(b"".join(pieces).decode(), mode="eval").body
    except (SyntaxError, ValueError):
        return unknown
    if not isinstance(call, ast.Call) or any(isinstance(each, ast.Starred) for each in call.args):
        return unknown
    texts = [ast.unparse(each) for each in call.args]
    return texts if len(texts) == count else unknown
