"""How far a learner has come: one small JSON file beside the notebooks, read anew whenever it is needed.

It is written whole or not at all, carries the version of its form, and keeps what this edition does not know. A damaged
file is kept aside, one of a newer edition left alone; nothing here ever stops an exercise from being judged.
"""

import datetime
import json
import os
from pathlib import Path

from . import words
from .launcher import write_whole
from .showing import Card

NAME = "autograd-nb-progress.json"
VERSION = 1
BAR = 12


class Unusable(Exception):
    """The file cannot be read or written by this edition; says why."""


def path():
    """Where the file is: beside the notebook that runs, or where AUTOGRAD_NB_PROGRESS says."""
    return Path(os.environ.get("AUTOGRAD_NB_PROGRESS") or NAME)


def read():
    """What the file holds: {"version": 1, "answers": {"ch04.q1": {"outcome": "right", "tries": 2, "when": …}}}.

    A file that is no such thing is moved aside first. Errors: Unusable for a newer version; OSError.
    """
    empty = {"version": VERSION, "answers": {}}
    try:
        content = json.loads(path().read_text(encoding="utf-8"))
        answers = content["answers"]
        if not all(entry["outcome"] in ("right", "wrong") and entry["tries"] >= 0 for entry in answers.values()):
            raise ValueError
    except FileNotFoundError:
        return empty
    except (ValueError, TypeError, KeyError, AttributeError):
        if _newer():
            raise Unusable(words.say("newer")) from None
        print(words.say("damaged", kept=_keep_aside("damaged").name))
        return empty
    if _newer():
        raise Unusable(words.say("newer"))
    return content


def _newer():
    try:
        return json.loads(path().read_text(encoding="utf-8"))["version"] > VERSION
    except (ValueError, TypeError, KeyError):
        return False


def _keep_aside(why):
    """Move the file to the first free name beside it; returns that."""
    number = 1
    while (aside := path().with_name(f"{path().name}.{why}-{number}")).exists():
        number += 1
    return path().replace(aside)


def record(name, outcome):
    """Note an answer to "ch04.q1" as "right" or "wrong"; what was once right stays right.

    Returns None, or a sentence that says why it could not be kept.
    """
    try:
        content = read()
        entry = content["answers"].setdefault(name, {"outcome": outcome, "tries": 0})
        entry["tries"] += 1
        entry["outcome"] = "right" if "right" in (outcome, entry["outcome"]) else "wrong"
        entry["when"] = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        path().parent.mkdir(parents=True, exist_ok=True)
        write_whole(path().absolute(), json.dumps(content, indent=1, ensure_ascii=False).encode())
    except (Unusable, OSError) as problem:
        return words.say("not_kept", problem=getattr(problem, "strerror", None) or problem)
    return None


class Progress(Card):
    """A bar per chapter; `.export(path)` writes the file's content elsewhere, `.reset()` begins anew.

    `counts` is {chapter: (answered rightly, exercises)}.
    """

    def __init__(self, counts):
        self.counts = counts
        width = max((len(_title(chapter)) for chapter in counts), default=0)
        lines = [f"{_title(chapter):<{width}}  {_bar(done, of)}  {words.say('progress_line', done=done, of=of)}"
                 for chapter, (done, of) in counts.items()]  # fmt: skip
        none = "" if any(done for done, _ in counts.values()) else words.say("progress_none")
        super().__init__("hint", words.say("progress"), ["\n".join(lines) + "\n", none])

    def export(self, path):
        """Write all answers as JSON to a new file. FileExistsError when there is one of that name."""
        with open(path, "x", encoding="utf-8") as file:
            json.dump(read(), file, indent=1, ensure_ascii=False)
        print(words.say("exported", path=path))

    def reset(self):
        """Begin anew; the old file is kept beside the new one."""
        if not path().exists():
            print(words.say("nothing_to_reset"))
        else:
            print(words.say("reset", kept=_keep_aside("before-reset").name))


def progress():
    """How many exercises of each chapter are answered rightly; shown as a bar per chapter.

    >>> from autograd_nb import course
    >>> course.progress().counts["ch04"][1]
    4
    """
    from .exercises import Question, chapters

    try:
        answers = read()["answers"]
    except Unusable as problem:
        print(problem)
        answers = {}
    counts = {}
    for chapter in chapters():
        names = [f"{chapter}.{name}" for name, value in vars(_module(chapter)).items() if isinstance(value, Question)]
        counts[chapter] = sum(answers.get(name, {}).get("outcome") == "right" for name in names), len(names)
    return Progress(counts)


def _module(chapter):
    from autograd_nb import course

    return getattr(course, chapter)


def _title(chapter):
    return f"{chapter.removeprefix('ch')} {words.of(chapter)['title']}"


def _bar(done, of):
    full = BAR * done // of if of else 0
    return "█" * full + "░" * (BAR - full)
