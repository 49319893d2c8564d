"""Lessons: controls, a run of the engine, and charts of what it gave, all of it data; one front end shows them all.

A lesson says what stands on its ``page``, from above: controls by the names of their traits, and parts in which `run`
shows something, by the names that it gives.  Labels are the words of the same names.
"""

import sys
from functools import partial

from traitlets import Bool, Dict, Enum, Int, List, Unicode

from ..drawing.svg import to_svg
from ..microscope.labels import clean, escape
from .chart import ChartPicture
from .kit import Finite, Live, call_text, seen, setting

ACROSS = 640  # pixels that there are beside each other in what is stored


# -- controls: traits that a learner sets -----------------------------------------------------------------------------


def control(trait, kind, **options):
    return setting(trait, control={"kind": kind} | options)


def slider(low, high, step=None, *, log=False, whole=False, signed=False):
    """A number, in steps or over powers of ten; a field beside it takes others, too, but for whole ones.

    signed: it sets the size of a number, and a part "sign" of the same name its sign.
    """
    trait = Int() if whole else Finite()
    return control(trait, "slider", min=low, max=high, step=step, logarithmic=log, whole=whole, signed=signed)


def toggle():
    return control(Bool(), "toggle")


def choice(texts):
    """One of several: ``{value: its text}``."""
    return control(Enum([*texts]), "choice", choices=[*map(list, texts.items())])


def field(rows=0):
    """A text; with rows, a box of so many lines, in which Ctrl+Enter runs what stands there."""
    return control(Unicode(), "text", rows=rows)


# -- what else stands on the page -------------------------------------------------------------------------------------


def box(kind, *parts, **options):
    return {"kind": kind, "parts": parts} | options


def part(kind, name="", **options):
    return {"kind": kind, "name": name} | options


row, grid, beside, stack = (partial(box, kind) for kind in ("row", "grid", "beside", "stack"))
# what `run` gives for them: a `Picture`, or, for a chart from which one chooses, a tuple: that of all, and one for each
# choice, whose text tells about it; a text; texts; rows of texts; see lesson.js for the others
chart, code, listing, table = (partial(part, kind) for kind in ("chart", "code", "list", "table"))
note, message, tables = (partial(part, kind) for kind in ("note", "message", "tables"))
STATUS = part("status")
CHOOSER = part("chooser")  # buttons that go through what can be chosen in a chart


def button(name, do, **details):
    """A button that calls ``do_…`` with details."""
    return part("button", name, do=do, details=details)


class Lesson(Live):
    """A widget with a ``page`` and a method ``run``, which gives what stands there by name, and its ``status``.

    ``name`` is that of the function that makes it. `run` may also give ``text``, all that the lesson says without a
    kernel; ``ranges``, ``{slider: [low, high]}``; and ``off``, ``{control: why it has no effect}``.
    """

    files, name, page = "lesson", "", ()
    stored = 1  # of its pictures
    chosen = setting(Int(-1), look=True)  # what is looked at in a chart from which one chooses; -1: all
    sheet = seen(List())  # the page, with words and controls
    bases, changes, shown = (seen(Dict()) for _ in range(3))

    def __init__(self, **settings):
        super().__init__(**settings)
        self.begin()
        self.sheet = list(map(self.part_data, self.page))

    def part_data(self, part):
        """A part of the page with its words, and a control for the name of a trait."""
        if isinstance(part, str):
            part = {"name": part} | self.traits()[part].metadata["control"]
        if "parts" in part:
            return part | {"parts": list(map(self.part_data, part["parts"]))}
        words, name = self.own_words, part["name"]
        return {"label": words.get(name, name), "spoken": words.get(f"{name}_name")} | part

    def find(self):
        return (self.run(),)

    def tell(self, found):
        self.last = self.settings()
        self.status, self.text = found.pop("status"), found.pop("text", "")
        self.looks = {name: (each,) if isinstance(each, ChartPicture) else each
                      for name, each in found.items() if isinstance(each, tuple)}  # fmt: skip
        drawn = {name: [self.boards[name].show(*look[:4]) for look in looks] for name, looks in self.looks.items()}
        self.bases = {name: base for name, [*_, (base, _)] in drawn.items()}
        self.changes = {name: {"looks": [change for _, change in each], "axes": self.looks[name][0].axes}
                        for name, each in drawn.items()}  # fmt: skip
        self.shown = {name: each for name, each in found.items() if name not in drawn}

    @property
    def pictures(self):
        """The pictures that are shown, by name."""
        return {name: looks[: self.chosen + 2][-1] for name, looks in self.looks.items()}

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        return call_text(getattr(sys.modules[type(self).__module__], self.name), **self.settings())

    def as_text(self):
        return self.text or f"{self.own_words['title']}. {self.status}"

    def as_html(self):
        """The picture, and what is told of all that can be chosen in it."""
        told = dict.fromkeys(look.text for looks in self.looks.values() for look in looks[1:])
        told = "".join(f"<li>{escape(clean(text))}</li>" for text in told)
        folded = f"<details><summary>{self.own_words['all']}</summary><ol>{told}</ol></details>" if told else ""
        return super().as_html() + folded

    def to_store(self):
        """The pictures that stand for it where there is no kernel."""
        return list(self.pictures.values())[: self.stored]

    def as_svg(self):
        """What is stored, beside each other as far as a page has room."""
        shapes, x, y, right, bottom = [], 0, 0, 0, 0
        for drawn, (width, height), title, *_ in self.to_store():
            if x + width > ACROSS:
                x, y = 0, bottom
            shapes.append(to_svg(drawn, width, height, title).replace("<svg", f'<svg x="{x}" y="{y}"', 1))
            x, right, bottom = x + width, max(right, x + width), max(bottom, y + height)
        return to_svg(shapes, right, bottom, self.own_words["title"], self.as_text())
