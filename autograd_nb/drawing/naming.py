"""What the learner calls things: names of tensors in the caller's frame, and arguments as they were written."""

import ast
import linecache
import sys
from inspect import CO_OPTIMIZED
from itertools import islice

from ..engine.tensor import Tensor


def names_in(frame, params=None):
    """``{id: (tensor, [names])}`` for the tensors that variables of a frame refer to, nearest scope first.

    Looks into lists, tuples, dicts and modules, one level deep; `params` ({name: tensor}) comes before everything else.
    """
    found = {}

    def note(name, value, only=False):
        if isinstance(value, Tensor):
            names = found.setdefault(id(value), (value, []))[1]
            if name not in names and not (only and names):
                names.append(name)

    for name, value in (params or {}).items():
        note(str(name), value)
    for variables in scopes_of(frame):
        for name, value in variables:
            note(name, value, only=bool(params))
        for name, value in variables:
            for part, inner in _parts(value):
                note(name + part, inner, only=True)  # a place in something is no name beside a name
    return found


def scopes_of(frame):
    if frame is None:
        return []
    local, shared = frame.f_locals, frame.f_globals
    scopes = [_named(local)] + ([_named(shared)] if local is not shared else [])
    # before Python 3.13 a function's frame keeps this dict, and all in it alive, unless it is emptied
    if frame.f_code.co_flags & CO_OPTIMIZED and type(local) is dict and sys.getrefcount(local) <= 3:
        local.clear()
    return scopes


def _named(scope):
    return [(name, value) for name, value in list(scope.items()) if name.isidentifier() and not name.startswith("_")]


def _parts(value):
    if isinstance(value, list | tuple):
        return ((f"[{index}]", item) for index, item in islice(enumerate(value), 1000))
    if type(value) is dict:
        return ((f"[{key!r}]", item) for key, item in islice(value.items(), 1000) if isinstance(key, str | int))
    if hasattr(type(value), "named_parameters"):
        return ((f".{name}", item) for name, item in islice(value.named_parameters(), 1000))
    return ()


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
