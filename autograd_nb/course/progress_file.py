"""How far a learner has come: a folder beside the notebooks, in which each kernel has a file of its own.

An answer is a line at the end of its kernel's file, and what a learner has done is all lines of all files, in the order
of their times. Nobody else writes into that file and nothing in it is ever changed, so kernels that answer at once
cannot undo one another, on any system and without a lock, and a kernel that is killed leaves every line whole but
perhaps its last. `autograd-nb-progress.json`, which earlier editions wrote and `export` writes, is read before the
lines and left as it is. Nothing here ever stops an exercise from being judged.
"""

import datetime
import json
import os
import re
import threading
import uuid
from functools import cache
from pathlib import Path

from .. import words

NAME = "autograd-nb-progress.json"
VERSION = 2
ROOMS = ("answers", "predictions", "reviews")
OUTCOMES = ("right", "wrong")
MOST = 20_000_000  # bytes of a file that are read
_writing = threading.Lock()


def path():
    """The file of earlier editions: beside the English notebooks, or where AUTOGRAD_NB_PROGRESS says."""
    return Path(os.environ.get("AUTOGRAD_NB_PROGRESS") or Path(".." if words.of_folder() else "", NAME))


def folder(file=None):
    """The folder of the kernels' files: path(), or another such file, without its ending."""
    file = file or path()
    return file.with_suffix("" if file.suffix else ".answers")


def read(file=None):
    """What all files hold: {"version": 2, "answers": {"ch04.q1": {"outcome": "right", "tries": 2, "when": …, "last":
    "wrong"}}, "predictions": {"ch04.p1": {…, "given": "1.2"}}, "reviews": {…}, "unread": []}.

    file: another learner's path(). outcome: the best so far; last: that of the last try. What cannot be read is passed
    over and named in "unread".
    """
    content = {"version": VERSION} | {room: {} for room in ROOMS} | {"unread": []}
    try:
        content |= _earlier(json.loads(_text(file or path())))
    except (FileNotFoundError, IsADirectoryError):
        pass
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        content["unread"].append((file or path()).name)
    lines = []
    for part in sorted(folder(file).glob("*.jsonl")):
        try:
            lines += [_line(text) for text in _text(part).split("\n") if text]
        except (OSError, ValueError):
            lines.append(None)
        if None in lines:
            content["unread"].append(part.name)
            lines = [line for line in lines if line]
    for line in sorted(lines, key=lambda line: line["when"]):
        room, name, outcome = line.pop("room"), line.pop("name"), line["outcome"]
        entry = content[room].setdefault(name, {"tries": 0})
        best = "right" if "right" in (outcome, entry.get("outcome")) else "wrong"
        entry |= line | {"outcome": best, "last": outcome, "tries": entry["tries"] + 1}
    return content


def _text(file):
    with open(file, "rb") as opened:
        text = opened.read(MOST + 1)
    if len(text) > MOST:
        raise ValueError(f"{file} has more than {MOST:,} bytes")
    return text.decode(errors="replace")


def _line(text):
    """A line of a kernel's file as a dict; None when it is none, such as the last one of a kernel that was killed."""
    try:
        line = json.loads(text)
        known = line["room"] in ROOMS and line["outcome"] in OUTCOMES
        return line if known and isinstance(line["name"], str) and isinstance(line["when"], str) else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _earlier(content):
    """What a file of an earlier edition has in its rooms; in version 1 predictions stood among the answers."""
    if content["version"] > VERSION:
        raise ValueError("of a later version")
    if content["version"] == 1:
        answers = content["answers"]
        predicted = [name for name in answers if re.fullmatch(r"(ch\d\d\.)?p\d+|predict\.\w+", name)]
        content["predictions"] = {name: answers.pop(name) for name in predicted}
    rooms = {room: content.get(room, {}) if room == "reviews" else content[room] for room in ROOMS}
    entries = [entry for room in rooms.values() for entry in room.values()]
    if not all(entry["outcome"] in OUTCOMES and entry["tries"] >= 0 for entry in entries):
        raise ValueError("no outcome or no number of tries")
    return rooms


def answered(name, outcome, room="answers", **more):
    """Note an answer to the exercise "ch04.q1" as "right" or "wrong"; what was once right stays right.

    Returns None, or a sentence that says why it could not be kept.
    """
    when = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    line = json.dumps({"when": when, "room": room, "name": name, "outcome": outcome} | more, ensure_ascii=False) + "\n"
    try:
        with _writing:
            _append(folder() / _own_file(os.getpid()), line.encode(errors="backslashreplace"))
    except OSError as problem:
        return words.say("not_kept", problem=problem.strerror or problem)
    return None


def predicted(name, outcome, given):
    """Note a prediction "ch04.p1" as `answered` does, with the answer as it was written, of which the last is kept.

    One that was "unknown" was not made; it is noted for the reviews, as if it had come up wrong in one.
    """
    if outcome == "unknown":
        return reviewed(name, outcome)
    return answered(name, outcome, "predictions", given=given)


def reviewed(name, outcome, given=""):
    """Note a prediction that came up in a review."""
    return answered(name, "right" if outcome == "right" else "wrong", "reviews")


@cache
def _own_file(process):
    """The name of the file into which this process alone writes; one that it forks has another."""
    return f"{datetime.datetime.now():%Y-%m-%d-%H%M%S}-{uuid.uuid4().hex[:8]}.jsonl"


def _append(file, line):
    """Add a line at the end of a file, all of it or nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "ab", buffering=0) as log:
        end = log.tell()
        try:
            while line:  # a disk that is full takes a part, and tells at the next
                line = line[log.write(line) :]
        except BaseException:
            log.truncate(end)
            raise


def keep_aside(why):
    """Move whatever there is to the first free names beside it; returns the new names, none when there is nothing."""
    there = [each for each in (path(), folder()) if each.exists()]
    number = 1
    while any(each.with_name(f"{each.name}.{why}-{number}").exists() for each in (path(), folder())):
        number += 1
    return [each.rename(each.with_name(f"{each.name}.{why}-{number}")).name for each in there]
