"""Reviews: ten mixed questions from the chapters so far, asked again with the code that they were about.

What went wrong comes back first, two days later; what was right in a chapter after a week, in a review after two.
"""

import datetime
import random
import re
from functools import partial

from .. import words
from ..learner.needed import needed
from . import library, progress_file, showing
from .exercises import Prediction, chapters
from .overview import asked

COUNT = 10
DAYS = {"wrong": 2, "right": 7, "reviewed": 14}


class Review(showing.Card):
    """Cards with questions; `names` are theirs ("ch04.p1"). Where there is no kernel, a sentence in their place."""

    def __init__(self, names, day):
        self.names, self.day = names, day
        super().__init__("hint", words.say("review"), [words.say("review_text" if names else "review_none")])

    def cards(self):
        """New cards, whose answers are kept as reviews."""
        made = []
        for name in self.names:
            chapter = name.partition(".")[0]
            card = asked(chapter, Prediction)[name].card(self.day)
            card.chosen, card.verdict, card.context = "", {}, context(name)
            card.keep = partial(progress_file.reviewed, name)
            made.append(card)
        return made

    def _repr_mimebundle_(self, **options):
        shown = super()._repr_mimebundle_()
        if not self.names or not showing.in_kernel():
            return shown
        from ipywidgets import VBox

        return VBox(self.cards())._repr_mimebundle_() | shown


def review(now=None):
    """Ten questions from the chapters in which something was predicted: those that are due, then others.

    now: a datetime with a time zone, by default the present.

    >>> from autograd_nb import course
    >>> course.review().heading
    'Review'
    """
    now = now or datetime.datetime.now(datetime.UTC)
    kept = progress_file.read()
    begun = {name.partition(".")[0] for name in (*kept["predictions"], *kept["reviews"])}
    names = [name for chapter in chapters() if chapter in begun for name in asked(chapter, Prediction)]
    random.Random(now.date().toordinal()).shuffle(names)  # mixed, and the same all day
    return Review(sorted(names, key=lambda name: _turn(kept, name, now))[:COUNT], now.date().isoformat())


def _turn(kept, name, now):
    """Which come first: wrong and due, due, never asked, not due yet."""
    made, reviewed = kept["predictions"].get(name), kept["reviews"].get(name)
    if not made and not reviewed:
        return 2
    last = reviewed or made
    outcome = last.get("last", last["outcome"])
    days = DAYS["reviewed" if reviewed and outcome == "right" else outcome]
    due = datetime.datetime.fromisoformat(last["when"]) + datetime.timedelta(days=days) <= now
    return 3 if not due else int(outcome == "right")


def context(name):
    """What a question was about: {"title": its chapter and section, "code": the cell after it, and what that needs}."""
    for notebook in library.chapters():
        title, section, before = library.title(notebook), "", []
        cells = iter(library.cells(notebook))
        for kind, source in cells:
            if kind == "markdown" and (headings := re.findall(r"^## (.+)$", source, re.MULTILINE)):
                section = headings[-1]
            elif kind == "code" and source.rstrip().endswith(f"course.{name}"):
                after = next(code for kind, code in cells if kind == "code" and not library.CARD.search(code))
                asked_about = " ".join(re.findall("`([^`]+)`", asked(name[:4], Prediction)[name].words["question"]))
                code = [*needed(before, [after, asked_about]), f"# {words.say('then')}\n{after}"]
                return {"title": f"{title}: {section}", "code": "\n\n".join(code)}
            elif kind == "code" and not library.CARD.search(source):
                before.append(source)
    return {}
