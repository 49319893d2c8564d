"""The cheat sheet: every chapter's summary, row by row, on one page of paper."""

import re

import pytest
from widget_page import until

from autograd_nb import course
from autograd_nb.course import library

BEYOND = """() => [...document.querySelectorAll(".anb-sheet section")].filter(
    (each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent.slice(0, 20))"""


def test_every_row_of_every_summary_is_on_it():
    sheet = course.cheat_sheet()
    notebooks = [path for path in library.notebooks_of(library.course_source()) if path.stem[:2] < "90"]
    assert [title for title, _ in sheet.chapters] == [library.title(path) for path in notebooks]
    assert all(len(rows) >= 4 and len({len(row) for row in rows}) == 1 for _, rows in sheet.chapters)
    cells = [cell for _, rows in sheet.chapters for row in rows for cell in row]
    assert len(cells) > 250 and all(cell in sheet.text for cell in cells)
    assert not re.search(r"[`|]|\]\(", re.sub(r"<style>.*?</style>", "", sheet.html, flags=re.DOTALL))
    assert "<code>optimizer<wbr>.zero_grad()</code>" in sheet.html


@pytest.mark.browser
def test_it_is_printed_on_one_page(opened, tmp_path):
    course.cheat_sheet().save(tmp_path / "sheet.html")
    page = opened(tmp_path / "sheet.html")
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    page.set_viewport_size({"width": 1070, "height": 741})  # an A4 page between its margins
    until(lambda: page.evaluate(BEYOND) == [])


@pytest.mark.browser
def test_it_stands_in_two_columns_in_a_laptop_s_notebook_and_breaks_no_name(lab):
    page = lab.notebook("from autograd_nb import course\ncourse.cheat_sheet()", width=1280)
    sheet = page.locator(".anb-sheet")
    until(sheet.count)
    until(lambda: page.locator(".jp-DirListing").is_visible())
    left = "all => new Set(all.map(each => each.getBoundingClientRect().left)).size"
    until(lambda: page.locator(".anb-sheet section").evaluate_all(left) == 2)
    until(lambda: page.evaluate(BEYOND) == [])
    # A name on two lines has a rectangle for each; it may break only before a dot or at a space.
    broken = page.locator(".anb-sheet td").evaluate_all("""all => {
        const found = [], range = document.createRange();
        for (const cell of all) {
            const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
            for (let text; (text = texts.nextNode()); )
                for (const word of text.data.matchAll(/[^\\s]+/g)) {
                    range.setStart(text, word.index);
                    range.setEnd(text, word.index + word[0].length);
                    if (new Set([...range.getClientRects()].map((each) => each.top)).size > 1) found.push(word[0]);
                }
        }
        return found;
    }""")
    assert broken == []
    until(lambda: page.locator(".anb-sheet td").first.evaluate("cell => getComputedStyle(cell).textAlign") == "left")
