"""The course as a whole: a learner's progress and next step, reviews, and all summaries on one page.

*Progress* is a bar per chapter: exercises solved and predictions made. A *review* asks ten mixed questions from the
earlier chapters again, with their code. A wrong answer comes back first, two days later; an answer that was right in a
chapter after a week, in a review after two. The *cheat sheet* has the summary of every chapter, taken from the
notebooks, to read and to print.
"""

import html
import importlib
import json
import posixpath
import random
import re
from collections import namedtuple
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path, PurePosixPath

from .. import words
from ..learner.needed import needed
from ..microscope import files
from . import kernel, library, progress_file
from .exercises import Prediction, Question, chapters
from .exercises.item import Item
from .kernel import Card

# -- progress, and the next step ---------------------------------------------------------------------------------------

BAR = 12


# A chapter's items, and how many are done: exercises solved, predictions made (right or wrong).
Count = namedtuple("Count", "solved exercises predicted predictions")


class Progress(Card):
    """A bar per chapter; `.export(path)` writes all answers to a file, `.reset()` begins again.

    `counts` is {chapter: Count}.
    """

    def __init__(self, counts):
        self.counts = counts
        lines = [f"{_bar(_share(count))}  {_title(chapter)}: {words.say('progress_line', **count._asdict())}"
                 for chapter, count in counts.items()]  # fmt: skip
        none = "" if any(count.solved or count.predicted for count in counts.values()) else words.say("progress_none")
        super().__init__("hint", words.say("progress"), ["\n".join(lines) + "\n", none])

    def export(self, path, overwrite=False):
        """Write all answers as JSON to a file.

        FileExistsError if the file exists, unless *overwrite* is true. Other notebooks begin with a file
        `autograd-nb-progress.json` beside them.
        """
        content = {key: value for key, value in progress_file.read().items() if key != "unread"}
        text = json.dumps(content, indent=1, ensure_ascii=False)
        whole = text.encode(errors="backslashreplace")  # JSON writes a surrogate so
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
        questions, predictions = items(chapter, Question), items(chapter, Prediction)
        done = len(questions.keys() & solved), len(predictions.keys() & kept["predictions"])
        counts[chapter] = Count(done[0], len(questions), done[1], len(predictions))
    return Progress(counts)


class Home(Card):
    """The contents of the course as a table: how much of each chapter is done, minutes left, and the next step."""

    def __init__(self, counts, first):
        self.lines, left_in_all = [], 0
        here = PurePosixPath("/", words.of_folder())
        for notebook in library.chapters():
            _, opening = next(iter(library.cells(notebook)), ("", ""))
            minutes, count = re.search(r"\*\*\w+\*\* (\d+)", opening), counts.get(f"ch{notebook.stem[:2]}")
            share = _share(count) if count else None
            left = round(int(minutes[1]) * (1 - share)) if minutes and count else None
            left_in_all += left or 0
            link = posixpath.relpath(PurePosixPath("/", library.place_of(notebook).as_posix()), here)
            self.lines.append((link, library.title(notebook, words.current_language()), share, left))
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
    """The contents of the course: how much of each chapter is done, the minutes left, and the next step.

    >>> from autograd_nb import course
    >>> course.home().lines[0][:2]
    ('00_welcome.ipynb', '00 Welcome')
    """
    return Home(progress().counts, next_asked(progress_file.read()))


def next_asked(kept):
    """The name of the next item, in the chapter of the last answer or a later one; None if all are done.

    *kept* is the content that `progress_file.read` returns.
    """
    done = kept["predictions"].keys() | {name for name, entry in kept["answers"].items() if entry["outcome"] == "right"}
    names = [name for chapter in chapters() for kind in (Prediction, Question) for name in items(chapter, kind)]
    answers = [*kept["predictions"].items(), *kept["answers"].items()]
    latest, _ = max(answers, key=lambda answer: datetime.fromisoformat(answer[1]["when"]), default=("", None))
    here = next((place for place, name in enumerate(names) if name[:4] == latest[:4]), 0)
    return next((name for name in names[here:] + names[:here] if name not in done), None)


def items(chapter, kind=Item):
    """A chapter's items of one kind, Question or Prediction, or of both, by their full names ("ch04.q1")."""
    found = vars(importlib.import_module(f".exercises.{chapter}", __package__)).items()
    return {f"{chapter}.{name}": value for name, value in found if isinstance(value, kind)}


def _title(chapter):
    return f"{chapter.removeprefix('ch')} {words.of(chapter)['title']}"


def _share(count):
    return (count.solved + count.predicted) / (count.exercises + count.predictions)


def _bar(share):
    full = int(BAR * share + 1e-9)
    return "█" * full + "░" * (BAR - full)


# -- reviews -----------------------------------------------------------------------------------------------------------

COUNT = 10
DAYS = {"wrong": 2, "right": 7, "reviewed": 14}


class Review(Card):
    """Cards with questions; `names` are their names ("ch04.p1"). Without a kernel, a sentence in their place."""

    def __init__(self, names, day):
        self.names, self.day = names, day
        super().__init__("hint", words.say("review"), [words.say("review_text" if names else "review_none")])

    def cards(self):
        """New cards, whose answers the progress keeps as reviews."""
        made = []
        for name in self.names:
            chapter = name.partition(".")[0]
            card = items(chapter, Prediction)[name].card(self.day)
            card.chosen, card.verdict, card.context = "", {}, context(name)
            card.keep = partial(progress_file.reviewed, name)
            made.append(card)
        return made

    def _repr_mimebundle_(self, **options):
        shown = super()._repr_mimebundle_()
        if not self.names or not kernel.in_kernel():
            return shown
        from ipywidgets import VBox

        return VBox(self.cards())._repr_mimebundle_() | shown


def review(now=None):
    """Ten questions from the chapters with predictions by the learner: first those that are due, then others.

    now: a datetime with a time zone, by default the present.

    >>> from autograd_nb import course
    >>> course.review().heading
    'Review'
    """
    now = now or datetime.now(UTC)
    kept = progress_file.read()
    begun = {name.partition(".")[0] for name in (*kept["predictions"], *kept["reviews"])}
    names = [name for chapter in chapters() if chapter in begun for name in items(chapter, Prediction)]
    random.Random(now.date().toordinal()).shuffle(names)  # in mixed order, the same all day
    return Review(sorted(names, key=lambda name: _turn(kept, name, now))[:COUNT], now.date().isoformat())


def _turn(kept, name, now):
    """The order of questions: wrong and due, due, never asked, not due yet."""
    made, reviewed = kept["predictions"].get(name), kept["reviews"].get(name)
    if not made and not reviewed:
        return 2
    last = reviewed or made
    outcome = last.get("last", last["outcome"])
    days = DAYS["reviewed" if reviewed and outcome == "right" else outcome]
    due = datetime.fromisoformat(last["when"]) + timedelta(days=days) <= now
    return 3 if not due else int(outcome == "right")


def context(name):
    """The context of a question: {"title": chapter and section, "code": the next cell and the code that it needs}."""
    spoken = words.current_language()
    for notebook in library.chapters():
        title, section, before = library.title(notebook, spoken), "", []
        cells = iter(library.cells(notebook, spoken))
        for kind, source in cells:
            if kind == "markdown" and (headings := re.findall(r"^## (.+)$", source, re.MULTILINE)):
                section = headings[-1]
            elif kind == "code" and source.rstrip().endswith(f"course.{name}"):
                after = next(code for kind, code in cells if kind == "code" and not library.CARD.search(code))
                asked_about = " ".join(re.findall("`([^`]+)`", items(name[:4], Prediction)[name].words["question"]))
                code = [*needed(before, [after, asked_about]), f"# {words.say('then')}\n{after}"]
                return {"title": f"{title}: {section}", "code": "\n\n".join(code)}
            elif kind == "code" and not library.CARD.search(source):
                before.append(source)
    return {}


# -- the cheat sheet ---------------------------------------------------------------------------------------------------

# The class stands twice: JupyterLab has rules of its own for tables.
STYLE = """.anb-sheet { columns: 2 380px; column-gap: 20px; font: 11.5px/1.35 system-ui, Helvetica, Arial, sans-serif; }
.anb-sheet section { break-inside: avoid; margin: 0 0 10px; }
.anb-sheet h2 { font-size: 13px; margin: 0 0 2px; border-bottom: 1px solid #9CA3AF; }
.anb-sheet table { border-collapse: collapse; width: 100%; font-size: inherit; margin: 0; }
.anb-sheet.anb-sheet table { table-layout: auto; }
.anb-sheet.anb-sheet td { text-align: left; vertical-align: top; color: inherit; padding: 0 5px 1px 0; }
.anb-sheet.anb-sheet td { white-space: normal; word-break: normal; overflow-wrap: normal; }
.anb-sheet.anb-sheet td:last-child { padding-right: 0; }
.anb-sheet tr:first-child td { font-weight: 600; }
.anb-sheet tr + tr { border-top: 1px solid #9CA3AF55; }
.anb-sheet.anb-sheet code { font-size: 10.5px; padding: 0; white-space: normal; word-break: normal; }"""
PRINT = """@page { size: A4 landscape; margin: 7mm; } body { margin: 0; }
.anb-sheet { columns: 3; column-gap: 5mm; font-size: 5.8pt; line-height: 1.1; }
.anb-sheet h2 { font-size: 6.8pt; } .anb-sheet.anb-sheet code { font-size: 5.3pt; }
.anb-sheet section { margin-bottom: 1mm; } .anb-sheet.anb-sheet td { padding: 0 3px 0 0; }"""


class CheatSheet(Card):
    """All summaries; `.save(path)` writes one page of A4 to print. `chapters` is [(title, rows of cells)]."""

    def __init__(self, chapters):
        self.chapters = chapters
        parts = ["\n".join([title, *("  " + " | ".join(row) for row in rows)]) + "\n" for title, rows in chapters]
        super().__init__("hint", words.say("cheat_sheet"), parts)

    @property
    def html(self):
        return f"<style>{STYLE}</style>{self._body()}"

    def save(self, path, overwrite=False):
        """Write the sheet as a page of its own, ``"sheet.html"``.

        FileExistsError if the file exists and save() did not write it, unless *overwrite* is true.
        """
        head = f'<meta charset="utf-8"><title>{html.escape(self.heading)}</title><style>{STYLE}{PRINT}</style>'
        page = f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{self._body()}</body></html>\n'
        files.save(path, {".html": lambda: page}, overwrite)
        print(words.say("exported", path=path))

    def _body(self):
        sections = ""
        for title, rows in self.chapters:
            lines = "".join("<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            sections += f"<section><h2>{html.escape(title)}</h2><table>{lines}</table></section>"
        return f'<div class="anb-sheet">{sections}</div>'


def cheat_sheet():
    """The course on one page: the summary of every chapter.

    >>> from autograd_nb import course
    >>> course.cheat_sheet().chapters[0][0]
    '00 Welcome'
    """
    chapters, spoken = [], words.current_language()
    for notebook in library.chapters():
        for kind, source in library.cells(notebook, spoken):
            if kind == "markdown" and source.startswith(("## Summary", f"## {words.say('summary')}")):
                lines = [line.strip().strip("|") for line in source.splitlines() if line.startswith("|")]
                lines[1:2] = []  # the line below the headings
                rows = [[cell.strip() for cell in line.split("|")] for line in lines]
                chapters.append((library.title(notebook, spoken), rows))
    return CheatSheet(chapters)


def _inline(text):
    """A cell of a table, with its code, bold words and links, as HTML."""
    text = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", html.escape(text, quote=False))
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", re.sub(r"`([^`]+)`", r"<code>\1</code>", text))
    return re.sub(r"(?<=\w)(?=\.[a-z])", "<wbr>", text)  # a whole name may go to the next line
