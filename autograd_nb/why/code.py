"""The learner's lines: how an answer quotes the line of an event, and the facts of a single statement.

Nothing here follows a name from statement to statement: recordings and graphs show which tensor came from which.
"""

import ast
import linecache
from collections import defaultdict
from functools import cached_property, lru_cache
from typing import NamedTuple

from ..microscope.labels import clean
from ..microscope.names import is_ours
from ..microscope.readings import grad_of, is_tensor

LONGEST = 80  # characters of a line that an answer quotes, at most


class Statement(NamedTuple):
    file: str
    line: int
    end: int
    text: str
    binds: tuple
    reads: tuple
    calls: tuple  # the names of the functions that it calls, "item" of x.item()
    chain: tuple  # the calls around its whole value: "float", "argmax" of y = x.argmax(1).float()

    def __bool__(self):
        return self.line > 0


NOTHING = Statement("", 0, 0, "", (), (), (), ())  # where there is none


def first(things):
    """The first of some things, or None."""
    return next(iter(things), None)


def only(things):
    """The only one of some things; None if there are none or several."""
    things = [*things]
    return things[0] if len(things) == 1 else None


def line_of(thing):
    """``(file, line)`` of an event or a statement."""
    return thing.file, thing.line


@lru_cache(64)
def statements(file, text):
    """The statements of a program, of a compound one only its head; functions and classes are left out."""
    lines = text.split("\n")
    try:
        tree = ast.parse("\n".join("" if line.startswith(("%", "!")) else line for line in lines))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.stmt | ast.ExceptHandler))
    return tuple(statement_of(node, file, lines) for node in nodes if not isinstance(node, BLOCKS))


BLOCKS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
BODIES = "body", "handlers", "orelse", "finalbody", "cases"


def statement_of(node, file, lines):
    inner = [each for name in BODIES for each in getattr(node, name, ())]
    heads = [each for each in ast.iter_child_nodes(node) if each not in inner]
    parts = [part for head in heads for part in ast.walk(head)]
    binds = names_of(part for part in parts if not isinstance(getattr(part, "ctx", None), ast.Load))
    reads = names_of(part for part in parts if isinstance(getattr(part, "ctx", None), ast.Load))
    calls = tuple(map(function_of, (part for part in parts if isinstance(part, ast.Call))))
    last = max([node.lineno, *(each.end_lineno for each in heads if hasattr(each, "end_lineno"))])
    reads += binds * isinstance(node, ast.AugAssign)
    chain = tuple(chain_of(getattr(node, "value", None)))
    return Statement(file, node.lineno, last, lines[node.lineno - 1].strip(), binds, reads, calls, chain)


def names_of(nodes):
    return tuple(filter(None, map(dotted, nodes)))


def function_of(call):
    """The name of the called function, without the object before its last dot."""
    return ast.unparse(call.func).rpartition(".")[2]


def chain_of(node):
    """The names of the calls around a whole value, the outermost first."""
    while node is not None:
        of, name = None, ""
        if isinstance(node, ast.Call):
            name = function_of(node)
            method = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) not in MODULES
            of = node.func.value if method else only(node.args)
        elif isinstance(node, ast.BinOp):
            of = only(each for each in (node.left, node.right) if not isinstance(each, ast.Constant))
        elif isinstance(node, ast.UnaryOp):
            of = node.operand
        elif isinstance(node, ast.Attribute) and node.attr == "data":
            of, name = node.value, ".data"
        elif isinstance(node, ast.Compare):
            name = "comparison"
        if name:
            yield name
        node = of


MODULES = "torch", "np", "numpy", "F"


def dotted(node):
    """``a.b[0]`` as a recording writes it; "" for an expression that is no name."""
    if isinstance(node, ast.Name):
        return node.id
    inner = dotted(node.value) if isinstance(node, ast.Attribute | ast.Subscript) else ""
    if inner and isinstance(node, ast.Attribute):
        return f"{inner}.{node.attr}"
    if inner and isinstance(node.slice, ast.Constant):
        return f"{inner}[{node.slice.value!r}]"
    return ""


class Code:
    """The code around a *failure*, or around the question, that a file has or a recording, *trace*, has kept."""

    def __init__(self, failure, sight, trace, frame):
        self.failure, self.sight, self.home = failure, sight, frame.f_code.co_filename
        self.lines, self.files = trace.lines, trace.files
        code = failure.stack[-1][0].f_code if failure.stack else frame.f_code
        self.own = {(code.co_filename, line) for *_, line in code.co_lines()}  # of the function that failed, or asks

    def in_file(self, file):
        """The statements of a file, named as a trace or as Python names it."""
        numbered = {number: text for (each, number), text in self.lines.items() if each == file}
        lines = linecache.getlines(self.files.get(file, "") if numbered else file)
        if numbered and not lines:
            lines = [numbered.get(number, "") + "\n" for number in range(1, max(numbered) + 1)]
        return statements(file, "".join(lines))

    @cached_property
    def cells(self):
        """``{file: its number}`` of the cells of a notebook."""
        shell = getattr(self.sight.values.get("get_ipython"), "__self__", None)
        return getattr(getattr(shell, "compile", None), "_filename_map", {})

    def statements_at(self, place):
        return [each for each in self.in_file(place[0]) if each.line <= (place[1] or 0) <= each.end]

    def statement(self, thing):
        """The statement of an event or a place ``(file, line)``; NOTHING where there is none."""
        place = line_of(thing) if hasattr(thing, "line") else thing
        return first(self.statements_at(place) if place else ()) or NOTHING

    @cached_property
    def failing_names(self):
        """The names in the expression that failed."""
        return names_of(ast.walk(self.failure.doing)) if self.failure.doing else ()

    @property
    def lacking(self):
        """The tensor whose .grad, None, the expression that failed reads, or None."""
        names = [name for name in self.failing_names if name.endswith(".grad") and "NoneType" in self.failure.message]
        tensors = [self.sight.values.get(name.removesuffix(".grad")) for name in names]
        return first(each for each in tensors if is_tensor(each) and grad_of(each) is None)

    @property
    def lacks(self):
        """Whether the line that failed runs no backward pass but reads a .grad that is None."""
        return self.lacking is not None and not self.failure.hook

    def at(self, place):
        """``"line 3, y = x * 2"`` for a place, an event or a statement, with the file unless it is the one at hand."""
        place = line_of(place) if hasattr(place, "line") else place
        (file, line), statement = place, self.statement(place)
        path = self.files.get(file, file)
        name = f"In [{self.cells[path]}]" if path in self.cells else clean(path.rpartition("/")[2])
        text = clean((statement.text or self.lines.get(place, "")).strip(), LONGEST)
        alone = path == self.home or len({each for each, _ in self.lines}) == 1
        return f"{'' if alone else name + ', '}line {statement.line or line}{text and ', '}{text}"

    def bound_at(self, name):
        """The only statement in sight that binds a name, or an attribute of self that is called so; or None."""
        return only(self.binding(name))

    def computed_at(self, name):
        """The only statement in sight that binds a name to what it computes; or None."""
        return only(each for each in self.binding(name) if not self.is_given(each))

    def is_given(self, statement):
        """Whether a statement computes only with numbers that it writes itself: it names only functions and modules."""
        if any(name.endswith(".grad") for name in statement.reads):  # reading the .grad of a result makes PyTorch warn
            return False
        values = [self.sight.resolve(name) for name in statement.reads]
        return all(callable(value) or type(value).__name__ == "module" for value in values)

    def binding(self, name):
        """The statements that bind a name, or an attribute of self that is called so; one of each set of equal ones.

        They are those of the function that failed or that asks, if it has some, otherwise all in sight.
        """
        attribute = "." in name and f"self.{name.rpartition('.')[2]}"
        found = {**self.binders.get(name, {}), **self.binders.get(attribute, {})}
        lines = {each.text: each for _, each in sorted(found.items())}.values()
        return [each for each in lines if line_of(each) in self.own] or [*lines]

    @cached_property
    def binders(self):
        """For each name the statements in sight that bind it, by their number: ``{name: {number: statement}}``."""
        found = defaultdict(dict)
        for number, statement in enumerate(each for file in self.at_hand for each in self.in_file(file)):
            for name in statement.binds:
                found[name][number] = statement
        return found

    @cached_property
    def at_hand(self):
        """The files of the line in question, of the recording, of the cells before it, and of the classes in sight."""
        codes = [getattr(getattr(value, "__init__", value), "__code__", None) for _, value in self.sight.things]
        files = [self.failure.place[0], *self.cells, *(file for file, _ in self.lines)]
        files += [] if self.lines else [code.co_filename for code in codes if code and not is_ours(code.co_filename)]
        return [*dict.fromkeys(files)]
