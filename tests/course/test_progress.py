"""The progress: the content of its files, one reading of them together, and no entry that is ever lost."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import house
import pytest
from IPython.core.formatters import DisplayFormatter
from pace import within

from autograd_nb import course
from autograd_nb.course import progress_file
from autograd_nb.course.exercises import Prediction, Question, chapters
from autograd_nb.course.overview import items
from autograd_nb.learner import began


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The file for the progress of an earlier edition: beside the running notebook."""
    monkeypatch.delenv("AUTOGRAD_NB_PROGRESS", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(began, "FOLDER", str(tmp_path))
    return tmp_path / "autograd-nb-progress.json"


def answers(file):
    return progress_file.read()["answers"]


def names(file):
    return sorted(path.name for path in file.parent.iterdir())


def log(file):
    (log,) = (file.parent / "autograd-nb-progress").iterdir()
    return log


def test_an_answer_is_a_line_in_a_folder_beside_the_notebook(file):
    course.ch04.q1.check(0.6)
    course.ch04.q1.check(1.8)
    course.ch04.q1.check(0.6)
    entry = answers(file)["ch04.q1"]
    assert (entry["outcome"], entry["last"], entry["tries"]) == ("right", "wrong", 3)
    assert entry["when"].endswith("+00:00")
    assert names(file) == ["autograd-nb-progress"]
    lines = log(file).read_text().splitlines()
    assert [json.loads(line)["outcome"] for line in lines] == ["wrong", "right", "wrong"]
    assert [list(json.loads(line)) for line in lines[:2]] == [
        ["when", "room", "name", "outcome", "given"], ["when", "room", "name", "outcome"]]
    assert entry["wrong"] == {"0.6": 2}


def test_a_file_that_an_editor_marked_as_utf_8_loses_no_line(file):
    course.ch04.q1.check(1.8)
    course.ch04.q2.check(1.8)
    log(file).write_text(log(file).read_text(), encoding="utf-8-sig")
    assert set(answers(file)) == {"ch04.q1", "ch04.q2"} and not progress_file.read()["unread"]


def test_what_is_not_attempted_leaves_no_trace(file):
    course.ch04.q1.check(...)
    course.ch04.q1.hint(1)
    course.ch04.q1.solution()
    course.progress()
    assert names(file) == []


def test_a_bar_per_chapter(file):
    all_, of = (len(items("ch04", kind)) for kind in (Question, Prediction))
    assert course.progress().counts["ch04"] == (0, all_, 0, of)
    assert "You have not predicted or answered anything yet." in course.progress().text
    course.ch04.q1.check(1.8)
    course.ch04.q2.check(1.8)
    for card, chosen in ((course.ch04.p1.card(), "0.6"), (course.ch04.p2.card(), "zero")):
        card.chosen = chosen
        card.do_check()
    shown = course.progress()
    assert shown.counts["ch04"] == (1, all_, 2, of) and list(shown.counts) == list(chapters())
    bar = 12 * 3 // (all_ + of)
    assert f"{'█' * bar}{'░' * (12 - bar)}  04 Accumulation: 1 of {all_} exercises, 2 of {of} predictions" in shown.text
    assert "<pre>" in shown._repr_mimebundle_()["text/html"]
    assert DisplayFormatter().format(course)[0]["text/plain"] == shown.text, "a cell that ends in `course`"


def test_home_is_the_contents_with_what_is_left_and_the_next_step(file):
    assert course.home().next[0] == "00_welcome.ipynb" and "at course.ch00.p1." in course.home().step
    before = course.home().lines
    for chapter in ("ch00", "ch04"):
        for name in items(chapter, Prediction):
            progress_file.predicted(name, "wrong", "3")
    course.ch04.q1.check(1.8)
    shown = course.home()
    lines = {name: (share, left) for name, _, share, left in shown.lines}
    assert "at course.ch04.q2." in shown.step, "where the learner was last"
    assert [line[:2] for line in before] == [line[:2] for line in shown.lines]
    share, left = lines["04_accumulation.ipynb"]
    all_, of = (len(items("ch04", kind)) for kind in (Question, Prediction))
    minutes = dict((name, left) for name, _, _, left in before)["04_accumulation.ipynb"]
    assert share == (of + 1) / (of + all_) and left == round(minutes * (1 - share)) < minutes
    assert lines["91_glossary.ipynb"] == (None, None)
    page = shown._repr_mimebundle_()["text/html"]
    assert page.count("<meter ") == len(chapters()) and f">{share:.0%}</meter>" in page
    assert '<a href="04_accumulation.ipynb">04 Accumulation</a>' in page and shown.step in shown.text
    for chapter in chapters():
        for room, kind in (("predictions", Prediction), ("answers", Question)):
            for name in items(chapter, kind):
                progress_file.answered(name, "right", room)
    assert course.home().step == "You have done all of it."


def test_reset_begins_anew_and_keeps_what_there_was(file, capsys):
    course.progress().reset()
    assert "no progress" in capsys.readouterr().out
    file.write_text('{"version": 2, "answers": {}, "predictions": {}}')
    for number in (1, 2):
        course.ch04.q1.check(1.8)
        course.progress().reset()
        assert f"autograd-nb-progress/before-reset-{number}" in capsys.readouterr().out
        assert course.progress().counts["ch04"].solved == 0
    assert names(file) == ["autograd-nb-progress", "autograd-nb-progress.json.before-reset-1"]
    kept = sorted(path.parent.name for path in file.parent.glob("*/*/*.jsonl"))
    assert kept == ["before-reset-1", "before-reset-2"]


RESETS = """
from autograd_nb import course
input()
course.progress().reset()
"""


def test_of_two_resets_at_once_each_keeps_what_it_moved(file):
    for turn in range(5):
        for number in range(40):
            (file.parent / "autograd-nb-progress").mkdir(exist_ok=True)
            (file.parent / "autograd-nb-progress" / f"{turn}-{number}.jsonl").write_text(str(number))
        both = [subprocess.Popen([sys.executable, "-c", RESETS], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE) for _ in "ab"]  # fmt: skip
        for each in both:
            each.stdin.write(b"\n")
            each.stdin.flush()
        assert [each.communicate()[1] for each in both] == [b"", b""]
    assert len({path.name for path in file.parent.glob("*/*/*.jsonl")}) == 200
    assert not [*(file.parent / "autograd-nb-progress").glob("*.jsonl")]


@pytest.mark.parametrize("named", ["shared", "~/mine", ".", "of.class"])
def test_a_folder_that_is_named_holds_the_progress_and_stays(file, tmp_path, monkeypatch, named, capsys):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("AUTOGRAD_NB_PROGRESS", named)
    folder = (tmp_path / named).resolve() if named[0] != "~" else tmp_path / "home" / "mine"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "thesis.txt").write_text("mine")
    (folder / file.name).write_text(json.dumps(of_one_entry(name="ch04.q3")))
    course.ch04.q1.check(1.8)
    monkeypatch.chdir("/")
    assert set(answers(file)) == {"ch04.q1", "ch04.q3"}
    course.progress().reset()
    assert answers(file) == {} and (folder / "thesis.txt").read_text() == "mine" and not (tmp_path / "~").exists()
    assert "before-reset-1" in capsys.readouterr().out and len([*folder.glob("before-reset-1/*.jsonl")]) == 1


def test_a_folder_that_is_not_there_yet_may_have_a_dot_in_its_name(file, tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOGRAD_NB_PROGRESS", "spring.2027")
    course.ch04.q1.check(1.8)
    assert [*(tmp_path / "spring.2027").glob("*.jsonl")] and not (tmp_path / "spring").exists()
    assert set(answers(file)) == {"ch04.q1"}


def test_a_kernel_that_goes_elsewhere_keeps_its_progress_in_one_place(file, tmp_path, monkeypatch):
    course.ch04.q1.check(1.8)
    (tmp_path / "data").mkdir()
    monkeypatch.chdir("data")
    course.ch04.q2.check(course.ch04.q2.right)
    assert set(answers(file)) == {"ch04.q1", "ch04.q2"} and [*(tmp_path / "data").iterdir()] == []
    (tmp_path / "ko").mkdir()
    monkeypatch.setattr(began, "FOLDER", str(tmp_path / "ko"))
    assert set(answers(file)) == {"ch04.q1", "ch04.q2"}, "the Korean chapters have it beside the English ones"


NEWER = ['{"version": 3, "answers": {}}', '{"version": 3, "chapters": []}']


@pytest.mark.parametrize("damaged", ["", "{", "\udcff\udcfe\0", "[]", "null", '{"version": 1}', "[" * 100_000, *NEWER,
                                     '{"version": 1, "answers": []}', '{"version": 1, "answers": {"ch04.q1": 3}}',
                                     '{"version": 2, "answers": {}}', '{"version": "2", "answers": {}}'])
def test_a_file_that_cannot_be_read_is_named_and_left_alone(file, capsys, damaged):
    content = damaged.encode(errors="surrogateescape")
    file.write_bytes(content)
    outcome = course.ch04.q1.check(1.8)
    assert outcome.kind == "right" and "kept" not in outcome.text
    assert course.progress().counts["ch04"].solved == 1
    said = "Some of your progress could not be read. These files stay as they are: autograd-nb-progress.json.\n"
    assert capsys.readouterr().out == said
    assert file.read_bytes() == content


@pytest.mark.parametrize("line", [b'{"when": "2026', b"\xff\xfe\n", b"3\n", b'{"room": "answers"}\n', b"[" * 100_000,
                                  b'{"when": 3, "room": "answers", "name": "ch04.q2", "outcome": "right"}\n'])
def test_a_damaged_line_costs_no_other(file, capsys, line):
    """After a killed kernel, or an editor, the earlier lines count, and the lines of the other files."""
    course.ch04.q1.check(1.8)
    good = log(file).read_bytes()
    other = log(file).with_name("2026-01-01-000000-0.jsonl")
    other.write_bytes(good.replace(b"ch04.q1", b"ch04.q3") + line)
    noise = other.with_name("2026-01-02-000000-0.jsonl")
    noise.write_bytes(line)
    assert set(answers(file)) == {"ch04.q1", "ch04.q3"}
    course.progress()
    assert noise.name in capsys.readouterr().out


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\x0b", "\x1c", "\r"])
def test_a_line_ends_where_json_has_it_whatever_was_pasted_into_an_answer(file, end):
    progress_file.predicted("ch04.p1", "right", f"1.2{end}")
    kept = progress_file.read()
    assert kept["predictions"]["ch04.p1"]["given"] == f"1.2{end}" and not kept["unread"]


def of_one_entry(name="ch04.p1", **entry):
    room = "predictions" if ".p" in name else "answers"
    good = {"outcome": "right", "tries": 1, "when": "2026-11-20T10:00:00+00:00"}
    return {"version": 2, "answers": {}, "predictions": {}} | {room: {name: good | entry}}


TIMES = ["2026-11-25T10:00:00", "yesterday", "", "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+14:00", 3, None]
WRONG = [*({"when": time} for time in TIMES),
         {"last": "good"}, {"given": 3}, {"tries": "2"}, {"tries": -1}, {"outcome": 1}]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=str)
@pytest.mark.parametrize("earlier", [True, False])
def test_what_was_edited_by_hand_is_named_and_left_everywhere(file, wrong, earlier, capsys):
    content = of_one_entry(**wrong)
    named = file
    if not earlier:
        if wrong.get("tries") == -1:
            return  # a line without one
        named = file.parent / "autograd-nb-progress" / "x.jsonl"
        named.parent.mkdir()
        content = {"room": "predictions", "name": "ch04.p1"} | content["predictions"]["ch04.p1"]
    text = json.dumps(content)
    named.write_text(text)
    course.ch04.q1.check(1.8)
    card = course.ch04.p2.card()
    assert course.review() and course.home()
    assert f"These files stay as they are: {named.name}." in capsys.readouterr().out
    assert named.read_text() == text and not card.verdict
    assert set(answers(file)) == {"ch04.q1"} and progress_file.read()["predictions"] == {}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="without pipes that have names")
def test_what_is_no_file_is_told(file):
    course.ch04.q1.check(1.8)
    folder = file.parent / "autograd-nb-progress"
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "folder.jsonl").mkdir()
    (folder / "zeros.jsonl").symlink_to("/dev/zero")
    os.mkfifo(file)
    kept = progress_file.read()
    assert set(kept["answers"]) == {"ch04.q1"} and kept["unread"] == {
        file.name: "a pipe", "pipe.jsonl": "a pipe", "folder.jsonl": "a folder", "zeros.jsonl": "a device"}  # fmt: skip


def test_what_was_pasted_can_be_exported(file, capsys):
    progress_file.predicted("ch04.p1", "right", "1.2\udc80\u2028")
    course.progress().export("mine.json")
    course.progress().reset()
    os.rename("mine.json", file)
    assert progress_file.read()["predictions"]["ch04.p1"]["given"] == "1.2\udc80\u2028"


def test_a_card_reads_no_file_a_second_time(file):
    """With 500 files of ten answers each it takes some 20 ms of the processor."""
    course.ch04.q1.check(1.8)
    line, folder = log(file).read_text(), log(file).parent
    for number in range(500):
        (folder / f"{number}.jsonl").write_text(line.replace("ch04.q1", f"q{number % 50}") * 10)
    assert answers(file)["q7"]["tries"] == 100
    course.ch04.q2.check(5)
    with within(0.1):
        for _ in range(5):
            assert len(answers(file)) == 52


def test_a_file_that_is_too_large_is_not_read(file, capsys):
    course.ch04.q1.check(1.8)
    for huge in (file, file.parent / "autograd-nb-progress" / "huge.jsonl"):
        with open(huge, "wb") as opened:
            opened.truncate(100_000_000)
    with within(2):
        assert set(answers(file)) == {"ch04.q1"}
    course.progress()
    assert "autograd-nb-progress.json, huge.jsonl" in capsys.readouterr().out


def test_a_file_of_the_first_version_is_taken_over(file):
    """It kept predictions among the answers."""
    entries = {name: {"outcome": "wrong", "tries": tries, "when": "2026-11-20T10:00:00+00:00"}
               for tries, name in enumerate(("ch04.q1", "ch04.p1", "predict.0123456789ab", "ch99.q7"), 1)}  # fmt: skip
    file.write_text(json.dumps({"version": 1, "name": "Ada", "answers": entries}))
    before = file.read_text()
    assert course.progress().counts["ch04"][2] == 1
    course.ch04.q1.check(1.8)
    content = progress_file.read()
    assert (content["version"], list(content["answers"])) == (2, ["ch04.q1", "ch99.q7"])
    assert (content["answers"]["ch04.q1"]["outcome"], content["answers"]["ch04.q1"]["tries"]) == ("right", 2)
    assert content["predictions"] == {name: entries[name] for name in ("ch04.p1", "predict.0123456789ab")}
    assert file.read_text() == before


def test_a_folder_that_cannot_be_written_stops_no_exercise(file, monkeypatch):
    monkeypatch.setenv("AUTOGRAD_NB_PROGRESS", os.devnull + "/progress.json")
    assert "could not be saved" in course.ch04.q1.check(1.8).text


FULL = """
import resource, signal
from autograd_nb import course
from autograd_nb.course import progress_file
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
course.ch04.q1.check(1.8)
(log,) = progress_file.folder().iterdir()
before = log.read_bytes()
resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, -1))
print(course.ch04.q2.check(5).text.splitlines()[-1], log.read_bytes() == before)
resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
course.ch04.q3.check(5)
print(sorted(progress_file.read()["answers"]), progress_file.read()["unread"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of a file's size to set")
def test_a_disk_that_is_full_takes_no_half_answer(file):
    """The limit lets 20 bytes of the line through, like a disk that has just become full."""
    assert house.run("-c", FULL).splitlines() == ["(Your progress could not be saved: File too large.) True",
                                 "['ch04.q1', 'ch04.q3'] {}"]  # fmt: skip


KERNEL = """
import os, sys
from autograd_nb.course import progress_file
for number in range(int(sys.argv[2])):
    assert progress_file.answered(f"{sys.argv[1]}.{number}", "wrong") is None
    os.write(1, b".")
"""


def test_of_two_kernels_that_answer_at_once_and_are_killed_no_answer_is_lost(file):
    """Every answer that a kernel knew to be kept is there, in each round and at the end."""
    moments, kept = random.Random(2013), set()
    for turn in range(3):
        kernels = [subprocess.Popen([sys.executable, "-c", KERNEL, f"{turn}.{who}", "500"],
                                    stdout=subprocess.PIPE) for who in "ab"]  # fmt: skip
        for kernel in kernels:
            assert kernel.stdout.read(1) == b"."
        for kernel in kernels:
            time.sleep(moments.uniform(0, 0.02))
            kernel.kill()
        for who, kernel in zip("ab", kernels, strict=True):
            known = 1 + len(kernel.communicate()[0])
            kept |= {f"{turn}.{who}.{number}" for number in range(known)}
            assert len(answers(file).keys() & {f"{turn}.{who}.{number}" for number in range(500)}) - known in (0, 1)
    assert kept <= answers(file).keys() and len(kept) > 6
    assert all(entry["tries"] == 1 for entry in answers(file).values())


def test_eight_threads_of_a_kernel_write_whole_lines(file):
    def answer(who):
        for number in range(50):
            progress_file.answered(f"{who}.{number}", "right", given="\udc80 ' \" \n")

    threads = [threading.Thread(target=answer, args=(who,)) for who in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers(file)) == 400 and not progress_file.read()["unread"]
    assert answers(file)["7.49"]["given"] == "\udc80 ' \" \n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_child_that_was_forked_while_another_thread_wrote_can_write(file):
    """Nobody in the child would release a lock that was held at the fork."""
    with progress_file._writing:
        child = os.fork()
        if not child:
            try:
                os._exit(progress_file.answered("ch04.q1", "right") is not None)
            finally:
                os._exit(2)
    waited = threading.Thread(target=lambda: ended.append(os.waitpid(child, 0)[1]), daemon=True)
    ended = []
    waited.start()
    waited.join(60)
    if not ended:
        os.kill(child, signal.SIGKILL)
    assert ended == [0] and set(answers(file)) == {"ch04.q1"}
