"""The learner's lines: how an answer quotes the line of an event, and the facts of a single statement.

Nothing here follows a name from statement to statement: recordings and graphs show which tensor came from which.
"""

import ast
import linecache
import os
import re
from collections import defaultdict
from contextlib import suppress
from functools import cached_property, lru_cache
from operator import attrgetter

from ..microscope.labels import clean
from ..microscope.names import is_ours
from ..microscope.readings import grad_of, is_tensor
from ..microscope.sentences import listed
from ..words import of

SAY = of("why")["say"]
LONGEST = 80  # characters of a line that an answer quotes, at most
BODIES = "body", "handlers", "orelse", "finalbody", "cases"


def first(things):
    """The first of some things, or None."""
    return next(iter(things), None)


def only(things):
    """The only one of some things; None if there are none or several."""
    things = [*things]
    return things[0] if len(things) == 1 else None


def enumerated(names):
    """Some names as a sentence lists them, three at most."""
    names = [*map(clean, names)]
    return listed(names if len(names) < 4 else [*names[:2], SAY("others", count=len(names) - 2)])


def line_of(thing):
    """``(file, line)`` of an event or a statement; a place ``(file, line)`` is returned as it is."""
    return (thing.file, thing.line) if hasattr(thing, "line") else thing


class Statement:
    """The statements that begin in a line of a file; of a compound one only its head."""

    def __init__(self, file, line, text, nodes=()):
        self.file, self.line, self.text, self.nodes = file, line, text.strip(), nodes
        self.kinds = {*map(type, nodes)}
        self.parts = [part for node in nodes for part in ast.walk(node)]

    @cached_property
    def binds(self):
        return names_of(self.parts, ast.Store)

    @cached_property
    def reads(self):
        return names_of(self.parts, ast.Load) + self.binds * (ast.AugAssign in self.kinds)

    @cached_property
    def calls(self):
        """The names of the functions that it calls, "item" of x.item()."""
        return [function_of(part) for part in self.parts if isinstance(part, ast.Call)]

    @property
    def path(self):
        """The attributes and methods that its value comes through, "float" and "argmax" of y = x.argmax(1).float()."""
        node = getattr(only(self.nodes), "value", None)
        while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
            if isinstance(node, ast.Attribute):
                yield node.attr
            node = node.func if isinstance(node, ast.Call) else node.value


def names_of(nodes, context=ast.expr_context):
    """The names, ``a.b`` too, among nodes of a syntax tree."""
    names = (node for node in nodes if isinstance(node, ast.Name | ast.Attribute | ast.Subscript))
    return [ast.unparse(each) for each in names if isinstance(each.ctx, context)]


def function_of(call):
    """The name of the called function, without the object before its last dot."""
    return ast.unparse(call.func).rpartition(".")[2]


@lru_cache(64)
def statements(file, text):
    """The statements of a program."""
    lines, found = text.split("\n"), defaultdict(list)
    with suppress(SyntaxError, ValueError, RecursionError):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.stmt | ast.ExceptHandler):
                vars(node).update(dict.fromkeys(BODIES, ()))
                found[node.lineno].append(node)
    return [Statement(file, line, lines[line - 1], nodes) for line, nodes in found.items()]


class Code:
    """The code around a *failure*, or around the question, that a file has or a recording, *trace*, has kept."""

    def __init__(self, failure, sight, trace, frame):
        self.failure, self.sight, self.lines, self.home = failure, sight, trace.lines, frame.f_code.co_filename
        self.files = dict.fromkeys((file for file, _ in trace.lines), "") | trace.files  # name -> path, if it is known
        code = failure.frames[-1].f_code if failure.frames else frame.f_code
        self.own = {(code.co_filename, line) for *_, line in code.co_lines()}  # of the function that failed, or asks

    def in_file(self, file):
        """The statements of a file, named as a trace or as Python names it."""
        return statements(file, "".join(linecache.getlines(self.files.get(file, file))))

    @cached_property
    def cells(self):
        """``{file: its number}`` of the cells of a notebook."""
        shell = getattr(self.sight.values.get("get_ipython"), "__self__", None)
        return getattr(getattr(shell, "compile", None), "_filename_map", {})

    def statement(self, thing):
        """The statement of an event or a place ``(file, line)``; only its line if the file is not there."""
        file, line = line_of(thing) or ("", 0)
        found = [each for each in self.in_file(file) if each.line <= (line or 0)]
        kept = Statement(file, line, self.lines.get((file, line), ""))
        return max(found, key=attrgetter("line"), default=kept)

    @cached_property
    def failing_names(self):
        """The names in the expression that failed."""
        return names_of(ast.walk(self.failure.doing)) if self.failure.doing else ()

    @property
    def lacking(self):
        """The tensor whose .grad, None, the expression that failed reads outside of a backward pass, or None."""
        reads = "NoneType" in self.failure.message and not self.failure.call
        names = [name for name in self.failing_names if reads and name.endswith(".grad")]
        tensors = [self.sight.values.get(name.removesuffix(".grad")) for name in names]
        return first(each for each in tensors if is_tensor(each) and grad_of(each) is None)

    def at(self, place):
        """``" (line 3, y = x * 2)"`` for a place, an event or a statement, with the file unless it is the one at hand.

        "" for None.
        """
        if not place:
            return ""
        statement = self.statement(place)
        path = self.files.get(statement.file) or statement.file
        name = f"In [{self.cells[path]}]" if path in self.cells else clean(os.path.basename(path))
        text = clean(statement.text, LONGEST)
        alone = path == self.home or len(self.files) == 1
        place = [] if alone else [name]
        return f" ({', '.join(filter(None, [*place, SAY('line', line=statement.line), text]))})"

    @cached_property
    def at_hand(self):
        """The statements of the file in question, of cells, of the recording, and of functions and classes in sight."""
        codes = [getattr(getattr(value, "__init__", value), "__code__", None) for _, value in self.sight.things]
        files = [self.failure.place[0], *self.cells, *self.files, *(code.co_filename for code in codes if code)]
        return [each for file in dict.fromkeys(files) if not is_ours(file) for each in self.in_file(file)]

    def bound_at(self, name):
        """The only statement that binds a name; or None."""
        return only(self.binding(name))

    def binding(self, name):
        """The statements at hand that bind a name, or an attribute of self that is called so; of equal ones the last.

        They are those of the function that failed or that asks, if it has some.
        """
        names = {name, re.sub(r".+\.", "self.", name)}
        found = [each for each in self.at_hand if not names.isdisjoint(each.binds)]
        own = [each for each in found if line_of(each) in self.own]
        return {each.text: each for each in own or found}.values()
