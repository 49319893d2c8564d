"""The code that a piece of code needs: the earlier cells that made or changed the objects that it names."""

import ast
import builtins
import re
import symtable
from functools import cache

KNOWN = {"torch", "course", *vars(builtins)}


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


def sequence(statements):
    """Statements one after the other, those inside a `with` too."""
    for each in statements:
        if isinstance(each, ast.With):
            for item in each.items:
                target = item.optional_vars
                yield ast.Assign([target], item.context_expr, lineno=0) if target else ast.Expr(item.context_expr)
            yield from sequence(each.body)
        else:
            yield each


@cache
def cell_names(source):
    """(names that a cell reads, names that it makes, names whose object it changes); all empty if it is not code."""
    read, made, changed = set(), set(), set()
    try:
        statements = [*sequence(ast.parse(source).body)]
    except SyntaxError:
        statements = []
    for statement in statements:
        table = symtable.symtable(ast.unparse(statement), "cell", "exec")
        again = set().union(*map(changed_by, outside(statement)))
        deleted = {node.id for node in ast.walk(statement) if isinstance(getattr(node, "ctx", None), ast.Del)}
        here = {each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported()}
        here -= again | deleted
        read |= (read_in(table) | again | deleted) - made - (here if hasattr(statement, "body") else set())
        made |= here
        changed |= again
    return read, made, changed


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


def read_in(table):
    outside = table.get_type() == "module"
    symbols = (each for each in table.get_symbols() if each.is_referenced() and (outside or each.is_global()))
    names = {each.get_name() for each in symbols}
    return names.union(*map(read_in, table.get_children()))
