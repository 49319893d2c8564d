"""The progress file: what it holds, that it is written whole, and that nothing in it is ever lost."""

import json
import os

import pytest

from autograd_nb import course
from autograd_nb.course import launcher
from autograd_nb.course.exercises import chapters


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Where a learner's progress would be: beside the notebook that runs."""
    monkeypatch.delenv("AUTOGRAD_NB_PROGRESS", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "autograd-nb-progress.json"


def answers(file):
    return json.loads(file.read_text(encoding="utf-8"))["answers"]


def names(file):
    return sorted(path.name for path in file.parent.iterdir())


def test_answers_are_kept_beside_the_notebook(file):
    course.ch04.q1.check(0.6)
    course.ch04.q1.check(1.8)
    entry = answers(file)["ch04.q1"]
    assert (entry["outcome"], entry["tries"]) == ("right", 2) and entry["when"].endswith("+00:00")
    assert json.loads(file.read_text())["version"] == 2
    assert names(file) == [file.name]


def test_what_is_not_attempted_leaves_no_trace(file):
    course.ch04.q1.check(...)
    course.ch04.q1.hint(1)
    course.ch04.q1.solution()
    course.progress()
    assert names(file) == []


def test_a_bar_per_chapter(file):
    of = course.progress().counts["ch04"].predictions
    assert course.progress().counts["ch04"] == (0, 4, 0, of)
    assert "Nothing is predicted or answered yet." in course.progress().text
    course.ch04.q1.check(1.8)
    course.ch04.q2.check(1.8)
    for card, chosen in ((course.ch04.p1.card(), "0.6"), (course.ch04.p2.card(), "zero")):
        card.chosen = chosen
        card.do_check()
    shown = course.progress()
    assert shown.counts["ch04"] == (1, 4, 2, of) and list(shown.counts) == list(chapters())
    bar = 12 * 3 // (4 + of)
    line = f"{'█' * bar}{'░' * (12 - bar)}  1 of 4 exercises, 2 of {of} predictions"
    assert "04 Accumulation" in shown.text and line in shown.text
    assert "<pre>" in shown._repr_mimebundle_()["text/html"]


def test_export_writes_a_copy_and_never_over_a_file(file, capsys):
    course.ch04.q1.check(1.8)
    course.progress().export(file.with_name("mine.json"))
    assert json.loads(file.with_name("mine.json").read_text())["answers"] == answers(file)
    with pytest.raises(FileExistsError):
        course.progress().export(file.with_name("mine.json"))


def test_reset_begins_anew_and_keeps_the_old_file(file, capsys):
    course.progress().reset()
    assert "no progress" in capsys.readouterr().out
    for number in (1, 2):
        course.ch04.q1.check(1.8)
        course.progress().reset()
        assert f"{file.name}.before-reset-{number}" in capsys.readouterr().out
        assert course.progress().counts["ch04"] [:3] == (0, 4, 0)
    assert len(names(file)) == 2


@pytest.mark.parametrize("damaged", [b"", b"{", b"\xff\xfe\x00", b"[]", b"null", b'{"version": 1}',
                                     b'{"version": 1, "answers": []}', b'{"version": 1, "answers": {"ch04.q1": 3}}',
                                     b'{"version": 2, "answers": {}}', b'{"version": "2", "answers": {}}'])
def test_a_damaged_file_is_kept_aside(file, capsys, damaged):
    file.write_bytes(damaged)
    outcome = course.ch04.q1.check(1.8)
    assert outcome.kind == "right" and "kept as autograd-nb-progress.json.damaged-1" in capsys.readouterr().out
    assert (file.parent / f"{file.name}.damaged-1").read_bytes() == damaged
    assert answers(file)["ch04.q1"]["outcome"] == "right"


@pytest.mark.parametrize("content", ['{"version": 3, "answers": {}}', '{"version": 3, "chapters": []}'])
def test_a_file_of_a_newer_edition_is_left_alone(file, capsys, content):
    file.write_text(content)
    outcome = course.ch04.q1.check(1.8)
    assert outcome.kind == "right" and "newer edition" in outcome.text
    course.progress()
    assert "newer edition" in capsys.readouterr().out
    assert file.read_text() == content and names(file) == [file.name]


def test_a_file_of_the_first_version_is_brought_up_and_nothing_is_lost(file):
    """It kept predictions among the answers."""
    entries = {name: {"outcome": "wrong", "tries": tries, "when": "2026-11-20T10:00:00+00:00"}
               for tries, name in enumerate(("ch04.q1", "ch04.p1", "predict.0123456789ab", "ch99.q7"), 1)}  # fmt: skip
    file.write_text(json.dumps({"version": 1, "name": "Ada", "answers": entries}))
    before = file.read_text()
    assert course.progress().counts["ch04"][2] == 1 and file.read_text() == before
    course.ch04.q1.check(1.8)
    content = json.loads(file.read_text())
    assert (content["version"], content["name"]) == (2, "Ada") and names(file) == [file.name]
    assert list(content["answers"]) == ["ch04.q1", "ch99.q7"]
    assert (content["answers"]["ch04.q1"]["outcome"], content["answers"]["ch04.q1"]["tries"]) == ("right", 2)
    assert content["predictions"] == {name: entries[name] for name in ("ch04.p1", "predict.0123456789ab")}


def test_a_write_that_fails_leaves_the_old_file_and_says_so(file, monkeypatch):
    course.ch04.q1.check(0.6)
    before = file.read_bytes()

    def disk_full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(launcher.os, "replace", disk_full)
    outcome = course.ch04.q1.check(1.8)
    assert outcome.kind == "right" and "could not be kept: No space left on device" in outcome.text
    assert file.read_bytes() == before and names(file) == [file.name]


def test_a_folder_that_cannot_be_written_stops_no_exercise(file, monkeypatch):
    monkeypatch.setenv("AUTOGRAD_NB_PROGRESS", os.devnull + "/progress.json")
    assert "could not be kept" in course.ch04.q1.check(1.8).text
