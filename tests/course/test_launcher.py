"""`autograd-nb` serves the course, hands out notebooks, loses none of a learner's work, and fails with one line."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys

import pytest
from house import ROOT
from serving import empty_home, free_port, page, serving

from autograd_nb.course import launcher, library
from autograd_nb.course.exercises import Prediction, chapters
from autograd_nb.course.overview import items


def write_notebook(path, *sources, executed=False):
    """A notebook as Jupyter writes it: the first cell is a heading, the others are code."""
    cells = [{"cell_type": "markdown", "id": "top", "metadata": {}, "source": [sources[0]]}]
    for number, source in enumerate(sources[1:]):
        outputs = [{"output_type": "stream", "name": "stdout", "text": ["42\n"]}] if executed else []
        cells.append({"cell_type": "code", "id": f"c{number}", "metadata": {"tags": []}, "outputs": outputs,
                      "execution_count": number + 1 if executed else None, "source": source.splitlines(keepends=True)})
    written = {"cells": cells, "metadata": {"language_info": library.LANGUAGE}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(written, indent=1) + "\n")


@pytest.fixture
def edition(tmp_path):
    """Makes a course of two chapters whose text depends on the edition, and returns its folder."""

    def make(name):
        folder = tmp_path / f"edition-{name}"
        folder.mkdir(exist_ok=True)
        write_notebook(folder / "00_welcome.ipynb", "# Welcome", f"print('{name}')")
        write_notebook(folder / "03_backward.ipynb", "# Backward", f"x = '{name}'\nx")
        return folder

    return make


@pytest.fixture
def learner(tmp_path, edition):
    """A learner's folder, with the first edition in it."""
    folder = tmp_path / "mine"
    assert launcher.hand_out(edition("first"), folder) == []
    return folder


@pytest.fixture
def edited(learner):
    """That folder, after the learner changed a notebook."""
    edit(learner / "03_backward.ipynb", "x = 'my own idea'")
    return learner


def names(folder):
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.ipynb")}


def edit(path, source):
    """Edit as a learner does: another source in the last cell."""
    notebook = json.loads(path.read_text())
    notebook["cells"][-1]["source"] = [source]
    path.write_text(json.dumps(notebook))


def test_a_first_start_copies_every_notebook_and_a_second_changes_nothing(edition, learner):
    assert names(learner) == ["00_welcome.ipynb", "03_backward.ipynb"]
    before = contents(learner)
    assert before == contents(edition("first"))
    assert launcher.hand_out(edition("first"), learner) == []
    assert contents(learner) == before


def test_an_upgrade_replaces_what_was_only_run(edition, learner):
    write_notebook(learner / "03_backward.ipynb", "# Backward", "x = 'first'\nx", "", executed=True)
    told = [f"{name} was replaced by its new edition" for name in names(learner)]
    assert launcher.hand_out(edition("second"), learner) == told
    assert contents(learner) == contents(edition("second"))


def test_an_upgrade_keeps_a_changed_notebook_and_lays_the_new_edition_beside_it(edition, edited):
    mine = (edited / "03_backward.ipynb").read_bytes()

    *_, message = launcher.hand_out(edition("second"), edited)
    assert message == "03_backward.ipynb is as you left it; its new edition is beside it: 03_backward.new.ipynb"
    assert names(edited) == ["00_welcome.ipynb", "03_backward.ipynb", "03_backward.new.ipynb"]
    assert (edited / "03_backward.ipynb").read_bytes() == mine
    second = edition("second")
    assert (edited / "03_backward.new.ipynb").read_bytes() == (second / "03_backward.ipynb").read_bytes()
    assert (edited / "00_welcome.ipynb").read_bytes() == (second / "00_welcome.ipynb").read_bytes()

    before = contents(edited)
    assert launcher.hand_out(edition("second"), edited) == []
    assert contents(edited) == before


def test_a_change_to_the_current_edition_brings_nothing_beside_it(edition, edited):
    assert launcher.hand_out(edition("first"), edited) == []
    assert names(edited) == ["00_welcome.ipynb", "03_backward.ipynb"]


@pytest.mark.parametrize("changed", [False, True])
def test_a_third_edition_replaces_the_second_beside_it_only_if_that_is_unchanged(edition, edited, changed):
    launcher.hand_out(edition("second"), edited)
    if changed:
        edit(edited / "03_backward.new.ipynb", "x = 'another idea'")
    before = contents(edited)

    launcher.hand_out(edition("third"), edited)
    third = (edition("third") / "03_backward.ipynb").read_bytes()
    after = contents(edited)
    assert after["03_backward.ipynb"] == before["03_backward.ipynb"]
    if changed:
        assert after["03_backward.new.ipynb"] == before["03_backward.new.ipynb"]
        assert after["03_backward.new2.ipynb"] == third
    else:
        assert after["03_backward.new.ipynb"] == third
        assert "03_backward.new2.ipynb" not in after


def test_a_new_edition_that_was_thrown_away_does_not_come_back(edition, edited):
    launcher.hand_out(edition("second"), edited)
    (edited / "03_backward.new.ipynb").unlink()
    assert launcher.hand_out(edition("second"), edited) == []
    assert names(edited) == ["00_welcome.ipynb", "03_backward.ipynb"]


def test_an_upgrade_names_a_new_chapter(edition, learner):
    second = edition("first")
    write_notebook(second / "18_new.ipynb", "# New", "1")
    assert launcher.hand_out(second, learner) == ["18_new.ipynb is new"]


def test_every_chapter_that_asks_comes_without_outputs():
    shown = {path.stem for path in library.notebooks_of(ROOT / "notebooks")
             if any(cell.get("outputs") for cell in json.loads(library.for_a_learner(path))["cells"])}  # fmt: skip
    asking = {chapter.removeprefix("ch") for chapter in chapters() if items(chapter, Prediction)}
    assert len(asking) >= 18 and shown and asking.isdisjoint(stem[:2] for stem in shown)


def test_pictures_come_along_and_so_does_progress_where_there_is_none(edition, tmp_path):
    source = edition("first")
    (source / "images").mkdir()
    (source / "images" / "a.svg").write_text("<svg/>")
    (source / "autograd-nb-progress.json").write_text("old")
    (source / "autograd-nb-progress").mkdir()
    (source / "autograd-nb-progress" / "a.jsonl").write_text("log")
    launcher.hand_out(source, tmp_path / "mine")
    (source / "autograd-nb-progress.json").write_text("older")
    launcher.hand_out(source, tmp_path / "mine")
    kept = [(tmp_path / "mine" / name).read_text()
            for name in ("images/a.svg", "autograd-nb-progress.json", "autograd-nb-progress/a.jsonl")]  # fmt: skip
    assert kept == ["<svg/>", "old", "log"]


def test_files_of_the_learners_stay_as_they_are(edition, learner):
    for name in ("autograd-nb-progress.json", "notes.txt", "mine.ipynb"):
        (learner / name).write_text("kept")
    launcher.hand_out(edition("second"), learner)
    assert [(learner / name).read_text() for name in ("autograd-nb-progress.json", "notes.txt", "mine.ipynb")] == [
        "kept"] * 3


@pytest.mark.parametrize("manifest", [None, "", "[]", "{broken", "[" * 3000])
def test_without_its_manifest_whatever_differs_counts_as_changed(edition, learner, manifest):
    (learner / launcher.MANIFEST).unlink()
    if manifest is not None:
        (learner / launcher.MANIFEST).write_text(manifest)
    before = contents(learner)
    messages = launcher.hand_out(edition("second"), learner)
    assert len(messages) == 2
    assert {name: contents(learner)[name] for name in before} == before


def test_a_damaged_notebook_of_the_learners_is_kept(edition, learner):
    (learner / "03_backward.ipynb").write_bytes(b"\x00half a note")
    *_, message = launcher.hand_out(edition("second"), learner)
    assert "03_backward.new.ipynb" in message
    assert (learner / "03_backward.ipynb").read_bytes() == b"\x00half a note"


@pytest.mark.skipif(os.name != "posix", reason="this system makes links only with rights")
@pytest.mark.parametrize("block", [lambda path: path.mkdir(), lambda path: path.symlink_to("nowhere")])
def test_what_is_no_file_in_a_chapters_place_is_left_alone_and_the_others_arrive(edition, tmp_path, block):
    (tmp_path / "mine").mkdir()
    block(tmp_path / "mine" / "00_welcome.ipynb")
    (message,) = launcher.hand_out(edition("first"), tmp_path / "mine")
    assert "00_welcome.ipynb is left out" in message and not (tmp_path / "mine" / "00_welcome.ipynb").is_file()
    assert (tmp_path / "mine" / "03_backward.ipynb").is_file() and not (tmp_path / "mine" / "nowhere").exists()


def test_a_write_that_fails_half_way_leaves_the_old_file_and_no_litter(edition, learner, monkeypatch):
    before, files = contents(learner), os.listdir(learner)

    def disk_full(*_):
        raise OSError(28, "No space left on device", "somewhere")

    monkeypatch.setattr(launcher.os, "replace", disk_full)
    with pytest.raises(library.CourseError, match=r"cannot write the course to .*: No space left on device"):
        launcher.hand_out(edition("second"), learner)
    assert contents(learner) == before and os.listdir(learner) == files


def one_line_error(capsys, *arguments):
    """Runs the command in this process, where it must fail, and returns its one line."""
    error = launcher.main(list(arguments))
    assert error.startswith("autograd-nb: ") and "\n" not in error and capsys.readouterr().err == ""
    return error.removeprefix("autograd-nb: ")


def test_without_jupyter_it_says_how_to_get_it(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "jupyterlab", None)
    monkeypatch.setattr(sys, "executable", "/a b/python")
    assert one_line_error(capsys) == (
        "JupyterLab is not installed in this Python; add it with: '/a b/python' -m pip install 'autograd-nb[course]'")


def test_a_port_that_is_taken_is_told_with_one_that_is_free(capsys, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        error = one_line_error(capsys, "--port", str(taken.getsockname()[1]), str(tmp_path / "mine"))
    port, free = map(int, re.fullmatch(
        r"--port: (\d+) cannot be had \(Address already in use\); (\d+) is free: --port \2", error).groups())
    assert port != free
    launcher.check_port(free)


def test_a_home_that_cannot_be_written_is_told_at_once(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").touch()
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    for name in [name for name in os.environ if name.startswith(("JUPYTER_", "XDG_"))]:
        monkeypatch.delenv(name)
    error = one_line_error(capsys, str(tmp_path / "mine"))
    assert error.startswith(f"JupyterLab keeps its own files in {tmp_path / 'file'}/") and "Not a directory" in error
    assert error.endswith('give it a home that you can write in, as in: HOME="$PWD" autograd-nb')


@pytest.mark.parametrize(("folder", "by_files"), [
    ("h" * 55, True), ("h" * 56, False), ("홈" * 18, True), ("홈" * 19, False)])  # fmt: skip
def test_the_path_of_a_kernels_socket_is_counted_in_bytes(monkeypatch, folder, by_files):
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", folder)
    assert bool(launcher.kernels_reached_by_files()) == by_files


@pytest.mark.parametrize(("argument", "told"), [
    *((f"--port={port}", f"--port: got {port}, expected a number from 1 to 65535") for port in (0, -1, 65536)),
    ("file", "{folder}/file is a file, not a folder"),
    ("file/course", "cannot write the course to {folder}/file/course: Not a directory: {folder}/file/course"),
])  # fmt: skip
def test_a_port_or_folder_that_is_none_is_refused(tmp_path, monkeypatch, capsys, argument, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    assert one_line_error(capsys, argument) == told.format(folder=tmp_path)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_clone_that_cannot_be_written(monkeypatch, capsys):
    monkeypatch.setattr(launcher.os, "access", lambda path, mode: False)
    assert one_line_error(capsys, "--in-place") == (
        f"cannot write in {ROOT / 'notebooks'}: name a folder of yours, as in: autograd-nb my-course")


def test_in_place_is_for_clones_and_takes_no_folder(monkeypatch, capsys, edition, tmp_path):
    told = "--in-place serves the notebooks of a clone, and takes no other folder"
    assert one_line_error(capsys, "--in-place", str(tmp_path / "mine")) == told
    monkeypatch.setattr(library, "course_source", lambda: edition("first"))
    assert one_line_error(capsys, "--in-place") == told


def test_from_a_clone_authors_serve_its_own_notebooks_at_the_first_chapter(tmp_path):
    port, log = free_port(), tmp_path / "log"
    command = [sys.executable, "-m", "autograd_nb", "--in-place", "--no-browser", f"--port={port}"]
    with serving(command, log, cwd=ROOT, env=empty_home(tmp_path / "home")) as address:
        url, text = page(address)
    assert re.match(rf"http://(127\.0\.0\.1|localhost):{port}/lab/tree/00_welcome\.ipynb", url)
    assert "<title>JupyterLab</title>" in text
    disabled = re.search(r'"disabledExtensions": \[([^]]*)\]', text)[1]
    assert "@jupyterlab/apputils-extension:announcements" in disabled  # no question about news on top of the course
    assert log.read_text().startswith(f"The course is in {ROOT / 'notebooks'}. Ctrl-C here ends it.\n")
    assert "LabApp]" not in log.read_text()  # a learner need not know where JupyterLab is on this disk
    assert not (ROOT / "notebooks" / launcher.MANIFEST).exists()


def test_from_a_clone_a_learner_gets_a_copy_that_git_ignores(edition, tmp_path, monkeypatch):
    """Wherever it starts, the copy is in the clone, in a folder that .gitignore names."""
    served = []
    clone = tmp_path / "clone"
    clone.mkdir()
    edition("first").rename(clone / "notebooks")
    shutil.copy(ROOT / ".gitignore", clone)
    monkeypatch.setattr(library, "CLONE", clone)
    monkeypatch.setattr(launcher, "serve", lambda folder, *_: served.append(folder))
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q"], cwd=clone, check=True)
    subprocess.run(["git", "add", "."], cwd=clone, check=True)
    assert launcher.main(["--no-browser"]) == 0
    assert served == [clone / "autograd-nb-course"]
    edit(served[0] / "03_backward.ipynb", "x = 'my own idea'")
    status = subprocess.run(["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True)
    assert {line[:2] for line in status.stdout.splitlines()} == {"A "}


def test_a_folder_named_from_a_clone_gets_a_copy_of_its_own_whose_links_all_lead_somewhere(tmp_path):
    learner = tmp_path / "mine"
    log = tmp_path / "log"
    command = [sys.executable, "-m", "autograd_nb", str(learner), "--no-browser", f"--port={free_port()}"]
    with serving(command, log, cwd=ROOT, env=empty_home(tmp_path / "home")) as address:
        page(address)
    linked = {target for path in learner.glob("*.ipynb") for kind, source in library.cells(path) if kind == "markdown"
              for target in re.findall(r"\]\((?!http)([^)\s#]+)", source)}  # fmt: skip
    assert len(linked) > 20 and [target for target in linked if not (learner / target).exists()] == []
    assert log.read_text().startswith(f"The course is in {learner}.")
    assert contents(learner) == {path.name: library.for_a_learner(path)
                                 for path in library.notebooks_of(ROOT / "notebooks")}  # fmt: skip
