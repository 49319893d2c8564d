"""How far a learner has come: one small JSON file beside the notebooks, read anew whenever it is needed.

It is written whole or not at all, carries the version of its form, and keeps what this edition does not know. A damaged
file is kept aside, one of a newer edition left alone; nothing here ever stops an exercise from being judged.
"""

import datetime
import json
import os
import re
from pathlib import Path

from . import words
from .launcher import write_whole

NAME = "autograd-nb-progress.json"
VERSION = 2
ROOMS = ("answers", "predictions")


class Unusable(Exception):
    """The file cannot be read or written by this edition; says why."""


def path():
    """Where the file is: beside the notebook that runs, or where AUTOGRAD_NB_PROGRESS says."""
    return Path(os.environ.get("AUTOGRAD_NB_PROGRESS") or NAME)


def read():
    """What the file holds: {"version": 2, "answers": {"ch04.q1": {"outcome": "right", "tries": 2, "when": …}},
    "predictions": {"ch04.p1": {…, "given": "1.2"}}}.

    A file of an older version is brought up to this one; one that is no such thing is moved aside first.
    Errors: Unusable for a newer version; OSError.
    """
    empty = {"version": VERSION} | {room: {} for room in ROOMS}
    try:
        content = json.loads(path().read_text(encoding="utf-8"))
        if content["version"] > VERSION:
            raise Unusable(words.say("newer"))
        _upgrade(content)
        entries = [entry for room in ROOMS for entry in content[room].values()]
        if not all(entry["outcome"] in ("right", "wrong") and entry["tries"] >= 0 for entry in entries):
            raise ValueError
    except FileNotFoundError:
        return empty
    except (ValueError, TypeError, KeyError, AttributeError):
        print(words.say("damaged", kept=keep_aside("damaged").name))
        return empty
    return content


def _upgrade(content):
    """Bring the content of a file of version 1, where predictions stood among the answers, up to this version."""
    if content["version"] == 1:
        answers = content["answers"]
        predicted = [name for name in answers if re.fullmatch(r"(ch\d\d\.)?p\d+|predict\.\w+", name)]
        content |= {"version": 2, "predictions": {name: answers.pop(name) for name in predicted}}


def keep_aside(why):
    """Move the file to the first free name beside it; returns that."""
    number = 1
    while (aside := path().with_name(f"{path().name}.{why}-{number}")).exists():
        number += 1
    return path().replace(aside)


def prediction(name):
    """What is kept of a prediction: {} when it was not made or the file cannot be read."""
    try:
        return read()["predictions"].get(name, {})
    except (Unusable, OSError):
        return {}


def answered(name, outcome, room="answers", **more):
    """Note an answer to the exercise "ch04.q1" as "right" or "wrong"; what was once right stays right.

    Returns None, or a sentence that says why it could not be kept.
    """
    try:
        content = read()
        entry = content[room].setdefault(name, {"outcome": outcome, "tries": 0})
        entry |= more
        entry["tries"] += 1
        entry["outcome"] = "right" if "right" in (outcome, entry["outcome"]) else "wrong"
        entry["when"] = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        path().parent.mkdir(parents=True, exist_ok=True)
        write_whole(path().absolute(), json.dumps(content, indent=1, ensure_ascii=False).encode())
    except (Unusable, OSError) as problem:
        return words.say("not_kept", problem=getattr(problem, "strerror", None) or problem)
    return None


def predicted(name, outcome, given):
    """Note a prediction "ch04.p1" as `answered` does, with the answer as it was written, of which the last is kept."""
    return answered(name, outcome, "predictions", given=given)
