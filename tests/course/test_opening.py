"""A chapter on the second day: any cell may run first; its kernel has what the cell needs, or says what is missing."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from house import NOTEBOOKS
from jupyter_client.manager import start_new_kernel
from test_launcher import write_notebook

from autograd_nb.course import kernel as of_course
from autograd_nb.course import launcher, library
from autograd_nb.course.exercises import Prediction, Question, chapters
from autograd_nb.course.overview import items
from autograd_nb.learner.needed import cell_names

STARTUP = library.PACKAGE / "course" / "jupyter" / "startup.py"
PICTURE = {"output_type": "execute_result", "execution_count": 3, "metadata": {},
           "data": {"text/html": "<p>stored picture</p>", "text/plain": "Graph"}}  # fmt: skip


@pytest.fixture
def kernel(tmp_path):
    """Makes the kernel of a notebook of these cells; it returns what each run showed, and how it failed."""
    started = []

    def make(*sources, saved=True, own="", **outputs):
        path = tmp_path / "05_mine.ipynb"
        write_notebook(path, "# Mine", *sources)
        content = json.loads(path.read_text())
        for cell in content["cells"][1:]:
            cell["outputs"] = outputs.get(cell["id"], [])
        path.write_text(json.dumps(content))
        environment = os.environ | {"PYTHONSTARTUP": str(STARTUP), "JPY_SESSION_NAME": str(path) if saved else "gone",
                                    "AUTOGRAD_NB_STARTUP": own}  # fmt: skip
        manager, client = start_new_kernel(env=environment, cwd=str(tmp_path))
        started.append((manager, client))

        def run(source, cell=""):
            message = client.session.msg("execute_request", {"code": source, "silent": False, "store_history": False,
                                                             "allow_stdin": False, "user_expressions": {}})  # fmt: skip
            message["metadata"] = {"cellId": cell}
            client.shell_channel.send(message)
            shown, failed = [], ""
            while True:
                got = client.get_iopub_msg(timeout=60)
                if got["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                    continue
                if got["msg_type"] == "status" and got["content"]["execution_state"] == "idle":
                    return shown, failed
                if got["msg_type"] == "error":
                    failed = got["content"]["evalue"]
                elif "data" in got["content"]:
                    shown.append(got["content"]["data"])

        return run

    yield make
    for manager, client in started:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


CELLS = ("import autograd_nb as torch\nfrom autograd_nb import course\nstart = 1", "x = torch.ones(2)\nmodel = x", "x")


def test_a_kernel_begins_with_the_imports_of_its_chapter_and_says_what_else_it_needs(kernel, tmp_path):
    (tmp_path / "own.py").write_text("mine = 5")
    run = kernel(*CELLS, own=str(tmp_path / "own.py"), c2=[PICTURE], c1=[])
    ((shown,), failed) = run("torch.ones(2), course.__name__, mine")
    assert not failed and "autograd_nb.course" in shown["text/plain"], "the learner's own startup file is run, too"

    (told, picture), failed = run("model", "c2")
    assert "earlier cell" in told["text/plain"] and "Run All Above Selected Cell" in told["text/plain"]
    assert failed == "name 'model' is not defined" and picture["text/html"] == "<p>stored picture</p>"
    (told, _), failed = run("start", "c2")
    assert "first cell of this chapter" in told["text/plain"] and "Run All" not in told["text/plain"]
    assert run("modell", "c2")[0] == [], "where no cell makes it, nothing is said"
    assert run("x", "c0")[0] == [], "nor where only a later cell does"


def test_a_picture_comes_back_once_however_often_the_cell_fails(kernel):
    run = kernel(*CELLS, saved=True, c2=[PICTURE])
    (told, _), _ = run("model", "c2")
    again = [{"output_type": "display_data", "metadata": {}, "data": told}, PICTURE]
    (told, picture), _ = kernel(*CELLS, c2=again)("model", "c2")
    assert "earlier cell" in told["text/plain"] and "stored picture" in picture["text/html"]


def test_where_no_notebook_is_known_the_names_of_first_cells_are_told(kernel):
    run = kernel(*CELLS, saved=False)
    for name in sorted(of_course.NAMES):
        (told,), failed = run(name)
        assert failed == f"name '{name}' is not defined" and told["text/plain"].startswith("Run the first cell of this")
    assert run("model")[0] == []


def test_a_cell_whose_backward_ran_and_that_is_run_again_is_told_so(kernel):
    run = kernel("import autograd_nb as torch\nfrom autograd_nb import course")
    run("x = torch.tensor(5., requires_grad=True)\nz = x**3")
    assert run("z.backward()") == ([], "")
    (told,), failed = run("z.backward()")
    assert "a second time" in failed and "This cell has run before" in told["text/plain"]
    assert run("z.backward() ")[0] == [], "another cell has not run before"


def test_a_notebook_that_has_nothing_to_do_with_the_course_begins_empty(kernel):
    run = kernel("import json", "json")
    assert run("json")[1] == "name 'json' is not defined"


@pytest.mark.parametrize("name", [path.name for path in library.notebooks_of(NOTEBOOKS) if path.name[0] in "01"])
def test_the_imports_of_each_chapter_are_all_that_its_cards_and_benches_need(name):
    shell = SimpleNamespace(user_ns={}, transform_cell=lambda source: source)
    cells = of_course.code_cells(NOTEBOOKS / name)
    of_course.run_imports(shell, cells[0]["source"])
    assert of_course.NAMES & cell_names(cells[0]["source"])[1] <= shell.user_ns.keys()
    cards = [cell["source"] for cell in cells if cell["source"].startswith(("course.", "torch.bench("))]
    assert cards
    for card in cards:
        compiled = compile(card, name, "eval")
        assert set(compiled.co_names[:1]) <= shell.user_ns.keys(), card


@pytest.mark.parametrize(("answers", "chapter"), [
    ([], "00_welcome"),
    (["ch00.p1"], "00_welcome"),
    (["ch00.p1", "ch04.p1"], "04_accumulation"),
    (["ch04.p1", "ch00.p1"], "00_welcome"),
    ([f"{chapters()[-1]}.*"], "00_welcome"),
    (["ch03.*"], "04_accumulation"),
])  # fmt: skip
def test_the_launcher_opens_the_chapter_in_which_the_learner_stopped(tmp_path, monkeypatch, answers, chapter):
    monkeypatch.delenv("AUTOGRAD_NB_PROGRESS", raising=False)
    lines = []
    for minute, name in enumerate(answers):
        start = name.removesuffix("*")
        for room, kind in (("predictions", Prediction), ("answers", Question)):
            lines += [{"room": room, "name": each, "outcome": "right", "when": f"2026-01-01T00:{minute:02}:00+00:00"}
                      for each in items(start[:4], kind) if each.startswith(start)]  # fmt: skip
    folder = tmp_path / "autograd-nb-progress"
    folder.mkdir()
    (folder / "k.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert launcher.chapter_to_open(tmp_path).stem == chapter


def test_startup_in_a_plain_python_runs_the_learners_own_file_only(tmp_path):
    (tmp_path / "own.py").write_text("mine = 5")
    program = f"exec(open({str(STARTUP)!r}).read()); print(mine, 'torch' in globals())"
    environment = os.environ | {"AUTOGRAD_NB_STARTUP": str(tmp_path / "own.py")}
    assert subprocess.check_output([sys.executable, "-c", program], env=environment, text=True) == "5 False\n"
