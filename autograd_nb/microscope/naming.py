"""What the learner calls things: names of tensors in the caller's frame, and arguments as they were written."""

import ast
import linecache
import re
from inspect import getframeinfo
from itertools import accumulate
from math import inf

from .labels import LONGEST_NAME, clean
from .names import classes_of, is_module, named_in, scopes_of
from .readings import is_tensor


def names_in(frame, params=None, classes=None):
    """``{id: (tensor, [names])}`` for the tensors that variables of a frame refer to, nearest scope first.

    Looks into lists, tuples, dicts and modules, and for modules into these and the attributes of objects; *params*
    ({name: tensor}) comes before everything else.  *classes*, a dict, gets the names of modules' classes by their path.
    """
    found, classes = {}, {} if classes is None else classes

    def note(name, value, only=False):
        if is_tensor(value):
            names = found.setdefault(id(value), (value, []))[1]
            if name not in names and not (only and names):
                names.append(name)

    for name, value in (params or {}).items():
        note(str(name), value)
    for variables in scopes_of(frame):
        for name, value, inner in named_in(variables, set(), inf):
            if inner and is_module(value):
                classes |= classes_of(name, value) | classes
            note(name, value, inner or bool(params))  # a place in something is no name beside a name
    return found


def written_arguments(frame, count):
    """The positional arguments of the call that a frame is making, as they were written; None where that is unknown."""
    place = getframeinfo(frame, 0).positions
    try:
        lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)[place.lineno - 1 : place.end_lineno]
        text = ast.get_source_segment("".join(lines), place._replace(lineno=1, end_lineno=len(lines)))
        arguments = [*ast.parse(text, mode="eval").body.args]
    except (SyntaxError, ValueError, TypeError, AttributeError, IndexError):  # no call, or no text is there
        arguments = []
    if len(arguments) != count or any(isinstance(each, ast.Starred) for each in arguments):
        return [None] * count
    return list(map(ast.unparse, arguments))


def called(hook):
    """What to call a hook: its name, or the text of a lambda."""
    name = getattr(hook, "__name__", None)
    text = written_lambda(hook.__code__) if name == "<lambda>" and hasattr(hook, "__code__") else None
    return clean(text or (name if isinstance(name, str) else type(hook).__name__), LONGEST_NAME)


def written_lambda(code):
    """The text of a lambda of one line and one parameter: where it is sure, since it compiles to the same code."""
    line = linecache.getline(code.co_filename, code.co_firstlineno)
    for start in re.finditer(r"\blambda \w+:", line):
        text = line[start.start() :]
        depths = accumulate((sign in "([{") - (sign in ")]}") for sign in text)
        ends = (end for end, (depth, sign) in enumerate(zip(depths, text, strict=True)) if depth < (sign == ","))
        try:
            text = ast.unparse(ast.parse(text[: next(ends, None)].strip(), mode="eval"))
            made = compile(text, code.co_filename, "eval").co_consts[0]
        except (SyntaxError, ValueError):
            continue
        if all(getattr(made, part, None) == getattr(code, part) for part in ("co_code", "co_consts", "co_names")):
            return text
    return None
