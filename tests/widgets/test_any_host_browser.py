"""Every widget in a host of our own (tools/host.js), which has only the features of anywidget's specification.

Like VS Code, Colab and others it has no Jupyter, and no way to find another widget's model. It shows saved modules as
MyST's theme does.
"""

import base64
import json
from pathlib import Path

import ipywidgets.widgets.widget as ipywidgets
import pytest
from makers import EVERY, stepper
from serving import folder
from widget_page import menu, put, says, until

from autograd_nb import course, widgets
from autograd_nb.course import kernel

pytestmark = pytest.mark.browser
HOST = Path(__file__).parents[1] / "tools" / "host.js"


def sendable(value):
    """State with bytes as text; a page reads it back."""
    if isinstance(value, bytes | memoryview):
        return {"bytes": base64.b64encode(bytes(value)).decode()}
    if isinstance(value, dict):
        return {name: sendable(each) for name, each in value.items()}
    return [*map(sendable, value)] if isinstance(value, list | tuple) else value


class Host:
    """A page with the host, and Python's side of the one widget that it shows."""

    def __init__(self, browser):
        self.page = browser.new_page(viewport={"width": 1280, "height": 1000})
        self.wrong, self.asked, self.answers = [], [], []
        self.page.on("pageerror", lambda error: self.wrong.append(f"{error}\n{error.stack}"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.expose_function("python", self.take)
        self.page.route("http://host.test/", lambda route: route.fulfill(
            content_type="text/html", body='<!DOCTYPE html><html lang="en"><title>Host</title><body></body></html>'))
        self.page.goto("http://host.test/")
        self.page.add_script_tag(path=HOST)

    def show(self, widget):
        """The widget's element, once it is drawn."""
        self.widget, widget._send = widget, self.answer
        self.page.evaluate("([text, state]) => host.show(text, state)", [widget._esm, sendable(widget.get_state())])
        until(lambda: self.page.locator(".anb").count() == 1)
        return self.page.locator(".anb").first

    def until(self, condition):
        """Wait until a condition is true; the page's messages arrive during each question to it."""
        until(lambda: self.page.evaluate("() => true") and condition())

    def take(self, text):
        """Hand a message of the page to Python, and the answers to the page."""
        self.answers = []
        self.widget._handle_msg({"content": {"data": json.loads(text)}, "buffers": []})
        return self.answers

    def answer(self, message, buffers=None):
        if "state" in message:
            ipywidgets._put_buffers(message["state"], message.get("buffer_paths", ()), buffers or ())
        self.answers.append(sendable(message))


@pytest.fixture
def host(browser):
    made = Host(browser)
    yield made
    until(lambda: made.page.evaluate("() => host.end()") == [])  # nothing listens after the end
    assert made.wrong == [] and {url.partition(":")[0] for url in made.asked} <= {"http", "blob"}
    assert [url for url in made.asked if url.startswith("http") and url != "http://host.test/"] == []
    made.page.close()


def move(host, shown, widget):
    """Move a slider, or choose something else; take it back by the menu."""
    before = widget.settings()
    slider = shown.locator("input[type=range]:visible").first
    if slider.count():
        slider.press("ArrowRight")
    else:
        shown.locator("select:visible").first.select_option(index=1)
    host.until(lambda: widget.settings() != before)
    menu(shown, "Undo")
    host.until(lambda: widget.settings() == before)


def step(host, shown, widget=None):
    status = shown.locator(".anb-status")
    said = status.inner_text()
    shown.get_by_role("button", name="One step on").click()
    until(lambda: status.inner_text() != said and (widget is None or widget.step == 1))


def answer(host, shown, widget=None):
    field = shown.get_by_role("textbox").first
    for text, invalid in (("much", "true"), ("0.6", "false")):
        put(field, text)
        until(lambda invalid=invalid: field.get_attribute("aria-invalid") == invalid)
    says(shown, "Not quite. That would mean that backward replaces the old gradient")
    if widget is not None:
        host.until(lambda: widget.chosen == "0.6")


def fill_in(host, shown, widget):
    put(shown.get_by_role("textbox").first, "1")
    host.until(lambda: "1" in str(widget.get_state()["chosen"]))


def ask_for_a_hint(host, shown, widget):
    shown.get_by_role("button", name="Hint").click()
    says(shown, "What did the second backward do")


def step_through_a_run(host, shown, widget):
    move(host, shown, widget)
    shown.get_by_role("button", name="Step").first.click()
    until(lambda: shown.locator(".anb").count() == 1)
    step(host, shown.locator(".anb").first)


ACTS = {"step": step, "predict": answer, "fields": fill_in, "check": ask_for_a_hint, "bench": step_through_a_run}


def test_every_widget_is_tried():
    assert {*widgets.__all__} <= EVERY.keys()


@pytest.mark.parametrize("name", EVERY)
def test_a_widget_works_in_a_host_that_does_only_what_is_specified(host, name, progress, monkeypatch):
    made = EVERY[name]()
    if name == "check":
        monkeypatch.setattr(kernel, "in_kernel", lambda: True)
        monkeypatch.setattr(made.of[0], "_hints_given", 0)  # another test may have asked for one
        made = made.buttons()
    shown = host.show(made)
    ACTS.get(name, move)(host, shown, made)


def test_a_stepper_and_a_card_work_in_a_page_of_myst(browser, tmp_path, progress):
    stepper().save(tmp_path / "walk.mjs")
    course.ch04.p1.save(tmp_path / "card.mjs")
    dark = "<style>.dark body { background: #1c1917; color: #e7e5e4 }</style>"
    (tmp_path / "index.html").write_text(f'<!DOCTYPE html><html lang="en"><title>B</title>{dark}<body></body></html>')
    with folder(tmp_path) as address:
        page, wrong, asked = browser.new_page(), [], []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{address}/index.html")
        page.add_script_tag(path=HOST)
        for name in ("walk", "card"):  # as MyST 1.8.3 writes the directive into its page
            page.evaluate("node => host.myst(node)", {"type": "anywidget", "esm": f"/{name}.mjs", "model": {}})
        walk, card = (page.locator(".anb").nth(place) for place in range(2))
        step(None, walk)
        answer(None, card)
        ground = "each => getComputedStyle(each).backgroundColor"
        until(lambda: walk.evaluate(ground) == "rgb(255, 255, 255)")
        page.evaluate("document.documentElement.className = 'dark'")
        until(lambda: walk.evaluate(ground) == "rgb(27, 31, 39)")
        assert [url for url in asked if not url.startswith((address, "blob:"))] == [] and wrong == []
        page.close()
