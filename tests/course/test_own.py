"""A teacher's own chapters in a folder, as docs/teaching.md shows them, and the messages about bad ones."""

import csv
import io
import json
import os
import re
import subprocess
import sys

import pytest
from house import ROOT, run
from serving import empty_home

from autograd_nb import words
from autograd_nb.course import exercises, gather, launcher, library, overview, own, progress_file

TEXT = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8").partition("## A chapter of your own")[2]
(CODE,), (TOML,) = (re.findall(f"^```{kind}\n(.*?)^```", TEXT, re.M | re.S) for kind in ("python", "toml"))
SOURCES = "from autograd_nb import course", "course.ch30.p1", "course.ch30.q1.check(12)", "course.ch30.q1.check(24)"


def write_notebook(path, *sources):
    cells = [{"cell_type": "markdown", "id": "top", "metadata": {}, "source": "# 30 Cubes\n\n**Time** 10 minutes"}]
    cells += [{"cell_type": "code", "id": f"c{number}", "metadata": {}, "source": source, "outputs": [],
               "execution_count": None} for number, source in enumerate(sources)]  # fmt: skip
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))


@pytest.fixture
def mine(tmp_path):
    """The folder of teaching.md."""
    folder = tmp_path / "my-course"
    (folder / "images").mkdir(parents=True)
    (folder / "images" / "cube.png").write_bytes(b"a picture")
    (folder / "ch30.py").write_text(CODE, encoding="utf-8")
    (folder / "ch30.toml").write_text(TOML, encoding="utf-8")
    (folder / "autograd-nb-progress").mkdir()  # the teacher's own
    write_notebook(folder / "30_cubes.ipynb", *SOURCES)
    return folder


@pytest.fixture(autouse=True)
def without_it_afterwards(monkeypatch):
    monkeypatch.setattr(words, "own", None)
    monkeypatch.setenv(words.OWN, "")
    path = [*exercises.__path__]
    yield
    exercises.__path__[:] = path
    exercises.chapters.cache_clear()
    words.of.cache_clear()
    for name in [name for name in sys.modules if name.startswith(f"{exercises.__name__}.ch3")]:
        del sys.modules[name]
        vars(exercises).pop(name.rpartition(".")[2], None)


# The launcher's work, with a front end that runs the chapter it opens, and shows the learner's progress.
PROGRAM = """import sys
import nbformat
from nbclient import NotebookClient
from autograd_nb.course import launcher

def serve(folder, port, browser, chapter):
    notebook = nbformat.read(folder / sys.argv.pop(), as_version=4)
    notebook.cells += [nbformat.v4.new_code_cell(each) for each in ("course.progress()", "course.home()")]
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    print("opened", chapter)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            print("".join(output.get("data", {}).get("text/plain", output.get("text", ""))))

launcher.serve = serve
sys.exit(launcher.main(sys.argv[1:-1]))"""


def test_the_ten_lines_of_the_page_are_a_chapter_like_ours(mine, tmp_path):
    assert CODE.count("\n") + TOML.count("\n") == 10
    environment = empty_home(tmp_path / "home", PYTHONPATH=str(ROOT))
    copy = tmp_path / "anna" / launcher.DEFAULT_FOLDER

    def start(*arguments, chapter="30_cubes.ipynb"):
        command = [sys.executable, "-c", PROGRAM, str(copy), *arguments, chapter]
        ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    said = start("--with", str(mine))
    assert "opened 00_welcome.ipynb" in said and (copy / "images" / "cube.png").read_bytes() == b"a picture"
    for told in ("Predict: What is the slope of x³ at 2?", "That is the slope of one of the two terms.",
                 "Both terms give 12, and gradients add up.", "30 Cubes: 1 of 1 exercises, 0 of 1 predictions",
                 "30 Cubes: 5 minutes left"):  # fmt: skip
        assert told in said, (told, said)
    assert "opened 30_cubes.ipynb" in start()  # the learner stopped there; the manifest remembers the folder
    table = run("-m", "autograd_nb.course.gather", "--with", mine, tmp_path / "anna", env=environment)
    assert [row[:5] for row in csv.reader(io.StringIO(table))][1:] == [["ch30.q1", "Two cubes", "1", "1", "1"]]
    assert "python -m autograd_nb.course.gather --with my-course class/ > class.csv" in TEXT
    mine.rename(tmp_path / "elsewhere")
    told = f"The chapters that came from {mine} stay, but cannot be checked: that folder is gone."
    assert told in start(chapter="93_cheat_sheet.ipynb")


def test_what_is_asked_comes_up_in_a_review_and_can_be_put_back(mine, progress):
    own.use(mine)
    from autograd_nb import course

    assert course.ch30.q1.cell() == SOURCES[2] and "How many terms" in course.ch30.q1.hint().text
    assert course.ch30.q1.check(12).reason == "one_use"
    assert progress_file.predicted("ch30.p1", "wrong", "4") is None
    assert "ch30.p1" in course.review().names and overview.context("ch30.p1")["code"].endswith(SOURCES[2])
    assert "ch30" in dir(course) and "30 Cubes" in [library.title(path) for path in library.chapters()]
    assert course.cheat_sheet().chapters and os.environ[words.OWN] == str(mine)


def test_a_catalogue_beside_them_translates_them_as_ours(mine, monkeypatch):
    said = ("30_cubes", "# 30 Cubes\n\n**Time** 10 minutes", "# 30 세제곱"), ("ch30.title", "Cubes", "세제곱")
    entry = "msgctxt {}\nmsgid {}\nmsgstr {}\n\n"
    catalogue = "".join(entry.format(*map(json.dumps, each)) for each in said)
    (mine / "ko.po").write_text(catalogue, encoding="utf-8")
    monkeypatch.setenv("AUTOGRAD_NB_LANGUAGE", "ko")
    own.use(mine)
    assert words.of("ch30")["title"] == "세제곱" and words.of("ch30")["q1"]["why"].startswith("The slope")
    assert mine / "30_cubes.ipynb" in library.chapters()
    assert library.title(mine / "30_cubes.ipynb", "ko") == "30 세제곱"
    assert library.place_of(mine / "30_cubes.ipynb").as_posix() == "ko/30_cubes.ipynb"


def test_a_teachers_progress_is_not_handed_out(mine, tmp_path):
    own.use(mine)
    launcher.hand_out(mine, tmp_path / "copy")
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == [
        launcher.MANIFEST, "30_cubes.ipynb", "images"]


def without(mine, name):
    (mine / name).unlink()


def instead(mine, name, text):
    (mine / name).write_text(text, encoding="utf-8")


BAD = {
    "is no folder that can be read (No such file or directory)": lambda mine: mine.rename(mine.with_name("gone")),
    "is no folder that can be read (Not a directory)": lambda mine: (mine.rename(mine.with_name("gone")), mine.touch()),
    "there is neither a chapter, as 30_name.ipynb, nor a ch30.py":
        lambda mine: [without(mine, name) for name in ("ch30.py", "ch30.toml", "30_cubes.ipynb")],
    "ch30.py cannot be run: SyntaxError: invalid syntax (ch30.py, line 1)":
        lambda mine: instead(mine, "ch30.py", "p1 = ="),
    "ch30.py cannot be run: ModuleNotFoundError: No module named 'nowhere'":
        lambda mine: instead(mine, "ch30.py", "import nowhere"),
    "ch30.py cannot be run: SystemExit: 3": lambda mine: instead(mine, "ch30.py", "raise SystemExit(3)"),
    "ch30.py asks nothing: it has no Question and no Prediction": lambda mine: instead(mine, "ch30.py", "q1 = 3"),
    "ch30.first should be called q1, q2 or so on":
        lambda mine: instead(mine, "ch30.py", CODE.replace("q1 =", "first =")),
    "ch04.py clashes with one of ours; a number that is free is 30":
        lambda mine: (mine / "ch30.py").rename(mine / "ch04.py"),
    "04_cubes.ipynb clashes with one of ours": lambda mine: (mine / "30_cubes.ipynb").rename(mine / "04_cubes.ipynb"),
    "93_cheat_sheet.ipynb clashes with one":
        lambda mine: (mine / "30_cubes.ipynb").rename(mine / "93_cheat_sheet.ipynb"),
    "30_cubes.ipynb cannot be read as a notebook": lambda mine: instead(mine, "30_cubes.ipynb", "{"),
    "ch30.toml (No such file or directory)": lambda mine: without(mine, "ch30.toml"),
    "ch30.toml cannot be read: Invalid value (at end of document)": lambda mine: instead(mine, "ch30.toml", "title ="),
    "ch30.toml cannot be read: 'utf-8' codec": lambda mine: (mine / "ch30.toml").write_bytes(b'title = "\xff"'),
    "ch30.toml lacks title, p1.question, p1.right, p1.wrong.no_factor, q1.title, q1.hints, q1.right, q1.why, "
    "q1.wrong.one_use": lambda mine: instead(mine, "ch30.toml", ""),
    "ch30.toml lacks q1.why": lambda mine: instead(mine, "ch30.toml", re.sub("q1.why = .*", "", TOML)),
    "ch30.toml lacks p2.choices.maybe, p2.choices.no": lambda mine: (
        instead(mine, "ch30.py", f'{CODE}p2 = Prediction("maybe")\n'),
        instead(mine, "ch30.toml", f'{TOML}[p2]\nquestion = "?"\n[p2.choices]\nyes = ["yes", "It is."]\nno = ["no"]')),
}  # fmt: skip


@pytest.mark.parametrize("told", BAD)
def test_a_bad_folder_is_told_in_a_sentence(mine, told, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(launcher, "serve", lambda *_: pytest.fail("served"))
    BAD[told](mine)
    said = [launcher.main([str(tmp_path / "copy"), "--with", str(mine)]), gather.main(["--with", str(mine), str(mine)])]
    for each, program in zip(said, ("autograd-nb: ", "gather: "), strict=True):
        assert each.startswith(program) and told in each and str(tmp_path) in each and "\n" not in each
    assert capsys.readouterr().out == "" and not (tmp_path / "copy").exists()


def test_in_place_takes_no_chapters_of_a_teachers_own(mine):
    told = "autograd-nb: --in-place serves the notebooks of a clone, and takes no other folder"
    assert launcher.main(["--in-place", "--with", str(mine)]) == told
