"""The cheat sheet: every chapter's summary, row by row, on one page of paper."""

import re

import pytest

from autograd_nb import course
from autograd_nb.course import library


def test_every_row_of_every_summary_is_on_it():
    sheet = course.cheat_sheet()
    notebooks = [path for path in library.notebooks_of(library.course_source()) if path.stem[:2] < "90"]
    assert [title for title, _ in sheet.chapters] == [library.title(path) for path in notebooks]
    assert all(len(rows) >= 4 and len({len(row) for row in rows}) == 1 for _, rows in sheet.chapters)
    cells = [cell for _, rows in sheet.chapters for row in rows for cell in row]
    assert len(cells) > 250 and all(cell in sheet.text for cell in cells)
    assert not re.search(r"[`|]|\]\(", re.sub(r"<style>.*?</style>", "", sheet.html, flags=re.DOTALL))
    assert "<code>optimizer.zero_grad()</code>" in sheet.html


@pytest.mark.browser
def test_it_is_printed_on_one_page(opened, tmp_path):
    course.cheat_sheet().save(tmp_path / "sheet.html")
    with pytest.raises(FileExistsError):
        course.cheat_sheet().save(tmp_path / "sheet.html")
    printed = opened(tmp_path / "sheet.html").pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
