"""What the learner's code says: its statements in order, with the names that each reads and binds and what it calls."""

import ast
from functools import lru_cache
from typing import NamedTuple


class Call(NamedTuple):
    name: str  # "item" of x.item(), ".data" of x.data
    of: tuple  # the names that it takes, what it is called on among them
    options: str  # as they are written
    on: str = ""  # what it is a method of, and the first argument, as they are written
    first: str = ""


class Statement(NamedTuple):
    file: str
    line: int
    end: int
    text: str
    scope: tuple  # the functions and classes that it is in
    binds: tuple
    reads: tuple
    calls: tuple  # of Call, outermost first
    around: tuple  # what the with statements and decorators around it call
    loops: tuple  # the lines of the loops that it is in
    changes: bool  # whether it changes something in place, as far as its text tells

    def lies_in(self, other):
        return self.scope[: len(other.scope)] == other.scope


def first(things):
    """The first of some things, or None."""
    return next(iter(things), None)


def here(thing):
    """``(file, line)`` of an event or a statement."""
    return thing.file, thing.line


@lru_cache(64)
def statements(file, text):
    """The statements of a program in their order; of a compound one only what stands in its head."""
    lines = text.split("\n")
    try:
        tree = ast.parse("\n".join("" if line.startswith(("%", "!")) else line for line in lines))
        return tuple(statements_in(tree.body, file, lines))
    except (SyntaxError, ValueError, RecursionError):
        return ()


def statements_in(nodes, file, lines, scope=(), around=(), loops=()):
    for node in nodes:
        inner = [each for name in BODIES for each in getattr(node, name, ())]
        heads = [each for each in ast.iter_child_nodes(node) if each not in inner] if inner else [node]
        parts, calls = [each for head in heads for each in ast.walk(head)], calls_in(heads)
        binds = [name for each in parts if isinstance(getattr(each, "ctx", None), SETS) and (name := dotted(each))]
        reads = read_in(heads) + binds * isinstance(node, ast.AugAssign)
        called = [call.name for call in calls]
        changes = isinstance(node, ast.AugAssign) or any(
            isinstance(each, ast.Subscript) for each in getattr(node, "targets", ())
        )
        changes = changes or any(name.endswith("_") and not name.startswith("_") for name in called)
        own = scope, around, loops
        if isinstance(node, FUNCTIONS | ast.ClassDef):
            own = (*scope, node.name), (), ()
        else:
            last = max([node.lineno, *(each.end_lineno for each in heads if hasattr(each, "end_lineno"))])
            text = lines[node.lineno - 1].strip()
            yield Statement(
                file, node.lineno, last, text, scope, tuple(binds), tuple(reads), calls, around, loops, changes
            )
        if isinstance(node, FUNCTIONS | ast.With):
            decorators = filter(None, map(dotted, getattr(node, "decorator_list", ())))
            own = own[0], (*own[1], *called, *decorators), own[2]
        if isinstance(node, ast.For | ast.While):
            own = scope, around, (*loops, node.lineno)
        for each in inner:
            yield from statements_in([each] if isinstance(each, ast.stmt) else each.body, file, lines, *own)


FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
SETS = ast.Store | ast.Del
BODIES = "body", "handlers", "orelse", "finalbody", "cases"


def read_in(nodes):
    return [
        name
        for head in nodes
        for each in ast.walk(head)
        if isinstance(getattr(each, "ctx", None), ast.Load) and (name := dotted(each))
    ]


def calls_in(nodes):
    found = []
    for each in (each for head in nodes for each in ast.walk(head)):
        if isinstance(each, ast.Call):
            name = getattr(each.func, "attr", getattr(each.func, "id", ""))
            name = f".{name}" if hasattr(each.func, "attr") and name in ("float", "int", "bool") else name
            options = ", ".join(map(ast.unparse, each.keywords))
            on = ast.unparse(each.func).rpartition(".")[0]
            found.append(Call(name, tuple(read_in([each])), options, on, *map(ast.unparse, each.args[:1])))
        elif isinstance(each, ast.Attribute) and each.attr == "data":
            found.append(Call(".data", tuple(read_in([each])), ""))
        elif isinstance(each, ast.Compare):
            found.append(Call("comparison", tuple(read_in([each])), ""))
    return tuple(found)


def dotted(node):
    """``a.b[0]`` as a recording writes it; "" for what is no name."""
    if isinstance(node, ast.Name):
        return node.id
    inner = dotted(node.value) if isinstance(node, ast.Attribute | ast.Subscript) else ""
    if inner and isinstance(node, ast.Attribute):
        return f"{inner}.{node.attr}"
    if inner and isinstance(node.slice, ast.Constant):
        return f"{inner}[{node.slice.value!r}]"
    return ""


def binding(found, name, before):
    """The statement that last bound a name before another one, going round a loop if need be; or None."""
    same = [
        each
        for each in found
        if name in each.binds and (before.lies_in(each) or name.startswith("self.")) and each is not before
    ]
    earlier = [each for each in same if each.line < before.line]
    return next(reversed(earlier or [each for each in same if set(each.loops) & set(before.loops)]), None)
