"""A chapter's prediction in a real JupyterLab: read without a kernel, answered with one, counted in the progress."""

import json
from pathlib import Path

import pytest
import widget_page
from widget_page import ask, until

pytestmark = pytest.mark.browser
CHAPTER = Path(__file__).resolve().parents[1] / "notebooks" / "04_accumulation.ipynb"
BEGIN = "import autograd_nb as torch\nfrom autograd_nb import course"
PREDICTED = "course.progress().counts['ch04'].predicted"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with widget_page.lab(tmp_path_factory.mktemp("cards")) as running:
        yield running


def stored(source):
    """The stored outputs of the chapter's cell with this source."""
    content = json.loads(CHAPTER.read_text(encoding="utf-8"))["cells"]
    return next(cell["outputs"] for cell in content if "".join(cell["source"]) == source)


def test_a_stored_card_asks_and_keeps_its_answer_folded(lab):
    page = lab.notebook(BEGIN, "course.ch04.p1", run=False, outputs=([], stored("course.ch04.p1")))
    shown = page.locator(".jp-OutputArea").nth(1)
    until(lambda: "The same backward again." in shown.inner_text())
    answer = shown.get_by_text("0.6 + 0.6: backward adds to what is there.")
    assert not answer.is_visible() and page.locator(".anb").count() == 0
    shown.locator("summary").click()
    until(answer.is_visible)
    assert shown.locator("code").first.inner_text() == "x.grad"


def test_a_card_is_answered_and_counted_and_another_run_of_its_cell_asks_anew(lab):
    page = lab.notebook(BEGIN, "course.ch04.p1", "course.ch04.p2")
    until(lambda: page.locator(".anb").count() == 2)
    number, choice = page.locator(".anb").nth(0), page.locator(".anb").nth(1)
    assert ask(page, PREDICTED) == "0"
    number.get_by_role("textbox").fill("0.6")
    number.get_by_role("textbox").press("Enter")
    until(lambda: "Not quite. That backward puts its gradient" in number.inner_text())
    assert ask(page, PREDICTED) == "1"
    choice.get_by_role("radio", name="zero").check()
    choice.get_by_role("button", name="Check").click()
    until(lambda: "Right. kept is a second name" in choice.inner_text())
    number.get_by_role("textbox").fill("1.2")
    number.get_by_role("button", name="Check").click()
    until(lambda: "Right. 0.6 + 0.6" in number.inner_text())
    assert ask(page, PREDICTED) == "2"
    lab.run_all(page)
    until(lambda: page.locator(".anb").count() == 2 and "Right." not in page.locator(".anb").nth(0).inner_text())
    assert ask(page, PREDICTED) == "2"
    assert len(list(lab.root.glob("autograd-nb-progress.json*"))) == 1
