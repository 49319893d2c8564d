"""How far a learner has come, shown as a bar per chapter: exercises solved and predictions made."""

import html
import importlib
import json
import os
import re
from collections import namedtuple
from datetime import datetime
from pathlib import Path

from .. import words
from ..microscope import files
from . import library, progress_file
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
        lines = [f"{_bar(_share(count))}  {_title(chapter)}: {words.say('progress_line', **count._asdict())}"
                 for chapter, count in counts.items()]  # fmt: skip
        none = "" if any(count.solved or count.predicted for count in counts.values()) else words.say("progress_none")
        super().__init__("hint", words.say("progress"), ["\n".join(lines) + "\n", none])

    def export(self, path, overwrite=False):
        """Write all answers as JSON to a file. FileExistsError where there is one, unless *overwrite* is true.

        As `autograd-nb-progress.json` beside other notebooks it is what those begin with.
        """
        content = {key: value for key, value in progress_file.read().items() if key != "unread"}
        text = json.dumps(content, indent=1, ensure_ascii=False)
        whole = text.encode(errors="backslashreplace")  # which of a surrogate is JSON's own
        files.write(Path(path).expanduser(), whole, overwrite, "export()")
        print(words.say("exported", path=path))

    def reset(self):
        kept = progress_file.keep_aside("before-reset")
        print(words.say("reset", kept=", ".join(kept)) if kept else words.say("nothing_to_reset"))


def progress():
    """How many exercises of each chapter are solved and how many predictions made; shown as a bar per chapter.

    >>> from autograd_nb import course
    >>> count = course.progress().counts["ch04"]
    >>> 0 <= count.solved <= count.exercises
    True
    """
    kept = progress_file.read()
    if kept["unread"]:
        print(words.say("unread", files=", ".join(kept["unread"])))
    solved = {name for name, entry in kept["answers"].items() if entry["outcome"] == "right"}
    counts = {}
    for chapter in chapters():
        questions, predictions = asked(chapter, Question), asked(chapter, Prediction)
        done = len(questions.keys() & solved), len(predictions.keys() & kept["predictions"])
        counts[chapter] = Count(done[0], len(questions), done[1], len(predictions))
    return Progress(counts)


class Home(Card):
    """The contents of the course as a table: how far each chapter is done, minutes left, and where to go on."""

    def __init__(self, counts, first):
        self.lines, left_in_all = [], 0
        here = Path("/", words.of_folder())
        for notebook in library.chapters():
            _, opening = next(iter(library.cells(notebook)), ("", ""))
            minutes, count = re.search(r"\*\*\w+\*\* (\d+)", opening), counts.get(f"ch{notebook.stem[:2]}")
            share = _share(count) if count else None
            left = round(int(minutes[1]) * (1 - share)) if minutes and count else None
            left_in_all += left or 0
            link = os.path.relpath(Path("/", library.place_of(notebook)), here)
            self.lines.append((link, library.title(notebook), share, left))
        self.next = next((line for line in self.lines if first and Path(line[0]).name.startswith(first[2:4])), None)
        facts = {"chapter": self.next[1], "name": first, "minutes": left_in_all} if self.next else {}
        self.step = words.say("home_next", **facts) if self.next else words.say("home_done")
        super().__init__("hint", words.say("home"), ["\n".join(map(self._in_text, self.lines)) + "\n", self.step])

    def _in_text(self, line):
        name, title, share, left = line
        left = f": {words.say('home_left', minutes=left)}" if share is not None else ""
        return f"{_bar(share or 0) if left else ' ' * BAR}  {title}{left}"

    @property
    def html(self):
        rows = ""
        for name, title, share, left in self.lines:
            link = f'<td style="text-align:left"><a href="{name}">{html.escape(title)}</a></td>'
            bar = None if share is None else f'<meter aria-label="{share:.0%}" value="{share:.2f}">{share:.0%}</meter>'
            rest = f"<td>{bar}</td><td>{words.say('home_left', minutes=left)}</td>" if bar else ""
            rows += f"<tr>{link}{rest}</tr>"
        onward = f'<a href="{self.next[0]}">{html.escape(self.step)}</a>' if self.next else html.escape(self.step)
        return f"<p><strong>{html.escape(self.heading)}</strong></p><p>{onward}</p><table>{rows}</table>"


def home():
    """The contents of the course with what is done of each chapter, the minutes left, and the next step.

    >>> from autograd_nb import course
    >>> course.home().lines[0][:2]
    ('00_welcome.ipynb', '00 Welcome')
    """
    return Home(progress().counts, next_asked(progress_file.read()))


def next_asked(kept):
    """The name of what comes next in the chapter that was worked in last, and then in those after it; None: all done.

    *kept* is what `progress_file.read` gives.
    """
    done = kept["predictions"].keys() | {name for name, entry in kept["answers"].items() if entry["outcome"] == "right"}
    names = [name for chapter in chapters() for kind in (Prediction, Question) for name in asked(chapter, kind)]
    answers = [*kept["predictions"].items(), *kept["answers"].items()]
    latest, _ = max(answers, key=lambda answer: datetime.fromisoformat(answer[1]["when"]), default=("", None))
    here = next((place for place, name in enumerate(names) if name[:4] == latest[:4]), 0)
    return next((name for name in names[here:] + names[:here] if name not in done), None)


def asked(chapter, kind):
    """What a chapter asks of one kind, Question or Prediction, by its full name ("ch04.q1")."""
    found = vars(importlib.import_module(f".exercises.{chapter}", __package__)).items()
    return {f"{chapter}.{name}": value for name, value in found if isinstance(value, kind)}


def _title(chapter):
    return f"{chapter.removeprefix('ch')} {words.of(chapter)['title']}"


def _share(count):
    return (count.solved + count.predicted) / (count.exercises + count.predictions)


def _bar(share):
    full = int(BAR * share + 1e-9)
    return "█" * full + "░" * (BAR - full)
