"""The search of the site, from a page that was scrolled: forty queries of learners, and what they should find."""

import re
import tomllib
from urllib.parse import unquote

import pytest
from house import ROOT, run
from widget_page import until

pytest.importorskip("latex2mathml", reason="latex2mathml is not installed")
pytestmark = pytest.mark.browser

ASKED = ROOT / "autograd_nb" / "course" / "site" / "asked.toml"
# what a reader asks, and places one of which belongs among the first five
ENGLISH = {
    "accumulating": ["04_accumulation", "91_glossary#accumulation"],
    "gradients add up": ["04_accumulation"],
    "zero_grad": ["91_glossary#zero_grad", "04_accumulation"],
    "retain": ["91_glossary#retain_g", "03_backward"],
    "retain_graph": ["91_glossary#retain_graph", "03_backward"],
    "why is my grad None": ["91_glossary#torch.why"],
    "does not require grad and does not have a grad_fn": ["92_error_clinic#Nothing-to-go"],
    "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn":
        ["92_error_clinic#Nothing-to-go"],
    "Trying to backward through the graph a second time": ["92_error_clinic#Backward-a-second"],
    "grad can be implicitly created only for scalar outputs": ["92_error_clinic#Not-a-scalar"],
    "a leaf Variable that requires grad is being used in an in-place operation": ["92_error_clinic#A-leaf-in-place"],
    "one of the variables needed for gradient computation has been modified by an inplace operation":
        ["92_error_clinic#Modified-in-place"],
    "Can't call numpy() on Tensor that requires grad": ["92_error_clinic#NumPy-refused"],
    "the .grad attribute of a Tensor that is not a leaf Tensor is being accessed": ["92_error_clinic#No-gradient"],
    "None": ["04_accumulation#The-second-way:-None"],
    "topological": ["91_glossary#topological", "05_many"],
    "why a topological order": ["91_glossary#topological", "05_many"],
    "leaf": ["91_glossary#leaf", "02_leaves"],
    "leaves": ["02_leaves", "91_glossary#leaf"],
    "chain rule": ["91_glossary#chain", "01_derivative"],
    "broadcasting": ["91_glossary#broadcasting", "06_several"],
    "vector-Jacobian product": ["91_glossary#vector", "07_vectors"],
    "write my own function with forward and backward": ["08_own"],
    "gradchecking": ["91_glossary#gradcheck", "09_is_it"],
    "where does the nan come from": ["09_is_it", "92_error_clinic#The-first-NaN", "18_your_own"],
    "stop gradients detach": ["10_switching", "91_glossary#detach"],
    "no_grad": ["91_glossary#no_grad", "10_switching"],
    "hook": ["91_glossary#hook", "12_hooks"],
    "second derivative": ["13_derivatives", "91_glossary#create_graph"],
    "AccumulateGrad": ["91_glossary#AccumulateGrad", "14_reading"],
    "optimiz": ["91_glossary#optimizer", "16_training"],
}  # fmt: skip
KOREAN = {
    "그래디언트": ["ko/0"],
    "그래디언트를 지우려면": ["ko/04"],
    "왜 더해지나": ["ko/04", "ko/05"],
    "리프": ["ko/02"],
    "연쇄 법칙": ["ko/01"],
    "도함수": ["ko/01"],
    "역전파": ["ko/03", "ko/00"],
    "retain_graph": ["ko/03"],
    "순서는": ["ko/05"],
    "연습 문제": ["ko/0"],
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site") / "pages"
    run("-m", "autograd_nb.course.site", "html", out, cwd=ROOT)
    return out


def ask(page, query):
    page.evaluate("document.getElementById('found').replaceChildren()")
    page.get_by_role("searchbox").fill(query)
    until(lambda: page.locator("#found [role=status]").count())
    return page.locator("#found")


def in_view(found):
    return found.evaluate("""each => { const { top, bottom, left, right } = each.getBoundingClientRect();
        return 0 <= top && bottom <= innerHeight && 0 <= left && right <= innerWidth; }""")


@pytest.mark.parametrize("name, width, queries", [
    ("05_many_paths.html", 1280, ENGLISH), ("05_many_paths.html", 390, dict(list(ENGLISH.items())[:6])),
    ("ko/04_accumulation.html", 390, KOREAN)], ids=["wide", "phone", "ko"])  # fmt: skip
def test_queries_are_answered_under_the_field_from_a_scrolled_page(opened, site, name, width, queries):
    page = opened(site / name, width=width)
    page.evaluate("scrollTo(0, 3000)")
    missed = {}
    for query, wanted in queries.items():
        found = ask(page, query)
        hrefs = [unquote(each.evaluate("each => each.href")).partition("/pages/")[2].replace(".html", "")
                 for each in found.locator("a").all()]  # fmt: skip
        if not any(href.startswith(place) for href in hrefs[:5] for place in wanted):
            missed[query] = hrefs
        assert in_view(found) and page.evaluate("scrollY") > 2000
        told = found.inner_text()
        assert not re.search(r"\]\([\w.]+\.(ipynb|md|svg)|!\[|undefined", told)
    assert missed == {}


def test_what_people_ask_finds_all_that_answers_it(opened, site):
    page = opened(site / "index.html")
    for question, places in tomllib.loads(ASKED.read_text("utf-8")).items():
        found = ask(page, question)
        hrefs = [unquote(each.get_attribute("href")).replace(".html", "") for each in found.locator("a").all()]
        assert {*places} <= {*hrefs[:5]}, question


def test_keys_open_walk_and_close_what_was_found(opened, site):
    page = opened(site / "05_many_paths.html")
    page.evaluate("scrollTo(0, 3000)")
    found = ask(page, "retain_graph")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == found.locator("a").nth(1).inner_text()
    page.keyboard.press("Escape")
    assert found.is_hidden() and page.evaluate("document.activeElement.id") == "search"
    assert page.get_by_role("searchbox").input_value() == "retain_graph"  # nothing typed is lost
    ask(page, "no such thing as qqqqqq")
    page.locator("h1").dispatch_event("click")
    assert found.is_hidden()
    ask(page, "x" * 10_000)
    assert found.inner_text() == "Nothing found."
    first = ask(page, "zero_grad").locator("a").first.get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{first}")
    assert in_view(page.locator(f"[id='{first.partition('#')[2]}']"))


def test_an_entry_holds_what_a_page_shows_and_nothing_folded_in_outputs():
    from autograd_nb.course.site.pages import Sections

    (one, two) = Sections("""<main><h1 id="a">A <code>b</code></h1><p>one<br>two <img alt="no"> <em>thr</em>ee</p>
        <div class="code"><div><pre>x = 1</pre></div><details class="answer"><pre>42</pre></details>
        <details><summary>Legend</summary><ul><li>arrow</li></ul></details></div>
        <h2 id="c">C</h2><div class="live"><p>asked</p></div><p>end</p><nav class="around">next</nav></main>""").found
    assert one == {"anchor": "a", "heading": "A b", "text": "one two three", "shown": "x = 1"}
    assert two == {"anchor": "c", "heading": "C", "text": "end", "shown": ""}
