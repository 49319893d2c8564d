"""A chapter's prediction in a real JupyterLab: read without a kernel, answered with one, counted in the progress."""

import json
from pathlib import Path

import pytest
import widget_page
from widget_page import ask, put, until

pytestmark = pytest.mark.browser
CHAPTER = Path(__file__).resolve().parents[2] / "notebooks" / "04_accumulation.ipynb"
BEGIN = "import autograd_nb as torch\nfrom autograd_nb import course"
MODULES = "() => globalThis[Symbol.for('autograd_nb.modules')].size"
PREDICTED = "course.progress().counts['ch04'].predicted"


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


def test_a_card_is_answered_and_counted_and_shows_its_answer_after_another_run(lab):
    page = lab.notebook(BEGIN, "course.ch04.p1", "course.ch04.p2")
    until(lambda: page.locator(".anb").count() == 2)
    number, choice = page.locator(".anb").nth(0), page.locator(".anb").nth(1)
    assert ask(page, PREDICTED) == "0"
    put(number.get_by_role("textbox"), "0.6")
    until(lambda: "Not quite. That backward puts its gradient" in number.inner_text())
    assert ask(page, PREDICTED) == "1"
    choice.get_by_role("radio", name="zero").check()
    choice.get_by_role("button", name="Check").click()
    until(lambda: "Right. kept is a second name" in choice.inner_text())
    number.get_by_role("textbox").fill("1.2")
    number.get_by_role("button", name="Check").click()
    until(lambda: "Right. 0.6 + 0.6" in number.inner_text())
    assert ask(page, PREDICTED) == "2"
    run_again(lab, page)
    restart = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
    page.evaluate(restart)
    until(lambda: page.evaluate(widget_page.READY))
    number, choice = run_again(lab, page)
    put(number.get_by_role("textbox"), "0.6")
    until(lambda: "Not quite. That backward puts its gradient" in number.inner_text())
    assert "before" not in number.locator(".anb-note").inner_text()
    choice.get_by_role("radio", name="zero").focus()
    page.keyboard.press("ArrowDown")
    until(lambda: "Right." not in choice.inner_text())
    assert len(list(lab.root.glob("autograd-nb-progress.json*"))) == 1
    assert page.evaluate(MODULES) == 1, "a page keeps what it loads: six cards of three runs share their code"


def run_again(lab, page):
    """The two cards of another run, once they show the right answers that were given to those before."""
    for each in page.locator(".anb").all():
        each.evaluate("card => void (card.dataset.earlier = 1)")
    lab.run_all(page)
    cards = page.locator(".anb:not([data-earlier])")
    until(lambda: cards.count() == 2)
    number, choice = cards.nth(0), cards.nth(1)
    until(lambda: all("This is what you answered before." in each.inner_text() for each in (number, choice)))
    assert "Right. 0.6 + 0.6" in number.inner_text() and number.get_by_role("textbox").input_value() == "1.2"
    assert "Right. kept is a second name" in choice.inner_text()
    assert choice.get_by_role("radio", name="zero").is_checked()
    assert ask(page, PREDICTED) == "2"
    return number, choice
