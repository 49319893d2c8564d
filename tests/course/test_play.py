"""The page `play`: in Chromium, with a worker whose Python is this one; and the runner alone.

In Pyodide it runs where a copy of that is given by `--pyodide` (test_lite_site.py builds the site with it).
"""

import json
import tempfile
import tomllib
from pathlib import Path

import pytest
import serving
from widget_page import says

from autograd_nb.course import playing
from autograd_nb.course.site import play_page

pytestmark = pytest.mark.usefixtures("without_torch")  # as in a browser
EXAMPLES = tomllib.loads((play_page.HERE / "words.toml").read_text("utf-8"))["examples"]
WORDS = tomllib.loads((play_page.HERE / "words.toml").read_text("utf-8"))["words"]
# The same messages as worker.js, with Python at the other end of a request; the page's rules are the real ones.
PIPE = """
self.postMessage({ loading: "python" });
self.postMessage({ ready: true });
self.onmessage = async ({ data }) => {
  const answer = await fetch("python", { method: "POST", body: JSON.stringify(data) });
  self.postMessage({ done: data.run, result: await answer.text() });
};
"""
ENDLESS = "while True:\n    pass\n"


# -- the runner --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_each_example_has_steps_and_fails_only_where_it_should(example):
    done = playing.run(example["code"])
    assert done["stepper"]["details"]["fast"]["count"] >= 3 and example["look"]
    assert bool(done["error"]) == (example["name"] in ("a freed graph", "a change in place")) == bool(done["why"])
    assert json.loads(json.dumps(done)) == done


@pytest.mark.parametrize(("code", "error"), [
    ("x = (", "SyntaxError: '(' was never closed"), ("import flask", "ModuleNotFoundError: No module named 'flask'"),
    ("1 / 0", "line 1, in <module>\n    1 / 0"), ("def f():\n    f()\nf()", "RecursionError"), ("\0", "null bytes"),
])  # fmt: skip
def test_an_error_is_shown_with_the_programs_own_lines_only(code, error):
    done = playing.run(code)
    assert error in done["error"] and "site-packages" not in done["error"] and "autograd_nb" not in done["error"]
    assert done["stepper"] is None and done["why"] == ""


@pytest.mark.parametrize("ending", ["import sys; sys.exit(3)", "raise SystemExit", "exit"])
def test_a_program_may_end_itself(ending):
    assert playing.run(f"print(1)\n{ending}") == {"error": "", "why": "", "stepper": None, "printed": "1\n"}


def test_what_a_program_prints_is_cut():
    done = playing.run("for n in range(1_000_000): print(n)")
    assert len(done["printed"]) <= playing.MOST + len(playing.FULL) and done["printed"].endswith(playing.FULL)


def test_the_stepper_opens_at_the_pass_of_the_cursors_line_or_at_the_last():
    code = EXAMPLES[1]["code"].replace("for _ in range(2):\n    (x * 3).backward()\n    print(x.grad)",
                                       "(x * 3).backward()\n(x * 4).backward()")  # fmt: skip
    lines = [number for number, line in enumerate(code.split("\n"), 1) if "backward" in line]
    first, second, last = (playing.run(code, line)["stepper"]["step"] for line in (*lines, 1))
    assert 0 < first < second == last


def test_torch_is_what_it_was_afterwards():
    import sys

    before = sys.modules.get("torch")
    playing.run("import torch")
    assert sys.modules.get("torch") is before


# -- the page ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address():
    with tempfile.TemporaryDirectory() as folder:
        wheel = Path(folder, "autograd_nb-0.0-py3-none-any.whl")
        wheel.touch()
        play_page.write(Path(folder), wheel)
        with serving.folder(folder) as address:
            yield f"{address}/play/"


@pytest.fixture
def play(browser, address):
    """A function that opens the page; errors in it fail the test, and so does a request elsewhere."""
    contexts, wrong = [], []

    def python(route):
        asked = json.loads(route.request.post_data)
        if asked["code"] == ENDLESS:
            return  # no answer comes
        route.fulfill(body=json.dumps(playing.run(asked["code"], asked["line"])))

    def open_(more="", width=1280, **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": 800}, **options))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith(("data:", "blob:", address)) else
                wrong.append(request.url))  # fmt: skip
        contexts[-1].route("**/worker.js*", lambda route: route.fulfill(body=PIPE, content_type="text/javascript"))
        contexts[-1].route("**/python", python)
        page.goto(address + more)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []


def run(page, code=None):
    if code is not None:
        page.get_by_role("textbox", name="Program").fill(code)
    page.get_by_role("button", name="Run").click()


state = "#state"


@pytest.mark.browser
def test_a_program_is_run_and_stepped(play):
    page = play()
    run(page)
    says(page.locator("#printed"), "tensor(0.6000)")
    says(page.locator(state), WORDS["done"])
    assert page.locator("#walk svg text", has_text="PowBackward0").count()
    page.get_by_role("slider").first.focus()
    before = page.locator("#walk").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator("#walk").inner_text() != before


@pytest.mark.browser
def test_an_error_is_shown_with_its_why_and_a_syntax_error_without(play):
    page = play()
    page.get_by_label("Example").select_option("a freed graph")
    assert "What did the first backward free?" in page.locator("#look").inner_text()
    run(page)
    says(page.locator("#error"), "RuntimeError: Trying to backward through the graph a second time")
    assert "y.backward()" in page.locator("#why").inner_text()
    run(page, "x = (")
    says(page.locator("#error"), "SyntaxError")
    assert page.locator("#why").is_hidden() and page.locator("#walk").inner_text() == ""
    run(page, "print('<img src=x onerror=alert(1)>')")
    says(page.locator("#printed"), "<img src=x")


@pytest.mark.browser
def test_an_endless_program_is_ended_and_the_next_one_runs(play):
    page = play()
    page.clock.install()
    run(page, ENDLESS)
    says(page.locator(state), WORDS["running"])
    page.clock.fast_forward(10_001)
    says(page.locator(state), "ran for more than 10 seconds")
    run(page, "print(7)")
    says(page.locator("#printed"), "7")


@pytest.mark.browser
def test_a_link_holds_the_program_and_the_step_and_runs_nothing_by_itself(play):
    page = play(permissions=["clipboard-read", "clipboard-write"])
    code = "import torch\nx = torch.tensor(3., requires_grad=True)\n(x * x).backward()  # größer\n"
    run(page, code)
    says(page.locator(state), WORDS["done"])
    page.get_by_role("slider").first.focus()
    page.keyboard.press("End")
    page.get_by_role("button", name="Copy link").click()
    says(page.locator(state), WORDS["copied"])
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url and "#code=" in link and "&step=" in link and len(link) < 400
    other = play(link.rpartition("/")[2])
    says(other.locator(state), WORDS["shared"])
    assert other.get_by_role("textbox", name="Program").input_value() == code
    assert other.locator("#walk").inner_text() == ""
    run(other)
    says(other.locator(state), WORDS["done"])
    assert other.locator("#walk").inner_text() == page.locator("#walk").inner_text()


@pytest.mark.browser
@pytest.mark.parametrize("code", ["", "!!!", "AAAA", "%3Cscript%3E", "eNor"])
def test_a_link_that_cannot_be_read_is_told(play, code):
    page = play(f"#code={code}")
    says(page.locator(state), WORDS["broken"])
    assert page.get_by_role("textbox", name="Program").input_value()


@pytest.mark.browser
def test_a_program_that_is_too_long_stays_in_the_field_and_gets_no_link(play):
    page = play()
    digits = "".join(str(number * 7919 % 100_003) for number in range(22_000))
    long = "".join(f"# {digits[place : place + 5000]}\n" for place in range(0, 105_000, 5000))
    run(page, long)
    says(page.locator(state), "more than 100,000 letters")
    page.get_by_role("button", name="Copy link").click()
    says(page.locator(state), "The link would have more than 8,000 letters")
    assert page.get_by_role("textbox", name="Program").input_value() == long


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme", "more"), [
    (1280, "light", ""), (390, "dark", ""), (390, "light", "?embed")])  # fmt: skip
def test_it_fits_narrow_dark_and_embedded_and_is_accessible(play, width, scheme, more):
    from axe_core_python.sync_playwright import Axe

    page = play(more, width=width, color_scheme=scheme)
    run(page)
    says(page.locator(state), WORDS["done"])
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert (page.locator("header").bounding_box()["height"] > 20) == (not more)
    assert [each["id"] for each in Axe().run(page)["violations"]] == []


@pytest.mark.browser
def test_it_works_by_keyboard(play):
    page = play()
    page.get_by_role("textbox", name="Program").focus()
    page.keyboard.press("Control+Enter")
    says(page.locator("#printed"), "tensor(0.6000)")


@pytest.mark.browser
def test_a_network_that_is_off_is_told(play):
    page = play()
    page.context.route("**/worker.js*", lambda route: route.abort())
    run(page)
    says(page.locator(state), WORDS["offline"][:40])
