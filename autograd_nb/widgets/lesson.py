"""Lessons: controls, a run of the engine, and charts of its results, all of them data; one front end shows all lessons.

A lesson lists the parts of its ``page`` from the top: controls by the names of their traits, and parts that show the
results of `run`, by their names there.  Labels are the words of the same names.
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
from .chart import board
from .kit import ExpressionText, Figure, Finite, Live, call_text, seen, setting

ACROSS = 640  # the width of a stored picture in pixels
BESIDES = "off", "ranges", "texts"  # what `run` may give beside the contents of parts


# -- controls: traits that a learner sets -----------------------------------------------------------------------------


def control(trait, kind, **options):
    return setting(trait, control={"kind": kind} | options)


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
    """The parts that stand alone or in boxes, without controls."""
    for each in parts:
        if isinstance(each, dict):
            yield from flat(each["parts"]) if "parts" in each else [each]


row, grid, beside, stack = (partial(box, kind) for kind in ("row", "grid", "beside", "stack"))
# `run` gives these names of words, to be filled with facts; texts; rows of texts; see lesson.js for a message. A chart
# is the `Plot` of its name, and `run` gives the points of its series; with `choose`, the arguments of `board`.
code, note, listing, table, message, chart = (
    partial(part, kind) for kind in ("code", "note", "list", "table", "message", "chart"))  # fmt: skip
STATUS = part("status")
CHOOSER = part("chooser")  # buttons that go through the choices in a chart


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

    ``name``, which its words have, too, is that of the function that makes it, and of their file. Facts, with the
    settings, fill the braces of its words: as all sentences write them, but in code as Python does. `run` may give
    ``status``, names of words other than "status", ``ranges``, ``{slider: [low, high]}``, ``off``, ``{control: name of
    words that say why it has no effect, or ""}``, and ``texts``, those of a board's choices.
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
        cls.named = {each["name"]: each for each in (*flat(cls.page), *map(part, BESIDES, BESIDES))}

    def __init__(self, **settings):
        super().__init__(**settings)
        self.begin()
        self.sheet = list(map(self.part_data, self.page))

    def part_data(self, part):
        """A part of the page, with a control for the name of a trait."""
        if isinstance(part, str):
            return {"name": part} | self.traits()[part].metadata["control"]
        return part | {"parts": list(map(self.part_data, part["parts"]))} if "parts" in part else part

    # -- for `run` ---------------------------------------------------------------------------------------------------

    def say(self, *keys, **facts):
        """Texts of the lesson with facts; it writes numbers, and lists of them, as all sentences do."""
        facts = {name: Written(fact) for name, fact in (self.facts | facts).items()}
        return "".join(self.own_words(key, **facts) for key in keys if key)

    def refuse(self, key, **facts):
        raise Refused(self.say(key, **self.settings() | facts))

    def filled(self, name, result):
        """What a page shows of a result of `run`."""
        part = self.named[name]
        match part["kind"]:
            case "note":
                return self.say(result)
            case "code":
                return self.own_words(result, **self.facts | self.settings())
            case "off":
                return {control: self.say(key) for control, key in result.items()}
            case "chart" if "choose" in part:
                return board(self.own_words["title"], "\n".join(self.facts["texts"]), part["choose"], **result)
            case "chart":
                labels = {key: self.say(f"{key}_label") for key in result if f"{key}_label" in self.own_words}
                title = f"{name}_title" if f"{name}_title" in self.own_words else name
                return getattr(type(self), name).picture(self.say(title), result, self.own_words, labels)
        return result

    def compute(self, change=None):
        super().compute(change)
        last = self.last or {}
        self.blamed = [name for name, value in last.items() if self.problem and getattr(self, name) != value]

    def tell(self, found):
        self.facts = self.settings() | found
        shown = {name: self.filled(name, found[name]) for name in self.named if name in found}
        self.status = self.say(*found.get("status", ["status"]))
        self.pictures = {name: each for name, each in shown.items() if isinstance(each, Figure)}
        self.shown = shown | {name: each.data() for name, each in self.pictures.items()}
        self.last = self.settings()

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
