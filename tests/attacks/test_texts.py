"""Hostile texts in every place: the output is well formed, has none of their markup, and runs no part of them."""

import base64
import json
import re
import unicodedata
import warnings
import xml.etree.ElementTree as ElementTree
import zlib
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from widget_page import until

from autograd_nb.microscope.labels import clean

from . import texts

ELEMENTS = set("br code details div img li ol p pre strong summary table tbody td th thead tr ul".split())
ATTRIBUTES = {"alt", "src", "scope", "role", "style"}
TURNING = set(map(chr, [0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), 0x2066, 0x2067]))  # what is beside them


class Reader(HTMLParser):
    """Fails at any element, attribute or declaration that the package itself does not write."""

    def handle_starttag(self, tag, attributes):
        assert tag in ELEMENTS, tag
        for name, value in attributes:
            assert name in ATTRIBUTES, (tag, name)
            assert name != "src" or re.match("data:image/(svg\\+xml|png);base64,[A-Za-z0-9+/=]*$", value)
            assert name != "style" or value.startswith(("border-left:", "min-width:"))

    def handle_decl(self, declaration):
        raise AssertionError(declaration)

    handle_pi = handle_comment = unknown_decl = handle_decl


def assert_legible(text):
    text.encode()
    wrong = {character for character in text if unicodedata.category(character) == "Cc" and character != "\n"}
    assert not wrong | TURNING.intersection(text)
    assert text.count("\u2068") == text.count("\u2069")


def assert_safe(forms, state=None):
    for form, text in forms.items():
        assert_legible(text)
        if form == "image/svg+xml":
            ElementTree.fromstring(text)
        if form == "text/html":
            reader = Reader()
            reader.feed(text)
            reader.close()
            for picture in re.findall("svg\\+xml;base64,([^\"]*)", text):
                ElementTree.fromstring(base64.b64decode(picture))
    if state:
        stories = [json.loads(zlib.decompress(story)) for story in state.get("stories", [])]
        json.dumps([state | {"stories": 0}, stories], ensure_ascii=False, allow_nan=False, default=str).encode()
        for story in stories:
            for markup in (form for slot in story["slots"] for form in slot["forms"]):
                ElementTree.fromstring(f"<g>{markup}</g>")
            for sentence in (each["sentence"] for each in story["steps"]):
                assert_legible(sentence)


@cache
def all_shown(place):
    """All forms in which a place shows each text, and the state of its widget."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for text in texts.TEXTS:
            for shown in texts.shown_at(place, text):
                found.append((texts.forms(shown), shown.get_state() if hasattr(shown, "get_state") else None))
    return found


@pytest.mark.parametrize("place", texts.PLACES, ids=lambda place: place.__name__)
def test_a_text_is_shown_as_text(place):
    for forms, state in all_shown(place):
        assert_safe(forms, state)


def test_figures_take_any_name():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        for chart in texts.figures_named():
            assert_safe(texts.forms(chart))


def test_a_text_that_can_be_shown_is_shown_whole():
    assert clean("one\ntwo\x07\x7f\ud800") == "one⏎two␇␡\ufffd"
    for text in ("</title><script>", "{0} $x$ `a`", "\u05e9\u05dc\u05d5\u05dd", "&amp;"):
        (drawing,) = texts.shown_at(texts.parameter, text)
        title = [each.text for each in ElementTree.fromstring(drawing.svg).iter() if each.text and text in each.text]
        assert title and text in drawing.text


@pytest.mark.browser
def test_nothing_runs_in_a_page(browser):
    """All stored HTML and all SVG, inline too, in one page with scripts on."""
    forms = [forms for place in texts.PLACES for forms, _ in all_shown(place)]
    page = dict.fromkeys(each.get(form, "") for each in forms for form in ("text/html", "image/svg+xml"))
    page = [re.sub('src="data:[^"]*"', "", part) for part in page if "canary" in part]  # they stand there inline
    tab, heard = browser.new_page(), []
    tab.expose_function("canary", lambda *what: heard.append(what))
    tab.on("dialog", lambda dialog: heard.append(dialog))
    tab.set_content("<!DOCTYPE html>" + "\n".join(f"<section>{part}</section>" for part in page))
    until(lambda: tab.locator("section").count() == len(page))
    kinds = set(tab.evaluate("() => [...document.querySelectorAll('section *')].map((each) => each.localName)"))
    assert not kinds & {"script", "iframe", "style", "textarea", "object", "a"} and {"svg", "img"} <= kinds
    tab.evaluate("() => canary('this is heard')")
    until(lambda: heard)
    assert heard == [("this is heard",)]
    tab.close()


LIVE = """
import warnings; warnings.simplefilter("ignore")
import sys; sys.path[:0] = {folders!r}
from IPython.display import display
from attacks import texts
for text in [" ".join(text for text in texts.TEXTS if "canary" in text), texts.TEXTS[19], texts.TEXTS[15]]:
    for place in (texts.error, texts.question, texts.written, texts.bench_function, texts.bench_fields, texts.workshop):
        for each in texts.shown_at(place, text):
            if hasattr(each, "get_state"):
                display(each)
"done"
"""


@pytest.mark.browser
def test_nothing_runs_in_a_live_widget(lab):
    tests = Path(__file__).parents[1]
    page = lab.notebook(LIVE.format(folders=[str(tests.parent), str(tests), str(tests / "tools")]), run=False)
    page.evaluate("() => { window.heard = []; window.canary = (...what) => window.heard.push(what); }")
    lab.run_all(page)
    until(lambda: page.locator(".jp-OutputArea-output", has_text="'done'").count())
    count = page.locator(".jp-OutputArea-output .anb").count
    wanted = 3 * (1 + 2 + 1 + 1 + 5 + 2)
    until(lambda: count() == wanted, 20)
    until(lambda: not page.locator(".anb", has_text="Loading").count())
    assert "canary()" in " ".join(page.locator(".anb").all_inner_texts())
    assert page.evaluate("() => window.heard") == []
