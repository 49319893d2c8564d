"""What the learner's code says: its statements in order, with the names that each reads and binds and what it calls."""

import ast
import re
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple


class Call(NamedTuple):
    name: str  # "item" of x.item(), ".data" of x.data
    of: tuple  # the names that it takes, what it is called on among them
    on: str = ""  # what it is a method of, as it is written
    arguments: tuple = ()  # (keyword or None, as it is written, the names in it)

    @property
    def whole(self):
        return ".".join(filter(None, (self.on, self.name)))

    @property
    def first(self):
        return self.arguments[0][1] if self.arguments else ""

    def has(self, option):
        return any(f"{keyword}={text}" == option for keyword, text, _ in self.arguments)


class Statement(NamedTuple):
    file: str
    line: int
    end: int
    text: str
    scope: tuple  # the functions and classes that it is in
    binds: tuple
    feeds: tuple  # what it puts something into
    reads: tuple
    calls: tuple  # of Call, outermost first
    around: tuple  # what the with statements and decorators around it call
    loops: tuple  # the lines of the loops that it is in
    changes: str  # "parts" or "all" of something that it changes in place, as far as its text tells; or ""

    def __bool__(self):
        return self.line > 0

    def lies_in(self, other):
        """Whether it stands in the function of another one, or in a function in there."""
        return self.scope[: len(other.scope)] == other.scope

    @property
    def value(self):
        """What is computed in it, as a node of its syntax, if it stands on one line."""
        with suppress(SyntaxError):
            return getattr(ast.parse(self.text).body[0], "value", None)

    @property
    def is_call(self):
        return isinstance(self.value, ast.Call)

    @property
    def returns(self):
        """What it returns, part by part, if it is a return on one line."""
        return [*map(ast.unparse, getattr(self.value, "elts", [self.value]))] if self.value else []

    def makes(self, name, user):
        """Whether it binds a name as it stands in another statement, or an attribute of self that is called so."""
        bound = [each.removesuffix(".data") for each in self.binds]
        own = any(each.startswith("self.") and f".{name}".endswith(each[4:]) for each in bound)
        return own or name in bound and user.lies_in(self)


NOTHING = Statement("", 0, 0, "", (), (), (), (), (), (), (), "")  # where there is none


def first(things):
    """The first of some things, or None."""
    return next(iter(things), None)


def only(things):
    """The one thing that there is, or None where there are others."""
    things = [*things]
    return things[0] if len(things) == 1 else None


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
        parts, calls = parts_of(heads), calls_in(heads)
        bound, adds = [each for each in parts if sets(each)], type(node) is ast.AugAssign
        binds, into = [*filter(None, map(dotted, bound))], [each.value for each in bound if type(each) is ast.Subscript]
        reads, called = read_in(heads) + binds * adds, [call.name for call in calls]
        feeds = [*map(dotted, into), *(call.on for call in calls if call.name in FEEDING)]
        feeds += [name[: dot.start()] for name in binds for dot in re.finditer(r"(?<!self)\.", name)]
        changes = "all" if adds or any(re.match(r"[a-z]\w*_$", name) for name in called) else ""
        own = scope, around, loops
        for method in inner if isinstance(node, ast.ClassDef) else ():
            named_self(method)
        if isinstance(node, FUNCTIONS | ast.ClassDef):
            own = (*scope, node.name), (), ()
        else:
            last = max([node.lineno, *(each.end_lineno for each in heads if hasattr(each, "end_lineno"))])
            text = lines[node.lineno - 1].strip()
            yield Statement(
                file, node.lineno, last, text, scope, *map(tuple, (binds, feeds, reads)), calls, around, loops,
                "parts" if into and not adds else changes,
            )  # fmt: skip
        if isinstance(node, FUNCTIONS | ast.With):
            entered = [call.name for each in getattr(node, "items", ()) for call in calls_in([each.context_expr])[:1]
                       if call.first != "True"]  # fmt: skip
            decorators = [*map(dotted, getattr(node, "decorator_list", ())), *called * isinstance(node, FUNCTIONS)]
            own = own[0], (*own[1], *entered, *filter(None, decorators)), own[2]
        if isinstance(node, ast.For | ast.While):
            own = scope, around, (*loops, node.lineno)
        for each in inner:
            yield from statements_in([each] if isinstance(each, ast.stmt) else each.body, file, lines, *own)


def named_self(method):
    """Call the first argument of a method self, however it is named."""
    given = method.args.args[:1] if isinstance(method, FUNCTIONS) and not method.decorator_list else ()
    for each in ast.walk(method) if given else ():
        if isinstance(each, ast.Name) and each.id == given[0].arg:
            each.id = "self"


FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
FEEDING = "append", "extend", "insert", "add", "copy_"
BODIES = "body", "handlers", "orelse", "finalbody", "cases"


def sets(node):
    return isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)


def parts_of(nodes):
    """These nodes and those in them, but for what only its length is asked of."""
    found = list(nodes)
    for each in found:
        if getattr(getattr(each, "func", None), "id", "") != "len":
            found += ast.iter_child_nodes(each)
    return found


def read_in(nodes):
    loaded = [each for each in parts_of(nodes) if isinstance(getattr(each, "ctx", None), ast.Load)]
    return [*filter(None, map(dotted, loaded))]


def calls_in(nodes):
    found, parts = [], parts_of(nodes)
    drawn = {}  # part of what a comprehension makes -> {its variable: the names that it runs over}
    for each in parts:
        for loop in getattr(each, "generators", ()):
            variables = {one.id: read_in([loop.iter]) for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
            drawn |= {part: drawn.get(part, {}) | variables for part in ast.walk(each) if part is not each}
    for each in parts:
        names = read_in([each]) if isinstance(each, ast.Call | ast.Attribute | ast.Compare) else ()
        of = (*names, *(source for name in names for source in drawn.get(each, {}).get(name, ())))
        if isinstance(each, ast.Call):
            name = getattr(each.func, "attr", getattr(each.func, "id", ""))
            name = f".{name}" if hasattr(each.func, "attr") and name in ("float", "int", "bool") else name
            given = [(None, one) for one in each.args] + [(one.arg, one.value) for one in each.keywords]
            arguments = tuple((keyword, ast.unparse(one), tuple(read_in([one]))) for keyword, one in given)
            found.append(Call(name, of, ast.unparse(each.func).rpartition(".")[0], arguments))
        elif isinstance(each, ast.Attribute) and each.attr == "data":
            found.append(Call(".data=", tuple(read_in(nodes))) if sets(each) else Call(".data", of))
        elif isinstance(each, ast.Compare):
            found.append(Call("comparison", of))
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


def calls_of(code, *names):
    """``[(call, statement)]`` of what some statements call, all or what has one of these names."""
    return [(call, each) for each in code for call in each.calls if not names or call.name in names]


def binding(found, name, before):
    """The statement that last bound a name before another one, going round a loop if need be; or None."""
    place = next((number for number, each in enumerate(found) if each is before), len(found))
    same = [(number, each) for number, each in enumerate(found) if number != place and each.makes(name, before)]
    earlier = [each for number, each in same if number < place]
    return next(reversed(earlier or [each for _, each in same if {*each.loops} & {*before.loops}]), None)


def sources(found, name, before):
    """The statements that may have bound a name last before another one, or have put something into what has it."""
    bound = binding(found, name, before)
    later = [each for each in found if name in each.binds and {*each.loops} & {*before.loops} and each is not before]
    within = [
        each
        for each in found
        if name in each.feeds
        and (each.lies_in(bound or before) or name.startswith("self.") and each.scope[:1] == before.scope[:1])
    ]
    return list(dict.fromkeys([*filter(None, [bound]), *later, *within]))


def is_part(name, read):
    """Whether a statement reads what has a name, or what that is in; its self is not called so elsewhere."""
    tail = read[4:] if read.startswith("self.") else f".{read}"
    return f".{name}".partition("[")[0].endswith(tail) or f".{name}".endswith(tail)
