"""Every experiment of the sources is shown in the chapters that are to show it."""

import functools
import json
import re

import pytest
from source_map import Place, source_map, text

from autograd_nb.course import recorded

# Which chapter is to show which experiments. A letter and a number stand for the further programs (A9b) too.
CHAPTERS = {
    "01": "A0 A1 A2 A3",
    "02": "A3 A4 A5 D1 D2 D4 D5 D12 F4",
    "03": "A6 D2 D3 D6 D7 F2",
    "04": "A7 A8 C9 F6 F7",
    "05": "A9 F1",
    "06": "A10 A13",
    "07": "B1 B3 B4 B5 B6 B7 B8 B9 B10 C6 C7 C8 F8 F16 F21",
    "08": "A11 B12 E4 F12",
    "09": "A20 A21 F10 F15 F20",
    "10": "A12 A14 A15 A16 C4 D8 F9 F14 F19",
    "11": "D9 D10 D11 F3 F5 F17",
    "12": "A19 F13",
    "13": "A17 A18 B2 C10 F11",
    "14": "A22 B11 B13 F18",
    "15": "C5 E6",
    "16": "C1 C2 C3 C9 E1 E2 E3 E5",
}


def number(name):
    """'A9' for A09, A09b and A9."""
    return name[0] + str(int(re.sub(r"\D", "", name)))


@functools.cache
def course():
    return source_map()


def shown_in(chapter):
    """The experiments that a chapter's cells are tagged with."""
    return {number(name) for name, places in course().items() for place in places if place.notebook[:2] == chapter}


def test_every_experiment_has_a_chapter():
    listed = {name for names in CHAPTERS.values() for name in names.split()}
    assert listed == {number(name) for name in recorded.names()}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_shows_what_it_is_to_show(chapter):
    assert set(CHAPTERS[chapter].split()) - shown_in(chapter) == set()


def test_the_map_is_complete():
    """Every experiment is shown somewhere, also each further program of a number (A9b)."""
    assert [name for name, places in course().items() if not places] == []


def test_the_map_is_read_from_the_tags(tmp_path):
    cells = [("markdown", "# Title", []), ("code", "1", ["A9", "raises-exception"]),
             ("markdown", "Words.\n\n## Part", ["long: so it is"]), ("code", "2", ["A9b", "A9", "D02"])]  # fmt: skip
    content = [{"cell_type": kind, "source": [source], "metadata": {"tags": tags}} for kind, source, tags in cells]
    (tmp_path / "05_paths.ipynb").write_text(json.dumps({"cells": content}))
    found = source_map(tmp_path)
    part = Place("05_paths", 4, "Part")
    assert found["A09"] == found["A09b"] == [Place("05_paths", 2, "Title"), part] and found["D02"] == [part]
    assert not any(places for name, places in found.items() if name not in ("A09", "A09b", "D02"))
    lines = text(found).splitlines()
    assert lines[lines.index("      05_paths, Title: cell 2") + 1] == "      05_paths, Part: cell 4"


def test_a_tag_that_names_nothing_is_told(tmp_path):
    cell = {"cell_type": "code", "source": [], "metadata": {"tags": ["A99"]}}
    (tmp_path / "01_one.ipynb").write_text(json.dumps({"cells": [cell]}))
    with pytest.raises(ValueError, match="no experiment 'A99'"):
        source_map(tmp_path)
