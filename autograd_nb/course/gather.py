"""`python -m autograd_nb.course.gather CLASS > class.csv`: how a class got on, question by question.

CLASS is any number of files that learners exported, and of folders with these or with learners' own folders in them;
a learner has the name of the file or folder. Each question that somebody tried has a row: how many tried it and solved
it, how often, and which wrong answers they gave. `--learners` has a row for each learner instead, `--page class.html`
writes both as a page. A message names unreadable files, and the rest counts all the same.
"""

import argparse
import csv
import html
import os
import sys
from collections import Counter, namedtuple
from pathlib import Path

from ..drawing.saving import page
from ..microscope.files import write
from . import launcher, library, own, progress_file
from .exercises import chapters
from .overview import items

STEM = Path(progress_file.NAME).stem
FEW = 3  # fewer learners say too little about a question
MOST_WRONG = 5  # wrong answers listed for a question
NOTHING = "no answers"
STYLE = """table { border-collapse: collapse; } td, th { padding: 2px 10px; border-bottom: 1px solid #D1D5DB; }
td, th { text-align: left; vertical-align: top; } td.number { text-align: right; } tr.out td { background: #FEF3C7; }"""

# For each question: learners who tried it, were right in the end, were wrong at least once; tries; answers, counted
Row = namedtuple("Row", "question asks tried right had_it_wrong tries wrong_answers stands_out")
Learner = namedtuple("Learner", "learner solved predicted tries last note")


def learners(places):
    """({learner: the path that `progress_file.read` takes}, {learner: why it cannot be read}).

    FileNotFoundError if there is no such file or folder.
    """
    there, closed = {}, {}

    def close(error):
        closed[_learner(Path(error.filename))] = error.strerror

    for place in places:
        try:
            place.stat()
        except PermissionError as error:
            close(error)
            continue
        except OSError:
            raise FileNotFoundError(f"there is no file or folder {place}") from None
        for path in _files(place, close) if place.is_dir() and place.name != STEM else [place]:
            there[_learner(path)] = path.with_suffix(".json")
    return dict(sorted(there.items())), closed


def _files(place, close, is_class=True):
    """Exported files in a folder, and learners' own anywhere in it; *close* gets each unreadable folder's error.

    A link to a learner's folder stands for it; links farther inside are not followed, as they may lead in a circle.
    """
    for folder, inner, files in os.walk(place, onerror=close):
        folder = Path(folder)
        own = [name for name in (progress_file.NAME, STEM) if name in (*files, *inner)]
        top = is_class and folder == place
        exported = [name for name in files if top and name.endswith(".json") and name[0] != "."]
        yield from (folder / name for name in {*own, *exported})
        inner[:] = [name for name in inner if name != STEM]
        for link in (folder / name for name in inner if top):
            if link.is_symlink() and not place.resolve().is_relative_to(link.resolve()):
                yield from _files(link, close, is_class=False)


def _learner(path):
    parts = [part for part in path.with_suffix("").parts if part not in (STEM, launcher.DEFAULT_FOLDER)]
    return "/".join(parts).replace("//", "/") or "."


def gather(places):
    """(a Row for each question, a Learner for each learner): the course's questions, then a teacher's own.

    >>> rows, learners = gather([])
    >>> rows[0].question, rows[0].tried, learners
    ('ch00.p1', 0, [])
    """
    paths, closed = learners(places)
    answers, people = {name: [] for name in sorted(name for chapter in chapters() for name in items(chapter))}, []
    for learner, path in paths.items():
        kept = progress_file.read(path)
        given = kept["answers"] | kept["predictions"]
        for name, entry in given.items():
            answers.setdefault(name, []).append(entry)
        solved = sum(entry["outcome"] == "right" for entry in kept["answers"].values())
        last = max((entry["when"][:16].replace("T", " ") for entry in given.values()), default="")
        tries = sum(entry["tries"] for entry in given.values())
        note = "; ".join(f"{name} cannot be read: {why}" for name, why in kept["unread"].items())
        note = note or ("" if tries else NOTHING)
        people.append(Learner(learner, solved, len(kept["predictions"]), tries, last, note))
    people += [Learner(learner, "", "", "", "", f"cannot be read: {why}") for learner, why in closed.items()]
    return [_row(name, entries) for name, entries in answers.items()], sorted(people)


def _row(name, entries):
    """A question stands out if most who tried it were wrong first, or if a third gave the same wrong answer."""
    wrong = Counter()
    for entry in entries:
        wrong.update(entry.get("wrong", {}).keys())
    right = sum(entry["outcome"] == "right" for entry in entries)
    had_it_wrong = sum(entry["outcome"] == "wrong" or bool(entry.get("wrong")) for entry in entries)
    (_, commonest), *_ = [*wrong.most_common(1), ("", 0)]
    out = len(entries) >= FEW and (2 * had_it_wrong > len(entries) or 3 * commonest > len(entries))
    listed = [f"{answer} ({count})" for answer, count in wrong.most_common(MOST_WRONG)]
    tries = sum(entry["tries"] for entry in entries)
    return Row(name, _asks(name), len(entries), right, had_it_wrong, tries, "; ".join(listed), "yes" if out else "")


def _asks(name):
    """The first words of a question of the course; "" for a teacher's own card."""
    chapter, _, _ = name.partition(".")
    asked = items(chapter).get(name) if chapter in chapters() else None
    words = asked.words if asked else {}
    text = words.get("question") or words.get("title", "")
    return text.strip().split("\n")[0]


def as_page(rows, people):
    """Both tables as a page: first the questions that stand out."""
    out = sorted((row for row in rows if row.stands_out), key=lambda row: -row.had_it_wrong / row.tried)
    parts = [f"<h2>What stands out</h2>{_table(out)}"] if out else []
    parts += [f"<h2>Learners</h2>{_table(people)}", f"<h2>Questions</h2>{_table([row for row in rows if row.tried])}"]
    return page("A class", "\n".join(parts), STYLE)


def _table(rows):
    if not rows:
        return "<p>None.</p>"
    heads = "".join(f'<th scope="col">{name.replace("_", " ")}</th>' for name in rows[0]._fields)
    lines = "".join(f"<tr{_class(row)}>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"


def _class(row):
    return ' class="out"' if getattr(row, "stands_out", "") else ""


def _cell(value):
    return f'<td class="number">{value}</td>' if isinstance(value, int) else f"<td>{html.escape(value)}</td>"


def _safe(value):
    """A text for a CSV file that no spreadsheet takes for a formula."""
    return "'" + value if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def main(arguments=None):
    about = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m autograd_nb.course.gather", description=about)
    parser.add_argument("places", nargs="+", type=Path, metavar="CLASS", help="exported files, folders of learners")
    parser.add_argument("--learners", action="store_true", help="a row for each learner, not for each question")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write both tables as a page, such as class.html")
    parser.add_argument("--with", type=Path, metavar="FOLDER", help="chapters of your own, asked as well", dest="own")
    options = parser.parse_args(arguments)
    try:
        if options.own:
            own.use(options.own)
        rows, people = gather(options.places)
        if options.page:
            write(options.page.expanduser(), as_page(rows, people).encode(), True, "gather")
    except (OSError, library.CourseError) as error:
        return f"gather: {error}"
    if not options.page:
        chosen, form = (people, Learner) if options.learners else (rows, Row)
        lines = ([_safe(value) for value in row] for row in chosen if options.learners or row.tried)
        csv.writer(sys.stdout, lineterminator="\n").writerows([form._fields, *lines])
    unread = [person for person in people if person.note not in ("", NOTHING)]
    return "\n".join(f"gather: {person.learner}: {person.note}" for person in unread) or 0


if __name__ == "__main__":
    sys.exit(main())
