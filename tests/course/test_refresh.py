"""`python -m tests.refresh`: text and notebook stay in step, and no edit of either is ever lost."""

import json
import re

import nbformat
import pytest

from tests import refresh

TEXT = '''# %% [markdown]
# # 07 Try
#
# Some words.

# %% tags=["A9"]
import autograd_nb as torch

x = torch.tensor(5.0, requires_grad=True)
y = x**3

# %%
y.grad
y.grad_fn, y.grad_fn

# %% tags=["raises-exception"]
torch.tensor([1.0, 2.0], requires_grad=True).backward()

# %%
from autograd_nb import course

course.ch04.q1.check(1.8)
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "07_try.py").write_text(TEXT)
    return tmp_path


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """One chapter, refreshed once: (text, notebook) as they were written."""
    folder = tmp_path_factory.mktemp("course")
    (folder / "text").mkdir()
    (folder / "text" / "07_try.py").write_text(TEXT)
    assert refresh.main([], folder) == 0
    return (folder / "text" / "07_try.py").read_text(), (folder / "07_try.ipynb").read_text(), sorted(
        path.name for path in folder.iterdir())


@pytest.fixture
def pair(folder, executed):
    """That chapter in a folder of its own: its text and its notebook."""
    (folder / "07_try.ipynb").write_text(executed[1])
    return folder / "text" / "07_try.py", folder / "07_try.ipynb"


def edit(notebook, change):
    """Change the notebook and save it in JupyterLab's way."""
    content = nbformat.reads(notebook.read_text(), as_version=4)
    change(content)
    notebook.write_text(nbformat.writes(content))


@pytest.fixture
def refused(folder, capsys):
    """Runs the command, which must fail, and gives its message."""

    def run(*arguments):
        assert refresh.main(list(arguments), folder) == 1
        return capsys.readouterr().err

    return run


def test_a_text_becomes_a_notebook_with_outputs_and_stays_as_it_was(executed):
    text, content, files = executed
    notebook = json.loads(content)
    assert text == TEXT and files == ["07_try.ipynb", "text"]  # the run left no progress behind
    assert [cell["cell_type"] for cell in notebook["cells"]] == ["markdown", "code", "code", "code", "code"]
    assert notebook["cells"][1]["metadata"] == {"tags": ["A9"]}
    assert [cell.get("execution_count") for cell in notebook["cells"]] == [None, 1, 2, 3, 4]


def test_what_hangs_on_the_run_is_gone(executed):
    notebook = json.loads(executed[1])
    warning, shown = notebook["cells"][2]["outputs"]
    assert warning["text"][0].startswith("<cell>:1: UserWarning: The .grad attribute")
    node = "<PowBackward0 at 0x7f0000000000>"
    assert "".join(shown["data"]["text/plain"]) == f"({node}, {node})"
    error = notebook["cells"][3]["outputs"][0]
    assert "grad can be implicitly created only for scalar outputs" in error["evalue"]
    assert "Cell In[3], line 1" in error["traceback"][2] and ".py" not in "".join(error["traceback"])
    assert set(notebook["metadata"]) == {"autograd_nb", "kernelspec", "language_info"}
    assert "version" not in notebook["metadata"]["language_info"]


def test_refreshing_again_changes_nothing(pair, capsys):
    text, notebook = pair
    before = notebook.read_bytes()
    assert refresh.main(["07"], notebook.parent) == 0
    assert "07_try: as before, 5 cells" in capsys.readouterr().out
    assert notebook.read_bytes() == before and text.read_text() == TEXT


def test_check_names_what_differs(pair, refused):
    text, notebook = pair
    text.write_text(TEXT.replace("x**3", "x**4"))
    assert "07_try.ipynb and its text differ, in cells 2" in refused("--check")
    notebook.unlink()
    assert "07_try.ipynb is missing" in refused("--check")


def test_check_asks_for_the_normal_form(pair, refused):
    """JupyterLab leaves a notebook after a run with other ids, counts, versions, and a widget's view."""

    def ran(content):
        content.cells[1].execution_count = 17
        content.metadata.language_info["version"] = "3.12.1"

    edit(pair[1], ran)
    assert "not in its normal form" in refused("--check")
    assert refresh.edits(refresh.stored(pair[0]), refresh.parse(TEXT)) == ""


def test_a_notebook_with_edits_of_its_own_is_not_overwritten(pair, refused):
    text, notebook = pair

    def answers(content):
        content.cells[4].source = "mine = 1"
        content.cells.append(nbformat.v4.new_code_cell("more = 2"))

    edit(notebook, answers)
    before = notebook.read_bytes()
    text.write_text(TEXT.replace("Some words", "Other words"))
    told = "07_try.ipynb was edited since it was made from its text (its cells 1, 5, 6 are not in the text)"
    assert told in refused()
    assert notebook.read_bytes() == before and "Other words" in text.read_text()


def test_a_deleted_cell_is_an_edit_too(pair, refused):
    edit(pair[1], lambda content: content.cells.pop())
    assert "cells are missing" in refused()


def test_edits_of_the_notebook_can_be_taken_over_into_the_text(pair):
    text, notebook = pair
    edit(notebook, lambda content: content.cells[0].update(source="# 07 Try\n\nBetter words."))
    refresh.take_over(text)
    assert text.read_text() == TEXT.replace("Some words", "Better words")
    assert refresh.edits(refresh.stored(text), refresh.parse(text.read_text())) == ""


def test_edits_of_both_are_brought_together_by_hand(pair):
    text, notebook = pair
    edit(notebook, lambda content: content.cells[0].update(source="# 07 Try\n\nBetter words."))
    text.write_text(TEXT.replace("x**3", "x**4"))
    with pytest.raises(refresh.RefreshError, match="both the notebook and its text were edited"):
        refresh.take_over(text)
    assert "x**4" in text.read_text()


def test_a_cell_that_fails_writes_nothing(folder, refused):
    (folder / "text" / "07_try.py").write_text("# %%\n1 / 0\n")
    assert "07_try was not written, a cell failed" in (error := refused())
    assert "ZeroDivisionError" in error and not (folder / "07_try.ipynb").exists()


def test_bad_input_is_named(folder, refused):
    assert "begins with 08" in refused("08")
    (folder / "07_try.ipynb").write_text("half a note")
    assert "07_try.ipynb cannot be read as a notebook" in refused()
    assert (folder / "07_try.ipynb").read_text() == "half a note"


def test_chapters_know_their_neighbours_and_where_they_are(pair, refused, capsys):
    """A header stands in the notebook alone; a chapter that comes later is a reason to renew it."""
    text, notebook = pair
    text.with_name("08_next.py").write_text("# %% [markdown]\n# # 08 Next\n")
    notebook.with_name("08_next.ipynb").write_text(nbformat.writes(nbformat.v4.new_notebook()))
    assert "07_try.ipynb has a header of another time" in refused("07", "--check")
    assert refresh.main(["07", "--headers"], notebook.parent) == 0
    header = nbformat.read(notebook, 4).cells[1]
    assert header.metadata.tags == ["made"] and "[08 Next](08_next.ipynb) →" in header.source
    assert re.findall(r"map_(\w+)_here", header.source) == ["walk"]
    assert sorted(path.name for path in (notebook.parent / "images").iterdir())[-1] == "map_walk_here.svg"
    assert refresh.main(["07", "--check"], notebook.parent) == 0 and text.read_text() == TEXT
    assert refresh.edits(refresh.stored(text), refresh.parse(TEXT)) == ""
