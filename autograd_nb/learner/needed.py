"""The code that a piece of code needs: the earlier cells that made or changed the objects that it names."""

import ast
import builtins
import dis
import re
from functools import cache
from types import CodeType

KNOWN = {"torch", "course", *vars(builtins)}
OF_NAMES = re.compile(r"(LOAD|STORE|DELETE)_.*(NAME|GLOBALS?)$")  # operations of Python's bytecode


def needed(cells, sources):
    """The cells that made or changed the things that the sources name: the code of a chapter without its side paths."""
    return list(found_in(tuple(cells), frozenset().union(*(cell_names(source)[0] for source in sources))))


@cache
def found_in(cells, names):
    """The cells that made or changed the objects with these names, as a tuple.

    A cell that calls a method for its effect, such as `z.backward()` or `optimizer.step()`, may change all objects from
    which its own were made.
    """
    names, found = names - KNOWN, []
    for place in reversed(range(len(cells))):
        cell = cells[place]
        read, made, changed = cell_names(cell)
        if changed - imported(cells):
            changed = changed.union(read, *(cell_names(each)[1] for each in found_in(cells[:place], frozenset(read))))
        if names & (made | changed):
            names = (names - made | read) - KNOWN
            found.insert(0, cell)
    return tuple(found)


@cache
def imported(cells):
    """The names of modules and of their contents: calling these changes none of the learner's objects."""
    lines = [each for cell in cells for each in cell.split("\n") if each.startswith(("import ", "from "))]
    return KNOWN.union(*(cell_names(line)[1] for line in lines))


@cache
def cell_names(source):
    """(names that a cell reads, names that it makes, names whose object it changes); all empty if it is not code."""
    read, made, changed = set(), set(), set()
    try:
        statements = [(each, compile(ast.Module([each], []), "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
                      for each in ast.parse(source).body]  # fmt: skip
    except SyntaxError:
        statements = []
    for statement, code in statements:
        again, (loaded, stored) = set().union(*map(changed_by, outside(statement))), loaded_and_stored(code)
        read |= loaded - made
        made |= stored - (again & loaded)
        changed |= again
    return read, made, changed


def loaded_and_stored(code):
    """(names that code loads before it stores them, or in functions without storing them; names that it stores)."""
    loaded, inside, stored = set(), set(), set()
    for step in dis.get_instructions(code):
        if isinstance(step.argval, CodeType):
            inside |= loaded_and_stored(step.argval)[0]
        elif (found := OF_NAMES.match(step.opname)) and step.argval[:2] != "__":
            if found[1] == "STORE":
                stored.add(step.argval)
            else:
                loaded |= {step.argval} - stored
    return loaded | inside - stored, stored


def outside(node):
    """A piece of code and its parts, but not the parts of functions, whose parameters are not names of the cell."""
    yield node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        for each in ast.iter_child_nodes(node):
            yield from outside(each)


def changed_by(node):
    """The names whose objects a piece of code changes: `w += 1`, `w[0] = 1`, `w.add_(1)`, `step(w.backward)`."""
    match node:
        case ast.AugAssign(target=target):
            found = [target]
        case ast.Expr(value=ast.Call(func=function, args=given)):
            in_place = re.search(r"(_|backward)$", ast.unparse(function))
            found = [each for each in (function, *given) if in_place or isinstance(each, ast.Attribute)]
        case ast.Call(args=given):
            found = [each for each in given if isinstance(each, ast.Attribute) and each.attr == "backward"]
        case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
            found = [node]
        case _:
            found = []
    return {name for each in found for name in roots(each)}


def roots(node):
    """The names of the objects that a chain such as `w.grad[0].f()` begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
