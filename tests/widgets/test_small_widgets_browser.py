"""The smaller widgets in a real JupyterLab: by mouse, by keys, for all to hear and in narrow pages."""

import time
from pathlib import Path

import pytest
from makers import MAKERS
from widget_page import ask, change_theme, inaccessible, menu, says, still, until

pytestmark = pytest.mark.browser
TOOLS = str(Path(__file__).parents[1] / "tools")
IMPORT = f"""import sys
sys.path.append({TOOLS!r})
import autograd_nb as torch
from autograd_nb import course, widgets
from makers import MAKERS"""
# One of each, in a page high enough for all: JupyterLab draws no cell far outside the page.
LINES = {name: f"MAKERS[{name!r}]()" for name in MAKERS if name != "bench"} | {
    "vector_jacobian": "widgets.vector_jacobian(lambda x: x * x.sum(), [1.0, 2.0])",
    "landscape": "widgets.landscape(lr=0.1)",
    "training": "widgets.training('moons', lr=0.5)",
    "nudge": "widgets.nudge(5.0)",
    "depth": "widgets.depth()",
}
PLACES = list(LINES)
MAKE = "\n".join(f"{name} = {line}" for name, line in LINES.items())
SHOW = f"display({', '.join(LINES)})"
ALL_HEIGHT = 7000


class Four:
    """A notebook with one of each of the smaller widgets, opened once and used by test after test."""

    folder = None

    def __call__(self, lab, name):
        """The page and a widget in it, in their first state."""
        if self.folder is None or self.folder != lab.folder:
            self.page = lab.notebook(f"{IMPORT}\n{MAKE}\n{SHOW}", height=ALL_HEIGHT)
            self.folder = lab.folder
            until(lambda: self.page.locator(".anb").count() == len(LINES), 90)
        still(self.page)
        told = ask(self.page, f"[each.do_reset() for each in ({', '.join(LINES)})] and 'reset'")
        assert told == "'reset'", told
        still(self.page)
        return self.page, self.page.locator(".anb").nth(PLACES.index(name))


four = Four()


@pytest.mark.parametrize("name", LINES)
def test_a_lesson_is_in_sight_as_a_whole(lab, name):
    """In JupyterLab 1280 × 800 pixels leave 679 for a cell's output."""
    _, widget = four(lab, name)
    until(lambda: widget.bounding_box()["height"] <= 679)


def test_a_point_is_chosen_in_a_picture_by_the_mouse(lab):
    page, tangent = four(lab, "tangent")
    box = tangent.locator(".anb-picture svg").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + box["height"] * 0.4, steps=8)
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + box["height"] * 0.3)  # the same x once more
    page.mouse.up()
    until(lambda: 6 < float(ask(page, "tangent.x")) < 8)
    landscape = page.locator(".anb").nth(PLACES.index("landscape"))
    ball = landscape.locator(".anb-picture svg").first
    box = ball.bounding_box()
    ball.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    until(lambda: abs(float(ask(page, "landscape.a"))) < 0.5 and abs(float(ask(page, "landscape.b"))) < 0.5)


def test_an_entry_of_two_tables_is_chosen_by_a_click_and_by_keys(lab):
    page, workshop = four(lab, "workshop")
    status = workshop.locator(".anb-status")
    heard = workshop.locator(".anb-figure .anb-hidden").first
    until(lambda: "∂(output 0)/∂(b): numerical 201.18, analytical 223.97: wrong." in heard.text_content())
    workshop.locator("[data-key='entry 1']").first.click()
    says(status, "∂(output 0)/∂(b): numerical 201.18, analytical 223.97: wrong.")
    until(lambda: workshop.locator("g.anb-lit").count() == 2)  # in both tables
    workshop.locator(".anb-picture").last.focus()
    page.keyboard.press("ArrowLeft")
    says(status, "∂(output 0)/∂(a): numerical")
    workshop.get_by_role("button", name="All entries").click()
    until(lambda: workshop.locator("g.anb-lit").count() == 0)
    page, product = four(lab, "vector_jacobian")
    picture, status = product.locator(".anb-picture"), product.locator(".anb-status")
    picture.locator("[data-key='row 1']").click()
    says(status, "Row 1:")
    picture.focus()
    for key, told in (("ArrowUp", "Row 0:"), ("ArrowDown", "Row 1:"), ("ArrowRight", "Row 1:"), ("Home", "v @ J =")):
        page.keyboard.press(key)
        says(status, told)


def test_training_that_plays_is_told_now_and_then(lab):
    page, training = four(lab, "training")
    spoken = training.locator(".anb-hidden[aria-live=polite]")
    training.get_by_role("button", name="Train", exact=True).click()
    says(spoken, "Training has begun.")
    until(lambda: training.locator(".anb-status").get_attribute("aria-live") == "off")
    start = time.monotonic()
    for _ in range(2):
        before = spoken.inner_text()
        until(lambda before=before: "The loss is" in spoken.inner_text() != before)
    assert time.monotonic() - start > 1.5, "a stream"
    training.get_by_role("button", name="Pause").click()
    until(lambda: training.locator(".anb-status").get_attribute("aria-live") == "polite" and not spoken.inner_text())
    status = training.locator(".anb-status")  # the kernel may have one more update on its way
    until(lambda: f"Updates so far: {ask(page, 'training.updates')}." in status.inner_text())


@pytest.mark.parametrize("name", PLACES)
def test_every_control_has_a_name_and_can_be_reached_by_tab(lab, name):
    page, widget = four(lab, name)
    controls = widget.locator("button, input, select, textarea")
    nameless = controls.evaluate_all(
        "all => all.filter(each => !each.ariaLabel && !each.labels?.length && !each.textContent).length")
    assert controls.count() > 1 and nameless == 0
    enabled = controls.evaluate_all(
        "all => all.filter(each => !each.disabled && each.checkVisibility() && each.type !== 'radio').length")
    controls.first.focus()
    seen = set()
    for _ in range(60):
        inside = page.evaluate("""([root]) => {
            const here = document.activeElement, style = getComputedStyle(here);
            if (!root.contains(here)) return null;
            const place = [...root.querySelectorAll("*")].indexOf(here);
            return [place, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1];
        }""", [widget.element_handle()])
        if inside is None:
            break
        assert inside[1] or not seen, "what the keys brought the focus to shows it"
        seen.add(inside[0])
        page.keyboard.press("Tab")
    assert len(seen) >= enabled
    menu(widget, "Copy as Python")
    says(widget.locator(".anb-history"), ask(page, f"' '.join({name}.line.split())")[1:-1].replace("\\\\", "\\"))


@pytest.mark.parametrize("theme", ["Dark", "Light"])
def test_axe_finds_nothing_serious(lab, theme):
    page, widget = four(lab, "tangent")
    ask(page, "setattr(tangent, 'function', 'log(y)')")  # with the error
    ask(page, "setattr(training, 'forget', True) or training.do_step(20)")
    ask(page, "setattr(vector_jacobian, 'chosen', 1)")
    ask(page, "setattr(workshop, 'forward', 'x')")
    says(page.locator(".anb").nth(PLACES.index("workshop")).locator(".anb-trouble"), "NameError")
    says(widget.locator(".anb-trouble"), "There is no y here")
    change_theme(page, f"JupyterLab {theme}")
    until(lambda: all(each.is_visible() for each in page.locator(".anb").all()))  # it is not while styles load
    assert inaccessible(page, context=".anb") == []
