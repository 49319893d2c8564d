"""The learner's names for tensors and the learner's lines of code, read off the frames that are running."""

import linecache
import re
import sys
import weakref
from functools import cache
from pathlib import Path

from ..engine import backward as engine
from ..engine.tensor import Tensor

PACKAGE = str(Path(__file__).parents[1])
EXPERIMENTS = str(Path(PACKAGE, "course", "experiments"))  # these are read as if the learner had written them
FEW = 32  # tensors in a list, tuple or dict up to which they are named by their place in it
MOST_STASHED = 1000
MOST_LINES = 200  # of code shown around and between those that led to events


class Names:
    """``names[key]``: what tensors are called; *key_of* gives the key of a tensor that takes part, or None."""

    def __init__(self, frame, key_of):
        self.key_of = key_of
        self.names = {}  # key -> {name: (order, line)}
        self.stash = {}  # id -> (weak reference, {name: line}) of tensors that have taken no part so far
        self.made = {}  # key of a tensor without a name so far -> the line that made it
        self.files = {}  # file name of code -> the name that the trace shows
        self.lines = {}  # (shown file, number) -> text
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
        number, file = frame.f_lineno, self.shown(frame.f_code.co_filename)
        moved = frame is not self.frame or number != self.number
        if moved:
            self.look()
            if frame is not self.frame:
                self.frame, self.number = frame, number
                self.look()
            self.number = number
        self.keep_line(frame, number)
        return number, file, moved

    def keep_line(self, frame, number):
        file = frame.f_code.co_filename
        if (self.shown(file), number) not in self.lines:
            self.lines[self.shown(file), number] = linecache.getline(file, number, frame.f_globals).rstrip()

    def last(self):
        return self.number, self.shown(self.frame.f_code.co_filename)

    def shown(self, file):
        """A short name for a file of code: no folder, and cells of a notebook by number."""
        if file in self.files:
            return self.files[file]
        path = Path(file)
        if path.parent.name.startswith("ipykernel_"):
            name = f"cell {1 + sum(each.startswith('cell ') for each in self.files.values())}"
        else:
            name = path.name
            if name in self.files.values():
                name = f"{path.parent.name}/{name}"
        self.files[file] = name
        return name

    def look(self):
        for name, value in list(self.frame.f_locals.items()):
            if name.startswith("_"):
                continue
            kind, inside = type(value), ()
            if isinstance(value, Tensor):
                self.note(name, value)
            elif kind in (list, tuple) and 0 < len(value) <= FEW and isinstance(value[0], Tensor):
                inside = [(f"[{place}]", each) for place, each in enumerate(value)]
            elif kind is dict and len(value) <= FEW:
                inside = [(f"[{place!r}]", each) for place, each in value.items()]
            elif hasattr(kind, "named_parameters") and id(value) not in self.modules:
                self.modules.add(id(value))
                inside = [(f".{place}", each) for place, each in value.named_parameters()]
            for place, each in inside:
                self.note(name + place, each, inner=True)

    def note(self, name, tensor, inner=False):
        """Note one name; *inner* ones (of a place in something) only for a tensor that has no other."""
        if not isinstance(tensor, Tensor):
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
        return tuple((name, line) for name, (_, _, line) in known)

    def finish(self):
        """Look up what was bound last, complete the lines of code, and let go of the frames."""
        self.modules.clear()
        self.look()
        if self.frame is not self.root:
            self.frame = self.root
            self.look()
        for file, name in self.files.items():
            numbers = sorted(number for each, number in self.lines if each == name)
            if numbers and numbers[-1] - numbers[0] <= MOST_LINES:
                for number in range(numbers[0], numbers[-1] + 1):
                    self.lines.setdefault((name, number), linecache.getline(file, number).rstrip())
        self.root = self.frame = None
        self.stash.clear()


@cache
def is_ours(file):
    """Whether a file of code is the engine's, not the learner's."""
    return file.startswith(PACKAGE) and not file.startswith(EXPERIMENTS)
