"""Keeps a learner's progress: a folder beside the notebooks, in which each kernel has a file of its own.

An answer is a line at the end of its kernel's file, and a learner's progress is all lines of all files, in the order of
their times. Nobody else writes into that file and no line in it ever changes. So kernels that write at the same time
cannot undo one another, on any system and without a lock, and a killed kernel leaves every line intact except perhaps
its last. `autograd-nb-progress.json`, which earlier editions wrote and `export` writes, is read before the lines and
never changed. Nothing here ever stops an exercise from being judged.
"""

import datetime
import json
import os
import re
import stat
import threading
import uuid
from contextlib import contextmanager, suppress
from functools import cache, lru_cache, partial
from itertools import count
from operator import attrgetter, itemgetter
from pathlib import Path

from .. import words
from ..learner import began

NAME = "autograd-nb-progress.json"
VERSION = 2
ROOMS = ("answers", "predictions", "reviews")
OUTCOMES = ("right", "wrong")
MOST = 20_000_000  # bytes of a file that are read
MOST_WRONG = 20  # different wrong answers to a question that are counted
DAMAGED = "it has something else than answers"
NO_ANSWERS = ValueError, TypeError, KeyError, AttributeError, RecursionError  # what reading something else raises
# What a name may stand for instead of a file or a folder, by the test of `stat`
KINDS = {stat.S_ISDIR: "a folder", stat.S_ISREG: "a file", stat.S_ISFIFO: "a pipe", stat.S_ISSOCK: "a socket"}
_writing = threading.Lock()
if hasattr(os, "register_at_fork"):  # a thread that was writing does not exist in the child, and would never release it
    os.register_at_fork(after_in_child=lambda: globals().update(_writing=threading.Lock()))


class Unreadable(ValueError):
    """Why a file of a learner cannot be read."""


def path():
    """The file of earlier editions: beside the English notebooks, or where AUTOGRAD_NB_PROGRESS says."""
    named = _named()
    return Path(_beside(), NAME) if named is None else named / NAME if _is_folder(named) else named


def folder(file=None):
    """The folder of the kernels' files: path() or another such file without its ending, or the named one."""
    named = _named()
    if file is None and named is not None and _is_folder(named):
        return named
    file = file or path()
    return file.with_suffix("" if file.suffix else ".answers")


def _beside():
    """The folder of the English notebooks, seen from the kernel's first folder: it may have changed folders."""
    return Path(began.FOLDER, ".." if Path(began.FOLDER).name in words.languages() else "")


def _named():
    named = os.environ.get("AUTOGRAD_NB_PROGRESS")
    return Path(began.FOLDER, os.path.expanduser(named)) if named else None


def _is_folder(named):
    return named.is_dir() or not (named.suffix == ".json" or named.exists())


def read(file=None):
    """All files: {"version": 2, "answers": {"ch04.q1": {"outcome": "right", "tries": 2, "when": …, "last": "wrong"}},
    "predictions": {"ch04.p1": {…, "given": "1.2", "wrong": {"1.8": 1}}}, "reviews": {…}, "unread": []}.

    file: another learner's path(). outcome: the best so far; last: the outcome of the last try; wrong: how often each
    wrong answer was given. "unread" says of each file that cannot be read, wholly or at all, why: {name: reason}.
    """
    content, lines, unread, file = {room: {} for room in ROOMS}, [], {}, file or path()
    with _noting(unread, file.name):
        if _is(stat.S_ISREG, file):
            content, whole = _earlier(json.loads(_text(file)))
            unread |= {} if whole else {file.name: DAMAGED}
    for part in _files(folder(file) if file != path() else folder(), unread):
        with _noting(unread, part.name):
            there, whole = _lines(part.path, (state := part.stat()).st_size, state.st_mtime_ns)
            lines += there
            unread |= {} if whole else {part.name: DAMAGED}
    for _, room, name, line in sorted(lines, key=itemgetter(0)):
        entry, outcome = content[room].setdefault(name, {"tries": 0}), line["outcome"]
        best = "right" if "right" in (outcome, entry.get("outcome")) else "wrong"
        wrong, given = entry.get("wrong", {}), line.get("given")
        entry.update(line, outcome=best, last=outcome, tries=entry["tries"] + 1)
        if outcome == "wrong" and given and (given in wrong or len(wrong) < MOST_WRONG):
            wrong = wrong | {given: wrong.get(given, 0) + 1}
        entry.update({"wrong": wrong} if wrong else {})
    return {"version": VERSION} | content | {"unread": unread}


@contextmanager
def _noting(unread, name):
    """Note in *unread* why what runs inside cannot read a file."""
    try:
        yield
    except Unreadable as error:
        unread[name] = str(error)
    except OSError as error:
        unread[name] = error.strerror or type(error).__name__
    except NO_ANSWERS:
        unread[name] = DAMAGED


def _is(kind, path):
    """Whether there is something of a kind, `stat.S_ISREG` or `S_ISDIR`; Unreadable or OSError for anything else."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if path.is_symlink():
            raise Unreadable("a link that leads nowhere") from None
        return False
    except NotADirectoryError:
        return False
    if kind(mode):
        return True
    raise Unreadable(next((name for is_one, name in KINDS.items() if is_one(mode)), "a device"))


def _files(folder, unread):
    """The kernels' files in a folder, in order; *unread* gets whatever else there bears the name of one, and why."""
    found = []
    with _noting(unread, folder.name):
        if _is(stat.S_ISDIR, folder):
            if folder.is_symlink() and folder.parent.resolve().is_relative_to(folder.resolve()):
                raise Unreadable("a link to a folder above it")
            with os.scandir(folder) as there:
                found = sorted((each for each in there if each.name.endswith(".jsonl")), key=attrgetter("name"))
    files = []
    for each in found:
        with _noting(unread, each.name):
            files += [each] if each.is_file() or _is(stat.S_ISREG, Path(each)) else []
    return files


def _text(file):
    with open(file, "rb", buffering=0) as opened:
        if os.fstat(opened.fileno()).st_size > MOST:
            raise Unreadable(f"more than {MOST:,} bytes")
        return opened.read().decode("utf-8-sig", errors="replace")  # an editor may have put a mark before it


@lru_cache(maxsize=1024)
def _lines(file, size, changed):
    """((moment, room, name, line) …) of a kernel's file, and whether all of its lines are valid.

    A killed kernel can leave one that is not. The result is cached until the file changes.
    """
    lines, whole = [], True
    for text in filter(None, _text(file).split("\n")):
        try:
            line = json.loads(text)
            moment, room, name = _moment(line), line.pop("room"), line.pop("name")
            if room not in ROOMS or not isinstance(name, str):
                raise ValueError(line)
            lines.append((moment, room, name, line))
        except NO_ANSWERS:
            whole = False
    return lines, whole


def _moment(entry):
    """The time of an entry, with its zone and far enough from the calendar's ends.

    An error of NO_ANSWERS if the entry lacks an outcome, or if one of its values has the wrong type.
    """
    moment, wrong, tries = datetime.datetime.fromisoformat(entry["when"]), entry.get("wrong", {}), entry.get("tries", 0)
    good = moment.tzinfo is not None and 1 < moment.year < 9999
    good = good and entry["outcome"] in OUTCOMES and entry.get("last", "wrong") in OUTCOMES
    good = good and all(type(count) is int for count in wrong.values()) and isinstance(entry.get("given", ""), str)
    if not good or not isinstance(tries, int) or tries < 0:
        raise ValueError(entry)
    return moment


def _earlier(content):
    """An earlier edition's entries by room, and whether all are valid; version 1 kept predictions in answers."""
    if content["version"] > VERSION:
        raise ValueError("of a later version")
    if content["version"] == 1:
        answers = content["answers"]
        predicted = [name for name in answers if re.fullmatch(r"(ch\d\d\.)?p\d+|predict\.\w+", name)]
        content["predictions"] = {name: answers.pop(name) for name in predicted}
    rooms, whole = {}, True
    for room in ROOMS:
        rooms[room] = {}
        for name, entry in (content.get(room, {}) if room == "reviews" else content[room]).items():
            try:
                _moment({**entry, "tries": entry["tries"]})  # which has to be there
                rooms[room][name] = entry
            except NO_ANSWERS:
                whole = False
    return rooms, whole


def answered(name, outcome, room="answers", **more):
    """Note an answer to the exercise "ch04.q1" as "right" or "wrong"; an answer that was once right stays right.

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
    """Note a prediction "ch04.p1" as `answered` does, with the answer as it was written; the last one counts.

    "unknown" means that no prediction was made; the reviews note it like a wrong answer in one.
    """
    if outcome == "unknown":
        return reviewed(name, outcome)
    return answered(name, outcome, "predictions", given=given)


def kept_prediction(name):
    """The settings of a card that keeps its answer under a name, and shows the earlier one."""
    return {"keep": partial(predicted, name), "earlier": read()["predictions"].get(name)}


def reviewed(name, outcome, given=""):
    """Note a prediction that came up in a review."""
    return answered(name, "right" if outcome == "right" else "wrong", "reviews")


@cache
def _own_file(process):
    """The name of the file into which only this process writes; a forked process has another."""
    return f"{datetime.datetime.now():%Y-%m-%d-%H%M%S}-{uuid.uuid4().hex[:8]}.jsonl"


def _append(file, line):
    """Add a line at the end of a file, all of it or nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "ab", buffering=0) as log:
        end = log.tell()
        try:
            while line:  # a full disk takes a part, and raises at the next
                line = line[log.write(line) :]
        except BaseException:
            log.truncate(end)
            raise


def keep_aside(why):
    """Move all files to the first free names beside them; returns these, an empty list without files.

    The kernels' files go into a folder within theirs; if several kernels reset at once, one of them makes it.
    """
    earlier, moved = path(), []
    for number in count(1) if earlier.is_file() or _files(folder(), {}) else ():
        aside, beside = folder() / f"{why}-{number}", earlier.with_name(f"{earlier.name}.{why}-{number}")
        if beside.exists():
            continue
        try:
            aside.mkdir(parents=True)
        except FileExistsError:
            continue
        if earlier.is_file():
            with suppress(FileNotFoundError):
                moved.append(earlier.rename(beside).name)
        for each in _files(folder(), {}):
            with suppress(FileNotFoundError):
                os.rename(each, aside / each.name)
                moved.append(f"{folder().name}/{aside.name}")
        with suppress(OSError):
            aside.rmdir()  # if no file came
        break
    return [*dict.fromkeys(moved)]
