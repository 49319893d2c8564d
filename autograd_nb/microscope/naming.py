"""The learner's names for things: names of tensors in the caller's frame, and arguments as the source has them."""

import ast
import linecache
from contextlib import suppress
from dis import Positions
from itertools import islice
from math import inf

from .labels import LONGEST_NAME, clean
from .names import named_in, scopes_of
from .readings import is_tensor

UNWRITTEN = SyntaxError, ValueError, TypeError, AttributeError, IndexError  # no call, or no text is there
PARTS = "co_code", "co_consts", "co_names", "co_argcount"


def names_in(frame, params=None, classes=None):
    """``{id: (tensor, [names])}`` for the tensors that variables of a frame refer to, nearest scope first.

    Looks into lists, tuples, dicts and modules; it finds modules in these and in attributes of objects.  *params*
    ({name: tensor}) comes before everything else.  *classes*, a dict, gets the names of modules' classes by their path.
    """
    found, classes = {}, {} if classes is None else classes
    named = [(str(name), value, False) for name, value in (params or {}).items()]
    for variables in scopes_of(frame):
        nearer = dict(classes)
        # a name wins over a place in something, and a parameter's name over all others
        named += [(*pair, inner or params) for *pair, inner in named_in(variables, {}, classes, inf)]
        classes |= nearer
    for name, value, only in named:
        if is_tensor(value):
            names = found.setdefault(id(value), (value, []))[1]
            if name not in names and not (only and names):
                names.append(name)
    return found


def written_arguments(frame, count):
    """The positional arguments of the call that a frame is making, as the source has them; None if unknown."""
    call = expression_at(frame, frame.f_lasti)
    arguments = call.args if isinstance(call, ast.Call) else ()
    if len(arguments) != count or any(isinstance(each, ast.Starred) for each in arguments):
        return [None] * count
    return list(map(ast.unparse, arguments))


def expression_at(frame, instruction):
    """The syntax tree of the expression, or of the statement, that an instruction of a frame is part of; or None."""
    with suppress(*UNWRITTEN):
        place = Positions(*next(islice(frame.f_code.co_positions(), instruction // 2, None)))
        (node,) = ast.parse(written_at(place, frame.f_code.co_filename, frame.f_globals)).body
        return node.value if isinstance(node, ast.Expr) else node
    return None


def written_at(place, file, module=None):
    """The text of a file between the ends of a place."""
    lines = linecache.getlines(file, module)[place.lineno - 1 : place.end_lineno]
    return ast.get_source_segment("".join(lines), place._replace(lineno=1, end_lineno=len(lines)))


def hook_name(hook):
    """The name of a hook, or the text of a lambda."""
    name = getattr(hook, "__name__", None)
    text = lambda_text(hook.__code__) if name == "<lambda>" and hasattr(hook, "__code__") else None
    return clean(text or (name if isinstance(name, str) else type(hook).__name__), LONGEST_NAME)


def lambda_text(code):
    """The text of a lambda of one line and one parameter, if it is certain: it compiles to the same code."""
    with suppress(*UNWRITTEN):
        _, _, starts, ends = zip(*(each for each in code.co_positions() if each[3]), strict=True)
        place = Positions(code.co_firstlineno, code.co_firstlineno, min(starts), max(ends))
        body = written_at(place, code.co_filename)
        text = ast.unparse(ast.parse(f"lambda {code.co_varnames[0]}: {body}", mode="eval"))
        made = compile(text, code.co_filename, "eval").co_consts[0]
        if all(getattr(made, part, None) == getattr(code, part) for part in PARTS):
            return text
    return None
