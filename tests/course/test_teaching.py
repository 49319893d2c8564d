"""docs/teaching.md keeps its word: times, links, commands; the progress of a class in a table; solutions hidden."""

import csv
import io
import json
import re

from house import ROOT, run

from autograd_nb import course
from autograd_nb.course import gather, launcher, library, progress_file

DOCS = ROOT / "docs"
TEXT = (DOCS / "teaching.md").read_text(encoding="utf-8")


def test_the_plan_has_every_chapter_once_with_the_times_of_the_chapters():
    times = {path.stem[:2]: re.search(r"\*\*Time\*\* (\d+)", library.cells(path)[0][1])
             for path in library.notebooks_of(ROOT / "notebooks")}  # fmt: skip
    times = {chapter: int(found[1]) for chapter, found in times.items() if found}
    sessions = re.findall(r"^\| \d+ \| ([\d, ]+) \| (\d+) \|", TEXT, re.MULTILINE)
    planned = [(chapters.split(", "), int(minutes)) for chapters, minutes in sessions]
    assert sorted(sum((chapters for chapters, _ in planned), [])) == sorted(times)
    assert [minutes for _, minutes in planned] == [sum(map(times.get, chapters)) for chapters, _ in planned]
    assert f"{sum(times.values()) / 60:.0f} hours in all" in TEXT and max(minutes for _, minutes in planned) <= 120
    (hours,) = re.findall(r"Sessions 1, 2 and 7 are about (\d+) hours", TEXT)
    assert round((planned[0][1] + planned[1][1] + planned[6][1]) / 60) == int(hours)


def test_links_lead_somewhere_and_the_copy_that_learners_start_with_is_made(tmp_path):
    assert [target for target in re.findall(r"\]\(([^)#:]+)\)", TEXT) if not (DOCS / target).exists()] == []
    (program,) = re.findall(r'`python -c "(.*)"`', TEXT)
    run("-c", program, cwd=tmp_path)
    assert (tmp_path / "course" / library.FIRST_CHAPTER).exists()


def answer(monkeypatch, path, **outcomes):
    """What a learner whose progress is at *path* answers."""
    monkeypatch.setenv("AUTOGRAD_NB_PROGRESS", str(path))
    for name, outcome in outcomes.items():
        name, room = f"ch04.{name}", "predictions" if name[0] == "p" else "answers"
        assert progress_file.answered(name, outcome, room) is None
    return course.progress()


def test_the_progress_of_a_class_is_one_table(tmp_path, monkeypatch, capsys):
    (tmp_path / "class").mkdir()
    anna = answer(monkeypatch, tmp_path / "elsewhere.json", q1="wrong", q2="right", p1="wrong")
    anna.export(tmp_path / "class" / "=anna.json")
    home = tmp_path / "class" / "ben" / launcher.DEFAULT_FOLDER
    home.mkdir(parents=True)
    answer(monkeypatch, home / progress_file.NAME, q1="wrong")
    answer(monkeypatch, home / progress_file.NAME, q1="right")
    (tmp_path / "class" / "cleo.json").write_text("{", encoding="utf-8")
    capsys.readouterr()
    monkeypatch.chdir(tmp_path / "class")
    told = gather.main(["."])
    assert told == "gather: cannot be read: cleo: cleo.json"
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    columns = ("learner", "solved", "predicted", "ch04.q1", "ch04.q2", "ch04.p1")
    shown = [[row[name] for name in columns] for row in rows]
    assert shown == [["'=anna", "1", "1", "wrong", "right", "wrong"], ["ben", "1", "0", "right", "", ""],
                     ["cleo", "0", "0", "", "", ""]]  # fmt: skip
    assert gather.main(["nobody"]) == "gather: there is no file or folder nobody"
    ben = gather.table([home])[0][1]
    assert ben[0].endswith("/ben") and ben[1:] == gather.table([home / "autograd-nb-progress"])[0][1][1:]


def test_what_the_page_says_of_the_command_is_how_it_is_called(tmp_path):
    assert "python -m autograd_nb.course.gather class/ > class.csv" in TEXT
    entry = {"outcome": "right", "tries": 1, "when": "2026-11-20T10:00:00Z"}
    kept = {"version": 2, "answers": {"ch04.q1": entry}, "predictions": {}}
    (tmp_path / "anna.json").write_text(json.dumps(kept), encoding="utf-8")
    said = run("-m", "autograd_nb.course.gather", tmp_path)
    assert [line.split(",")[:3] for line in said.splitlines()] == [gather.HEADING, [f"{tmp_path}/anna", "1", "0"]]


def test_solutions_are_hidden_by_a_switch(monkeypatch, progress):
    shown = str(course.ch04.q1.solution())
    monkeypatch.setenv("AUTOGRAD_NB_SOLUTIONS", "off")
    hidden = str(course.ch04.q1.solution())
    assert "1.8" in shown and "1.8" not in hidden and "course.ch04.q1.hint()" in hidden
    assert str(course.ch04.q1.hint()) and course.ch04.q1.check(24.0) is not None
