"""Every cell of every chapter runs on real PyTorch with its import changed, and prints the same there as here.

Helpers of ours come from autograd_nb then. What still stops is one of the helpers that chapter 00 names.
"""

import json
import re

import house
import pytest
from cells_on_pytorch import HELPERS
from comparison import differences
from forks import python

pytestmark = pytest.mark.usefixtures("torch")
CHAPTERS = [path.name[:2] for path in sorted(house.NOTEBOOKS.glob("[0-2][0-9]_*.ipynb"))]
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
# Helpers that call a function of the reader's with numbers of the engine, and code that is about the engine itself.
ENGINE = re.compile(r"figures\.(?:tangent|difference_error)\(|widgets\.\w+\(|autograd_nb\.engine")


def printed(cell):
    """The stored text of a cell: what it printed, and its value if that is plain text; and its error, or None."""
    outputs = cell["outputs"]
    texts = [output["text"] for output in outputs if output.get("name") == "stdout"]
    values = [output["data"] for output in outputs if output["output_type"] == "execute_result"]
    texts += [[*data["text/plain"], "\n"] for data in values if data.keys() == {"text/plain"}]
    errors = [f"{output['ename']}: {output['evalue']}" for output in outputs if output["output_type"] == "error"]
    return "".join(map("".join, texts)), (errors or [None])[0]


def same(stored, found):
    return differences(*(ADDRESS.sub("", each).strip() for each in (stored, found))) == []


@pytest.mark.parametrize("number", CHAPTERS)
def test_a_cell_prints_on_pytorch_what_it_prints_here_or_stops_at_a_helper(number):
    done = python(house.ROOT / "tests" / "tools" / "cells_on_pytorch.py", number)
    assert done.returncode == 0, done.stderr
    cells = house.cells(house.chapter(number), "code")
    wrong, compared = [], 0
    for (cell, source), (text, error) in zip(cells, json.loads(done.stdout), strict=True):
        stored, expected = printed(cell)
        if ENGINE.search(source) and error != expected:
            assert "change its import" in error, source  # it is refused in words, and nothing else is
            continue
        if (error or "").partition("\n")[0] != (expected or "").partition("\n")[0]:
            wrong.append((source, error or "no error", expected or "none"))
        elif "tracemalloc" not in cells[0][1] and not same(stored, text):  # it counts what NumPy takes
            wrong.append((source, text, stored))
        compared += bool(stored)
    assert wrong == []
    assert compared >= 8


def test_chapter_00_names_the_helpers():
    texts = " ".join(source for _, source in house.cells(house.chapter("00"), "markdown"))
    assert all(f"`{name}`" in texts or f"`torch.{name}`" in texts for name in HELPERS)
