"""A chapter's prediction in a real JupyterLab: read without a kernel, answered with one, counted in the progress."""

import house
import pytest
import widget_page
from widget_page import ask, put, until

pytestmark = pytest.mark.browser
BEGIN = "import autograd_nb as torch\nfrom autograd_nb import course"
MODULES = "() => globalThis[Symbol.for('autograd_nb.modules')].size"
PREDICTED = "course.progress().counts['ch04'].predicted"


def stored(source):
    """The stored outputs of the chapter's cell with this source."""
    return next(cell["outputs"] for cell, there in house.cells(house.chapter("04")) if there == source)


def test_a_stored_card_asks_and_keeps_its_answer_folded(lab):
    page = lab.notebook(BEGIN, "course.ch04.p1", run=False, outputs=([], stored("course.ch04.p1")))
    shown = page.locator(".jp-OutputArea").nth(1)
    until(lambda: "A third backward." in shown.inner_text())
    answer = shown.get_by_text("0.6 + 0.6 + 0.6: backward adds to what is there.")
    until(lambda: not answer.is_visible() and page.locator(".anb").count() == 0)
    shown.locator("summary").click()
    until(answer.is_visible)
    until(lambda: shown.locator("code").first.inner_text() == "x.grad")


def test_a_card_is_answered_and_counted_and_shows_its_answer_after_another_run(lab):
    page = lab.notebook(BEGIN, "course.ch04.p1", "course.ch04.p2")
    until(lambda: page.locator(".anb").count() == 2)
    number, choice = page.locator(".anb").nth(0), page.locator(".anb").nth(1)
    loaded = page.evaluate(MODULES)
    until(lambda: ask(page, PREDICTED) == "0")
    put(number.get_by_role("textbox"), "0.6")
    until(lambda: "Not quite. That would mean that backward replaces the old gradient" in number.inner_text())
    until(lambda: ask(page, PREDICTED) == "1")
    choice.get_by_role("button", name="Check").click()
    until(lambda: "Choose an answer first." in choice.inner_text())
    choice.get_by_role("radio", name="zero").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    until(lambda: "Right. kept is a second name" in choice.inner_text())
    number.get_by_role("textbox").fill("1.8")
    number.get_by_role("button", name="Check").click()
    until(lambda: "Right. 0.6 + 0.6" in number.inner_text())
    until(lambda: ask(page, PREDICTED) == "2")
    run_again(lab, page)
    restart = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
    page.evaluate(restart)
    until(lambda: page.evaluate(widget_page.READY))
    number, choice = run_again(lab, page)
    put(number.get_by_role("textbox"), "0.6")
    until(lambda: "Not quite. That would mean that backward replaces the old gradient" in number.inner_text())
    until(lambda: "before" not in number.locator(".anb-note:not(.anb-working)").inner_text())
    choice.get_by_role("radio", name="zero").focus()
    page.keyboard.press("ArrowDown")
    until(lambda: "Right." not in choice.inner_text())
    assert len(list(lab.folder.glob("autograd-nb-progress/*.jsonl"))) == 2, "two kernels, a file each"
    assert page.evaluate(MODULES) == loaded, "a page keeps what it loads: six cards of three runs share their code"


def run_again(lab, page):
    """The two cards of another run, once they show the right answers to the earlier ones."""
    for each in page.locator(".anb").all():
        each.evaluate("card => void (card.dataset.earlier = 1)")
    lab.run_all(page)
    cards = page.locator(".anb:not([data-earlier])")
    until(lambda: cards.count() == 2)
    number, choice = cards.nth(0), cards.nth(1)
    until(lambda: all("This is what you answered before." in each.inner_text() for each in (number, choice)))
    until(lambda: "Right. 0.6 + 0.6" in number.inner_text() and number.get_by_role("textbox").input_value() == "1.8")
    until(lambda: "Right. kept is a second name" in choice.inner_text())
    until(lambda: choice.get_by_role("radio", name="zero").is_checked())
    until(lambda: ask(page, PREDICTED) == "2")
    return number, choice


def press(cell, name):
    cell.get_by_role("button", name=name).click()


def test_who_does_not_know_goes_on_and_has_predicted_nothing(lab):
    page = lab.notebook(BEGIN, "course.ch04.p3")
    card = page.locator(".anb").first
    press(card, "I don't know")
    until(lambda: "Then run the next cell and see." in card.inner_text())
    kept = "__import__('autograd_nb.course.progress_file', fromlist=('read',)).read()['reviews']['ch04.p3']['last']"
    until(lambda: ask(page, kept) == "'wrong'")
    until(lambda: ask(page, f"'ch04.p3' in {kept.partition('[')[0]}['predictions']") == "False")


def test_gradients_are_filled_in_from_the_root_by_keyboard_alone(lab):
    page = lab.notebook(BEGIN, "course.ch01.p8")
    card = page.locator(".anb").first
    until(lambda: card.locator("input").count() == 3)
    root, middle, leaf = (card.get_by_role("textbox", name=f"∂z/∂{name}") for name in "zyx")
    until(lambda: root.is_enabled() and middle.is_disabled() and leaf.is_disabled())
    until(lambda: boxes_hold(card, "zyx"))
    root.focus()
    for field, text, said in ((root, "2.079", "is the value of z"), (root, "1", "Every backward begins with 1"),
                              (middle, "8", "times y itself"), (middle, "1/8", "grad_output / y = 1 / 8 = 0.125"),
                              (leaf, "12", "is the slope of this one link"), (leaf, "1.5", "Right.")):  # fmt: skip
        until(lambda field=field: field.evaluate("field => field === document.activeElement"))
        page.keyboard.press("Control+A")
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        until(lambda said=said: said in card.inner_text())
    until(lambda: not middle.is_editable() and middle.input_value() == "1/8")
    until(lambda: ask(page, "course.progress().counts['ch01'].predicted") == "1")
    assert lab.troubles == []


def boxes_hold(card, names):
    """Whether each field stands inside the box of its tensor."""
    for name in names:
        field = card.get_by_role("textbox", name=f"∂z/∂{name}").bounding_box()
        label = card.locator("svg text", has_text=f"∂z/∂{name} =").bounding_box()
        if abs(field["x"] + field["width"] / 2 - label["x"] - label["width"] / 2) > 4:
            return False
        if not label["y"] + label["height"] - 4 <= field["y"] <= label["y"] + label["height"] + 8:
            return False
    return True
