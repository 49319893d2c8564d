"""The learner's names for tensors and the learner's lines of code, read off the frames that are running."""

import linecache
import re
import sys
import weakref
from contextlib import suppress
from functools import cache
from inspect import CO_OPTIMIZED
from itertools import islice
from pathlib import Path
from types import ModuleType

from ..engine import backward as engine
from . import presence
from .labels import LONGEST_NAME, clean
from .readings import is_tensor

PACKAGE = str(Path(__file__).parents[1])
LIBRARY = str(Path(linecache.__file__).parent)
EXPERIMENTS = str(Path(PACKAGE, "course", "experiments"))  # these are read as if the learner had written them
FEW = 32  # tensors in a list, tuple or dict up to which they are named by their place in it
MOST_STASHED = 1000
MOST_LINES = 200  # of code shown around and between those that led to events


class Code:
    """The learner's ``lines`` of code, ``{(shown file, number): text}``; ``files`` has the name shown of each file."""

    def __init__(self):
        self.files, self.lines = {}, {}

    def shown(self, file):
        """A short name for a file of code: no folder, and cells of a notebook by number."""
        if file in self.files:
            return self.files[file]
        path = Path(file)
        if path.parent.name.startswith("ipykernel_"):
            name = f"cell {1 + sum(each.startswith('cell ') for each in self.files.values())}"
        else:
            name = clean(path.name, LONGEST_NAME)
            if name in self.files.values():
                name = f"{clean(path.parent.name, LONGEST_NAME)}/{name}"
        self.files[file] = name
        return name

    def keep(self, frame, number):
        file = frame.f_code.co_filename
        if (self.shown(file), number) not in self.lines:
            self.lines[self.shown(file), number] = line_of(file, number, frame.f_globals)

    def complete(self):
        """Add the lines between those that were kept, where these are not many."""
        for file, name in self.files.items():
            numbers = sorted(number for each, number in self.lines if each == name)
            if numbers and numbers[-1] - numbers[0] <= MOST_LINES:
                for number in range(numbers[0], numbers[-1] + 1):
                    self.lines.setdefault((name, number), line_of(file, number))


class Names:
    """``names[key]``: what tensors are called; *key_of* gives the key of a tensor that takes part, or None."""

    def __init__(self, frame, key_of):
        self.key_of = key_of
        self.names = {}  # key -> {name: (order, line)}
        self.stash = {}  # id -> (weak reference, {name: line}) of tensors that have taken no part so far
        self.made = {}  # key of a tensor without a name so far -> the line that made it
        self.code = Code()
        self.classes = {}  # path of a module -> name of its class
        self.modules = set()  # ids of the modules whose parameters were named
        self.root = self.frame = frame
        self.number = frame.f_lineno
        self.engine_called = False  # whether the walk itself, not the learner's code, caused what was told last
        self.begun = False
        self.look()
        self.begun = True

    def now(self):
        """``(line, file, moved)``: where the learner's code runs; names are looked up when it moved on."""
        frame, self.engine_called = sys._getframe(1), False
        while frame is not None and is_ours(frame.f_code.co_filename):
            self.engine_called = self.engine_called or frame.f_code.co_filename == engine.__file__
            frame = frame.f_back
        if frame is None:
            return None, "", False
        number, file = frame.f_lineno, self.code.shown(frame.f_code.co_filename)
        moved = frame is not self.frame or number != self.number
        if moved:
            self.look()
            self.frame, self.number = frame, number
        self.code.keep(frame, number)
        return number, file, moved

    def last(self):
        return self.number, self.code.shown(self.frame.f_code.co_filename)

    def look(self):
        for name, value in variables_of(self.frame):
            if name.startswith("_"):
                continue
            self.note(name, value)
            if type(value) in (list, tuple, dict) and len(value) <= FEW:
                for place, each in parts_of(value):
                    self.note(name + place, each, inner=True)
            for path, module in modules_in(name, value):
                if id(module) not in self.modules:
                    self.modules.add(id(module))
                    self.classes |= classes_of(path, module)
                    for place, each in parameters_of(module):
                        self.note(path + place, each, inner=True)

    def note(self, name, tensor, inner=False):
        """Note one name; *inner* ones (of a place in something) only for a tensor that has no other."""
        if not is_tensor(tensor):
            return
        key = self.key_of(tensor)
        reference, known = self.stash.get(id(tensor), (None, {}))
        if key is not None:
            known = self.names.setdefault(key, {})
        elif reference is None or reference() is not tensor:
            known = {}
        if name in known or inner and known:
            return
        line = self.made.pop(key, None)
        known[name] = self.frame is not self.root, inner, self.bound_at(name) if line is None and self.begun else line
        if key is None:
            self.stash[id(tensor)] = weakref.ref(tensor), known
            if len(self.stash) > MOST_STASHED:
                self.stash = {place: entry for place, entry in self.stash.items() if entry[0]() is not None}

    def bound_at(self, name):
        """The line that last assigned a name, of those that ran since the last look as far as the text tells."""
        pattern = re.compile(rf"\s*(?:\w+\s*[,=]\s*)*{re.escape(name)}\s*[,=](?!=)")
        file = self.frame.f_code.co_filename
        for number in range(self.frame.f_lineno, max(self.number - 1, 0), -1):
            if pattern.match(linecache.getline(file, number, self.frame.f_globals)):
                return number
        return self.number

    def meet(self, key, tensor, made):
        """A tensor takes part from now on; *made*: the running line made it."""
        reference, known = self.stash.pop(id(tensor), (None, {}))
        if reference is not None and reference() is tensor:
            self.names[key] = known
        elif made:
            self.made[key] = self.number

    def of(self, key):
        """``((name, line), …)`` of a tensor, those in the recording's own frame first."""
        known = sorted(self.names.get(key, {}).items(), key=lambda item: item[1][:2])
        return tuple((clean(name, LONGEST_NAME), line) for name, (_, _, line) in known)

    def finish(self):
        """Look up what was bound last, complete the lines of code, and let go of the frames."""
        self.modules.clear()
        self.look()
        if self.frame is not self.root:
            self.frame = self.root
            self.look()
        self.code.complete()
        self.root = self.frame = None
        self.stash.clear()


def variables_of(frame):
    """``[(name, value)]`` of a frame's own variables."""
    local = frame.f_locals
    found = list(local.items())
    # before Python 3.13 a function's frame keeps this dict, and all in it alive, unless it is emptied
    if frame.f_code.co_flags & CO_OPTIMIZED and type(local) is dict and sys.getrefcount(local) <= 3:
        local.clear()
    return found


def parts_of(value):
    """``(place, thing)`` of what is in a list, a tuple, a dict or a module."""
    if isinstance(value, list | tuple):
        return [(f"[{place}]", each) for place, each in islice(enumerate(value), MOST_STASHED)]
    if type(value) is dict:
        entries = islice(list(value.items()), MOST_STASHED)
        return [(f"[{place!r}]", each) for place, each in entries if type(place) in (str, int)]
    return parameters_of(value) if is_module(value) else ()


def is_module(thing):
    return hasattr(type(thing), "named_parameters")


def modules_in(name, value):
    """``[(path, module)]`` of a module, or of those in a short list, tuple or dict or in an object's attributes."""
    if is_module(value):
        return [(name, value)]
    return [pair for pair in held_in(name, value) if is_module(pair[1])]


def held_in(name, value):
    """``[(path, thing)]`` in a short list, tuple or dict, or in an object's attributes."""
    parts = ()
    if type(value) in (list, tuple, dict):
        parts = parts_of(value) if len(value) <= FEW else ()
    elif not (is_tensor(value) or isinstance(value, type | ModuleType)):
        with suppress(Exception):  # of a learner's own code
            parts = [(f".{own}", each) for own, each in islice(list(vars(value).items()), MOST_STASHED)]
    return [(name + place, each) for place, each in parts]


def parameters_of(module):
    """``(".name", tensor)`` of a module's parameters; of one whose own code fails there, none."""
    try:
        return [(f".{name}", each) for name, each in islice(module.named_parameters(), MOST_STASHED)]
    except Exception:
        return []


def classes_of(name, module):
    """``{path: name of its class}`` of a module that a variable refers to, and of those in it."""
    try:
        inner = islice(module.named_modules(), MOST_STASHED)
        return {clean(".".join(filter(None, (name, path)))): clean(type(each).__name__) for path, each in inner}
    except Exception:  # of a learner's own code
        return {}


def line_of(file, number, module=None):
    """A line of a learner's code, made safe to show."""
    return clean(linecache.getline(file, number, module).rstrip().expandtabs())


@cache
def is_ours(file):
    """Whether a file of code is the engine's, PyTorch's or Python's own, not the learner's."""
    if file.startswith(LIBRARY) and "site-packages" not in file:
        return True
    return file.startswith((PACKAGE, *presence.folder())) and not file.startswith(EXPERIMENTS)
