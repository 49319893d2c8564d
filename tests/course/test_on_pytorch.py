"""Every cell of every chapter runs on real PyTorch with its import changed, and prints the same there as here.

Helpers of ours come from autograd_nb then. What still stops is one of the helpers that chapter 00 names.
"""

import json
import re

import house
import numpy as np
import pytest
from cells_on_pytorch import HELPERS
from comparison import differences
from forks import python

pytestmark = pytest.mark.usefixtures("torch")
CHAPTERS = [path.name[:2] for path in sorted(house.NOTEBOOKS.glob("[0-2][0-9]_*.ipynb"))]
PLACE = re.compile(r" at 0x[0-9a-f]+| object(?= at)|(?<=\()(?:In \[\d+\]|cell \d+ of \d\d)")
# Helpers that call a function of the reader's with numbers of the engine, and code that is about the engine itself.
ENGINE = re.compile(r"figures\.(?:tangent|difference_error)\(|widgets\.\w+\(|autograd_nb\.engine|cube_root")


def stored(cell):
    """What a cell printed, its value as text, and its error, or None."""
    outputs = cell["outputs"]
    printed = "".join("".join(output["text"]) for output in outputs if output.get("name") == "stdout")
    value = "".join("".join(output["data"]["text/plain"]) for output in outputs if "execution_count" in output)
    errors = [f"{output['ename']}: {output['evalue']}" for output in outputs if output["output_type"] == "error"]
    return printed, value, (errors or [None])[0]


def same(*texts):
    return differences(*(PLACE.sub("", each).strip() for each in texts)) == []


@pytest.mark.parametrize("number", CHAPTERS)
def test_a_cell_prints_on_pytorch_what_it_prints_here_or_stops_at_a_helper(number):
    done = python(house.ROOT / "tests" / "tools" / "cells_on_pytorch.py", number)
    assert done.returncode == 0, done.stderr
    cells = house.cells(house.chapter(number), "code")
    wrong, compared = [], 0
    for (cell, source), (printed, value, error) in zip(cells, json.loads(done.stdout), strict=True):
        there, of_value, expected = stored(cell)
        if error and not expected and ENGINE.search(source):
            assert "change its import" in error, source
            continue
        counts = "tracemalloc" not in cells[0][1] or "MB" not in there  # it counts what NumPy takes
        alike = (not counts or same(printed, there)) and (not value or same(value, of_value))
        if not alike or error_of(error) != error_of(expected):
            wrong.append((source, printed, value, error, there, of_value, expected))
        compared += bool(there or value or expected)
    assert wrong == []
    assert compared >= 7


def error_of(text):
    """The first line of an error's text."""
    return (text or "").partition("\n")[0]


def test_chapter_00_names_the_helpers():
    texts = " ".join(source for _, source in house.cells(house.chapter("00"), "markdown"))
    assert all(f"`{name}`" in texts or f"`torch.{name}`" in texts for name in HELPERS)


def test_only_the_last_places_of_a_number_printed_in_full_may_differ():
    one_ulp_up = float(np.nextafter(np.float32(0.6), np.float32(1)))
    assert not differences(f"x {one_ulp_up}", f"x {float(np.float32(0.6))}")
    assert differences("x 0.6001", "x 0.6000")
    assert differences("x 0.6000001", "x 0.6000")
    assert differences("x 0.60001", "x 0.6000000238418579")
    assert differences("1 True", "2 True") and differences("a", "a\nb")
