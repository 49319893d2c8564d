"""docs/teaching.md keeps its word: times, links, commands; the progress of a class in a table; solutions hidden."""

import csv
import errno
import io
import json
import os
import re
from pathlib import Path

import pytest
from house import ROOT, run

from autograd_nb import course, words
from autograd_nb.course import gather, launcher, library, progress_file

DOCS = ROOT / "docs"
TEXT = (DOCS / "teaching.md").read_text(encoding="utf-8")


def test_the_plan_has_every_chapter_once_with_the_times_of_the_chapters():
    times = {path.stem[:2]: re.search(r"\*\*Time\*\* (\d+)", library.cells(path)[0][1])
             for path in library.notebooks_of(ROOT / "notebooks") if path.stem[:2].isdigit()}  # fmt: skip
    times = {chapter: int(found[1]) for chapter, found in times.items() if found}
    sessions = re.findall(r"^\| \d+ \| ([\d, ]+) \| (\d+) \|", TEXT, re.MULTILINE)
    planned = [(chapters.split(", "), int(minutes)) for chapters, minutes in sessions]
    assert sorted(sum((chapters for chapters, _ in planned), [])) == sorted(times)
    assert [minutes for _, minutes in planned] == [sum(map(times.get, chapters)) for chapters, _ in planned]
    assert f"{sum(times.values()) / 60:.0f} hours in all" in TEXT and max(minutes for _, minutes in planned) <= 120
    (hours,) = re.findall(r"Sessions 1, 2 and 8 are about (\d+) hours", TEXT)
    assert round((planned[0][1] + planned[1][1] + planned[7][1]) / 60) == int(hours)


def test_links_lead_somewhere_and_the_copy_that_learners_start_with_is_made(tmp_path):
    assert [target for target in re.findall(r"\]\(([^)#:]+)\)", TEXT) if not (DOCS / target).exists()] == []
    (program,) = re.findall(r'`python -c "(.*)"`', TEXT)
    run("-c", program, cwd=tmp_path)
    assert (tmp_path / "course" / library.FIRST_CHAPTER).exists()


def answer(monkeypatch, path, **outcomes):
    """Answer as a learner whose progress is at *path*."""
    monkeypatch.setenv("AUTOGRAD_NB_PROGRESS", str(path))
    for name, outcome in outcomes.items():
        name, room = f"ch04.{name}", "predictions" if name[0] == "p" else "answers"
        given = {} if outcome == "right" else {"given": "0.6" if room == "predictions" else "1.2"}
        assert progress_file.answered(name, outcome, room, **given) is None
    return course.progress()


@pytest.fixture
def classroom(tmp_path, monkeypatch, capsys):
    """A class of four: an exported file, a learner's folder, an invalid file, an unreadable home."""
    (tmp_path / "class").mkdir()
    anna = answer(monkeypatch, tmp_path / "elsewhere.json", q1="wrong", q2="right", p1="wrong")
    anna.export(tmp_path / "class" / "=anna.json")
    home = tmp_path / "class" / "ben" / launcher.DEFAULT_FOLDER
    home.mkdir(parents=True)
    answer(monkeypatch, home / progress_file.NAME, q1="wrong")
    answer(monkeypatch, home / progress_file.NAME, q1="right")
    (tmp_path / "class" / "cleo.json").write_text("{", encoding="utf-8")
    (tmp_path / "class" / "dan").mkdir()
    scan = os.scandir

    def closed(folder=".", *rest):
        if "dan" in str(folder):
            raise PermissionError(errno.EACCES, "Permission denied", str(folder))
        return scan(folder, *rest)

    monkeypatch.setattr(os, "scandir", closed)
    monkeypatch.chdir(tmp_path / "class")
    capsys.readouterr()
    return tmp_path / "class"


TORN = f"cleo.json cannot be read: {progress_file.DAMAGED}"
TOLD = f"gather: cleo: {TORN}\ngather: dan: cannot be read: Permission denied"


def test_the_questions_of_a_class_are_one_table(classroom, capsys):
    assert gather.main(["."]) == TOLD
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    columns = "question", "tried", "right", "had_it_wrong", "tries", "wrong_answers"
    shown = [[row[name] for name in columns] for row in rows]
    assert shown == [["ch04.p1", "1", "0", "1", "1", "0.6 (1)"], ["ch04.q1", "2", "1", "2", "3", "1.2 (2)"],
                     ["ch04.q2", "1", "1", "0", "1", ""]]  # fmt: skip
    assert rows[1]["asks"] == words.of("ch04")["q1"]["title"]
    assert gather.main(["nobody"]) == "gather: there is no file or folder nobody"


def test_the_learners_of_a_class_are_another_with_those_that_cannot_be_read(classroom, capsys):
    assert gather.main(["--learners", "."]) == TOLD
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert [row[:4] for row in rows[1:]] == [["'=anna", "1", "1", "3"], ["ben", "1", "0", "2"], ["cleo", "0", "0", "0"],
                                             ["dan", "", "", ""]]  # fmt: skip
    assert rows[1][4][:2] == "20" and [row[5] for row in rows[1:]] == [
        "", "", TORN, "cannot be read: Permission denied"]


def in_folder(make):
    """A function that makes something in a learner's folder of progress."""

    def made(home):
        (home / gather.STEM).mkdir()
        make(home / gather.STEM / "k.jsonl")

    return made


UPWARDS = {"target_is_directory": True}
LYING = {  # what may lie in a learner's folder, and the note about it
    "nothing": (lambda home: None, None),
    "an empty folder": (lambda home: (home / gather.STEM).mkdir(), gather.NOTHING),
    "an empty file": (in_folder(Path.touch), gather.NOTHING),
    "a file": (lambda home: (home / gather.STEM).touch(), "STEM: a file"),
    "a lost link": (lambda home: (home / gather.STEM).symlink_to("away"), "STEM: a link that leads nowhere"),
    "a link upwards": (lambda home: (home / gather.STEM).symlink_to("..", **UPWARDS),
                       "STEM: a link to a folder above it"),
    "a link to itself": (lambda home: (home / gather.STEM).symlink_to(gather.STEM),
                         "STEM: Too many levels of symbolic links"),
    "a pipe": (lambda home: os.mkfifo(home / gather.STEM), "STEM: a pipe"),
    "a pipe inside": (in_folder(os.mkfifo), "k.jsonl: a pipe"),
    "a folder inside": (in_folder(Path.mkdir), "k.jsonl: a folder"),
    "a device inside": (in_folder(lambda path: path.symlink_to(os.devnull)), "k.jsonl: a device"),
    "a lost link inside": (in_folder(lambda path: path.symlink_to("away")), "k.jsonl: a link that leads nowhere"),
    "bytes inside": (in_folder(lambda path: path.write_bytes(b"\xff\x00")), f"k.jsonl: {progress_file.DAMAGED}"),
    "an old folder": (lambda home: (home / progress_file.NAME).mkdir(), "NAME: a folder"),
    "an old pipe": (lambda home: os.mkfifo(home / progress_file.NAME), "NAME: a pipe"),
    "old bytes": (lambda home: (home / progress_file.NAME).write_bytes(b"\xff"), f"NAME: {progress_file.DAMAGED}"),
}  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="this system makes no pipes, and links only with rights")
@pytest.mark.parametrize("lies", LYING)
def test_a_learner_of_whom_nothing_counts_has_a_note_that_says_why(tmp_path, lies):
    make, note = LYING[lies]
    (tmp_path / "ada").mkdir()
    make(tmp_path / "ada")
    _, people = gather.gather([tmp_path])
    found = [person.note.replace(progress_file.NAME, "NAME").replace(gather.STEM, "STEM").replace(" cannot be read", "")
             for person in people]  # fmt: skip
    assert found == ([note] if note else [])


@pytest.mark.skipif(os.name != "posix", reason="this system makes links only with rights")
def test_a_link_to_a_learners_folder_stands_for_it(classroom, tmp_path):
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "eva").symlink_to(classroom / "ben", **UPWARDS)
    (tmp_path / "links" / "up").symlink_to(tmp_path / "links", **UPWARDS)
    _, people = gather.gather([tmp_path / "links"])
    assert [(Path(person.learner).name, person.tries) for person in people] == [("eva", 2)]


def test_a_question_stands_out_where_most_were_wrong_or_many_gave_the_same_wrong_answer():
    def row(*learners):
        entries = [{"outcome": "right" if right else "wrong", "tries": 1, "when": "", "wrong": wrong}
                   for right, wrong in learners]  # fmt: skip
        return gather._row("mine.p1", entries)

    first_try, slip, other = (True, {}), (True, {"0.6": 1}), (True, {"7": 2})
    assert row(slip, slip).stands_out == ""  # two learners are too few to say much
    assert row(first_try, first_try, first_try, slip).stands_out == ""
    assert row(slip, other, first_try).stands_out == "yes" and row(slip, slip, *[first_try] * 3).stands_out == "yes"
    assert row(slip, other, other)[1:7] == ("", 3, 3, 3, 3, "7 (2); 0.6 (1)")


def test_a_class_is_a_page_with_what_stands_out(classroom, capsys, monkeypatch):
    for number in range(3):
        home = classroom / f"more{number}" / progress_file.NAME
        home.parent.mkdir()
        answer(monkeypatch, home, p2="wrong")
    monkeypatch.setenv("AUTOGRAD_NB_PROGRESS", str(classroom / "more0" / progress_file.NAME))
    progress_file.predicted("mine.p1", "wrong", "<b>")
    gather.main(["--page", "class.html", "."])
    page = (classroom / "class.html").read_text("utf-8")
    out = page.partition("What stands out")[2].partition("<h2>")[0]
    assert re.findall("<td>(ch04[^<]*|mine[^<]*)</td>", out) == ["ch04.p2"]
    assert "mine.p1" in page and "&lt;b&gt; (1)" in page and "<b>" not in page.partition("<main>")[2]
    assert "dan" in page and "Permission denied" in page


def test_what_the_page_says_of_the_command_is_how_it_is_called(tmp_path):
    for form in ("class/ > class.csv", "--learners class/ > learners.csv", "--page class.html class/"):
        assert f"python -m autograd_nb.course.gather {form}" in TEXT
    entry = {"outcome": "right", "tries": 1, "when": "2026-11-20T10:00:00Z"}
    kept = {"version": 2, "answers": {"ch04.q1": entry}, "predictions": {}}
    (tmp_path / "anna.json").write_text(json.dumps(kept), encoding="utf-8")
    said = run("-m", "autograd_nb.course.gather", "--learners", tmp_path)
    assert said.splitlines()[1] == f"{tmp_path}/anna,1,0,1,2026-11-20 10:00,"


def test_solutions_are_hidden_by_a_switch(monkeypatch, progress):
    shown = str(course.ch04.q1.solution())
    monkeypatch.setenv("AUTOGRAD_NB_SOLUTIONS", "off")
    hidden = str(course.ch04.q1.solution())
    assert "1.8" in shown and "1.8" not in hidden and "course.ch04.q1.hint()" in hidden
    assert str(course.ch04.q1.hint()) and course.ch04.q1.check(24.0) is not None
