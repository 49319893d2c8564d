"""What the learner calls things: names of tensors, modules and hooks in running frames, and their lines of code."""

import ast
import linecache
import re
import sys
import weakref
from collections import Counter
from contextlib import suppress
from dis import Positions
from functools import cache
from inspect import CO_OPTIMIZED
from itertools import islice
from math import inf
from pathlib import Path

from ..engine import backward as engine
from . import presence
from .labels import LONGEST_NAME, clean
from .presence import HOLLOW, TENSORS, kinds
from .readings import is_tensor

PACKAGE = str(Path(__file__).parents[1])
LIBRARY = str(Path(linecache.__file__).parent)
PROGRAMS = []  # files of the package that are read as if the learner had written them: they add themselves
FEW = 32  # a list, tuple or dict names its tensors by their places if it has at most so many
MOST_HELD = 1000  # things that are looked at inside another thing, at most
UNWRITTEN = SyntaxError, ValueError, TypeError, AttributeError, IndexError  # no call, or no text is there
BOUND = re.compile(r"""\s*(?:[\w.'"[\]]+\s*[,=](?!=)\s*)+""")  # the names that a line assigns
PARTS = "co_code", "co_consts", "co_names", "co_argcount"
MOST_LINES = 200  # all lines of code are shown if at most so many lie between the first and last event's


class SourceLines:
    """The learner's ``lines`` of code, ``{(shown file, number): text}``; ``files`` has each file's shown name."""

    def __init__(self):
        self.files, self.lines = {}, {}

    def shown(self, file):
        """A short name for a file of code: no folder, and cells of a notebook by number."""
        if file not in self.files:
            path = Path(file)
            name = clean(path.name, LONGEST_NAME)
            if path.parent.name.startswith("ipykernel_"):
                name = f"cell {1 + sum(each.startswith('cell ') for each in self.files.values())}"
            elif name in self.files.values():
                name = f"{clean(path.parent.name, LONGEST_NAME)}/{name}"
            self.files[file] = name
        return self.files[file]

    def keep(self, frame, number):
        """Keep a line of the file that a frame runs; gives the file's shown name."""
        file = frame.f_code.co_filename
        place = self.files.get(file) or self.shown(file), number
        if place not in self.lines:
            self.lines[place] = line_of(file, number, frame.f_globals)
        return place[0]

    def complete(self):
        """Add the lines between the kept ones, unless they are many."""
        for file, name in self.files.items():
            numbers = sorted(number for each, number in self.lines if each == name)
            if numbers and numbers[-1] - numbers[0] <= MOST_LINES:
                for number in range(numbers[0], numbers[-1] + 1):
                    self.lines.setdefault((name, number), line_of(file, number))


class Names:
    """The names of the tensors that take part, as ``names[key]``."""

    def __init__(self, frame):
        # id of a tensor, perhaps of a freed one -> (weak reference, {name: (order, line)}); if it has no name
        # {"": (…, the line that made it)}
        self.living = {}
        self.names = {}  # key -> the same names
        self.given = Counter()  # name of a variable -> how many tensors it has stood for
        self.code = SourceLines()
        self.classes = {}  # path of a module -> name of its class
        self.modules = {}  # id of a module -> (its path, a weak reference)
        self.root = self.frame = frame
        self.number = self.kept = None  # the line that ran at the last look; frame, line and place of the last event
        self.engine_called = False  # whether the backward pass itself, not the learner's code, caused the last event
        self.look()
        self.number = frame.f_lineno
        self.looked = {id(frame): self.number}  # id of a frame, perhaps of one that is over -> where the last look was

    def now(self):
        """``(line, file)`` where the learner's code runs; names are looked up when it moved on."""
        frame, self.engine_called = sys._getframe(1), False
        while frame is not None and is_ours(frame.f_code.co_filename):
            self.engine_called = self.engine_called or frame.f_code.co_filename == engine.__file__
            frame = frame.f_back
        if frame is None:
            return None, ""
        number = frame.f_lineno
        if frame is not self.frame or number != self.number:
            self.look()
            self.looked[id(self.frame)] = self.number
            self.frame, self.number = frame, number
        code = frame.f_code
        if self.kept is None or self.kept[:2] != (code, number):
            self.kept = code, number, (number, self.code.keep(frame, number))
        return self.kept[2]

    def last(self):
        return self.number, self.code.shown(self.frame.f_code.co_filename)

    def look(self):
        for name, tensor, inner in named_in(variables_of(self.frame), self.modules, self.classes):
            reference, known = self.living.get(id(tensor), (None, ()))
            if name not in known or reference() is not tensor:
                self.note(name, tensor, inner)

    def leave(self):
        """Look once more at a frame that is over, and let go of it, as it keeps alive what its variables hold."""
        frame = None if self.frame is self.root else sys._getframe(1)
        while frame is not None and frame is not self.frame:
            frame = frame.f_back
        if frame is None and self.frame is not self.root:
            self.look()
            self.frame = self.root
            self.number = self.looked.get(id(self.root), self.root.f_lineno)

    def frames(self):
        """The frames of the learner's code that led here, the innermost first."""
        found, frame = [], sys._getframe(1)
        while frame is not None:
            if not is_ours(frame.f_code.co_filename):
                found.append(frame)
            frame = None if frame is self.root else frame.f_back
        return found

    def path_of(self, module):
        """The path of a module that is called: from a variable of the frames that led there, or else from its class."""
        if id(module) not in self.modules:
            # the outer ones first: there the whole has a name, of which it is a part
            for frame in reversed(self.frames()):
                for name, value in variables_of(frame):
                    for path, each in [(name, value)] if is_module(value) else held_in(name, value):
                        self.note_parameters(path, each)
            name = clean(type(module).__name__, LONGEST_NAME)
            same = sum(each.partition(" #")[0] == name for each in self.classes)
            self.note_parameters(f"{name} #{same + 1}" if same else name, module)
        return self.modules[id(module)][0]

    def note_own(self, module, tensor):
        """Name a tensor after the parameter that it now is in the module with this id, which may gather its shards."""
        path, reference = self.modules.get(module, (None, None))
        for name, each in vars(reference()).get("_parameters", {}).items() if reference else ():
            if each is tensor:
                self.note_first(f"{path}.{name}", tensor)

    def note_parameters(self, path, thing):
        for name, parameter, _ in parameters_in(path, thing, self.modules, self.classes):
            self.note_first(name, parameter)

    def note_first(self, name, tensor):
        """Note the name of a parameter that has none yet, as one from before the recording."""
        known = self.tensor_names(tensor)
        if not known:
            known[name] = 0, True, None

    def note(self, name, tensor, inner):
        """Note one name; an *inner* one (a place in something) only for a tensor that has no other."""
        known = self.tensor_names(tensor)
        *_, line = known.pop("", (None,))
        if name not in known and not (inner and known):
            self.given[name] += not inner
            known[name] = self.frame is not self.root, inner, self.bound_at(name) if line is None else line

    def tensor_names(self, tensor):
        reference, known = self.living.get(id(tensor), (None, None))
        if reference is None or reference() is not tensor:
            self.living[id(tensor)] = weakref.ref(tensor), (known := {})
        return known

    def bound_at(self, name):
        """The line that last assigned a name, among those that ran since the last look, as far as the text shows."""
        if not self.number:
            return None
        code = self.frame.f_code
        first = min(self.number, self.looked.get(id(self.frame), code.co_firstlineno))
        for number in range(self.frame.f_lineno, max(first - 1, 0), -1):
            bound = BOUND.match(linecache.getline(code.co_filename, number, self.frame.f_globals))
            if bound and name in re.split(r"[\s,=]+", bound[0]):
                return number
        return self.number

    def meet(self, key, tensor, made):
        """A tensor takes part from now on; *made*: the running line made it."""
        self.names[key] = known = self.tensor_names(tensor)
        if made and not known:
            known[""] = True, True, self.number

    def of(self, key):
        """``((name, line), …)`` of a tensor, those in the recording's own frame first.

        A path through a module stands before a variable that was another tensor's too, as in a loop over parameters.
        """
        known = [*self.names.get(key, {}).items()]
        if len(known) > 1:
            has_path = any(inner and "." in name.rpartition("]")[2] for name, (_, inner, _) in known)
            known.sort(key=lambda item: (item[1][0], item[1][1] or has_path and self.given[item[0]] > 1))
        return tuple([(clean(name, LONGEST_NAME), how[2]) for name, how in known if name])

    def finish(self):
        """Look up the names bound last, complete the lines of code, and let go of the frames."""
        self.modules.clear()
        self.look()
        self.frame = self.root
        self.look()
        self.code.complete()
        self.root = self.frame = self.kept = None
        self.living.clear()
        self.modules.clear()


def forgetting(known, thing, place=None):
    """A weak reference to a thing; it removes the entry from *known* when the thing dies, as Python may reuse the id.

    A node of PyTorch has a key beyond its id, except an AccumulateGrad, which lasts as long as its leaf.
    """
    place = id(thing) if place is None else place
    if place.__class__ is tuple:
        thing = thing.variable
    return thing if thing is None else weakref.ref(thing, lambda _: known.pop(place, None))


def variables_of(frame):
    """``[(name, value)]`` of a frame's own variables that have a name."""
    local = frame.f_locals
    found = with_names(local)
    # before Python 3.13 a function's frame keeps this dict, and everything in it, alive until somebody empties it
    if frame.f_code.co_flags & CO_OPTIMIZED and type(local) is dict and sys.getrefcount(local) <= 3:
        local.clear()
    return found


def scopes_of(frame):
    """The variables of a frame that have a name, as pairs, and after these the global ones of a function."""
    is_inner = frame.f_locals is not frame.f_globals
    return [variables_of(frame), *([with_names(frame.f_globals)] if is_inner else [])]


def with_names(variables):
    return [(name, value) for name, value in list(variables.items()) if name.isidentifier() and name[0] != "_"]


def names_in(frame, params=None, classes=None):
    """``{id: (tensor, [names])}`` for the tensors that variables of a frame refer to, nearest scope first.

    Looks into lists, tuples, dicts and modules; it finds modules in these and in attributes of objects.  *params*
    ({name: tensor}) comes before everything else.  *classes*, a dict, gets the names of modules' classes by their path.
    """
    found, classes = {}, {} if classes is None else classes
    named = [(str(name), value, False) for name, value in (params or {}).items() if is_tensor(value)]
    for variables in scopes_of(frame):
        nearer = dict(classes)
        # a name wins over a place in something, and a parameter's name over all others
        named += [(*pair, inner or params) for *pair, inner in named_in(variables, {}, classes, inf)]
        classes |= nearer
    for name, tensor, only in named:
        names = found.setdefault(id(tensor), (tensor, []))[1]
        if name not in names and not (only and names):
            names.append(name)
    return found


def named_in(variables, seen, classes, most=FEW):
    """``(name, tensor, inner)`` of the tensors among the values of variables, and then among their parts.

    Those are the parts of lists, tuples and dicts with at most *most* of them, and the `parameters_in` modules.
    """
    found, parts = [], []
    for name, value in variables:
        kind = kinds[type(value)]
        if kind in TENSORS:
            found.append((name, value, False))
        elif kind == "module":
            parts += parameters_in(name, value, seen, classes)
        elif kind != "simple":
            for path, each in held_in(name, value, most):
                kind = kinds[type(each)]
                if kind == "module":
                    parts += parameters_in(path, each, seen, classes)
                elif kind in TENSORS and path[len(name)] == "[":
                    parts.append((path, each, True))
    return found + parts


def parameters_in(path, thing, seen, classes):
    """``[(path, parameter, True)]`` for each parameter of a module; none if the module is in *seen*.

    Puts it and its modules into *seen*, ``{id: (path, weak reference)}``, and their classes' names into *classes*.
    """
    if kinds[type(thing)] != "module" or id(thing) in seen:
        return []
    for own, each in members(thing, "named_modules") or [("", thing)]:
        own = clean(".".join(filter(None, (path, own))))
        classes[own] = clean(type(each).__name__)
        if id(each) not in seen:
            seen[id(each)] = own, forgetting(seen, each)
    return [(path + place, parameter, True) for place, parameter in parameters_of(thing)]


def is_module(thing):
    return kinds[type(thing)] == "module"


def held_in(name, value, most=FEW):
    """``[(path, thing)]`` in a list, tuple or dict with at most *most* of them, or in an object's attributes."""
    if kinds[type(value)] in HOLLOW:
        return []
    try:  # a learner's own code may raise any error
        if not isinstance(value, list | tuple | dict):
            return [(f"{name}.{own}", each) for own, each in islice([*vars(value).items()], MOST_HELD)]
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        return [(f"{name}[{place!r}]", each) for place, each in islice(pairs if len(value) <= most else (), MOST_HELD)
                if type(place) in (str, int)]  # fmt: skip
    except Exception:
        return []


def parameters_of(module):
    """``(".name", tensor)`` of a module's parameters; none if the module's own code fails."""
    return [(f".{name}", each) for name, each in members(module, "named_parameters")]


def members(module, method):
    with suppress(Exception):
        return [*islice(getattr(module, method)(), MOST_HELD)]
    return []


# -- source code ------------------------------------------------------------------------------------------------------


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
    """The text of a lambda of one parameter, if it is certain: it compiles to the same code."""
    with suppress(*UNWRITTEN):
        text = f"lambda {code.co_varnames[0]}: {body_text(code)}"
        made = compile(text, code.co_filename, "eval").co_consts[0]
        if all(getattr(made, part, None) == getattr(code, part) for part in PARTS):
            return text
    return None


def body_text(code):
    """The body of a lambda, as the places of its instructions say."""
    places = [Positions(*each) for each in code.co_positions() if each[3]]
    (first, start), (last, end) = min((each[0], each[2]) for each in places), max((each[1], each[3]) for each in places)
    body = written_at(Positions(first, last, start, end), code.co_filename)
    return ast.unparse(ast.parse(f"({body})", mode="eval"))


def line_of(file, number, module=None):
    """A line of a learner's code, made safe to show."""
    return clean(linecache.getline(file, number, module).rstrip().expandtabs())


@cache
def is_ours(file):
    """Whether a file of code is the engine's, PyTorch's or Python's own, not the learner's."""
    if file.startswith(LIBRARY) and "site-packages" not in file:
        return True
    return file.startswith((PACKAGE, *presence.folder())) and file not in PROGRAMS
