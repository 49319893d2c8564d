"""Every experiment of the sources is shown in the chapters that are to show it, as the tags of their cells say.

A cell tagged "A9" stands for program 9 of source A and for A9b, … after it; one tagged "A9b" for that one.
"""

import re
from collections import defaultdict

import pytest
from house import cells

from autograd_nb.course import launcher, recorded

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


SHOWN = defaultdict(set)  # by chapter
for notebook in launcher.notebooks_of(launcher.course_source()):
    for cell, _ in cells(notebook):
        for tag in filter(re.compile(r"[A-Z]\d+[a-z]?").fullmatch, cell["metadata"].get("tags", [])):
            name = recorded.find(tag)
            SHOWN[notebook.name[:2]] |= {each for each in recorded.names()
                                         if each == name or (name[-1].isdigit() and each[:-1] == name)}  # fmt: skip


def test_every_experiment_has_a_chapter():
    listed = {name for names in CHAPTERS.values() for name in names.split()}
    assert listed == {number(name) for name in recorded.names()}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_shows_what_it_is_to_show(chapter):
    assert set(CHAPTERS[chapter].split()) - {number(name) for name in SHOWN[chapter]} == set()


def test_every_experiment_is_shown():
    """Also each further program of a number (A9b)."""
    assert set(recorded.names()) - set().union(*SHOWN.values()) == set()
