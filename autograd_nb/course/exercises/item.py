"""An exercise or a prediction of a chapter. It finds its name in its module, and its words by its name."""

import importlib
import sys

from ... import words


class Item:
    """A question, named after its module and its name there (`ch04.q2`, `ch04.p1`)."""

    def __init__(self):
        self._module = sys._getframe(2).f_globals["__name__"]

    @property
    def name(self):
        """"ch04.q2"."""
        bound = next(name for name, value in vars(sys.modules[self._module]).items() if value is self)
        return f"{self._module.rpartition('.')[2]}.{bound}"

    def __reduce__(self):
        return find_item, (self.name,)  # each exists once: a copy is the same object

    @property
    def words(self):
        chapter, _, own = self.name.partition(".")
        return words.of(chapter)[own]


def find_item(name):
    """The exercise or prediction with this name, such as "ch04.q2"."""
    chapter, _, own = name.partition(".")
    return getattr(importlib.import_module(f"{__package__}.{chapter}"), own)
