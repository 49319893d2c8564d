"""`python -m autograd_nb.course.gather CLASS > class.csv`: the progress of a class as a table, a row for each learner.

CLASS is any number of files that learners exported, and of folders with these or with learners' own folders in them;
learners are called as their files or folders are. Each question has a column: "right" or "wrong" as the best answer
was, and nothing where there is none. What cannot be read is told, and the rest is gathered all the same.
"""

import argparse
import csv
import sys
from pathlib import Path

from . import launcher, progress_file
from .exercises import Prediction, Question, chapters
from .overview import asked

STEM = Path(progress_file.NAME).stem
HEADING = ["learner", "solved", "predicted"]


def learners(places):
    """{learner: the path that `progress_file.read` takes}. FileNotFoundError where there is no such file or folder."""
    found = set()
    for place in places:
        inside = [*place.glob("[!.]*.json"), *place.rglob(STEM), *place.rglob(progress_file.NAME)]
        if not place.exists():
            raise FileNotFoundError(f"there is no file or folder {place}")
        found.update(inside if place.is_dir() and place.name != STEM else [place])
    return dict(sorted((_learner(path), path.with_suffix(".json")) for path in found))


def _learner(path):
    parts = [part for part in path.with_suffix("").parts if part not in (STEM, launcher.DEFAULT_FOLDER)]
    name = "/".join(parts).replace("//", "/") or "."
    return "'" + name if name[0] in "=+-@" else name  # a spreadsheet would take it for a formula


def table(places):
    """(rows, what could not be read): the heading and a row for each learner.

    >>> table([])[0][0][:4]
    ['learner', 'solved', 'predicted', 'ch00.p1']
    """
    names = {kind: [name for chapter in chapters() for name in asked(chapter, kind)] for kind in (Prediction, Question)}
    rows, unread = [HEADING + sorted(names[Prediction] + names[Question])], []
    for learner, path in learners(places).items():
        kept = progress_file.read(path)
        unread += [f"{learner}: {name}" for name in kept["unread"]]
        best = {name: entry["outcome"] for room in ("answers", "predictions") for name, entry in kept[room].items()}
        solved = sum(best.get(name) == "right" for name in names[Question])
        predicted = sum(name in best for name in names[Prediction])
        rows.append([learner, solved, predicted] + [best.get(name, "") for name in rows[0][len(HEADING) :]])
    return rows, unread


def main(arguments=None):
    about = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m autograd_nb.course.gather", description=about)
    parser.add_argument("places", nargs="+", type=Path, metavar="CLASS", help="exported files, folders of learners")
    try:
        rows, unread = table(parser.parse_args(arguments).places)
    except OSError as error:
        return f"gather: {error}"
    csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
    return "\n".join(f"gather: cannot be read: {each}" for each in unread) or 0


if __name__ == "__main__":
    sys.exit(main())
