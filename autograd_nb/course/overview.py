"""How far a learner has come, shown as a bar per chapter: exercises solved and predictions made."""

import importlib
import json
from collections import namedtuple

from . import progress_file, words
from .exercises import Prediction, Question, chapters
from .showing import Card

BAR = 12


# What a chapter asks and what of it is done: exercises rightly solved, predictions made, right or wrong.
Count = namedtuple("Count", "solved exercises predicted predictions")


class Progress(Card):
    """A bar per chapter; `.export(path)` writes the file's content elsewhere, `.reset()` begins anew.

    `counts` is {chapter: Count}.
    """

    def __init__(self, counts):
        self.counts = counts
        width = max((len(_title(chapter)) for chapter in counts), default=0)
        lines = [f"{_title(chapter):<{width}}  {_bar(count)}  {words.say('progress_line', **count._asdict())}"
                 for chapter, count in counts.items()]  # fmt: skip
        none = "" if any(count.solved or count.predicted for count in counts.values()) else words.say("progress_none")
        super().__init__("hint", words.say("progress"), ["\n".join(lines) + "\n", none])

    def export(self, path):
        """Write all answers as JSON to a new file. FileExistsError when there is one of that name."""
        with open(path, "x", encoding="utf-8") as file:
            json.dump(progress_file.read(), file, indent=1, ensure_ascii=False)
        print(words.say("exported", path=path))

    def reset(self):
        if progress_file.path().exists():
            print(words.say("reset", kept=progress_file.keep_aside("before-reset").name))
        else:
            print(words.say("nothing_to_reset"))


def progress():
    """How many exercises of each chapter are solved and how many predictions made; shown as a bar per chapter.

    >>> from autograd_nb import course
    >>> course.progress().counts["ch04"].exercises
    4
    """
    try:
        kept = progress_file.read()
    except progress_file.Unusable as problem:
        print(problem)
        kept = {room: {} for room in progress_file.ROOMS}
    solved = {name for name, entry in kept["answers"].items() if entry["outcome"] == "right"}
    counts = {}
    for chapter in chapters():
        questions, predictions = asked(chapter, Question), asked(chapter, Prediction)
        done = len(questions.keys() & solved), len(predictions.keys() & kept["predictions"])
        counts[chapter] = Count(done[0], len(questions), done[1], len(predictions))
    return Progress(counts)


def asked(chapter, kind):
    """What a chapter asks of one kind, Question or Prediction, by its full name ("ch04.q1")."""
    found = vars(importlib.import_module(f".exercises.{chapter}", __package__)).items()
    return {f"{chapter}.{name}": value for name, value in found if isinstance(value, kind)}


def _title(chapter):
    return f"{chapter.removeprefix('ch')} {words.of(chapter)['title']}"


def _bar(count):
    full = BAR * (count.solved + count.predicted) // (count.exercises + count.predictions)
    return "█" * full + "░" * (BAR - full)
