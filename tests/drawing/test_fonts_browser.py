"""Every picture of the course in Chromium: each text stays in its frame, in the widest font as in the narrowest."""

import base64
import json
import re

import pytest
from house import NOTEBOOKS
from widget_page import change_theme, until

from autograd_nb.course import launcher

pytestmark = pytest.mark.browser
SVG = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
SANS = re.compile(r'(<svg[^>]* font-family=")[^"]*')
OUTSIDE = """() => [...document.querySelectorAll("svg text")].map((text) => {
    const svg = text.closest("svg");
    const box = text.getBoundingClientRect();
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const holds = (each) => each.left <= x && x <= each.right && each.top <= y && y <= each.bottom;
    const parts = text.parentElement.tagName === "g" ? [...text.parentElement.querySelectorAll("rect, circle")] : [];
    const frames = parts.map((each) => each.getBoundingClientRect()).filter(holds);
    const inside = (each) => box.left >= each.left - 1 && box.right <= each.right + 1;
    const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
    if (!box.width) return [false]; // a form that a stepper does not show now
    const wrong = !inside(svg.getBoundingClientRect()) || size < 9.99 || (frames.length && !frames.some(inside));
    return [wrong, text.textContent, size];
}).filter(([wrong, text]) => wrong && text)"""


def pictures():
    """The SVGs stored in the notebooks, by notebook, and the files beside them."""
    yield "images", [path.read_text(encoding="utf-8") for path in sorted(NOTEBOOKS.glob("images/*.svg"))]
    for path in sorted([*NOTEBOOKS.glob("*.ipynb"), *NOTEBOOKS.glob("ko/*.ipynb")]):
        outputs = json.dumps(json.loads(path.read_text(encoding="utf-8"))["cells"])
        found = [base64.b64decode(each).decode() for each in dict.fromkeys(SVG.findall(outputs))]
        if found:
            yield str(path.relative_to(NOTEBOOKS)), found


@pytest.mark.parametrize("font", ["DejaVu Sans", "Helvetica, Arial"])
def test_no_text_of_the_courses_pictures_leaves_its_frame(browser, font):
    page = browser.new_page()
    seen, outside = 0, {}
    for name, found in pictures():
        page.set_content("".join(SANS.sub(rf"\g<1>{font}", each) for each in found))
        seen += page.locator("svg text").count()
        if wrong := page.evaluate(OUTSIDE):
            outside[name] = wrong
    page.close()
    assert outside == {} and seen > 1000


SIZES = """() => [...document.querySelectorAll("svg")].map((svg) => {
    const { width, height } = svg.getBoundingClientRect();
    return [width, height, svg.textContent.includes("folded:")];
})"""


def test_every_stored_picture_is_seen_whole_beside_a_file_browser(browser):
    """In 690 by 560 pixels; a large network folded into its modules may be 900 high."""
    page, large = browser.new_page(), {}
    for name, found in list(pictures())[1:]:  # the first are not stored in a notebook
        page.set_content("".join(found))
        wrong = [(width, height) for width, height, folded in page.evaluate(SIZES)
                 if width > 690 or height > (900 if folded else 560)]  # fmt: skip
        large |= {name: wrong} if wrong else {}
    page.close()
    assert large == {}


# The images in a page that are much smaller than they were drawn, and those of a header that leave their cell
SMALL = """() => [...document.querySelectorAll(".jp-Notebook img")].filter((image) => {
    const { left, right, width } = image.getBoundingClientRect();
    const cell = image.closest(".jp-Cell").getBoundingClientRect();
    const outside = image.closest(".jp-MarkdownCell") && (left < cell.left || right > cell.right + 1);
    return outside || !(width > 0.75 * image.naturalWidth);
}).map((image) => image.alt.slice(0, 60))"""


def test_no_text_leaves_its_frame_in_a_wide_or_narrow_window_light_or_dark(lab):
    launcher.hand_out(NOTEBOOKS, lab.new_folder())
    page = lab.open("04_accumulation.ipynb", height=14_000)
    lab.run_all(page)
    until(lambda: page.locator(".anb").count() == 12, 120)
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        change_theme(page, theme)
        for width in (900, 1280):
            page.set_viewport_size({"width": width, "height": 14_000})
            page.wait_for_function("width => innerWidth === width", arg=width)
            until(lambda: not wrong_in(page) and page.locator(".jp-Notebook img").count() >= 5)


def wrong_in(page):
    return page.evaluate(OUTSIDE) + page.evaluate(SMALL)
