"""The tour: eight cells, four widgets and twenty minutes; and its slides, which work offline and keep the notes."""

import re

import pytest
from house import NOTEBOOKS, ROOT, cells, run
from widget_page import inaccessible, until

from autograd_nb import widgets

TOUR = NOTEBOOKS / "tour.ipynb"
MINUTES = re.compile(r"^\*For the speaker, (\d+) minutes?:\* ")


def kinds(kind):
    """The sources of the cells with this kind of slide."""
    return [source for cell, source in cells(TOUR) if cell["metadata"].get("slideshow", {}).get("slide_type") == kind]


def test_it_has_eight_cells_of_code_and_four_widgets():
    code = [source for _, source in cells(TOUR, "code")]
    called = [name for source in code for name in re.findall(r"^(?:widgets|torch)\.(\w+)\(.*\)$", source, re.M)]
    assert len(code) == 8 and len([name for name in called if name in widgets.__all__]) == 4
    stated = re.search(r"\*\*Time\*\* (\d+) minutes", cells(TOUR)[0][1])[1]
    assert sum(int(MINUTES.match(source)[1]) for source in kinds("notes")) == int(stated) == 20


def test_each_slide_begins_with_a_heading_and_ends_with_what_a_speaker_may_say():
    order = [cell["metadata"].get("slideshow", {}).get("slide_type", "") for cell, _ in cells(TOUR)]
    assert re.fullmatch(r"(slide( -)? notes ?)+", " ".join(filter(None, order)))
    assert all(re.match(r"##? \w", source) for source in kinds("slide"))


@pytest.fixture(scope="module")
def slides(tmp_path_factory):
    pytest.importorskip("latex2mathml", reason="latex2mathml is not installed")
    out = tmp_path_factory.mktemp("talk") / "slides"
    run("-m", "autograd_nb.course.site", "slides", out, cwd=ROOT)
    return out


def test_slides_load_nothing_from_elsewhere_and_carry_their_licence(slides):
    page = (slides / "index.html").read_text("utf-8")
    loaded = re.findall(r'<(?:script|link|img)[^>]*?(?:src|href)="([^"]+)"', page)
    assert loaded and [each for each in loaded if not each.startswith("data:") and not (slides / each).exists()] == []
    assert page.count("<section") == len(kinds("slide")) and page.count('class="notes"') == len(kinds("notes"))
    assert "run this cell" not in page and "map_record" not in page and "00_welcome.ipynb" not in page
    for name in ("reveal.js", "reveal.css", "reveal-notes.js"):
        head = (slides / name).read_text("utf-8")[:6000]
        assert "Hakim El Hattab" in head and "MarkedJS" in head and head.count("Permission is hereby granted") == 2


def look_at(page, number, source):
    """A slide is there and fits, and in its stepper the keys step that turn slides elsewhere."""
    present, place = page.locator("section.present"), "() => Reveal.getState().indexh"
    until(lambda: page.evaluate(place) == number)
    until(lambda: present.locator("h1, h2").inner_text() == re.match(r"##? (.*)", source)[1])
    until(lambda: present.evaluate("slide => slide.scrollHeight") <= 700)  # once its pictures are there
    if "step by step" in source:
        stepper = present.locator(".anb")
        until(lambda: stepper.count() == 1)
        said = stepper.locator(".anb-status").inner_text()
        stepper.get_by_role("button", name="One step on").press("ArrowRight")
        until(lambda: stepper.locator(".anb-status").inner_text() != said)
        until(lambda: page.evaluate(place) == number)
        assert inaccessible(page, context="section.present") == []  # reveal.js makes the parts around it
        page.evaluate("() => document.activeElement.blur()")


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_slides_turn_step_fit_and_tell_the_speaker(browser, slides, scheme):
    context = browser.new_context(viewport={"width": 1280, "height": 720}, offline=True, color_scheme=scheme)
    page, wrong, asked = context.new_page(), [], []
    context.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((slides / "index.html").as_uri())
    for number, source in enumerate(kinds("slide")):
        look_at(page, number, source)
        page.keyboard.press("ArrowRight")
    with context.expect_page() as opened:
        page.keyboard.press("s")
    until(lambda: kinds("notes")[-1][-30:] in opened.value.locator("body").inner_text())
    assert wrong == [] and [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
    context.close()
