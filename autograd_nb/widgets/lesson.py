"""Lessons: controls, a run of the engine, and charts of its results, all of them data; one front end shows all lessons.

A lesson lists the parts of its ``page`` from the top, by their names: controls, the pictures that `run` gives (`Plot`,
`Board`), "status", "chooser", and notes. Labels, and the texts of notes, are the words of the same names.
"""

import sys
from collections import namedtuple
from contextlib import contextmanager
from functools import partial

from traitlets import Bool, Dict, Enum, Int, List, Unicode

import autograd_nb as torch

from ..drawing.display import image
from ..drawing.svg import to_svg
from ..learner.programs import Refused
from ..microscope.labels import clean, escape, nested, number
from ..words import of
from .kit import ExpressionText, Finite, Live, call_text, seen, setting

ACROSS = 640  # the width of a stored picture in pixels


# -- controls: traits that a learner sets -----------------------------------------------------------------------------


def control(trait, kind, **options):
    trait = setting(trait)
    trait.part = {"kind": kind} | options
    return trait


def slider(low, high, step="any", **flags):
    """A number, in steps; a field beside it takes numbers beyond, too. Flags that can be True change this.

    log: the slider goes over powers of ten; signed: it sets the size of a number, and the field its sign, too; closed:
    the field takes no number beyond; whole: neither of them takes a fraction, and the field no number beyond.
    """
    return control(Int() if "whole" in flags else Finite(), "slider", min=low, max=high, step=step, **flags)


def toggle():
    return control(Bool(), "toggle")


def choice(*values):
    """A choice of several; their texts are the words "choices"."""
    return control(Enum(values), "choice", choices=values)


def field(rows=0):
    """A text; with rows, a box of so many lines, in which Ctrl+Enter runs the text."""
    return control(Unicode(), "text", rows=rows)


def expression():
    """An expression of Python's operators and the engine's functions."""
    return control(ExpressionText(), "text")


# -- other parts of the page ------------------------------------------------------------------------------------------


def box(kind, *parts):
    return {"kind": kind, "parts": parts}


def part(kind, name="", **options):
    return {"kind": kind, "name": name} | options


def flat(parts):
    """The parts that stand alone or in boxes."""
    for each in parts:
        yield from flat(each["parts"]) if "parts" in each else [each]


row, grid, beside, stack = (partial(box, kind) for kind in ("row", "grid", "beside", "stack"))
# `run` gives the name of words, to be filled with facts; texts; rows of texts; see lesson.js for a message.
code, listing, table, message = (partial(part, kind) for kind in ("code", "list", "table", "message"))
ALONE = "status", "chooser"  # the sentence about all; buttons that go through the choices in a chart


def button(name, do, **details):
    """A button that calls ``do_…`` with details."""
    return part("button", name, do=do, details=details)


@contextmanager
def fixed_seed():
    """Random numbers that are always the same; the learner's own are left alone."""
    before = torch.get_rng_state()
    torch.manual_seed(0)
    try:
        yield
    finally:
        torch.set_rng_state(before)


class Written(namedtuple("Written", "fact")):
    """A fact in a sentence."""

    def __format__(self, _):
        return self.fact if isinstance(self.fact, str) else nested(self.fact, number)


class Lesson(Live):
    """A widget with a ``page`` and a method ``run``, whose results are the contents of the page by name, and facts.

    ``name``, which its words have, too, is that of the function that makes it, and of their file. `run` takes the
    settings by name and may return ``locals()``. Facts, its results and the settings, fill the braces of its words: as
    all sentences write them, but in code as Python does. A note has the words of its name, or of the name that `run`
    gives; so has ``status``, from a list of names. `run` may also give ``ranges``, ``{slider: [low, high]}``, ``off``,
    ``{control: name of words that say why it has no effect, or ""}``, and ``texts``, those of a board's choices.
    """

    files, page, facts = "lesson", (), {}
    stored = 1  # how many of its pictures a notebook stores
    chosen = setting(Int(-1), look=True)  # the number of the choice in a chart; -1: all
    sheet = seen(List())  # the page, with controls; a front end finds the words of their names
    shown = seen(Dict())
    blamed = seen(List())  # the settings that were others in the last run without a problem

    def __init_subclass__(cls):
        super().__init_subclass__()
        cls.name = cls.__module__.rpartition(".")[2]
        cls.own_words = of("widgets")[cls.name]

    def __init__(self, **settings):
        super().__init__(**settings)
        self.begin()

    def part_data(self, part):
        """A part of the page: for its name a control or a picture, or else a note."""
        if isinstance(part, str):
            default = {"kind": part, "name": ""} if part in ALONE else {"kind": "note"}
            return {"name": part} | getattr(getattr(type(self), part, self.facts.get(part)), "part", default)
        return part | {"parts": list(map(self.part_data, part["parts"]))} if "parts" in part else part

    # -- for `run` ---------------------------------------------------------------------------------------------------

    def say(self, /, *keys, **facts):
        """Texts of the lesson with facts; it writes numbers, and lists of them, as all sentences do."""
        facts = {name: Written(fact) for name, fact in (self.facts | facts).items()}
        return "".join(self.own_words(key, **facts) for key in keys if key)

    def refuse(self, key, /, **facts):
        raise Refused(self.say(key, **self.settings() | facts))

    def compute(self, change=None):
        super().compute(change)
        last = self.last or {}
        self.blamed = [name for name, value in last.items() if self.problem and getattr(self, name) != value]
        self.sheet = list(map(self.part_data, self.page))

    def tell(self, found):
        self.last = self.settings()
        self.facts, self.pictures = self.last | found, {}
        shown = {name: found[name] for name in ("ranges", "texts") if name in found}
        shown["off"] = {control: self.say(key) for control, key in found.get("off", {}).items()}
        for part in flat(map(self.part_data, self.page)):
            name = part["name"]
            match part["kind"]:
                case "note":
                    shown[name] = self.say(found.get(name, name))
                case "code":
                    shown[name] = self.own_words(found[name], **self.facts | self.last)
                case "chart":
                    self.pictures[name] = found[name].picture(name, self)
                case "list" | "table" | "message" | "menu":
                    shown[name] = found[name]
        self.status = self.say(*found.get("status", ["status"]))
        self.shown = shown | {name: each.data() for name, each in self.pictures.items()}

    # -- stored forms ------------------------------------------------------------------------------------------------

    def as_code(self):
        return call_text(getattr(sys.modules[self.__module__], self.name), **self.settings())

    def as_text(self):
        words = self.own_words
        return words.get("text", "{title}. {status}").format(**words | self.settings() | {"status": self.status})

    def as_html(self):
        """The stored picture, and the text of each choice in it."""
        told = "".join(f"<li>{escape(clean(text))}</li>" for text in self.shown.get("texts", ()))
        folded = f"<details><summary>{self.own_words['all']}</summary><ol>{told}</ol></details>" if told else ""
        return f"{image(self.as_svg(), repr(self))}<br>{self.how_to_use()}{folded}"

    def as_svg(self):
        """The pictures that stand for it without a kernel, side by side as far as a page has room."""
        shapes, x, y, right, bottom = [], 0, 0, 0, 0
        for drawn, (width, height), title, *_ in list(self.pictures.values())[: self.stored]:
            if x + width > ACROSS:
                x, y = 0, bottom
            shapes.append(to_svg(drawn, width, height, title).replace("<svg", f'<svg x="{x}" y="{y}"', 1))
            x, right, bottom = x + width, max(right, x + width), max(bottom, y + height)
        return to_svg(shapes, right, bottom, self.own_words["title"], self.as_text())
