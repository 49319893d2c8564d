"""Errors in a real kernel: they end at the learner's line, nothing is lost, and another library's handler stays."""

import re

import nbformat
import pytest
from nbclient import NotebookClient

from autograd_nb import course

BEGIN = "import autograd_nb as torch\nfrom autograd_nb import course"
TWICE = "z = torch.tensor(5.0, requires_grad=True) ** 2\nz.backward()\nz.backward()"
HOOK = """x = torch.ones(2, requires_grad=True)
def hook(grad):
    return helper(grad)
def helper(grad):
    return 1 / 0
y = x.sum()
handle = x.register_hook(hook)
y.backward()"""
OWN = """class Own(RuntimeError):
    pass
try:
    torch.ones(2) + torch.ones(3)
except RuntimeError as error:
    raise Own("mine") from error"""
INTERRUPTED = """def stop(grad):
    raise KeyboardInterrupt
x = torch.ones(2, requires_grad=True)
handle = x.register_hook(stop)
x.sum().backward()"""
OTHERS = "import json\njson.loads('{')"
KEPT = """import sys, traceback
len(traceback.extract_tb(sys.last_value.__traceback__)) > 4, hasattr(sys.last_value, "__notes__")"""
CELLS = {
    "begin": BEGIN, "twice": TWICE, "kept": KEPT, "tb": "%tb", "shapes": "torch.ones(2, 3) + torch.ones(4)",
    "hook": HOOK, "own": OWN, "others": OTHERS, "interrupted": INTERRUPTED,
    "missing": "torch.ones(2).foo()", "syntax": "for x in:",
    "full": 'course.tracebacks("full")', "twice, full": TWICE, "short": 'course.tracebacks("short")',
    "twice, short": TWICE,
}  # fmt: skip
FOREIGN = """def mine(shell, kind, error, trace, tb_offset=None):
    print("somebody else's")
get_ipython().set_custom_exc((ZeroDivisionError,), mine)"""
NOTE = "%tb shows them"


def run(cells, tmp_path):
    """The text that each cell shows: its error's traceback, or its printed and returned text."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, kernel_name="python3", allow_errors=True,
                   resources={"metadata": {"path": str(tmp_path)}}).execute()  # fmt: skip
    return [re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(map(said, cell.outputs))) for cell in notebook.cells]


def said(output):
    if output.output_type == "error":
        return "\n".join(output.traceback)
    return output.get("text") or output.data["text/plain"]


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return dict(zip(CELLS, run(CELLS.values(), tmp_path_factory.mktemp("kernel")), strict=True))


def test_an_error_shows_the_learners_line_and_the_message(shown):
    for cell, line in (("twice", "----> 3 z.backward()"), ("shapes", "----> 1 torch.ones(2, 3) + torch.ones(4)"),
                       ("missing", "----> 1 torch.ones(2).foo()")):  # fmt: skip
        assert line in shown[cell] and "autograd_nb/" not in shown[cell], shown[cell]
    assert "RuntimeError: Trying to backward through the graph a second time" in shown["twice"]


def test_a_learners_own_functions_are_shown_wherever_they_are_called(shown):
    frames = re.findall(r"Cell In\[\d+\], line (\d+)", shown["hook"])
    assert frames == ["8", "3", "5"] and "File " not in shown["hook"]
    assert re.findall(r"Cell In\[\d+\], line (\d+)|File", shown["interrupted"]) == ["5", "2"]


def test_errors_that_the_engine_put_into_better_words_are_left_out_and_a_learners_chain_is_not(shown):
    assert "another exception" not in shown["shapes"] and "could not be broadcast" not in shown["shapes"]
    assert "direct cause" in shown["own"] and "The size of tensor a (2)" in shown["own"]
    assert "autograd_nb/" not in shown["own"]


def test_the_frames_are_there_for_who_asks(shown):
    assert shown["kept"] == "(True, False)"
    for cell in ("tb", "twice, full"):
        assert shown[cell].count("autograd_nb/") >= 3 and "----> 3 z.backward()" in shown[cell]
    assert "autograd_nb/" not in shown["twice, short"]


def test_that_something_is_left_out_is_said_once(shown):
    assert [cell for cell, text in shown.items() if NOTE in text] == ["twice"]


def test_without_the_course_and_where_somebody_else_shows_errors_nothing_changes(tmp_path):
    _, twice, _, divided = run([BEGIN.splitlines()[0], TWICE, f"{FOREIGN}\n{BEGIN}", "1 / 0"], tmp_path)
    assert twice.count("autograd_nb/") >= 3
    assert divided == "somebody else's\n"


@pytest.mark.parametrize("kind", ["long", None])
def test_another_kind_is_named(kind):
    with pytest.raises(ValueError, match=f"tracebacks\\(\\): got {kind!r}, expected one of \\('short', 'full'\\)"):
        course.tracebacks(kind)
